"""Ids that hide places: they become documents and offsets, or the error says which do not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from excerpt import Corpus, ExcerptError, Judgments, Notices, Run, Span, evaluate, read_judgments, read_run
from excerpt.formats.passage_ids import PassageIds, Segment, list_segments, read_segments

PATTERN = r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)"
#: As IBM MTRAG writes them; the last is a span in a passage that is a span itself.
MTRAG = {
    "ibmcld_00474-7885-8455": Segment("ibmcld_00474", 7885, 8455),
    "471123-0-798": Segment("471123", 0, 798),
    "c8db6e06ff46669e-50302-52227": Segment("c8db6e06ff46669e", 50302, 52227),
    "822086267_7384-8758-0-1374": Segment("822086267_7384-8758", 0, 1374),
}
RUN = b"1 Q0 A-0-10 1 3 r\n1 Q0 A-0-20 2 3 r\n2 Q0 B-5-9 1 1 r\n"
QRELS = b"1 0 A-5-15 1\n1 0 A-40-50 0\n2 0 B-5-9 2\n"


@pytest.mark.parametrize("name", MTRAG)
def test_ids_of_mtrag(name: str) -> None:
    """Document, start and end, whatever else the id has in common with them."""
    ids = PassageIds.of(PATTERN, None)
    assert ids is not None
    assert ids.find(name) == MTRAG[name]


@pytest.mark.parametrize("name", ["A", "A-1", "A-9-5", f"A-0-{10**30}", "-1-2"])
def test_ids_without_a_place(name: str) -> None:
    """Ids that do not match, or are not in the table, have no span."""
    for ids in (PassageIds.of(PATTERN, None), PassageIds.of(None, {"s": ("A", 0, 9)})):
        assert ids is not None
        assert ids.find(name) is None


@pytest.mark.parametrize(
    "line",
    [
        "p A 0 {}",
        "p A {0} {0}",
        "p\tA\t{}\t9",
        '{{"id": "p", "document": "A", "start": 0, "end": {}}}',
        '{{"id": "p", "document": "A", "start": "{}", "end": 9}}',
        '{{"id": {}, "document": "A", "start": 0, "end": 9}}',
    ],
)
def test_offsets_of_thousands_of_digits(line: str) -> None:
    """Python parses no number of more than 4300 digits: a fault of the line, as every other one."""
    first = '{"id": "q", "document": "B", "start": 0, "end": 9}' if line[0] == "{" else "q B 0 9"
    expected = "(id document start end|one JSON object per line)"
    with pytest.raises(ExcerptError, match=f"^<bytes>:2: found .*…', expected {expected}") as caught:
        read_segments(f"{first}\n{line.format('9' * 5000)}\n".encode())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "segments",
    [
        {"p": ("A", 0, 10**5000)},
        {"p": (10**5000, 0, 9)},
        {10**5000: ("A", 0, 9)},
        {"p": {"document": "A", "start": 0, "end": 10**5000}},
    ],
)
def test_numbers_of_thousands_of_digits(segments: dict[Any, Any]) -> None:
    """Python writes them as little as it parses them."""
    with pytest.raises(ExcerptError, match="found a segment with a number of thousands of digits, expected"):
        list_segments(segments)


def test_leading_zeros() -> None:
    """As many as there are."""
    zeros = "0" * 5000
    assert read_segments(f"p A {zeros} {zeros}12".encode()) == {"p": Segment("A", 0, 12)}


def test_lengths_instead_of_ends() -> None:
    """A pattern may have a length, or either."""
    for end in (r"\+(?P<length>\d+)", r"(\+(?P<length>\d+)|-(?P<end>\d+))"):
        ids = PassageIds.of(re.compile(r"(?P<document>\w+)@(?P<start>\d+)" + end), None)
        assert ids is not None
        assert ids.find("A@5+10") == Segment("A", 5, 15)
    either = PassageIds.of(r"(?P<document>\w+)@(?P<start>\d+)(\+(?P<length>\d+)|-(?P<end>\d+))", None)
    assert either is not None
    assert either.find("A@5-10") == Segment("A", 5, 10)


@pytest.mark.parametrize(
    "how",
    [
        {"id_pattern": PATTERN},
        {
            "segments": {
                name: (name[0], *map(int, name[2:].split("-")))
                for name in ["A-0-10", "A-0-20", "B-5-9", "A-5-15", "A-40-50"]
            }
        },
    ],
    ids=["pattern", "table"],
)
def test_runs_and_judgments_of_passages(how: dict[str, Any]) -> None:
    """Both become spans of documents; ties were broken by the ids that the file has."""
    run = read_run(RUN, **how)
    assert [result[:4] for result in run] == [("1", "A", 0, 20), ("1", "A", 0, 10), ("2", "B", 5, 9)]
    assert run.kind == "spans"
    judgments = read_judgments(QRELS, **how)
    assert (judgments.highlights("1"), judgments.scale) == ([Span("A", 5, 15)], "highlights")
    table = evaluate(QRELS, RUN, ["charR"], **how)
    assert table.values[0, :, 0].tolist() == [1.0, 1.0]
    made = Run.of("r", {"1": {"A-0-10": 3.0, "A-0-20": 3.0}, "2": {"B-5-9": 1.0}})
    assert evaluate({"1": {"A-5-15": 1}, "2": {"B-5-9": 2}}, made, ["charR"], **how).means().tolist() == [
        [1.0]
    ]


def test_what_has_places_keeps_them() -> None:
    """Judgments of text and documents that no pattern matches stay the same; runs with a warning."""
    notices = Notices()
    ids = PassageIds.of(PATTERN, None)
    assert ids is not None
    run, text = Run.of("r", [("1", "A-0-10", 0, 5)]), Judgments.of([("1", "A-0-10", 0, 5)])
    assert ids.place_run(run, None, notices) is run
    assert list(notices) == ["the run has offsets already; its ids are not mapped to spans (r)"]
    whole = Judgments.of({"1": {"A": 1}})
    assert ids.place_judgments(text, None) is text
    assert ids.place_judgments(whole, None) is whole


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            {"id_pattern": "(?P<document>.+"},
            "found '(?P<document>.+' as pattern of ids, expected a regular exp",
        ),
        ({"id_pattern": 7}, "found 7 as pattern of ids, expected a regular expression"),
        (
            {"id_pattern": "(?P<document>.+)-(?P<start>.)"},
            "found a pattern of ids without (?P<end>…), expected",
        ),
        (
            {"id_pattern": PATTERN.replace("+)-", "{3})-")},
            "3 of 3 ids are not matched by",
        ),
        (
            {"segments": {"A-0-10": ("A", 0, 10)}},
            "2 of 3 ids are missing in the table of segments: A-0-20, B-5-9",
        ),
        (
            {"id_pattern": PATTERN, "segments": {}},
            "a pattern of ids and a table of segments cannot be combined",
        ),
    ],
)
def test_what_is_refused(how: dict[str, Any], said: str) -> None:
    """One line says what was found."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        read_run(RUN, **how)


def test_some_judged_ids_without_a_place() -> None:
    """They are named: the pattern is wrong, or the file."""
    with pytest.raises(ExcerptError, match=r"1 of 2 ids is not matched by .*: B"):
        read_judgments(b"1 0 A-5-15 1\n1 0 B 1\n", id_pattern=PATTERN)


def test_segments_are_compared_with_the_corpus(tmp_path: Path) -> None:
    """The text of a segment must be that of the corpus."""
    table = tmp_path / "segments.jsonl"
    lines = '{"id": "s", "document": "A", "start": 0, "end": 4, "text": "some"}\n'
    table.write_text(lines)
    run, qrels = b"1 Q0 s 1 1 r\n", b"1 0 s 1\n"
    good, bad = Corpus({"A": "some text"}), Corpus({"A": "Some text"})
    assert evaluate(qrels, run, ["charR"], corpus=good, segments=table).means().tolist() == [[1.0]]
    for read in (read_run, read_judgments):
        with pytest.raises(
            ExcerptError, match=r"the text of 1 of 1 segment differs from the corpus \(such as s\)"
        ):
            read(run if read is read_run else qrels, corpus=bad, segments=table)


@pytest.mark.parametrize(
    "table",
    [
        b"s1 A 0 9\ns2 A 5 20\n",
        b"id\tdocument\tstart\tend\ns1\tA\t0\t9\n\ns2\tA\t5\t20",
        b"""{"id": "s1", "document": "A", "start": 0, "end": 9}
            {"segment_id": "s2", "doc_id": "A", "start_char": 5, "end_char": 20}""",
    ],
    ids=["blanks", "tabs", "json"],
)
def test_tables(table: bytes) -> None:
    """Columns with or without a head, and JSON Lines."""
    assert read_segments(table) == {"s1": Segment("A", 0, 9), "s2": Segment("A", 5, 20)}


def test_ids_with_blanks_need_tabs() -> None:
    """Between tabs a name may have blanks."""
    assert read_segments(b"a b\tthe document\t0\t9\n") == {"a b": Segment("the document", 0, 9)}


def test_segments_of_trec_rag() -> None:
    """The document of a segment is what its id names before #; its text is kept."""
    line = (
        b'{"docid": "msmarco_v2.1_doc_29_1#3_7", "url": "u", "title": "t", "headings": "h", '
        b'"segment": "some text", "start_char": 10, "end_char": 19}\n'
    )
    assert read_segments(line) == {
        "msmarco_v2.1_doc_29_1#3_7": Segment("msmarco_v2.1_doc_29_1", 10, 19, "some text")
    }


@pytest.mark.parametrize(
    "table",
    [
        b'[{"id": "s1", "document": "A", "start": 0, "end": 9}]',
        b"id,document,start,end\ns1,A,0,9\n",
        b"segment_id\tdoc_id\tstart_char\tend_char\ns1\tA\t0\t9\n",
    ],
)
def test_segments_in_other_forms(table: bytes) -> None:
    """A JSON list and tables with names of columns, as of all records."""
    assert read_segments(table) == {"s1": Segment("A", 0, 9)}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (b"s1 A 0\n", "<bytes>:1: found 's1 A 0', expected id document start end"),
        (b"s1 A 0 9\ns2 A 9 5\n", "<bytes>:2: found 's2 A 9 5', expected id document start end"),
        (b"s1 A 0 9\ns1 A 1 9\n", "<bytes>:2: found segment s1 again with another span, expected it once"),
        (b'{"id": "s1", "start": 0, "end": 9}\n', "expected id document start end as JSON"),
        (b'{"id": "s1",\n', "expected one JSON object per line"),
        (b'{"document": "A", "start": 0, "end": 9}\n', "expected id document start end as JSON"),
        (b"", "the file is empty, expected a table of segments"),
    ],
)
def test_tables_that_are_none(table: bytes, said: str) -> None:
    """The error names the first faulty line."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        read_segments(table)


def test_segments_in_memory() -> None:
    """Spans by id, as tuples or dictionaries."""
    given: dict[Any, Any] = {"s1": ("A", 0, 9), 2: {"document": "A", "start": 5, "end": 20}}
    assert list_segments(given) == {"s1": Segment("A", 0, 9), "2": Segment("A", 5, 20)}
    for wrong, said in (
        (7, "found 7 as segments"),
        ({"s": ("A", 0)}, "as segment s, expected (document, start"),
    ):
        with pytest.raises(ExcerptError, match=re.escape(said)):
            list_segments(wrong)  # type: ignore[arg-type]
