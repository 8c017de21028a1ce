"""Judgments in JSON lines: highlights, lists of spans, judged documents, sizes and entry points."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.judgments_said import elements_said

import excerpt
from excerpt.corpus import Corpus
from excerpt.errors import FormatError
from excerpt.formats.judgments import spans_jsonl
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Judgments, Span
from excerpt.model.elements import GradedElement, GradedElements
from excerpt.model.judgments import Scale
from excerpt.notices import Notices

Open = Callable[..., Source]


def lines(*objects: dict[str, object]) -> str:
    """Objects of topic 1 as lines."""
    return "".join(json.dumps({"topic": "1", **one}) + "\n" for one in objects)


def test_lines_of_one_document_add_up(opened: Open) -> None:
    """Single highlights, lists of spans and bare documents; overlapping text counts once."""
    text = lines(
        {"document": "A", "start": 10, "end": 50},
        {"document": "B"},
        {"doc": "A", "spans": [[40, 60], [70, 80]], "size": 200, "bep": 10},
        {"document": "C", "spans": []},
        {"document": "B", "offset": 5, "length": 2},
    )
    source = opened(text)
    judgments = spans_jsonl.read(source)
    assert judgments.highlights("1") == [Span("A", 10, 60), Span("A", 70, 80), Span("B", 5, 7)]
    assert judgments.documents == ("A", "B", "C")
    assert judgments.pair_size.tolist() == [200, -1, -1]
    assert judgments.pair_entry.tolist() == [10, -1, -1]
    assert (judgments.scale, list(source.notices)) == ("highlights", [])


def test_sizes_from_the_index(opened: Open, index: OffsetIndex) -> None:
    """Documents whose size no line gives have that of the index."""
    text = lines(
        {"document": "A"},
        {"document": "B", "size": 9},
        {"document": "B", "start": 0, "end": 2},
        {"document": "Z"},
    )
    judgments = spans_jsonl.read(opened(text, index=index))
    assert judgments.pair_size.tolist() == [22, 9, -1]


def test_doubts(opened: Open) -> None:
    """Text beyond the end and figures that differ are counted by line."""
    text = lines(
        {"document": "A", "spans": [[0, 30], [40, 50]], "size": 20, "bep": 3},
        {"document": "A", "size": 25, "bep": 7},
        {"document": "B", "spans": [[0, 30]], "size": 30},
    )
    source = opened(text)
    judgments = spans_jsonl.read(source)
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([25, 30], [7, -1])
    assert list(source.notices) == [
        "1 judgment has a passage beyond the end of the document; is the size right? (f:1)",
        "1 judgment has another size than a line of the same document; the largest is used (f:1)",
        (
            "1 judgment has another entry point than a line of the same document; "
            "the last in the text is used (f:1)"
        ),
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"topic": ""}, 'found topic "", expected a string or a whole number'),
        ({"spans": [[None, 2]]}, "found span start null, expected a whole number"),
        ({"spans": [[1, "2"]]}, 'found span end "2", expected a whole number'),
        (
            {"spans": [[5, 2]]},
            "found span end 2 before span start 5, expected an end at or after the start",
        ),
        ({"spans": [5, 2]}, "found spans [5, 2], expected a list of pairs [start, end]"),
        ({"size": -5}, "found size -5, expected a number that is not negative"),
        ({"bep": 1.5}, "found bep 1.5, expected a whole number"),
        (
            {"start": 5},
            (
                "key end is missing (also called end_index, end_char_idx, end_char_index, end_char); "
                "the row has topic, document, start"
            ),
        ),
        ({"path": "/a[1]"}, "found a path, expected start and end, or spans"),
    ],
)
def test_faults(opened: Open, fields: dict[str, object], message: str) -> None:
    """Each fault has its line."""
    source = opened(lines({"document": "B"}, {"document": "A", **fields}), keep=True)
    spans_jsonl.read(source)
    assert [str(fault) for fault in source.faults.found] == [f"f:2: {message}"]


def test_recognise(opened: Open) -> None:
    """Lines of judgments, or at least not of a run."""
    assert spans_jsonl.recognise(opened(lines({"document": "A", "spans": []}, {"document": "B"}))) == 4
    for other in (lines({"document": "A", "score": 1}), "1 0 A 1\n", "<assessments topic='1'/>"):
        assert spans_jsonl.recognise(opened(other)) == 0


def test_write() -> None:
    """One line per judged document."""
    judgments = Judgments.of(
        [("1", Span("a b", 3, 8)), ("1", Span("a b", 10, 12))],
        irrelevant=[("ü", "B")],
        sizes={"a b": 20},
        entries={("1", "a b"): 3},
    )
    stream = io.BytesIO()
    spans_jsonl.write(judgments, stream)
    assert stream.getvalue().decode().splitlines() == [
        '{"topic": "1", "document": "a b", "spans": [[3, 8], [10, 12]], "size": 20, "bep": 3}',
        '{"topic": "ü", "document": "B", "spans": []}',
    ]


def test_grades_are_not_passed_over(opened: Open) -> None:
    """Graded documents are judgments of documents; beside passages a grade above 0 needs a passage."""
    row = '{"query_id": 1, "doc_id": "A", "relevance": 1}\n'
    judgments = spans_jsonl.read(opened(row))
    assert (judgments.scale, judgments.relevant_by_pair.tolist()) == ("documents", [1])
    with pytest.raises(FormatError) as caught:
        spans_jsonl.read(opened(lines({"document": "B", "start": 0, "end": 5}) + row))
    assert str(caught.value) == (
        "f:2: start and end are missing, expected them, as in line 1; a grade of 0 needs no passage"
    )


def test_keys_that_do_no_harm(opened: Open) -> None:
    """Other keys are named once."""
    source = opened('{"topic": 1, "document": "A", "spans": [[1, 2]], "note": "x"}\n' * 2)
    assert len(spans_jsonl.read(source).spans) == 1
    assert list(source.notices) == ["unknown keys are ignored: note (f)"]


def test_quoted_text_is_compared_with_the_corpus() -> None:
    """Counted as exact, moved to its words, or refused with how many there are."""
    corpus = Corpus({"d": "Rent is low. Pets. Rent is due."})
    text = lines(
        {"document": "d", "start": 0, "end": 12, "text": "Rent is low."},
        {"document": "d", "start_index": 3, "end_index": 15, "text": "Rent is due.", "question": "When?"},
        {"document": "d", "spans": [[13, 17]], "text": "no quote"},
    )
    notices = Notices()
    judgments = excerpt.read_gold(text.encode(), corpus=corpus, notices=notices)
    assert judgments.highlights("1") == [Span("d", 0, 12), Span("d", 13, 17), Span("d", 19, 31)]
    assert judgments.evidence == {
        "exact": 1,
        "moved": 1,
        "folded": 0,
        "markup": 0,
        "unplaced": 0,
        "elsewhere": 0,
    }
    assert list(notices) == [
        (
            "1 evidence passage was not at its offsets and was relocated by its text; "
            "evidence: 1 exact, 1 moved, 0 folded, 0 unplaced (question 1 of <bytes>)"
        )
    ]
    bad = lines(*({"document": "d", "start": 0, "end": 4, "text": f"gone {n}"} for n in range(4)))
    with pytest.raises(
        FormatError,
        match=r":1: .*'gone 0' .* does not occur in document d .4 of 4 passages cannot be located",
    ):
        excerpt.read_gold(bad.encode(), corpus=corpus)
    notices = Notices()
    assert excerpt.read_gold(bad.encode(), notices=notices).evidence == {}
    assert "4 evidence passages are longer or shorter than their offsets say" in next(iter(notices))


def test_questions_without_evidence() -> None:
    """Are kept, as in other formats; what has no question must have a document."""
    text = lines({"document": "A", "start": 1, "end": 2}) + '{"topic": 2, "question": "Who?", "group": "g"}\n'
    judgments = excerpt.read_judgments(text.encode())
    assert (judgments.topics, judgments.documents) == (("1", "2"), ("A",))
    assert judgments.questions["2"].text == "Who?"
    with pytest.raises(FormatError, match=":2: key document is missing"):
        excerpt.read_judgments((text.split("\n")[0] + '\n{"topic": 2}\n').encode())


def test_questions_of_a_topic() -> None:
    """Each topic has one, in any of its rows; with other words it is a fault of the row."""
    row = {"topic": "1", "document": "A", "start": 1, "end": 2}
    when, who = {**row, "question": "When?"}, {**row, "document": "B", "question": "Who?"}
    judgments = excerpt.read_judgments(
        lines(row, {**when, "document": "B"}, {**when, "document": "C"}).encode()
    )
    assert judgments.questions["1"].text == "When?"
    for rows in ((when, who), (row, when, who)):
        with pytest.raises(
            FormatError, match="found question 1 again with other words, expected each id"
        ) as caught:
            excerpt.read_judgments(lines(*rows).encode())
        assert caught.value.line == len(rows)


JsonElementsOpen = Callable[..., Source]


def written(judgments: Judgments) -> str:
    """The lines of judgments."""
    stream = io.BytesIO()
    spans_jsonl.write(judgments, stream)
    return stream.getvalue().decode()


@pytest.mark.parametrize("scale", ["relevance and coverage", "exhaustivity and specificity"])
def test_two_grades(opened: JsonElementsOpen, scale: Scale) -> None:
    """Lines have no spans: nothing was highlighted, which is not the same as irrelevant."""
    elements = [GradedElement("1", "A", "/a[1]", 3, 2), GradedElement("1", "B", "/a[1]/b[2]", 0, 0)]
    judgments = Judgments.graded(elements, scale=scale)
    text = written(judgments)
    assert "spans" not in text
    source = opened(text)
    found = spans_jsonl.read(source)
    assert (elements_said(found), found.scale, list(source.notices)) == (elements_said(judgments), scale, [])


def test_one_grade_beside_highlights(opened: JsonElementsOpen, index: OffsetIndex) -> None:
    """Spans and elements are both kept; with an index elements have their rows."""
    elements = [
        GradedElement("1", "A", "/article[1]", 1, size=22, relevant=5),
        GradedElement("1", "A", "/article[1]/name[1]", -1, size=5, relevant=5),
    ]
    highlights = Judgments.of([("1", Span("A", 0, 5))], irrelevant=[("1", "B")], sizes={"A": 22, "B": 4})
    judgments = replace(
        highlights, elements=GradedElements.of(elements, np.array([0, 0])), scale="exhaustivity 0-2"
    )
    found = spans_jsonl.read(opened(written(judgments), index=index))
    assert (elements_said(found), found.scale) == (elements_said(judgments), "exhaustivity 0-2")
    assert found.highlights("1") == [Span("A", 0, 5)]
    assert found.elements is not None
    assert found.elements.row is not None
    assert index.path(found.elements.row) == ["/article[1]", "/article[1]/name[1]"]


def test_the_highest_grade_alone_is_no_scale(opened: JsonElementsOpen) -> None:
    """As in XML: years that asked for highlighting alone gave every element a 2."""
    element = {"path": "/a[1]", "exhaustivity": 2, "size": 9, "rsize": 4}
    text = json.dumps({"topic": "1", "document": "A", "spans": [[0, 4]], "elements": [element]})
    assert spans_jsonl.read(opened(text)).scale == "highlights"


TWO = {"path": "/a[1]", "exhaustivity": 1, "specificity": 2}
ONE = {"path": "/a[1]", "exhaustivity": 1, "size": 9, "rsize": 4}


@pytest.mark.parametrize(
    ("elements", "found", "expected"),
    [
        (3, "elements 3", "a list of objects"),
        ([3], "elements [3]", "a list of objects"),
        ([{}], "element {}", "a path and two grades, or exhaustivity and sizes"),
        ([TWO | {"path": "a"}], "element {'path': 'a'", "a path and two grades"),
        ([TWO | {"specificity": 4}], "'specificity': 4}", "grades of exhaustivity and specificity"),
        ([TWO | {"exhaustivity": True}], "'exhaustivity': True", "grades of exhaustivity and specificity"),
        ([{"path": "/a[1]", "relevance": 1, "coverage": "X"}], "'X'}", "grades of relevance and coverage"),
        ([ONE | {"rsize": 10}], "'rsize': 10}", "grades of exhaustivity 0-2"),
        ([ONE | {"exhaustivity": 3}], "'exhaustivity': 3", "grades of exhaustivity 0-2"),
        ([ONE | {"size": "9"}], 'size "9"', "a whole number"),
        ([ONE, TWO | {"path": "/b[1]"}], "grades of exhaustivity and specificity", "exhaustivity 0-2 as in"),
        ([TWO, TWO | {"path": "/a"}], "element /a[1] again (first in line 1)", "it once"),
    ],
)
def test_json_elements_faults(opened: JsonElementsOpen, elements: Any, found: str, expected: str) -> None:
    """Each fault has its line."""
    text = json.dumps({"topic": "1", "document": "A", "elements": elements})
    source = opened(text, keep=True)
    spans_jsonl.read(source)
    (fault,) = [fault for fault in source.faults.found if expected in fault.message]
    assert found in fault.message
    assert fault.line == 1


def test_what_campaigns_say_besides_is_no_doubt(opened: JsonElementsOpen) -> None:
    """Assessors, labels and notes are known keys; other unknown keys cause a warning."""
    line = {
        "topic": "1",
        "document": "A",
        "spans": [[0, 4]],
        "assessors": ["chen"],
        "labels": [],
        "human": [],
    }
    source = opened(json.dumps(line | {"notes": [], "confirmed": [], "machine": [], "colour": 1}))
    spans_jsonl.read(source)
    assert list(source.notices) == ["unknown keys are ignored: colour (f)"]
