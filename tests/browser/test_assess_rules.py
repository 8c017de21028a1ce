"""Words for a document, addresses, keys, working time and the state of saving."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.browser_storage import EASY
from support.browsing import Modules
from support.fake_campaign import History
from support.span_sets import SPANS, characters, spans_of

from excerpt.assess.procedures import procedure_of

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
EMPTY = History().state()
MARKED = EMPTY | {"highlights": [[1, 5]], "version": 3}
CLOSED = {"closed": True}
PLAIN = {"ctrlKey": False, "altKey": False, "metaKey": False, "shiftKey": False, "code": ""}
ON = {"field": False, "graph": False, "singles": True}


def asked(name: str) -> dict[str, Any]:
    """A procedure as the page gets it."""
    return procedure_of(name).to_json()


@pytest.mark.parametrize(
    ("procedure", "state", "word", "act"),
    [
        ("inex2007", EMPTY, "Nothing relevant", "done"),
        ("evidence", EMPTY, "Not answerable here", "done"),
        ("inex2007", MARKED, "Set an entry point", "entry"),
        ("inex2007", MARKED | {"bep": 1}, "Finish", "done"),
        ("inex2007", EMPTY | {"bep": 1}, "Nothing relevant", "clear"),
        ("highlight", MARKED, "Finish", "done"),
        ("inex2006", MARKED, "Set an entry point", "entry"),
        ("inex2005", EMPTY, "Nothing relevant", "done"),
        ("inex2005", MARKED | {"closed": False}, "Start grading", "close"),
        ("inex2005", MARKED | CLOSED | {"owed": ["/a", "/b", "/c"]}, "3 grades missing", "missing"),
        ("inex2005", MARKED | CLOSED | {"owed": ["/a"]}, "1 grade missing", "missing"),
        ("inex2004", EMPTY | {"owed": ["/a"]}, "Nothing relevant", "nothing"),
        ("inex2004", EMPTY, "Nothing relevant", "done"),
        ("inex2007", MARKED | {"done": True}, "Re-open", "reopen"),
        ("inex2007", MARKED | {"waiting": True}, "Waiting …", ""),
    ],
)
def test_the_button_that_ends_a_document(
    js: Modules, procedure: str, state: dict[str, Any], word: str, act: str
) -> None:
    """Its word and its action, by procedure and state."""
    (slot,) = js("assess/rules", "slotOf", [[asked(procedure), state]])
    assert (slot["word"], slot["act"]) == (word, act)


def test_requirements_of_a_finished_document(js: Modules) -> None:
    """By the procedure and the state."""
    labelled = MARKED | {"labels": [[MARKED["highlights"][0][0], 99, "supports", ""]]}
    found = js(
        "assess/rules",
        "toFinish",
        [
            [asked("inex2007"), MARKED],
            [asked("evidence"), MARKED],
            [asked("evidence"), labelled],
            [asked("inex2005"), MARKED | CLOSED | {"owed": ["/a"]}],
            [asked("inex2005"), MARKED],
            [asked("inex2004"), EMPTY],
        ],
    )
    assert [[(row["met"], row["text"]) for row in rows] for rows in found] == [
        [(True, "Relevant text is highlighted"), (False, "One best entry point is set")],
        [(True, "Relevant text is highlighted"), (False, "1 label missing")],
        [(True, "Relevant text is highlighted"), (True, "All passages have a label")],
        [
            (True, "Relevant text is highlighted"),
            (True, "Highlighting is closed"),
            (False, "1 grade missing"),
        ],
        [
            (True, "Relevant text is highlighted"),
            (False, "Highlighting is closed"),
            (False, "All grades are given"),
        ],
        [(False, "An element is graded, or “Nothing relevant”")],
    ]


@pytest.mark.parametrize(
    ("row", "mark", "words"),
    [
        ({"state": "todo"}, "ring", ""),
        ({"state": "open", "passages": 2, "problems": 1}, "half", "no entry point"),
        ({"state": "open", "passages": 2, "problems": 0}, "half", "2 passages"),
        ({"state": "open", "passages": 2, "owed": 1200}, "half", "1\u202f200 missing"),
        ({"state": "open", "passages": 0}, "half", "in progress"),
        ({"state": "done", "passages": 1}, "tick", "1 passage"),
        ({"state": "done", "passages": 0}, "bar", "nothing relevant"),
        ({"state": "done", "passages": 0, "relevant": True}, "tick", "relevant"),
    ],
)
def test_documents_have_marks_and_words(js: Modules, row: dict[str, Any], mark: str, words: str) -> None:
    """Ring, half ring, disc with tick, disc with bar; the words say the same."""
    assert js("assess/rules", "markOf", [[row]]) == [mark]
    assert js("assess/rules", "sayRow", [[asked("inex2007"), row]]) == [words]


def test_the_row_of_a_state(js: Modules) -> None:
    """Fields of the list after an answer."""
    graded = EMPTY | {"grades": {"/a": [0, 0]}, "version": 1}
    rows = js(
        "assess/rules",
        "rowOf",
        [
            [state, asked("inex2004")]
            for state in (MARKED | {"done": True}, graded, graded | {"grades": {"/a": [2, 1]}}, EMPTY)
        ],
    )
    assert [(row["state"], row["relevant"], row["passages"], row["characters"]) for row in rows] == [
        ("done", True, 1, 4), ("open", False, 0, 0), ("open", True, 0, 0), ("todo", False, 0, 0),
    ]  # fmt: skip


def test_times_in_words(js: Modules) -> None:
    """Seconds, minutes, hours."""
    cases = {9.7: "9 s", 250: "4 min 10 s", 3600: "1 h 0 min", 7384: "2 h 3 min"}
    assert js("assess/rules", "sayTime", [[seconds] for seconds in cases]) == list(cases.values())


@EASY
@given(topic=NAMES.filter(bool), doc=NAMES)
def test_every_place_survives_its_address(js: Modules, topic: str, doc: str) -> None:
    """Names with any characters; a document without a topic is ignored."""
    (address,) = js("assess/address", "writePlace", [[{"topic": topic, "doc": doc}]])
    assert js("assess/address", "readPlace", [[f"#{address}"], [f"doc={doc}"], ["#topic=%zz"]]) == [
        {"topic": topic, "doc": doc}, {"topic": "", "doc": ""}, {"topic": "", "doc": ""},
    ]  # fmt: skip


def test_neighbours_are_unfinished_documents(js: Modules) -> None:
    """Beyond the end of a topic, and from the first topic on; back only to earlier documents."""
    states = {"A": ["done", "todo", "done"], "B": ["open", "done"]}
    topics = [
        {
            "id": topic,
            "documents": [{"id": f"{topic}{at}", "state": state} for at, state in enumerate(listed)],
        }
        for topic, listed in states.items()
    ]
    cases = {
        ("A", "A0", 1): "A1",
        ("A", "A1", 1): "B0",
        ("B", "B0", 1): "A1",
        ("B", "B1", -1): "B0",
        ("A", "A1", -1): None,
    }
    found = js(
        "assess/address",
        "neighbour",
        [[{"topics": topics}, {"topic": topic, "doc": doc}, by] for topic, doc, by in cases],
    )
    assert [place and place["doc"] for place in found] == list(cases.values())
    assert js("assess/address", "neighbour", [[{"topics": []}, {}, 1]]) == [None]
    assert [place["doc"] for place in js("assess/address", "firstLeft", [[topic] for topic in topics])] == [
        "A1",
        "B0",
    ]


@pytest.mark.parametrize(
    ("event", "where", "action"),
    [
        ({"key": "h"}, {}, "highlight"),
        ({"key": "N", "shiftKey": True}, {}, "previous"),
        ({"key": "h"}, {"field": True}, None),
        ({"key": "Escape"}, {"field": True}, "escape"),
        ({"key": "h"}, {"singles": False}, None),
        ({"key": "ArrowUp"}, {"singles": False}, "up"),
        ({"key": "F1"}, {"singles": False}, "help"),
        ({"key": "?", "shiftKey": True}, {}, "help"),
        ({"key": "?"}, {"singles": False}, None),
        ({"key": "z", "ctrlKey": True}, {"singles": False}, "undo"),
        ({"key": "Z", "ctrlKey": True, "shiftKey": True}, {}, "redo"),
        ({"key": "y", "metaKey": True}, {}, "redo"),
        ({"key": "z", "ctrlKey": True}, {"field": True}, None),
        ({"key": "h", "ctrlKey": True}, {}, None),
        ({"key": "n", "altKey": True, "code": "KeyN"}, {}, None),
        ({"key": "/", "ctrlKey": True, "altKey": True}, {"graph": True}, "term"),
        ({"key": "toString"}, {}, None),
        ({"key": "H"}, {"lock": True}, "highlight"),
        ({"key": "n", "shiftKey": True}, {"lock": True}, "previous"),
        ({"key": "N"}, {}, "previous"),
        ({"key": "\u0440", "code": "KeyH"}, {}, "highlight"),
        ({"key": "\u0422", "code": "KeyN", "shiftKey": True}, {}, "previous"),
        ({"key": "h", "isComposing": True}, {}, None),
    ],
)
def test_actions_of_keys(
    js: Modules, event: dict[str, Any], where: dict[str, bool], action: str | None
) -> None:
    """Off in fields and with modifiers, except for chords, arrow keys and Escape."""
    (found,) = js("assess/shortcuts", "askedBy", [[PLAIN | event, ON | where]])
    assert (found and found["action"]) == action


def test_alt_is_exact(js: Modules) -> None:
    """Also if Alt changes the character of the key."""
    cases = [
        {"key": "˙", "altKey": True, "code": "KeyH"},
        {"key": "ArrowLeft", "altKey": True, "shiftKey": True},
    ]
    found = js("assess/shortcuts", "askedBy", [[PLAIN | event, ON] for event in cases])
    assert found == [
        {"action": "highlight", "exact": True, "extend": False},
        {"action": "left", "exact": True, "extend": True},
    ]


def test_pauses_are_no_work(js: Modules) -> None:
    """Time between events of the user counts, up to a minute; it is taken once."""
    found = js.run(
        ["assess/session"],
        """({Activity}, times) => {
          let now = 0;
          const activity = new Activity(() => now), taken = [];
          for (const time of times) { now = time; activity.note(); taken.push(activity.take()); }
          return [taken, activity.total];
        }""",
        [500, 1700, 61_700, 200_000, 201_000, 200_500],
    )
    assert found == [[0, 1, 60, 0, 1, 0], 62_700]


@EASY
@given(SPANS, SPANS)
def test_ranges_that_stay_are_reused(js: Modules, before: list[list[int]], after: list[list[int]]) -> None:
    """Each new span is an old one or none; all other old ones are removed."""
    old, new = spans_of(characters(before)), spans_of(characters(after))
    (found,) = js("assess/highlighter", "matchSpans", [[old, new]])
    assert found["kept"] == [old.index(span) if span in old else -1 for span in new]
    assert found["gone"] == [number for number, span in enumerate(old) if span not in new]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"state": "saved", "savedAt": 0}, "All changes saved"),
        ({"state": "saving"}, "Saving…"),
        ({"state": "waiting", "count": 3, "until": 14_000}, "3 not saved, retrying in 4 s"),
        ({"state": "waiting", "count": 3, "until": 9_000}, "3 not saved, retrying …"),
        ({"state": "waiting", "count": 1, "until": 0}, "1 not saved"),
        ({"state": "waiting", "count": 1, "until": 0, "refused": [{}, {}]}, "3 not saved"),
    ],
)
def test_the_save_state_in_words(js: Modules, status: dict[str, Any], words: str) -> None:
    """As in the bar."""
    assert js("assess/saving", "saySaved", [[{"refused": []} | status, 10_000]]) == [words]
