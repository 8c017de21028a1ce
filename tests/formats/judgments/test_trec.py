"""TREC qrels: whole documents, with their length where an index knows it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from excerpt import read_judgments
from excerpt.errors import FormatError
from excerpt.formats.judgments import trec
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Judgments, Span

Open = Callable[..., Source]

QRELS = "1 0 A 1\n1 0 B 0\n1 0 C 2\n2 0 A -1\n"


def test_without_an_index_a_document_is_one_character(opened: Open) -> None:
    """Grades above 0 are relevant, all others judged."""
    judgments = trec.read(opened(QRELS))
    assert judgments.highlights("1") == [Span("A", 0, 1), Span("C", 0, 1)]
    assert judgments.highlights("2") == []
    assert judgments.scale == "documents"
    assert len(judgments) == 4
    assert judgments.pair_entry.tolist() == [0, -1, 0, -1]


def test_with_an_index_a_document_is_its_text(opened: Open, index: OffsetIndex) -> None:
    """Documents that the index does not know keep one character and are mentioned."""
    source = opened(QRELS, index=index)
    judgments = trec.read(source)
    assert judgments.highlights("1") == [Span("A", 0, 22), Span("C", 0, 1)]
    assert judgments.pair_size.tolist() == [22, 4, 1, 22]
    (said,) = source.notices
    assert said.startswith("judged document is not in the index; its length counts as 1 character")
    assert said.endswith("(document C of f)")


def test_faults(opened: Open) -> None:
    """Grades are numbers and documents judged once."""
    source = opened("1 0 A 1\n1 0 A x\n1 0 B\n", keep=True)
    trec.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        "f:2: found relevance 'x', expected a number",
        (
            "f:2: found document A of topic 1 again (first in line 1), "
            "expected one line per topic and document"
        ),
        "f:3: found 3 columns, expected 4 (topic 0 document relevance)",
    ]
    with pytest.raises(FormatError, match=r"^f:2: "):
        trec.read(opened("1 0 A 1\n1 0 A x\n1 0 B\n"))


@pytest.mark.parametrize(("format_", "line"), [("trec", "1 0 A {}\n"), ("beir", "1\tA\t{}\n")])
def test_a_grade_is_a_whole_number(format_: str, line: str) -> None:
    """Part of a grade would be relevant and gain nothing; however it is written, a whole one counts."""
    head = "query-id\tcorpus-id\tscore\n" if format_ == "beir" else ""
    read = read_judgments(io.BytesIO((head + line.format("2.0")).encode()), format=format_)
    assert read.grades is not None
    assert read.grades.tolist() == [2]
    with pytest.raises(FormatError, match=r"found (relevance|score) 0\.5, expected a whole number"):
        read_judgments(io.BytesIO((head + line.format("0.5")).encode()), format=format_)


def test_recognise(opened: Open) -> None:
    """Four columns, and comments beside them."""
    assert trec.recognise(opened(QRELS)) == 4
    assert trec.recognise(opened("# made by hand\n#\n# a b c d e\n" + QRELS)) == 7
    assert trec.recognise(opened("# made by hand\n")) == 0
    assert trec.recognise(opened("1 Q0 A 5 20\n")) == 0


def test_grades_are_kept() -> None:
    """What is read is written."""
    lines = b"1 0 A 3\n1 0 B -1\n1 0 C 0\n"
    stream = io.BytesIO()
    trec.write(read_judgments(lines), stream)
    assert stream.getvalue() == lines
    with pytest.raises(FormatError, match="<bytes>:2: found relevance -1e30, expected one from -1000000"):
        read_judgments(b"1 0 A 1000000\n1 0 B -1e30\n", format="trec")


def test_write() -> None:
    """Relevant text makes a document relevant."""
    stream = io.BytesIO()
    trec.write(Judgments.of([("1", Span("A", 3, 8))], irrelevant=[("1", "B")]), stream)
    assert stream.getvalue() == b"1 0 A 1\n1 0 B 0\n"
