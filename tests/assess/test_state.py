"""Histories: what events come to, with undo and redo of any depth, against sets of characters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_sets import SPAN, spans_of

from excerpt.assess.events import Event
from excerpt.assess.procedures import procedure_of
from excerpt.assess.refusals import Unfit
from excerpt.assess.rules import Rules, Structure
from excerpt.assess.state import History, State

RULES = Rules(procedure_of("inex2007"), Structure(None))
MARKS = st.tuples(st.sampled_from(["highlight", "unhighlight"]), SPAN.filter(lambda span: span[0] < span[1]))
STEPS = st.lists(MARKS | st.tuples(st.sampled_from(["undo", "redo"]), st.just([])), max_size=40)


def event(number: int, kind: str, span: list[int], **body: Any) -> Event:
    """An event on a version."""
    return Event(str(number), "7", "a", number, kind, dict(zip(("start", "end"), span, strict=False)) | body)


def fold(steps: list[tuple[str, list[int]]]) -> tuple[History, list[Event], set[int]]:
    """Steps one after the other, those that fit: the history, its events, the characters that are marked."""
    history = History(RULES)
    events: list[Event] = []
    past: list[set[int]] = [set()]  # what was marked, after each step that counts
    future: list[set[int]] = []
    for kind, span in steps:
        coming = event(history.version, kind, span)
        if kind in {"undo", "redo"}:
            if len(past) == 1 if kind == "undo" else not future:
                with pytest.raises(Unfit, match=f"nothing to {kind}"):
                    history.apply(coming)
                continue
            source, target = (past, future) if kind == "undo" else (future, past)
            target.append(source.pop())
        else:
            chosen = set(range(*span))
            past.append(past[-1] | chosen if kind == "highlight" else past[-1] - chosen)
            future = []
        history = history.apply(coming)
        events.append(coming)
        assert (history.state.undo, history.state.redo) == (len(past) > 1, bool(future))
    return history, events, past[-1]


@given(STEPS)
def test_highlights_agree_with_sets_of_characters(steps: list[tuple[str, list[int]]]) -> None:
    """Whatever is marked, unmarked, undone and done again."""
    history, events, chosen = fold(steps)
    assert [list(span) for span in history.state.highlights] == spans_of(chosen)
    assert history.state.version == len(events)


@given(STEPS)
def test_folding_all_at_once_is_folding_one_by_one(steps: list[tuple[str, list[int]]]) -> None:
    """So an answer can be given again at any time."""
    history, events, _ = fold(steps)
    assert History.of(events, RULES).state == history.state


def test_any_change_opens_a_document_again() -> None:
    """Except for a note, which judges nothing; undo restores exactly what was."""
    history = History(RULES).apply(event(0, "done", []))
    assert history.state.done
    assert history.apply(event(1, "note", [], note="sure?")).state.done
    assert not history.apply(event(1, "reopen", [])).state.done
    changed = history.apply(event(1, "highlight", [0, 5]))
    assert not changed.state.done
    assert changed.apply(event(2, "undo", [])).state.done
    assert not history.apply(event(1, "undo", [])).state.done


def test_a_history_is_not_changed_by_what_follows() -> None:
    """Two tabs may go on from one."""
    history = History(RULES).apply(event(0, "highlight", [0, 5]))
    before = history.state
    history.apply(event(1, "highlight", [5, 9]))
    history.apply(event(1, "undo", []))
    assert history.state == before


def test_finished_once_stays_so() -> None:
    """Also where finishing was undone."""
    history = History(RULES).apply(event(0, "done", [])).apply(event(1, "undo", []))
    assert (history.state.done, history.finished_once) == (False, True)
    assert History.of([event(0, "done", []), event(1, "undo", [])], RULES).finished_once


def test_a_state_survives_as_json() -> None:
    """With all that it has."""
    state = State(3, [(0, 5)], 2, {"/a[1]": [1, 2]}, labels=[(0, 5, "supports", "x")], owed=["/b[1]"])
    again = State.from_json(state.to_json())
    assert again.to_json() == state.to_json()
    assert (again.highlights, again.labels) == (state.highlights, state.labels)
    assert (state.characters, state.relevant) == (5, True)
    assert not State(grades={"/a[1]": [0, 0]}).relevant


def test_a_state_of_an_older_version_is_read() -> None:
    """Then all that was confirmed counted as added."""
    older = State(confirmed=[(0, 5)]).to_json()
    del older["added"]
    assert State.from_json(older).added == [(0, 5)]


def test_thousands_of_highlights_fold() -> None:
    """Of five thousand none is lost, also after all were undone and done again."""
    events = [event(number, "highlight", [3 * number, 3 * number + 2]) for number in range(5000)]
    events += [event(5000 + number, "undo", []) for number in range(5000)]
    events += [event(10_000 + number, "redo", []) for number in range(5000)]
    history = History.of(events, RULES)
    assert (len(history.state.highlights), history.state.version) == (5000, 15_000)
    assert len(history.apply(event(15_000, "undo", [])).state.highlights) == 4999
