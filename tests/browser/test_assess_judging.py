"""States that the page shows before the server has answered, compared with the server's."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.browser_storage import EASY
from support.browsing import Modules
from support.fake_campaign import History as Simple
from support.span_sets import END, SPANS, TEXTS, characters, spans_of

from excerpt.assess.events import Event, History
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.procedures import procedure_of
from excerpt.assess.rules import ElementTree, Rules

ACTIONS = st.one_of(
    st.tuples(st.sampled_from(["highlight", "unhighlight"]), st.integers(0, END - 1), st.integers(1, 8)),
    st.tuples(st.just("bep"), st.integers(0, END), st.just(0)),
    st.tuples(st.sampled_from(["no-bep", "undo", "redo", "note"]), st.integers(0, 3), st.just(0)),
)
SHOWN = ("version", "highlights", "bep", "done", "note", "undo", "redo")


@EASY
@given(before=st.lists(ACTIONS, max_size=6), after=st.lists(ACTIONS, max_size=8))
def test_the_page_expects_what_the_server_does(
    js: Modules, before: list[tuple[str, int, int]], after: list[tuple[str, int, int]]
) -> None:
    """Events applied to a state of the server; undo of earlier events is left to the server."""
    history = History(Rules(procedure_of("inex2007"), ElementTree(None)))
    for action in before:
        history = _after(history, action) or history
    state, events = history.state.to_json(), []
    past = future = 0
    for action in after:
        past, future = {"undo": (past - 1, future + 1), "redo": (past + 1, future - 1)}.get(
            action[0], (past + 1, 0)
        )
        following = _after(history, action)
        if past < 0 or future < 0 or following is None:
            break
        events.append({"kind": action[0], "base": history.version, **_body(*action)})
        history = following
    (found,) = js("assess/rules", "projectState", [[state, events]])
    wanted = history.state.to_json()
    assert {name: found[name] for name in SHOWN} == {name: wanted[name] for name in SHOWN}
    assert not found.get("waiting")


def _body(kind: str, start: int, size: int) -> dict[str, Any]:
    if kind == "note":
        return {"note": str(start)}
    return {"start": start, "end": start + size} if kind in {"highlight", "unhighlight", "bep"} else {}


def _after(history: History, action: tuple[str, int, int]) -> History | None:
    """The history with one more event; None if there is nothing to undo."""
    event = Event("", "T", "D", history.version, action[0], _body(*action))
    try:
        return history.apply(event)
    except InvalidEvent:
        return None


def test_what_only_the_server_knows_is_waited_for(js: Modules) -> None:
    """Finishing and undo of earlier events: the version increases, the rest stays."""
    state = {**Simple().state(), "version": 4, "highlights": [[1, 2]], "undo": 3, "redo": 1}
    for kind in ("done", "reopen", "undo", "redo"):
        (found,) = js("assess/rules", "projectState", [[state, [{"kind": kind, "base": 4}]]])
        assert (found["version"], found["waiting"], found["highlights"]) == (5, True, [[1, 2]])
    old: list[dict[str, Any]] = [{"kind": "highlight", "start": 5, "end": 9, "base": 3}]
    assert js("assess/rules", "projectState", [[state, old]]) == [state]
    grade = {"kind": "grade", "path": "/a[1]", "grade": 2, "base": 4}
    (found,) = js("assess/rules", "projectState", [[state | {"owed": ["/a[1]", "/b[1]"]}, [grade]]])
    assert (found["grades"], found["owed"]) == ({"/a[1]": 2}, ["/b[1]"])


def test_the_next_event_is_made_upon_those_that_wait(js: Modules) -> None:
    """The version of the server, or one more than the base of the last unanswered event."""
    assert js("assess/rules", "nextBase", [[3, []], [3, [{"base": 3}, {"base": 4}]], [9, [{"base": 3}]]]) == [
        3,
        5,
        9,
    ]


@EASY
@given(SPANS, SPANS)
def test_spans_without_others(js: Modules, spans: list[list[int]], others: list[list[int]]) -> None:
    """As sets of characters."""
    left = characters(spans) - characters(others)
    assert js("assess/rules", "withoutSpans", [[spans, others]]) == [spans_of(left)]


@settings(EASY, max_examples=25)
@given(st.lists(TEXTS, max_size=5))
def test_long_quotes_are_hashed_as_python_does(js: Modules, texts: list[str]) -> None:
    """SHA-256 of UTF-8, also around the sizes of its blocks."""
    texts = [*texts, *("é" * size for size in (0, 27, 28, 31, 32, 60)), "x" * 5000]
    wanted = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    assert js("assess/sync", "sha256", [[text] for text in texts]) == wanted
