"""FOL qrels: passages, sizes, entry points, and figures that disagree."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from excerpt.errors import FormatError
from excerpt.formats.judgments import fol
from excerpt.formats.reading import judgments_from
from excerpt.formats.source import Source
from excerpt.model import Judgments, Span

Open = Callable[..., Source]

QRELS = "2009001 Q0 1528075 49158 58542 126 126:28761 28893:20397\n2009001 Q0 12345 0 5678\n"


def test_the_lines_of_the_format_notes(opened: Open) -> None:
    """A genuine line of 2009 and a judged document without relevant text."""
    source = opened(QRELS)
    judgments = fol.read(source)
    assert judgments.highlights("2009001") == [Span("1528075", 126, 28887), Span("1528075", 28893, 49290)]
    assert judgments.relevant_by_pair.tolist() == [49158, 0]
    assert judgments.pair_size.tolist() == [58542, 5678]
    assert judgments.pair_entry.tolist() == [126, -1]
    assert (judgments.scale, judgments.source, list(source.notices)) == ("highlights", "f", [])


def test_relevant_text_is_the_union_of_the_passages(opened: Open) -> None:
    """Passages that overlap count once; the line's own sum is compared and loses."""
    source = opened("1 Q0 A 15 20 0 0:10 5:10 30:0\n")
    assert fol.read(source).highlights("1") == [Span("A", 0, 15)]
    assert list(source.notices) == []
    source = opened("1 Q0 A 20 12 0 0:10 5:10\n")
    assert fol.read(source).relevant_by_pair.tolist() == [15]
    assert list(source.notices) == [
        "judgment's rsize is not the length of its passages; the passages count (f:1)",
        "judgment has more relevant text than its document is long (f:1)",
        "judgment has a passage beyond the end of its document (f:1)",
    ]


def test_six_columns(opened: Open) -> None:
    """A sixth column with a colon is a passage, another one the entry point."""
    source = opened("1 Q0 A 5 20 3:5\n1 Q0 B 0 20 7\n")
    judgments = fol.read(source)
    assert judgments.highlights("1") == [Span("A", 3, 8)]
    assert judgments.pair_entry.tolist() == [-1, 7]
    assert len(source.notices) == 1
    assert next(iter(source.notices)).startswith("judgment has 6 columns;")


def test_an_entry_point_of_minus_one_is_none(opened: Open) -> None:
    """Minus one says that no entry point was judged."""
    assert fol.read(opened("1 Q0 A 5 20 -1 3:5\n")).pair_entry.tolist() == [-1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "1 Q0 A 5",
            "found 4 columns, expected at least 5 (topic Q0 document rsize size [bep offset:length ...])",
        ),
        ("1 Q0 A x 20", "found rsize 'x', expected a whole number"),
        ("1 Q0 A 5 -20", "found size '-20', expected a number that is not negative"),
        ("1 Q0 A 5 20 -2 3:5", "found best entry point '-2', expected a number that is not negative"),
        ("1 Q0 A 5 20 0 3", "found passage '3', expected offset:length"),
        ("1 Q0 A 5 20 0 3:", "found passage length '', expected a whole number"),
        ("1 Q0 A 5 20 0 :3", "found passage offset '', expected a whole number"),
        ("1 Q0 A 5 20 0 3:5:7", "found passage length '5:7', expected a whole number"),
        (
            "1 Q0 A 5 20 0 3:9999999999",
            "found passage length '9999999999', expected a number up to 2147483647",
        ),
    ],
)
def test_faults(opened: Open, line: str, message: str) -> None:
    """Every column says what is wrong with it."""
    with pytest.raises(FormatError) as caught:
        fol.read(opened(f"1 Q0 B 0 9\n\n{line}\n"))
    assert str(caught.value) == f"f:3: {message}"


def test_a_document_judged_twice_is_a_fault(opened: Open) -> None:
    """The first line is named for every repetition; the same document of another topic is none."""
    source = opened("1 Q0 A 0 9\n2 Q0 A 0 9\n1 Q0 A 0 9\n1 Q0 A 0 9\n", keep=True)
    fol.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        f"f:{line}: found document A of topic 1 again (first in line 1), expected one line per topic and "
        "document"
        for line in (3, 4)
    ]


def test_recognise(opened: Open) -> None:
    """Judgments with and without passages; runs and TREC qrels are others."""
    assert fol.recognise(opened(QRELS)) == 2
    assert fol.recognise(opened("1 Q0 A 5 20 3:5\n1 Q0 A 5 20 3\n")) == 2
    assert fol.recognise(opened("1 Q0 A 1 0.5 r 0 5\n1 0 A 1\n1 Q0 A 1 0.5 r\n")) == 0


def test_write(opened: Open) -> None:
    """What was read is written the same; an unknown length becomes the end of the last passage."""
    stream = io.BytesIO()
    fol.write(fol.read(opened(QRELS)), stream)
    assert stream.getvalue().decode() == QRELS
    stream = io.BytesIO()
    fol.write(Judgments.of([("1", Span("A", 3, 8))], irrelevant=[("1", "B")]), stream)
    assert stream.getvalue() == b"1 Q0 A 5 8 -1 3:5\n1 Q0 B 0 0\n"


def test_a_document_may_be_relevant_as_a_whole(opened: Open) -> None:
    """As much relevant text as the document is long is no doubt; one character more is."""
    source = opened("1 Q0 A 20 20 0 0:20\n")
    assert fol.read(source).relevant_by_pair.tolist() == [20]
    assert list(source.notices) == []
    source = opened("1 Q0 A 21 20 0 0:20\n")
    fol.read(source)
    assert "judgment has more relevant text than its document is long (f:1)" in list(source.notices)


def test_what_means_nothing_is_no_subtopic(opened: Open) -> None:
    """What is usual in the second column is no reason to speak of subtopics."""
    with pytest.raises(FormatError) as caught:
        judgments_from(opened("1 Q0 A 1\n1 q0 A 1\n1 Q0 B 0\n"))
    assert str(caught.value).endswith("expected one line per topic and document")


@pytest.mark.parametrize("groups", [("1", "2"), ("jg1", "jg2"), ("a", "b")])
def test_subtopics_are_named(groups: tuple[str, str], opened: Open) -> None:
    """Where the second columns of repeated documents differ, the file is another kind of judgments."""
    one, other = groups
    with pytest.raises(FormatError) as caught:
        judgments_from(opened(f"1 {one} A 1\n1 {other} A 1\n1 {other} B 0\n"))
    assert str(caught.value) == (
        "f:2: found document A of topic 1 again (first in line 1), expected one line per topic and document; "
        "their second columns differ: these are judgments by subtopic (ndeval) or by group (qrels_jg of "
        "trec_eval); keep the lines of one, or the highest grade of each document"
    )
