"""Judgments in JSON lines: highlights, lists of spans, judged documents, sizes and entry points."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from excerpt.errors import FormatError
from excerpt.formats.judgments import jsonl
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Judgments, Span

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
    judgments = jsonl.read(source)
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
    judgments = jsonl.read(opened(text, index=index))
    assert judgments.pair_size.tolist() == [22, 9, -1]


def test_doubts(opened: Open) -> None:
    """Text beyond the end and figures that differ are counted by line."""
    text = lines(
        {"document": "A", "spans": [[0, 30], [40, 50]], "size": 20, "bep": 3},
        {"document": "A", "size": 25, "bep": 7},
        {"document": "B", "spans": [[0, 30]], "size": 30},
    )
    source = opened(text)
    judgments = jsonl.read(source)
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([25, 30], [7, -1])
    assert list(source.notices) == [
        "judgment has a passage beyond the end of its document (f:1)",
        "document's lines give several sizes; the largest is used (f:1)",
        "document's lines give several entry points; the last in the text is used (f:1)",
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"topic": ""}, 'found topic "", expected a string or a whole number'),
        ({"spans": [[1, "2"]]}, 'found span end "2", expected a whole number'),
        (
            {"spans": [[5, 2]]},
            "found span end 2 before span start 5, expected an end at or after the start",
        ),
        ({"spans": [5, 2]}, "found spans [5, 2], expected a list of pairs [start, end]"),
        ({"size": -5}, "found size -5, expected a number that is not negative"),
        ({"bep": 1.0}, "found bep 1.0, expected a whole number"),
        ({"start": 5}, "found start without end, expected both start and end"),
        ({"path": "/a[1]"}, "found a path, expected start and end, or spans"),
    ],
)
def test_faults(opened: Open, fields: dict[str, object], message: str) -> None:
    """Each fault has its line."""
    source = opened(lines({"document": "B"}, {"document": "A", **fields}), keep=True)
    jsonl.read(source)
    assert [str(fault) for fault in source.faults.found] == [f"f:2: {message}"]


def test_recognise(opened: Open) -> None:
    """Lines of judgments, or at least not of a run."""
    assert jsonl.recognise(opened(lines({"document": "A", "spans": []}, {"document": "B"}))) == 4
    for other in (lines({"document": "A", "score": 1}), "1 0 A 1\n", "<assessments topic='1'/>"):
        assert jsonl.recognise(opened(other)) == 0


def test_write() -> None:
    """One line per judged document."""
    judgments = Judgments.of(
        [("1", Span("a b", 3, 8)), ("1", Span("a b", 10, 12))],
        irrelevant=[("ü", "B")],
        sizes={"a b": 20},
        entries={("1", "a b"): 3},
    )
    stream = io.BytesIO()
    jsonl.write(judgments, stream)
    assert stream.getvalue().decode().splitlines() == [
        '{"topic": "1", "document": "a b", "spans": [[3, 8], [10, 12]], "size": 20, "bep": 3}',
        '{"topic": "ü", "document": "B", "spans": []}',
    ]


def test_grades_are_not_passed_over(opened: Open) -> None:
    """A judged document with a grade but without text is no irrelevant one: the grade has no place here."""
    with pytest.raises(FormatError) as caught:
        jsonl.read(opened('{"query_id": 1, "doc_id": "A", "relevance": 1}\n'))
    assert caught.value.message.startswith("found unknown key relevance, expected start and end (also")


def test_keys_that_do_no_harm(opened: Open) -> None:
    """Other keys are named once."""
    source = opened('{"topic": 1, "document": "A", "spans": [[1, 2]], "note": "x"}\n' * 2)
    assert len(jsonl.read(source).spans) == 1
    assert list(source.notices) == ["unknown keys were ignored: note (f)"]
