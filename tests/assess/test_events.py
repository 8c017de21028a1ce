"""Tests of events: fields, spans, quotes, histories."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.span_sets import SPAN, SPANS, TEXTS, characters, spans_of

from excerpt.assess.events import (
    KINDS,
    Event,
    History,
    Spans,
    State,
    WorkingState,
    check_text,
    length_of,
    parse_event,
)
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.procedures import procedure_of
from excerpt.assess.rules import ElementTree, Rules

HEAD = {"id": "1", "topic": "7", "document": "a", "base": 0}
LONG = "0123456789" * 120
DIGEST = hashlib.sha256(LONG.encode()).hexdigest()


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ("text", "expected an event"),
        ({}, "id is missing"),
        ({**HEAD, "kind": "none"}, "found the kind 'none'"),
        ({**HEAD, "kind": 7}, "found 7 as kind"),
        ({**HEAD, "id": "", "kind": "done"}, "as id"),
        ({**HEAD, "id": "x" * 101, "kind": "done"}, "as id"),
        ({**HEAD, "id": "\ud800", "kind": "done"}, "as id"),
        ({**HEAD, "base": True, "kind": "done"}, "found True as base"),
        ({**HEAD, "base": 1.0, "kind": "done"}, "found 1.0 as base"),
        ({**HEAD, "base": "0", "kind": "done"}, "found '0' as base"),
        ({**HEAD, "kind": "highlight", "start": 1, "end": 2}, "quote is missing"),
        ({**HEAD, "kind": "highlight", "start": None, "end": 2, "quote": "a"}, "found None as start"),
        ({**HEAD, "kind": "highlight", "start": 1, "end": float("nan"), "quote": "a"}, "found nan as end"),
        ({**HEAD, "kind": "highlight", "start": 1, "end": 2, "quote": "\udc00"}, "as quote"),
        ({**HEAD, "kind": "note", "note": "x" * 10_001}, "at most 10000 characters"),
        ({**HEAD, "kind": "grade", "path": "/a", "grade": {}}, "found {} as grade"),
        ({**HEAD, "kind": "grade", "path": "/a", "grade": [1, 2, 3]}, "as grade"),
        ({**HEAD, "kind": "grade", "path": "/a", "grade": [True, 2]}, "as grade"),
        ({**HEAD, "kind": "grade", "grade": 1}, "path is missing"),
        ({**HEAD, "kind": "label", "start": 1, "end": 2, "quote": "a", "label": ""}, "found '' as label"),
        ({**HEAD, "kind": "reject"}, "suggestion is missing"),
        ({**HEAD, "kind": "done", "label": "supports"}, "events of kind done have no field 'label'"),
        ({**HEAD, "kind": "bep", "start": 1, "grade": 2}, "events of kind bep have no field 'grade'"),
        ({**HEAD, "kind": "undo", "more": []}, "events of kind undo have no field 'more'"),
        (
            {**HEAD, "kind": "label", "start": 1, "end": 2, "quote": "a", "label": "x", "lable": "y"},
            "have no field 'lable'",
        ),
    ],
)
def test_what_is_no_event_is_refused(given_: Any, message: str) -> None:
    """An invalid event is rejected with a sentence."""
    with pytest.raises(InvalidEvent) as refusal:
        parse_event(given_)
    assert message in str(refusal.value)


def test_harmless_fields_are_left_out() -> None:
    """Ignored and empty fields are dropped; those of the kind and the client's time are kept."""
    harmless = {"start": 5, "end": 5, "quote": "", "at": 1.5, "client": {}, "label": None, "note": ""}
    event = parse_event({**HEAD, "kind": "done", "made": "12:00", **harmless})
    assert (event.body, event.base) == ({"made": "12:00"}, 0)


@pytest.mark.parametrize("base", [-1, 10**30])
def test_any_whole_number_may_be_a_version(base: int) -> None:
    """A stale version is a different error, raised later."""
    assert parse_event({**HEAD, "base": base, "kind": "done"}).base == base


def test_a_grade_may_be_taken_away() -> None:
    """A grade of null differs from a missing grade."""
    assert parse_event({**HEAD, "kind": "grade", "path": "/a", "grade": None}).body == {
        "path": "/a",
        "grade": None,
    }
    assert "grade" not in parse_event({**HEAD, "kind": "grade", "path": "/a", "rest": True}).body


@given(TEXTS.filter(bool), st.data())
def test_a_quote_is_what_stands_there(text: str, data: st.DataObject) -> None:
    """Only the quoted code points of the span are accepted."""
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    event = {**HEAD, "kind": "highlight", "start": start, "end": end}
    assert check_text(parse_event({**event, "quote": text[start:end]}), text).body["quote"] == text[start:end]
    with pytest.raises(InvalidEvent, match="expected"):
        check_text(parse_event({**event, "quote": text[start:end] + "x"}), text)


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (0, 99), (99, 100)])
def test_spans_outside_of_the_text_are_refused(start: int, end: int) -> None:
    """Spans are not truncated."""
    event = parse_event({**HEAD, "kind": "unhighlight", "start": start, "end": end, "quote": ""})
    with pytest.raises(InvalidEvent, match=r"expected start < end <= 5"):
        check_text(event, "a\r\nb😀")


@pytest.mark.parametrize("quote", [LONG, DIGEST, f"sha256:{DIGEST}", DIGEST.upper()])
def test_a_long_quote_is_kept_as_its_hash(quote: str) -> None:
    """Text and hash make the same event."""
    event = parse_event({**HEAD, "kind": "highlight", "start": 0, "end": len(LONG), "quote": quote})
    assert check_text(event, LONG).body["quote"] == f"sha256:{DIGEST}"


@pytest.mark.parametrize(("end", "quote"), [(1200, "0" * 64), (1200, LONG[:-1] + "x"), (1000, DIGEST)])
def test_another_hash_is_refused(end: int, quote: str) -> None:
    """A wrong hash is rejected, and so is the hash of a short text."""
    event = parse_event({**HEAD, "kind": "highlight", "start": 0, "end": end, "quote": quote})
    with pytest.raises(InvalidEvent, match="found the quote"):
        check_text(event, LONG)


@pytest.mark.parametrize(
    ("more", "good"),
    [
        ({}, True),
        ({"end": 2, "quote": ""}, True),
        ({"end": 4, "quote": "cd"}, True),
        ({"quote": "cd"}, True),
        ({"end": 4, "quote": "xx"}, False),
        ({"end": 1}, False),
        ({"end": 9}, False),
        ({"start": 5}, False),
    ],
)
def test_an_entry_point_is_a_place_in_the_text(more: dict[str, Any], good: bool) -> None:
    """The end and the quote of an entry point are verified."""
    event = parse_event({**HEAD, "kind": "bep", "start": 2, **more})
    if good:
        assert check_text(event, "abcde") == event
    else:
        with pytest.raises(InvalidEvent):
            check_text(event, "abcde")


def test_every_kind_of_the_specification_is_known() -> None:
    """All kinds are known, with notes and rejected suggestions."""
    assert set(KINDS) == {
        *("highlight", "unhighlight", "bep", "no-bep", "grade", "label", "done", "reopen", "undo", "redo"),
        *("note", "reject", "close-phase", "reopen-phase", "decide"),
    }


RULES = Rules(procedure_of("inex2007"), ElementTree(None))
MARKS = st.tuples(st.sampled_from(["highlight", "unhighlight"]), SPAN.filter(lambda span: span[0] < span[1]))
STEPS = st.lists(MARKS | st.tuples(st.sampled_from(["undo", "redo"]), st.just([])), max_size=40)


def event(number: int, kind: str, span: list[int], **body: Any) -> Event:
    """An event on a version."""
    return Event(str(number), "7", "a", number, kind, dict(zip(("start", "end"), span, strict=False)) | body)


def fold(steps: list[tuple[str, list[int]]]) -> tuple[History, list[Event], set[int]]:
    """Apply the valid steps; return the history, its events, and the highlighted characters."""
    history = History(RULES)
    events: list[Event] = []
    past: list[set[int]] = [set()]  # what was marked, after each step that counts
    future: list[set[int]] = []
    for kind, span in steps:
        coming = event(history.version, kind, span)
        if kind in {"undo", "redo"}:
            if len(past) == 1 if kind == "undo" else not future:
                with pytest.raises(InvalidEvent, match=f"nothing to {kind}"):
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
        assert (history.state.undo, history.state.redo) == (len(past) - 1, len(future))
    return history, events, past[-1]


@given(STEPS)
def test_highlights_agree_with_sets_of_characters(steps: list[tuple[str, list[int]]]) -> None:
    """Highlights, removals, undo and redo agree with sets of characters."""
    history, events, chosen = fold(steps)
    assert [list(span) for span in history.state.highlights] == spans_of(chosen)
    assert history.state.version == len(events)


@given(STEPS)
def test_folding_all_at_once_is_folding_one_by_one(steps: list[tuple[str, list[int]]]) -> None:
    """A history of all events equals the history of events applied one by one."""
    history, events, _ = fold(steps)
    assert History.of(events, RULES).state == history.state


def test_any_change_opens_a_document_again() -> None:
    """Every change but a note reopens a document; undo restores the state before."""
    history = History(RULES).apply(event(0, "done", []))
    assert history.state.done
    assert history.apply(event(1, "note", [], note="sure?")).state.done
    assert not history.apply(event(1, "reopen", [])).state.done
    changed = history.apply(event(1, "highlight", [0, 5]))
    assert not changed.state.done
    assert changed.apply(event(2, "undo", [])).state.done
    assert not history.apply(event(1, "undo", [])).state.done


def test_a_history_is_not_changed_by_what_follows() -> None:
    """Two tabs may continue from one history."""
    history = History(RULES).apply(event(0, "highlight", [0, 5]))
    before = history.state
    history.apply(event(1, "highlight", [5, 9]))
    history.apply(event(1, "undo", []))
    assert history.state == before


def test_finished_once_stays_so() -> None:
    """A document counts as once finished even if that is undone."""
    history = History(RULES).apply(event(0, "done", [])).apply(event(1, "undo", []))
    assert (history.state.done, history.finished_once) == (False, True)
    assert History.of([event(0, "done", []), event(1, "undo", [])], RULES).finished_once


def test_a_state_survives_as_json() -> None:
    """A state converted to JSON and back is unchanged."""
    state = State(3, [(0, 5)], 2, {"/a[1]": [1, 2]}, labels=[(0, 5, "supports", "x")], owed=["/b[1]"])
    again = State.from_json(state.to_json())
    assert again.to_json() == state.to_json()
    assert (again.highlights, again.labels) == (state.highlights, state.labels)
    assert (length_of(state.highlights), state.relevant) == (5, True)
    assert not State(grades={"/a[1]": [0, 0]}).relevant


def test_a_state_of_an_older_version_is_read() -> None:
    """States without `added` count all confirmed text as added."""
    older = State(confirmed=[(0, 5)]).to_json()
    del older["added"]
    assert State.from_json(older).added == [(0, 5)]


def test_thousands_of_highlights_fold() -> None:
    """Five thousand highlights survive undo and redo."""
    events = [event(number, "highlight", [3 * number, 3 * number + 2]) for number in range(5000)]
    events += [event(5000 + number, "undo", []) for number in range(5000)]
    events += [event(10_000 + number, "redo", []) for number in range(5000)]
    history = History.of(events, RULES)
    assert (len(history.state.highlights), history.state.version) == (5000, 15_000)
    assert len(history.apply(event(15_000, "undo", [])).state.highlights) == 4999


WORK_SPAN = st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda pair: (pair[0], sum(pair)))
WORK_STEPS = st.lists(
    st.tuples(st.sampled_from(["label", "unhighlight"]), WORK_SPAN, st.sampled_from(["s", "c", None]))
)


@given(WORK_STEPS)
def test_labels_agree_with_a_label_per_character(steps: list[tuple[str, tuple[int, int], Any]]) -> None:
    """Labelled spans are sorted and as few as possible; the last label counts."""
    work, rules = WorkingState(), Rules(procedure_of("evidence"), ElementTree(None))
    labels: dict[int, str] = {}
    for kind, (start, end), label in steps:
        body = {"start": start, "end": end, "label": label}
        work.change(Event("1", "7", "a", 0, kind, body), rules)
        for at in range(start, end):
            labels.pop(at, None)
            if kind == "label" and label is not None:
                labels[at] = label
    assert {at: label for start, end, label, _ in work.labels for at in range(start, end)} == labels
    assert all(
        one[1] < other[0] or one[2:] != other[2:]
        for one, other in zip(work.labels, work.labels[1:], strict=False)
    )
    assert work.labels == sorted(work.labels)


SPANS_STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "remove"]), SPAN.filter(lambda span: span[0] < span[1]))
)


@given(SPANS_STEPS, SPAN)
def test_spans_agree_with_sets_of_characters(steps: list[tuple[str, list[int]]], asked: list[int]) -> None:
    """Spans are the fewest that contain exactly the added characters."""
    spans, chosen = Spans(), set[int]()
    for step, (start, end) in steps:
        getattr(spans, step)(start, end)
        chosen = chosen | set(range(start, end)) if step == "add" else chosen - set(range(start, end))
    wanted = characters([asked])
    assert [list(span) for span in spans] == spans_of(chosen)
    assert length_of(spans) == len(chosen)
    assert spans.meets(*asked) == bool(wanted & chosen)
    if wanted:
        assert spans.covers(*asked) == (wanted <= chosen)


def test_a_copy_is_changed_apart() -> None:
    """Changes of a copy do not affect the original."""
    spans = Spans([(0, 5)])
    spans.copy().remove(0, 5)
    assert list(spans) == [(0, 5)]


@given(SPANS, SPANS, SPAN)
def test_what_others_lack_is_put_in(own: list[list[int]], others: list[list[int]], more: list[int]) -> None:
    """Characters missing in others are added, and existing ones stay."""
    spans = Spans((start, end) for start, end in own if start < end)
    spans.put_missing(more[0], more[1], Spans((start, end) for start, end in others if start < end))
    assert [list(span) for span in spans] == spans_of(
        characters(own) | (characters([more]) - characters(others))
    )
