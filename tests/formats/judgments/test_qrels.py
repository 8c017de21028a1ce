"""FOL qrels: passages, sizes, entry points, and figures that disagree."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import excerpt
from excerpt import ExcerptError, check, read_judgments
from excerpt.errors import FormatError
from excerpt.formats.judgments import qrels
from excerpt.formats.judgments.qrels import read_beir, recognise_beir
from excerpt.formats.reader import judgments_from
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Judgments, Span

Open = Callable[..., Source]

QRELS = "2009001 Q0 1528075 49158 58542 126 126:28761 28893:20397\n2009001 Q0 12345 0 5678\n"


def test_the_lines_of_the_format_notes(opened: Open) -> None:
    """A genuine line of 2009 and a judged document without relevant text."""
    source = opened(QRELS)
    judgments = qrels.read_fol(source)
    assert judgments.highlights("2009001") == [Span("1528075", 126, 28887), Span("1528075", 28893, 49290)]
    assert judgments.relevant_by_pair.tolist() == [49158, 0]
    assert judgments.pair_size.tolist() == [58542, 5678]
    assert judgments.pair_entry.tolist() == [126, -1]
    assert (judgments.scale, judgments.source, list(source.notices)) == ("highlights", "f", [])


def test_relevant_text_is_the_union_of_the_passages(opened: Open) -> None:
    """Passages that overlap count once; the line's own sum is compared and loses."""
    source = opened("1 Q0 A 15 20 0 0:10 5:10 30:0\n")
    assert qrels.read_fol(source).highlights("1") == [Span("A", 0, 15)]
    assert list(source.notices) == []
    source = opened("1 Q0 A 20 12 0 0:10 5:10\n")
    assert qrels.read_fol(source).relevant_by_pair.tolist() == [15]
    assert list(source.notices) == [
        "1 judgment has an rsize that is not the length of the passages; the passages count (f:1)",
        "1 judgment has an rsize larger than the size of the document; is the size right? (f:1)",
        "1 judgment has a passage beyond the end of the document; is the size right? (f:1)",
    ]


def test_six_columns(opened: Open) -> None:
    """A sixth column with a colon is a passage, another one the entry point."""
    source = opened("1 Q0 A 5 20 3:5\n1 Q0 B 0 20 7\n")
    judgments = qrels.read_fol(source)
    assert judgments.highlights("1") == [Span("A", 3, 8)]
    assert judgments.pair_entry.tolist() == [-1, 7]
    assert len(source.notices) == 1
    assert next(iter(source.notices)).startswith("2 judgments have 6 columns;")


def test_an_entry_point_of_minus_one_is_none(opened: Open) -> None:
    """Minus one says that no entry point was judged."""
    assert qrels.read_fol(opened("1 Q0 A 5 20 -1 3:5\n")).pair_entry.tolist() == [-1]


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
        qrels.read_fol(opened(f"1 Q0 B 0 9\n\n{line}\n"))
    assert str(caught.value) == f"f:3: {message}"


def test_a_document_judged_twice_is_a_fault(opened: Open) -> None:
    """The first line is named for every repetition; the same document of another topic is none."""
    source = opened("1 Q0 A 0 9\n2 Q0 A 0 9\n1 Q0 A 0 9\n1 Q0 A 0 9\n", keep=True)
    qrels.read_fol(source)
    assert [str(fault) for fault in source.faults.found] == [
        f"f:{line}: found document A of topic 1 again (first in line 1), expected one line per topic and "
        "document"
        for line in (3, 4)
    ]


def test_recognise(opened: Open) -> None:
    """Judgments with and without passages; runs and TREC qrels are others."""
    assert qrels.recognise_fol(opened(QRELS)) == 2
    assert qrels.recognise_fol(opened("1 Q0 A 5 20 3:5\n1 Q0 A 5 20 3\n")) == 2
    assert qrels.recognise_fol(opened("1 Q0 A 1 0.5 r 0 5\n1 0 A 1\n1 Q0 A 1 0.5 r\n")) == 0


def test_write(opened: Open) -> None:
    """Judgments read back the same; an unknown length becomes the end of the last passage."""
    stream = io.BytesIO()
    qrels.write_fol(qrels.read_fol(opened(QRELS)), stream)
    assert stream.getvalue().decode() == QRELS
    stream = io.BytesIO()
    qrels.write_fol(Judgments.of([("1", Span("A", 3, 8))], irrelevant=[("1", "B")]), stream)
    assert stream.getvalue() == b"1 Q0 A 5 8 -1 3:5\n1 Q0 B 0 0\n"


def test_a_document_may_be_relevant_as_a_whole(opened: Open) -> None:
    """As much relevant text as the document is long is no doubt; one character more is."""
    source = opened("1 Q0 A 20 20 0 0:20\n")
    assert qrels.read_fol(source).relevant_by_pair.tolist() == [20]
    assert list(source.notices) == []
    source = opened("1 Q0 A 21 20 0 0:20\n")
    qrels.read_fol(source)
    assert "1 judgment has an rsize larger than the size of the document; is the size right? (f:1)" in list(
        source.notices
    )


def test_what_means_nothing_is_no_subtopic(opened: Open) -> None:
    """Usual values of the second column are not called subtopics."""
    with pytest.raises(FormatError) as caught:
        judgments_from(opened("1 Q0 A 1\n1 q0 A 1\n1 Q0 B 0\n"))
    assert str(caught.value).endswith("expected one line per topic and document")


@pytest.mark.parametrize("groups", [("1", "2"), ("jg1", "jg2"), ("a", "b")])
def test_subtopics_are_named(groups: tuple[str, str], opened: Open) -> None:
    """If the second columns of repeated documents differ, the error names judgments by subtopic."""
    one, other = groups
    with pytest.raises(FormatError) as caught:
        judgments_from(opened(f"1 {one} A 1\n1 {other} A 1\n1 {other} B 0\n"))
    assert str(caught.value) == (
        "f:2: found document A of topic 1 again (first in line 1), expected one line per topic and document; "
        "the second columns differ, as in judgments by subtopic (ndeval) or by group (qrels_jg of "
        "trec_eval); keep the lines of one subtopic or group, or the highest grade of each document"
    )


TrecOpen = Callable[..., Source]

TREC_QRELS = "1 0 A 1\n1 0 B 0\n1 0 C 2\n2 0 A -1\n"


def test_without_an_index_a_document_is_one_character(opened: TrecOpen) -> None:
    """Grades above 0 are relevant, all others judged."""
    judgments = qrels.read_trec(opened(TREC_QRELS))
    assert judgments.highlights("1") == [Span("A", 0, 1), Span("C", 0, 1)]
    assert judgments.highlights("2") == []
    assert judgments.scale == "documents"
    assert len(judgments) == 4
    assert judgments.pair_entry.tolist() == [0, -1, 0, -1]


def test_with_an_index_a_document_is_its_text(opened: TrecOpen, index: OffsetIndex) -> None:
    """Documents that the index does not know keep one character and are mentioned."""
    source = opened(TREC_QRELS, index=index)
    judgments = qrels.read_trec(source)
    assert judgments.highlights("1") == [Span("A", 0, 22), Span("C", 0, 1)]
    assert judgments.pair_size.tolist() == [22, 4, 1, 22]
    (said,) = source.notices
    assert said.startswith("1 judged document is not in the index; its length counts as 1 character")
    assert said.endswith("(document C of f)")


def test_trec_faults(opened: TrecOpen) -> None:
    """Grades are numbers and documents judged once."""
    source = opened("1 0 A 1\n1 0 A x\n1 0 B\n", keep=True)
    qrels.read_trec(source)
    assert [str(fault) for fault in source.faults.found] == [
        "f:2: found relevance 'x', expected a number",
        (
            "f:2: found document A of topic 1 again (first in line 1), "
            "expected one line per topic and document"
        ),
        "f:3: found 3 columns, expected 4 (topic 0 document relevance)",
    ]
    with pytest.raises(FormatError, match=r"^f:2: "):
        qrels.read_trec(opened("1 0 A 1\n1 0 A x\n1 0 B\n"))


@pytest.mark.parametrize(("format_", "line"), [("trec", "1 0 A {}\n"), ("beir", "1\tA\t{}\n")])
def test_a_grade_is_a_whole_number(format_: str, line: str) -> None:
    """Part of a grade would be relevant and gain nothing; however it is written, a whole one counts."""
    head = "query-id\tcorpus-id\tscore\n" if format_ == "beir" else ""
    read = read_judgments(io.BytesIO((head + line.format("2.0")).encode()), format=format_)
    assert read.grades is not None
    assert read.grades.tolist() == [2]
    with pytest.raises(FormatError, match=r"found (relevance|score) 0\.5, expected a whole number"):
        read_judgments(io.BytesIO((head + line.format("0.5")).encode()), format=format_)


def test_trec_recognise(opened: TrecOpen) -> None:
    """Four columns, and comments."""
    assert qrels.recognise_trec(opened(TREC_QRELS)) == 4
    assert qrels.recognise_trec(opened("# made by hand\n#\n# a b c d e\n" + TREC_QRELS)) == 7
    assert qrels.recognise_trec(opened("# made by hand\n")) == 0
    assert qrels.recognise_trec(opened("1 Q0 A 5 20\n")) == 0


def test_grades_are_kept() -> None:
    """Grades read back the same."""
    lines = b"1 0 A 3\n1 0 B -1\n1 0 C 0\n"
    stream = io.BytesIO()
    qrels.write_trec(read_judgments(lines), stream)
    assert stream.getvalue() == lines
    with pytest.raises(FormatError, match="<bytes>:2: found relevance -1e30, expected one from -1000000"):
        read_judgments(b"1 0 A 1000000\n1 0 B -1e30\n", format="trec")


def test_trec_write() -> None:
    """Relevant text makes a document relevant."""
    stream = io.BytesIO()
    qrels.write_trec(Judgments.of([("1", Span("A", 3, 8))], irrelevant=[("1", "B")]), stream)
    assert stream.getvalue() == b"1 0 A 1\n1 0 B 0\n"


BeirOpen = Callable[..., Source]
HEAD = "query-id\tcorpus-id\tscore\n"


def test_grades_of_documents() -> None:
    """As TREC qrels, wherever judgments are read."""
    judgments = excerpt.read_judgments(f"{HEAD}q1\tibm_1-0-9\t2\nq1\td\t0\nq2\td\t1\n".encode())
    trec = excerpt.read_judgments(b"q1 0 ibm_1-0-9 2\nq1 0 d 0\nq2 0 d 1\n")
    assert (judgments.scale, judgments.topics, judgments.documents) == (
        "documents",
        trec.topics,
        trec.documents,
    )
    assert judgments.grades is not None
    assert trec.grades is not None
    assert judgments.grades.tolist() == trec.grades.tolist() == [2, 0, 1]
    assert judgments.relevant_by_pair.tolist() == trec.relevant_by_pair.tolist()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("q1\td\tx\n", "<bytes>:2: found score 'x', expected a number"),
        ("q1\td\n", "<bytes>:2: found 2 columns, expected 3 (query-id corpus-id score)"),
        (
            "q1\td\t1\nq1\td\t1\n",
            "<bytes>:3: found document d of topic q1 again (first in line 2)",
        ),
    ],
)
def test_beir_faults(lines: str, message: str) -> None:
    """Each fault is one message with its line."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_judgments(f"{HEAD}{lines}".encode())
    assert str(caught.value).startswith(message)


def test_a_first_line_only(opened: BeirOpen) -> None:
    """There is nothing in it."""
    assert len(read_beir(opened(HEAD))) == 0
    assert recognise_beir(opened("1 0 A 1\n")) == 0


def test_numeric_ids_are_no_passages_of_indri() -> None:
    """A whole first column is a topic; the scores of Indri are fractions."""
    assert check(b"1\t0\t123\t1\n1\t0\t124\t0\n").judgments is not None
    assert check(b"1.1\tQ0\t123\t1\n1.2\tQ0\t124\t0\n").judgments is not None
    assert check(b"-5.25\t123\t1\t3\n").judgments is None


def test_sampled_qrels_are_no_fol() -> None:
    """Topic, 0, document, stratum, grade: they looked like FOL; their grades alone can be read, too."""
    judgments = read_judgments(b"1 0 d1 1 1\n1 0 d2 2 0\n1 0 d3 0 -1\n")
    assert judgments.inclusion is not None
    named = "columns:topic,-,document,-,relevance"
    assert read_judgments(b"1 0 d1 1 1\n1 0 d2 2 0\n", format=named).inclusion is None


def test_fol_without_any_passage_is_refused() -> None:
    """Relevant sizes without passages; lines that are not relevant have none."""
    with pytest.raises(
        FormatError, match=r"<bytes>:2: found FOL judgments with rsize 140 and no passage in any"
    ):
        read_judgments(b"1 Q0 d2 0 100\n1 Q0 d1 140 2000\n")
    assert len(read_judgments(b"1 Q0 d2 0 100\n1 Q0 d1 0 2000\n")) == 2
