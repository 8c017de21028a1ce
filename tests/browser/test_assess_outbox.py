"""The outbox: unanswered events in the storage of the browser, each once, in order."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.browser_storage import EASY, STORAGE, TOOLS
from support.browsing import Modules


def test_ids_are_random_uuids(js: Modules) -> None:
    """Version 4, never the same twice."""
    ids = js.run(
        ["assess/sync"],
        "outbox => Array.from({length: 99}, () => outbox.newId(bytes => crypto.getRandomValues(bytes)))",
    )
    assert len(set(ids)) == 99
    assert all(
        re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", one)
        for one in ids
    )


@EASY
@given(
    kinds=st.lists(st.text(max_size=5), max_size=8),
    settled=st.sets(st.integers(0, 7)),
    name=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
def test_unanswered_events_survive_a_reload(
    js: Modules, kinds: list[str], settled: set[int], name: str
) -> None:
    """The same events in the same order; other entries of the storage do not change."""
    found: dict[str, Any] = js.run(
        ["assess/sync"],
        f"""({{Outbox}}, [kinds, settled, name]) => {{
          const storage = ({STORAGE})([["excerpt:x:outbox:1", "no JSON"], ["theirs", "1"]]), tools = {TOOLS};
          const outbox = new Outbox(storage, name, tools);
          const events = kinds.map((kind, i) => outbox.add({{kind, document: "D", topic: "T", base: i}}));
          for (const i of settled) if (events[i]) outbox.settle(events[i].id);
          const again = new Outbox(storage, name, tools), more = again.add({{kind: "last"}});
          const third = new Outbox(storage, name, tools);
          return {{before: outbox.events, after: again.events.slice(0, -1), last: third.events.at(-1).kind,
            others: [storage.getItem("theirs"), new Outbox(storage, name + "x", tools).events.length]}};
        }}""",
        [kinds, sorted(settled), name],
    )
    assert [event["kind"] for event in found["before"]] == [
        kind for number, kind in enumerate(kinds) if number not in settled
    ]
    assert found["after"] == found["before"]
    assert found["last"] == "last"
    assert found["others"] == ["1", 0]


def test_two_windows_do_not_overwrite_each_other(js: Modules) -> None:
    """Each event has its own key; one window follows the changes of the other."""
    found = js.run(
        ["assess/sync"],
        f"""({{Outbox}}) => {{
          const storage = ({STORAGE})([]), open = () => new Outbox(storage, "a", {TOOLS});
          const one = open(), other = open();
          const first = one.add({{kind: "first", base: 1}}), second = other.add({{kind: "second", base: 1}});
          const third = open(), seen = third.events.map(({{kind}}) => kind).sort();
          one.settle(first.id);
          other.rebase(second.id, 5);
          const key = id => `excerpt:a:outbox:${{id}}`;
          for (const {{id}} of [first, second]) third.follow(third.idOf(key(id)), storage.getItem(key(id)));
          const left = third.events.map(({{kind, base}}) => [kind, base]);
          return [seen, left, third.idOf("other"), third.idOf(null)];
        }}""",
    )
    assert found == [["first", "second"], [["second", 5]], None, None]


def test_a_full_storage_loses_nothing(js: Modules) -> None:
    """The event stays in the window, and `lasting` is false."""
    found = js.run(
        ["assess/sync"],
        f"""({{Outbox}}) => {{
          const outbox = new Outbox(({STORAGE})([], 1), "a", {TOOLS});
          outbox.add({{kind: "kept"}});
          const before = outbox.lasting;
          outbox.add({{kind: "not kept"}});
          return [before, outbox.lasting, outbox.events.length];
        }}""",
    )
    assert found == [True, False, 2]
