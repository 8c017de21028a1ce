"""Events as they arrive: fields, spans, quotes."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_sets import TEXTS

from excerpt.assess.events import KINDS, check_text, parse_event
from excerpt.assess.refusals import Unfit

HEAD = {"id": "1", "topic": "7", "document": "a", "base": 0}
LONG = "0123456789" * 120
DIGEST = hashlib.sha256(LONG.encode()).hexdigest()


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ("text", "expected an event"),
        ({}, "found no id"),
        ({**HEAD, "kind": "none"}, "found the kind 'none'"),
        ({**HEAD, "kind": 7}, "found 7 as kind"),
        ({**HEAD, "id": "", "kind": "done"}, "as id"),
        ({**HEAD, "id": "x" * 101, "kind": "done"}, "as id"),
        ({**HEAD, "id": "\ud800", "kind": "done"}, "as id"),
        ({**HEAD, "base": True, "kind": "done"}, "found True as base"),
        ({**HEAD, "base": 1.0, "kind": "done"}, "found 1.0 as base"),
        ({**HEAD, "base": "0", "kind": "done"}, "found '0' as base"),
        ({**HEAD, "kind": "highlight", "start": 1, "end": 2}, "found no quote"),
        ({**HEAD, "kind": "highlight", "start": None, "end": 2, "quote": "a"}, "found None as start"),
        ({**HEAD, "kind": "highlight", "start": 1, "end": float("nan"), "quote": "a"}, "found nan as end"),
        ({**HEAD, "kind": "highlight", "start": 1, "end": 2, "quote": "\udc00"}, "as quote"),
        ({**HEAD, "kind": "note", "note": "x" * 10_001}, "at most 10000 characters"),
        ({**HEAD, "kind": "grade", "path": "/a", "grade": {}}, "found {} as grade"),
        ({**HEAD, "kind": "grade", "path": "/a", "grade": [1, 2, 3]}, "as grade"),
        ({**HEAD, "kind": "grade", "path": "/a", "grade": [True, 2]}, "as grade"),
        ({**HEAD, "kind": "grade", "grade": 1}, "found no path"),
        ({**HEAD, "kind": "label", "start": 1, "end": 2, "quote": "a", "label": ""}, "found '' as label"),
        ({**HEAD, "kind": "reject"}, "found no suggestion"),
        ({**HEAD, "kind": "done", "label": "supports"}, "found 'label' with the kind done"),
        ({**HEAD, "kind": "bep", "start": 1, "grade": 2}, "found 'grade' with the kind bep"),
        ({**HEAD, "kind": "undo", "more": []}, "found 'more' with the kind undo"),
        (
            {**HEAD, "kind": "label", "start": 1, "end": 2, "quote": "a", "label": "x", "lable": "y"},
            "found 'lable'",
        ),
    ],
)
def test_what_is_no_event_is_refused(given_: Any, told: str) -> None:
    """A sentence says what is wrong."""
    with pytest.raises(Unfit) as refusal:
        parse_event(given_)
    assert told in str(refusal.value)


def test_harmless_fields_are_left_out() -> None:
    """An event keeps what belongs to its kind, and the client's clock; a place or nothing changes nothing."""
    harmless = {"start": 5, "end": 5, "quote": "", "at": 1.5, "client": {}, "label": None, "note": ""}
    event = parse_event({**HEAD, "kind": "done", "made": "12:00", **harmless})
    assert (event.body, event.version) == ({"made": "12:00"}, 1)


@pytest.mark.parametrize("base", [-1, 10**30])
def test_any_whole_number_may_be_a_version(base: int) -> None:
    """Whether it is the current one is asked later: that is another refusal."""
    assert parse_event({**HEAD, "base": base, "kind": "done"}).base == base


def test_a_grade_may_be_taken_away() -> None:
    """Nothing as a grade is something else than no grade."""
    assert parse_event({**HEAD, "kind": "grade", "path": "/a", "grade": None}).body == {
        "path": "/a",
        "grade": None,
    }
    assert "grade" not in parse_event({**HEAD, "kind": "grade", "path": "/a", "rest": True}).body


@given(TEXTS.filter(bool), st.data())
def test_a_quote_is_what_stands_there(text: str, data: st.DataObject) -> None:
    """The quoted code points are accepted at their place, and nothing else is."""
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    event = {**HEAD, "kind": "highlight", "start": start, "end": end}
    assert check_text(parse_event({**event, "quote": text[start:end]}), text).body["quote"] == text[start:end]
    with pytest.raises(Unfit, match="expected"):
        check_text(parse_event({**event, "quote": text[start:end] + "x"}), text)


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (0, 99), (99, 100)])
def test_spans_outside_of_the_text_are_refused(start: int, end: int) -> None:
    """Nothing is cut to fit."""
    event = parse_event({**HEAD, "kind": "unhighlight", "start": start, "end": end, "quote": ""})
    with pytest.raises(Unfit, match=r"expected start < end <= 5"):
        check_text(event, "a\r\nb😀")


@pytest.mark.parametrize("quote", [LONG, DIGEST, f"sha256:{DIGEST}", DIGEST.upper()])
def test_a_long_quote_is_kept_as_its_hash(quote: str) -> None:
    """Text and hash are the same event."""
    event = parse_event({**HEAD, "kind": "highlight", "start": 0, "end": len(LONG), "quote": quote})
    assert check_text(event, LONG).body["quote"] == f"sha256:{DIGEST}"


@pytest.mark.parametrize(("end", "quote"), [(1200, "0" * 64), (1200, LONG[:-1] + "x"), (1000, DIGEST)])
def test_another_hash_is_refused(end: int, quote: str) -> None:
    """So is the hash of a text that is short enough to be quoted."""
    event = parse_event({**HEAD, "kind": "highlight", "start": 0, "end": end, "quote": quote})
    with pytest.raises(Unfit, match="found the quote"):
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
    """What is given beside it is compared."""
    event = parse_event({**HEAD, "kind": "bep", "start": 2, **more})
    if good:
        assert check_text(event, "abcde") == event
    else:
        with pytest.raises(Unfit):
            check_text(event, "abcde")


def test_every_kind_of_the_specification_is_known() -> None:
    """And two more: notes, and suggestions that are rejected."""
    assert set(KINDS) == {
        *("highlight", "unhighlight", "bep", "no-bep", "grade", "label", "done", "reopen", "undo", "redo"),
        *("note", "reject"),
    }
