"""Sending of events: in order, one request at a time, again after failures; answered events are saved."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.browser_storage import EASY, STORAGE, TOOLS
from support.browsing import Modules

#: A server of some documents that does to each request what a script says, then answers all; a clock by hand.
WORLD = f"""async ({{Outbox, pairKey}}, {{Sync}}, [events, script]) => {{
  const outbox = new Outbox(({STORAGE})([]), "a", {TOOLS}), log = [], versions = {{}}, known = new Map();
  const told = [], waits = [];
  let time = 0, under = 0, most = 0, timer = null;
  const record = event => {{
    const key = pairKey(event), version = versions[key] ?? 0;
    if (known.has(event.id)) return known.get(event.id);
    if (event.bad) return {{error: "bad", status: 422}};
    if (event.base !== version) return {{error: "stale", status: 409, version, state: {{version}}}};
    versions[key] = version + 1;
    log.push(event.n);
    known.set(event.id, {{version: version + 1, state: {{version: version + 1}}}});
    return known.get(event.id);
  }};
  const send = async batch => {{
    most = Math.max(most, ++under);
    await null;
    under--;
    const step = script.shift() ?? "ok", answers = [];
    if (step === "lost") throw new Error("The server does not answer.");
    if (Number.isInteger(step)) return {{status: step, body: {{error: `status ${{step}}`}}}};
    for (const event of batch) {{
      answers.push(record(event));
      if (answers.at(-1).error) break;
    }}
    if (step === "lost after") throw new Error("The server does not answer.");
    if (step === "garbled") return {{status: 200, body: null}};
    const refused = answers.at(-1).error && answers.length === 1;
    const body = batch.length > 1 && !refused ? answers : answers[0];
    return {{status: refused ? answers[0].status : 200, body}};
  }};
  const later = (act, wait) => {{
    waits.push(wait);
    return (timer = () => {{ timer = null; time += wait; return act(); }});
  }};
  const clock = {{now: () => time, later, cancel: () => {{ timer = null; }}}};
  const why = event => outbox.refused.find(entry => entry.event.id === event.id)?.error;
  const said = (event, answer) => answer?.version ?? answer?.error ?? why(event);
  const tell = name => (event, answer) => told.push([name, event.n, said(event, answer)]);
  const names = ["answered", "stale", "refused"].map(name => [name, tell(name)]);
  const sync = new Sync({{outbox, send, clock, listener: {{...Object.fromEntries(names), changed() {{}}}}}});
  for (const event of events) {{
    outbox.add(event);
    sync.pump();
    if (event.pause) await new Promise(done => setTimeout(done));
  }}
  for (let i = 0; i < 60 && (timer || sync.busy); i++) {{
    await new Promise(done => setTimeout(done));
    await timer?.();
  }}
  await new Promise(done => setTimeout(done));
  const before = {{...sync.status, held: [...sync.held.keys()]}}, left = outbox.events.map(event => event.n);
  if (sync.held.size) await sync.apply([...sync.held.keys()][0], versions[[...sync.held.keys()][0]] ?? 0);
  const after = outbox.events.map(event => event.n);
  return {{log, told, most, waits, left, before, status: sync.status.state, versions, after}};
}}"""


def run(js: Modules, events: list[dict[str, Any]], script: list[Any]) -> dict[str, Any]:
    """Send events to the server of `WORLD`; the script says what happens to each request."""
    found: dict[str, Any] = js.run(["assess/sync", "assess/sync"], WORLD, [events, script])
    return found


def made(count: int, **more: Any) -> list[dict[str, Any]]:
    """Events of one document, each based on the one before."""
    return [
        {"n": n, "topic": "T", "document": "D", "base": n, "kind": "highlight", **more} for n in range(count)
    ]


@EASY
@given(
    documents=st.lists(st.sampled_from("ABC"), min_size=1, max_size=12),
    pauses=st.lists(st.booleans(), min_size=12, max_size=12),
    script=st.lists(st.sampled_from(["ok", "lost", "lost after", 507, 503, 401, "garbled"]), max_size=20),
)
def test_every_event_arrives_once_and_in_order(
    js: Modules, documents: list[str], pauses: list[bool], script: list[Any]
) -> None:
    """Whatever happens to requests and answers on the way."""
    counts: dict[str, int] = {}
    events = []
    for number, document in enumerate(documents):
        base = counts.get(document, 0)
        events.append(
            {"n": number, "topic": "T", "document": document, "base": base, "pause": pauses[number]}
        )
        counts[document] = base + 1
    found = run(js, events, script)
    assert found["log"] == list(range(len(events)))
    assert [number for kind, number, _ in found["told"] if kind == "answered"] == found["log"]
    assert found["left"] == []
    assert found["status"] == "saved"
    assert found["most"] == 1


def test_waits_grow_and_start_again(js: Modules) -> None:
    """From a second to half a minute; after an answer the next failure is the first one."""
    assert run(js, made(1), ["lost"] * 8)["waits"] == [1000, 2000, 4000, 8000, 15_000, 30_000, 30_000, 30_000]
    paused = made(2)
    paused[0]["pause"] = True
    assert run(js, paused, ["ok", "lost"])["waits"] == [1000]


def test_events_after_a_rejected_one_need_a_decision(js: Modules) -> None:
    """They assume a state that is not valid: none of them is sent; other documents go on."""
    events = [*made(4), {"n": 9, "topic": "T", "document": "E", "base": 0}]
    events[1]["bad"] = True
    found = run(js, events, [])
    assert [number for number in found["log"] if number in {0, 9}] == [0, 9]
    assert found["told"].index(["refused", 1, "bad"]) < found["told"].index(["answered", 9, 1])
    assert found["left"] == [2, 3]
    assert found["before"]["held"] == ['["T","D"]']
    assert (found["log"], found["after"]) == ([0, 9, 2, 3], [])
    assert found["status"] == "waiting"  # the rejected event was not dismissed


@pytest.mark.parametrize(
    ("kinds", "left"),
    [
        (["grade", "undo"], []),
        (["grade", "undo", "redo"], []),
        (["grade", "undo", "undo", "note"], [2, 3]),
        (["grade", "highlight", "undo", "undo"], [1, 2]),
        (["grade", "highlight", "undo", "redo"], [1, 2, 3]),
    ],
)
def test_an_undo_is_dropped_with_its_event(js: Modules, kinds: list[str], left: list[int]) -> None:
    """Otherwise it would undo an earlier event that was saved."""
    events = [event | {"kind": kind} for event, kind in zip(made(len(kinds)), kinds, strict=True)]
    events[0]["bad"] = True
    found = run(js, events, [])
    assert found["left"] == left
    assert found["log"] == left


@pytest.mark.parametrize("status", [400, 404, 405, 418, 429, 431])
def test_only_the_campaign_rejects_an_event_for_good(js: Modules, status: int) -> None:
    """After errors of guards, proxies and other servers it is sent again."""
    found = run(js, made(2), [status, status])
    assert not [one for one in found["told"] if one[0] == "refused"]
    assert found["left"] == ([0, 1] if status == 404 else [])


def test_large_requests_are_split(js: Modules) -> None:
    """Only an event that is too large by itself is rejected."""
    found = run(js, made(3), ["ok", 413])
    assert found["log"] == [0, 1, 2]
    assert run(js, made(1), [413])["told"] == [["refused", 0, "status 413"]]


def test_a_409_without_a_state_is_no_conflict(js: Modules) -> None:
    """It is sent again."""
    found = run(js, made(1), [409])
    assert (found["log"], found["waits"]) == ([0], [1000])


def test_a_stale_event_holds_its_document_and_no_other(js: Modules) -> None:
    """It stays in the outbox until the decision; then all events of that document follow in order."""
    events = [
        {"n": 0, "topic": "T", "document": "A", "base": 3},
        {"n": 1, "topic": "T", "document": "A", "base": 4},
        {"n": 2, "topic": "T", "document": "B", "base": 0},
    ]
    found = run(js, events, [])
    assert found["before"]["state"] == "waiting"
    assert found["left"] == [0, 1]
    assert found["log"] == [2, 0, 1]
    assert found["after"] == []
    assert found["status"] == "saved"


@pytest.mark.parametrize("status", [403, 404])
def test_events_of_a_forbidden_document_are_kept(js: Modules, status: int) -> None:
    """A permission can be restored: the event waits, and is not sent again automatically."""
    found = run(js, made(1), [status])
    assert found["before"] | {"savedAt": 0} == {
        "state": "waiting", "count": 1, "until": 0, "sentence": "", "savedAt": 0, "held": ['["T","D"]'],
        "refused": [],
    }  # fmt: skip
    assert found["waits"] == []


def test_dropping_gives_up_one_document(js: Modules) -> None:
    """Events of other documents stay."""
    found = js.run(
        ["assess/sync", "assess/sync"],
        f"""({{Outbox, pairKey}}, {{Sync}}) => {{
          const outbox = new Outbox(({STORAGE})([]), "a", {TOOLS}), changed = [];
          const listener = {{changed: () => changed.push(1)}}, sync = new Sync({{outbox, listener}});
          for (const document of ["A", "B", "A"]) outbox.add({{topic: "T", document}});
          sync.drop(pairKey({{topic: "T", document: "A"}}));
          return [outbox.events.map(({{document}}) => document), changed.length];
        }}""",
    )
    assert found == [["B"], 1]
