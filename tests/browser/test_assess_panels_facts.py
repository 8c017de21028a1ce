"""Computations of the side panel: trees of elements, terms, sums, times, grades."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.panel_desk import article
from support.span_sets import END, SPANS, Spans, characters, spans_of

from excerpt.assess.procedures import procedure_of

EASY = settings(max_examples=60, suppress_health_check=list(HealthCheck))
#: Letters of both cases, with two units, with a mark; signs that patterns know; spaces of several kinds.
SIGNS = st.sampled_from(
    ["a", "A", "b", "é", "É", "😀", "𐐀", "𐐨", ".", "(", "]", "\\", "-", " ", "\n", "\u00a0", "\r"]
)
TEXT = st.text(SIGNS, max_size=40)

_FIND = "(find, offsets, [text, term]) => find.findTerm(text, offsets.astralOf(text), term)"
_HELD = "(elements, [spans, asked]) => asked.map(([start, end]) => elements.counterOf(spans)(start, end))"
_TREE = """(elements, offsets, [doc]) => elements.treeOf(doc.elements, doc.blocks,
  (start, end) => offsets.sliceText(doc.text, offsets.astralOf(doc.text), start, end))"""


def places(text: str, term: str) -> list[list[int]]:
    """Occurrences of a term, searched character by character: the reference for findTerm."""
    wanted = re.sub(r"\s+", " ", term).strip().lower()
    found, at = [], 0
    while wanted and at < len(text):
        end = _matched(text.lower(), at, wanted)
        if end is not None:
            found.append([at, end])
        at = at + 1 if end is None else end
    return found


def _matched(text: str, at: int, wanted: str) -> int | None:
    for sign in wanted:
        if sign == " ":
            run = re.compile(r"\s+").match(text, at)
            if run is None:
                return None
            at = run.end()
        elif text[at : at + 1] == sign:
            at += 1
        else:
            return None
    return at


@EASY
@given(text=TEXT, term=st.text(SIGNS, max_size=3))
def test_terms_are_found_case_and_kind_of_space_apart(js: Modules, text: str, term: str) -> None:
    """In code points; characters of patterns are literal."""
    assert js.run(["assess/terms", "spans"], _FIND, [text, term]) == places(text, term)


def test_a_million_characters_are_searched(js: Modules) -> None:
    """Every occurrence, also after characters of two units."""
    text = "😀 the First  Refusal, or not. " * 33_000
    found = js.run(["assess/terms", "spans"], _FIND, [text, "first refusal"])
    assert len(found) == 33_000
    assert found[-1] == [text.rindex("First"), text.rindex(",")]


@pytest.mark.parametrize(
    ("stored", "terms"),
    [(None, []), ("[", []), ('{"a":1}', []), ('["a","A"," b  c ",3,""]', ["a", "b c"]), ('"x"', [])],
)
def test_stored_terms_are_read_if_they_can_be(js: Modules, stored: str | None, terms: list[str]) -> None:
    """Unreadable entries of the storage are ignored."""
    assert js("assess/terms", "readTerms", [(stored,)]) == [terms]


@EASY
@given(
    spans=SPANS, asked=st.lists(st.tuples(st.integers(0, END), st.integers(0, END)).map(sorted), max_size=8)
)
def test_held_characters_agree_with_sets(js: Modules, spans: Spans, asked: list[list[int]]) -> None:
    """Highlighted characters of an element."""
    held = characters(spans)
    expected = [len(held & set(range(start, end))) for start, end in asked]
    assert js.run(["assess/grades"], _HELD, [spans_of(held), asked]) == expected


@st.composite
def parts(draw: st.DrawFn) -> list[tuple[int, str, str]]:
    """Elements in preorder, each at most one deeper than the one before it; leaves have text."""
    steps = draw(st.lists(st.integers(-3, 1), min_size=1, max_size=12))
    depths = list(accumulate(steps, lambda depth, step: max(1, depth + step), initial=0))
    tags = draw(st.lists(st.sampled_from(["sec", "p", "title"]), min_size=len(depths), max_size=len(depths)))
    leaf = [i + 1 == len(depths) or depths[i + 1] <= depth for i, depth in enumerate(depths)]
    words = draw(
        st.lists(st.text(st.sampled_from("ab 😀"), min_size=1), min_size=len(depths), max_size=len(depths))
    )
    found = zip(depths, tags, words, leaf, strict=True)
    return [(depth, tag if last else "sec", text if last else "") for depth, tag, text, last in found]


@EASY
@given(given_parts=parts())
def test_trees_agree_with_paths(js: Modules, given_parts: list[tuple[int, str, str]]) -> None:
    """Parents, depths and descendants, although spans of nested elements may be equal."""
    doc = article(given_parts)
    paths = [path for path, *_ in doc["elements"]]
    for number, element in enumerate(js.run(["assess/grades", "spans"], _TREE, [doc])):
        inside = [i for i, path in enumerate(paths) if path.startswith(f"{paths[number]}/")]
        assert element["path"] == paths[number]
        assert element["depth"] == paths[number].count("/") - 1
        assert element["parent"] == (paths.index(p) if (p := paths[number].rpartition("/")[0]) else -1)
        assert element["last"] == max(inside, default=number)


def test_elements_are_called_by_their_headings(js: Modules) -> None:
    """Otherwise by tag and number, a single one without a number; an element of one block has a snippet."""
    tree = js.run(["assess/grades", "spans"], _TREE, [article()])
    assert [(element["name"], element["snippet"][:8]) for element in tree] == [
        ("article", ""),
        ("body", ""),
        ("Results", ""),
        ("title", "Results"),
        ("p 1", "Profiles"),
        ("p 2", "Doses of"),
        ("Discussion of what was found, and of what it can tell about pain after an operation", ""),
        ("title", "Discussi"),
        ("p 1", "Pain is "),
        ("p 2", "It was s"),
    ]
    assert js("assess/grades", "fullName", [(tree, 1), (tree, 2), (tree, 5)]) == [
        "body",
        "Results",
        "p 2 of Results",
    ]


def test_the_rest_is_of_the_innermost_subtree_that_lacks_several(js: Modules) -> None:
    """From a leaf upwards; if only one grade is missing, there is no rest."""
    tree = js.run(["assess/grades", "spans"], _TREE, [article()])
    owed = [2, 4, 5, 8]
    cases = [(tree, owed, 2), (tree, owed, 4), (tree, owed, 8), (tree, [4], 4), (tree, [], 0)]
    assert js("assess/grades", "restOf", cases) == [2, 2, 1, -1, -1]


SCALE_2004 = [["", "", [[n, str(n)] for n in range(4)]]] * 2
SCALE_2002 = [SCALE_2004[0], ["", "", [[c, c] for c in "NLSE"]]]


@pytest.mark.parametrize(
    ("scale", "grade", "at", "value", "expected"),
    [
        (SCALE_2004, None, 0, 2, [2, None]),
        (SCALE_2004, [2, None], 1, 3, [2, 3]),
        (SCALE_2004, [2, 3], 0, 1, [1, 3]),
        (SCALE_2004, [2, 3], 1, 0, [0, 0]),
        (SCALE_2004, [0, 0], 1, 2, [None, 2]),
        (SCALE_2002, None, 1, "E", [None, "E"]),
        (SCALE_2002, [1, "L"], 0, 0, [0, "N"]),
        (SCALE_2002, [0, "N"], 0, 3, [3, None]),
    ],
)
def test_nothing_relevant_is_both_parts_of_a_grade(
    js: Modules, scale: list[Any], grade: list[Any] | None, at: int, value: object, expected: list[Any]
) -> None:
    """0 goes with 0, or N, only."""
    assert js("assess/rules", "chooseBoth", [(scale, grade, at, value)]) == [expected]


@pytest.mark.parametrize(
    ("procedure", "half", "key", "expected"),
    [
        ("inex2005", None, "2", 2),
        ("inex2005", None, "?", "?"),
        ("inex2005", None, "3", None),
        ("inex2004", None, "3", [3, None]),
        ("inex2004", [3, None], "1", [3, 1]),
        ("inex2004", [3, 1], "2", [2, None]),
        ("inex2004", None, "0", [0, 0]),
        ("inex2004", None, "?", None),
        ("inex2004", [None, 2], "1", [1, 2]),
        ("inex2004", [2, 3], "s", None),
        ("inex2002", None, "2", [2, None]),
        ("inex2002", [2, None], "3", [3, None]),
        ("inex2002", [2, None], "0", [0, "N"]),
        ("inex2002", [2, None], "e", [2, "E"]),
        ("inex2002", [2, None], "n", [0, "N"]),
        ("inex2002", [2, "S"], "l", [2, "L"]),
        ("inex2002", [2, "S"], "n", None),
        ("inex2002", [2, "S"], "1", [1, None]),
        ("inex2002", None, "s", [None, "S"]),
        ("inex2002", None, "n", None),
        ("inex2002", [None, "S"], "n", None),
        ("inex2002", [None, "S"], "1", [1, "S"]),
        ("inex2007", None, "1", None),
    ],
)
def test_keys_are_grades(
    js: Modules, procedure: str, half: list[Any] | None, key: str, expected: object
) -> None:
    """One key for one dimension; None if a key is no grade."""
    assert js("assess/rules", "gradeOfKey", [(procedure_of(procedure).scale, half, key)]) == [expected]


STATES = st.lists(st.lists(st.sampled_from(["todo", "open", "done"]), max_size=5), max_size=5)


@EASY
@given(states=STATES)
def test_the_next_document(js: Modules, states: list[list[str]]) -> None:
    """The first unfinished document of the first topic in progress, else of the first topic with one."""
    topics = [
        {"id": f"T{i}", "documents": [{"id": f"D{j}", "state": state} for j, state in enumerate(documents)]}
        for i, documents in enumerate(states)
    ]
    unfinished = [i for i, documents in enumerate(states) if set(documents) - {"done"}]
    begun = [i for i in unfinished if set(states[i]) - {"todo"}]
    expected = None
    if unfinished:
        topic = (begun or unfinished)[0]
        at = next(j for j, state in enumerate(states[topic]) if state != "done")
        expected = {"topic": f"T{topic}", "doc": f"D{at}", "number": at + 1}
    assert js("assess/topics", "nextUp", [({"topics": topics},)]) == [expected]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("sayDuration", (10,), "under a minute"),
        ("sayDuration", (59 * 60 + 31,), "1 hour"),
        ("sayDuration", (10_260,), "2 hours 51 minutes"),
        ("sayDuration", (50_000,), "14 hours"),
        ("minutesOf", (174,), "2.9"),
        ("minutesOf", (None,), "\u2013"),
        ("sayAgo", ("2026-03-01T12:00:00.000Z", 1_772_366_430_000), "now"),
        ("sayAgo", ("2026-03-01T12:00:00.000Z", 1_772_366_640_000), "4\u00a0min"),
        ("sayAgo", ("2026-03-01T12:00:00.000Z", 1_772_366_400_000 + 47 * 3_600_000), "47\u00a0h"),
        ("sayAgo", ("2026-03-01T12:00:00.000Z", 1_772_366_400_000 + 50 * 3_600_000), "2\u00a0d"),
        ("sayAgo", (None, 0), "never"),
        ("sayDay", ("2026-11-28", 2026), "28 November"),
        ("sayDay", ("2027-01-02T00:00:00Z", 2026), "2 January 2027"),
    ],
)
def test_times_in_words(js: Modules, name: str, arguments: tuple[Any, ...], expected: str) -> None:
    """Short, and rounded."""
    assert js("format", name, [arguments]) == [expected]


TALLY = {"total": 480, "done": 188, "open": 3, "left": 289, "seconds": 10_260, "each": 180, "owed": 1}


SAID = """
{} | 188 of 480 documents are finished
    | 2 hours 51 minutes of work, about 3 minutes per document; about 15 hours left.
{"done": 1, "each": 20} | 1 of 480 documents is finished
    | 2 hours 51 minutes of work, under a minute per document; about 2 hours 40 minutes left.
{"done": 0, "each": null} | 0 of 480 documents are finished
    | Times are shown when the first document is finished.
{"done": 480} | All 480 documents are finished
    | 2 hours 51 minutes of work. Every document can still be opened and changed.
{"total": 0, "done": 0} | No documents are assigned to you yet
    | Reload this page when the organiser has added documents.
{"done": 479, "each": 60, "seconds": 20} | 479 of 480 documents are finished
    | Under a minute of work, about 1 minute per document; about 1 minute left.
"""


@pytest.mark.parametrize("said", re.sub(r"\n +", " ", SAID).strip().split("\n"))
def test_progress_in_sentences(js: Modules, said: str) -> None:
    """Finished documents, working time, time left."""
    changes, headline, sentence = said.split(" | ")
    tally = TALLY | json.loads(changes)
    assert js("assess/topics", "sayDone", [(tally,)]) == [headline]
    assert js("assess/topics", "sayWork", [(tally,)]) == [sentence]


@pytest.mark.parametrize(
    ("procedure", "changes", "expected"),
    [
        ("inex2007", {}, "1 entry point"),
        ("inex2005", {"owed": 3}, "3 grades"),
        ("evidence", {"owed": 2}, "2 labels"),
        ("highlight", {"owed": 0}, "\u2013"),
        ("inex2007", {"done": 480}, ""),
    ],
)
def test_missing_input_of_a_topic(
    js: Modules, procedure: str, changes: dict[str, Any], expected: str
) -> None:
    """In the words of the procedure."""
    assert js("assess/topics", "sayMissing", [(TALLY | changes, procedure_of(procedure).to_json())]) == [
        expected
    ]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], {"label": None, "note": "", "unlabelled": True}),
        ([[10, 20, "supports", "why"]], {"label": "supports", "note": "why", "unlabelled": False}),
        (
            [[5, 15, "supports", ""], [15, 30, "supports", ""]],
            {"label": "supports", "note": "", "unlabelled": False},
        ),
        ([[10, 15, "supports", ""]], {"label": "", "note": "", "unlabelled": True}),
        (
            [[10, 15, "supports", ""], [15, 20, "contradicts", "no"]],
            {"label": "", "note": "no", "unlabelled": False},
        ),
        ([[20, 30, "supports", ""]], {"label": None, "note": "", "unlabelled": True}),
    ],
)
def test_the_label_of_a_passage_is_that_of_all_of_it(
    js: Modules, labels: list[Any], expected: dict[str, Any]
) -> None:
    """Parts with different labels, or without one, differ from no label."""
    assert js("assess/rules", "labelOf", [([10, 20], labels)]) == [expected]


def test_suggestions_are_open_until_they_are_answered(js: Modules) -> None:
    """Confirmed: all of its text; rejected: by number. The shown one stays while others are answered."""
    suggestions = [[1, 0, 10, None], [2, 20, 30, None], [5, 40, 50, "supports"]]
    state = {"rejected": [1], "confirmed": [[20, 25]]}
    assert js("assess/suggestions", "secondOpen", [(suggestions, state, 5), (suggestions, state, 1)]) == [
        {"open": suggestions[1:], "at": 1},
        {"open": suggestions[1:], "at": 0},
    ]
    assert js("assess/suggestions", "secondOpen", [(suggestions, {"confirmed": [[15, 30]]}, 0)]) == [
        {"open": [suggestions[0], suggestions[2]], "at": 0}
    ]
    graded = [[1, 0, 0, None, 2], [2, 0, 0, None, 0]]
    assert js("assess/suggestions", "secondOpen", [(graded, {"rejected": [2], "confirmed": []}, 1)]) == [
        {"open": graded[:1], "at": 0}
    ]
