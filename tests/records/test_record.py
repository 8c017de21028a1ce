"""Rows one by one: every kind of value that does not fit is a fault with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import excerpt
from excerpt import ExcerptError
from excerpt.errors import FormatError, short
from excerpt.formats.source import Source
from excerpt.notices import Faults
from excerpt.records.judged import read_judged
from excerpt.records.record import Odd, Records, as_grade, as_name, as_number, as_whole, by_role, nowhere
from excerpt.records.results import ResultTexts, places
from excerpt.records.rows import RowTable
from excerpt.records.spellings import RowKeys

Open = Callable[..., Source]
JUDGMENT = RowKeys("judgment")


def record(**fields: object) -> Records:
    """A row as if read from line 3."""
    return Records(RowTable.of([3], [fields]), "judgment", Faults("f", keep=True))


def span_of(records: Records) -> tuple[int, int] | None:
    """Start and end of a row, None without them."""
    start, end, placed = places(records, ResultTexts(records))
    return (int(start[0]), int(end[0])) if placed[0] else None


def spans_of(records: Records) -> list[tuple[int, int]]:
    """The passages of a row with a list of them."""
    found = read_judged(records, excerpt.Notices(), "")
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def messages(records: Records) -> list[str]:
    """The faults reported about a row."""
    return [str(fault) for fault in records.faults.found]


def source(text: str) -> Source:
    """A file called `f`, of which all faults are kept."""
    opened = Source.open(text.encode(), keep_faults=9)
    opened.faults.name = "f"
    return opened


def test_rows_know_their_lines() -> None:
    """Blank lines are skipped and counted, whatever the line ends."""
    found = list(source('\ufeff{"a": 1}\r\n\r\n \t\r{"b": "\u2028"}\n').objects("result"))
    assert found == [(1, {"a": 1}), (4, {"b": "\u2028"})]


@pytest.mark.parametrize(
    "line", ["[1]", "1", "null", "{", '{"a": 1} {"b": 2}', "{'a': 1}", '{"a": ' + "9" * 5000]
)
def test_lines_that_are_no_objects(line: str) -> None:
    """Other values and broken JSON are faults, and the next line is read."""
    opened = source(f'{{"b": 1}}\n{line}\n{{"a": 1}}')
    assert [number for number, _ in opened.objects("result")] == [1, 3]
    assert [str(fault) for fault in opened.faults.found] == [
        f"f:2: found {short(line)!r}, expected one JSON object per line"
    ]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("A", "A"),
        (17, "17"),
        ("a b", "a b"),
        (-1, "-1"),
        ("Ä", "Ä"),
        (7.0, "7"),
        (np.int8(7), "7"),
        (10**40, "1" + "0" * 40),
    ],
)
def test_names(value: object, name: str) -> None:
    """Texts and whole numbers are names."""
    assert as_name(value) == name


@pytest.mark.parametrize("value", ["", True, np.True_, 1.5, float("nan"), [1], {}, b"A", "\ud800", None])
def test_values_that_are_no_names(value: object) -> None:
    """Half a character, which JSON can spell, is no text."""
    with pytest.raises(Odd, match="a string or a whole number"):
        as_name(value)


@pytest.mark.parametrize(
    "value", [1184, 1184.0, np.int32(1184), np.float32(1184), Decimal("1184.0"), Fraction(1184)]
)
def test_whole_numbers(value: object) -> None:
    """A number is read alike, whatever its type."""
    assert as_whole(value) == 1184
    assert as_number(value) == 1184.0
    assert as_grade(value) == 1184


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (1.5, "a whole number"),
        (True, "a whole number"),
        (np.True_, "a whole number"),
        ("5", "a whole number"),
        (float("inf"), "a whole number"),
        (Decimal("NaN"), "a whole number"),
        (-1, "a number that is not negative"),
        (2**31, "a number up to 2147483647"),
        (10**400, "a number up to 2147483647"),
    ],
)
def test_values_that_are_no_offsets(value: object, wanted: str) -> None:
    """Offsets must be whole numbers."""
    with pytest.raises(Odd, match=wanted):
        as_whole(value)


@pytest.mark.parametrize("value", [float("nan"), "1", True, np.False_, [], 10**400, None, Decimal("NaN")])
def test_values_that_are_no_scores(value: object) -> None:
    """Scores are numbers; NaN and integers beyond all floats are none."""
    with pytest.raises(Odd, match="a number"):
        as_number(value)


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        *(
            (word, 1)
            for word in ("relevant", "Relevant", " yes ", "TRUE", "true", True, np.True_, 1, 1.0, "1")
        ),
        *((word, 0) for word in ("irrelevant", "not relevant", "no", "False", False, 0, 0.0, "0", -0.0)),
        *((-1, -1), ("-1", -1), (-1.0, -1), (3, 3)),
    ],
)
def test_grades(value: object, grade: int) -> None:
    """Numbers, truth values and words mean the same, in a file and in Python."""
    assert as_grade(value) == grade
    row = {"topic": "q", "document": "A", "relevance": value}
    given = [excerpt.Judgments.of([row])]
    if type(value) in {int, float, str, bool}:
        given += [excerpt.read_judgments(json.dumps(row).encode())]
        given += [excerpt.read_judgments(f"topic,document,relevance\nq,A,{value}\n".encode())]
    for judgments in given:
        assert judgments.grades is not None
        assert judgments.grades.tolist() == [grade]


@pytest.mark.parametrize(
    "value", ["maybe", 0.5, "0.5", "", "1e3", [1], 10**400, "9" * 5000, "--1", "1-", "²"]
)
def test_values_that_are_no_grades(value: object) -> None:
    """Other words and fractions are faults."""
    with pytest.raises(
        Odd, match="a whole number, or one of relevant, yes, true, irrelevant, not relevant, no, false"
    ):
        as_grade(value)


def test_grades_of_passages() -> None:
    """0 is judged and not relevant, below 0 not judged; a grade above 0 beside passages needs one."""
    rows: list[dict[str, Any]] = [
        {"topic": "q", "document": name, "start": 1, "end": 5, "grade": grade}
        for name, grade in (("A", 1), ("B", 0), ("C", -1))
    ]
    judgments = excerpt.Judgments.of(rows)
    assert (judgments.highlights("q"), judgments.documents) == ([("A", 1, 5)], ("A", "B"))
    nulls = [rows[0], {"topic": "q", "document": "B", "start": None, "end": None, "grade": 0}]
    assert excerpt.Judgments.of(nulls).documents == ("A", "B")
    table = b"topic,document,start,end,grade\nq,A,1,5,1\nq,B,,,0\n"
    assert excerpt.read_judgments(table).documents == ("A", "B")
    with pytest.raises(
        FormatError, match=r"<bytes>:3: start and end are missing, expected them, as in line 2"
    ):
        excerpt.read_judgments(table.replace(b",,0", b",,1"))


@pytest.mark.parametrize(
    ("fields", "span"),
    [
        ({"start": 3, "end": 9}, (3, 9)),
        ({"offset": 3, "length": 9}, (3, 12)),
        ({"start": 3, "end": 3}, (3, 3)),
        ({"start": 3, "text": "abc"}, (3, 6)),
        ({}, None),
        ({"start": None, "end": None}, None),
    ],
)
def test_spans(fields: dict[str, object], span: tuple[int, int] | None) -> None:
    """Start and end, or offset and length, or start and text, or nothing."""
    one = record(**fields)
    assert span_of(one) == span
    assert messages(one) == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"start": 3}, "key end is missing (also called end_index, end_char_idx, end_char_index, end_char)"),
        (
            {"end": 3},
            "key start is missing (also called start_index, start_char_idx, start_char_index, start_char",
        ),
        ({"offset": 3}, "key length is missing; the row has offset"),
        ({"start": 3, "length": 4}, "found start and length, expected start and end, or offset and length"),
        ({"start": 9, "end": 3}, "found end 3 before start 9, expected an end at or after the start"),
        ({"start": 2.5, "end": 3}, "found start 2.5, expected a whole number"),
        (
            {"start": -1, "end": -1},
            "found start -1, expected a number that is not negative; LangChain writes -1",
        ),
        (
            {"start": None, "end": 5},
            "found start null next to end, expected a whole number; LlamaIndex writes",
        ),
    ],
)
def test_spans_that_are_none(fields: dict[str, object], message: str) -> None:
    """Half a span, a reversed one and one of other numbers are faults."""
    one = record(**fields)
    span_of(one)
    assert messages(one)[0].startswith(f"f:3: {message}")


def test_lists_of_spans() -> None:
    """A list of pairs, nothing else."""
    topic = {"topic": "1", "document": "A"}
    assert spans_of(record(**topic, spans=[[1, 2], (5, 9)])) == [(1, 2), (5, 9)]
    assert spans_of(record(**topic, spans=np.array([[1, 2]]))) == [(1, 2)]
    assert spans_of(record(**topic)) == [(0, 0)]
    bad: Any
    for bad in ([1, 2], [[1]], [[1, 2, 3]], "x", {}, [None]):
        one = record(**topic, spans=bad)
        assert spans_of(one) == [(0, 0)]
        assert messages(one)[0].endswith("expected a list of pairs [start, end]")


def test_the_first_spelling_with_a_value_counts() -> None:
    """Terrier has its own numbers as well as ids of documents; None is no value, but a key."""
    assert by_role({"docid": 3, "docno": "A"}, JUDGMENT) == {"document": "A"}
    assert by_role({"start": None, "begin": 4}, JUDGMENT) == {"start": 4}
    assert by_role({"start_char_idx": None}, JUDGMENT) == {"start": None}


def test_metadata() -> None:
    """It counts if the row itself lacks a role; its other keys mean nothing."""
    row = {"page_content": "x", "metadata": {"source": "A", "start_index": 3, "page": 7}}
    assert by_role(row, JUDGMENT) == {"text": "x", "document": "A", "start": 3}
    assert by_role({"document": "B", **row}, JUDGMENT)["document"] == "B"
    assert by_role({"meta": 7}, JUDGMENT) == {"meta": 7}
    both = {"metadata": {"source": "A"}, "meta": {"source": "B", "start": 3}}
    assert by_role(both, JUDGMENT) == {"document": "A", "start": 3}


@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_metadata_is_never_judged(kind: str) -> None:
    """Contradictions and unknown keys inside of it are no faults."""
    inside = {"source": "B", "start": 7, "start_index": 8, "startPos": 9, "relevanc": 1, "Document": "C"}
    row = {"topic": "q", "document": "A", "start": 4, "end": 9, "metadata": inside}
    read: Any = excerpt.read_run if kind == "run" else excerpt.read_judgments
    notices = excerpt.Notices()
    assert read(json.dumps(row).encode(), notices=notices).documents == ("A",)
    assert list(notices) == []


def test_where_a_text_was_placed_start_and_end_count() -> None:
    """Not what the framework wrote; without that two places are refused."""
    row = {"topic": "q", "document": "d", "start_index": -1, "start": 8, "end": 18}
    placed = {**row, "how": "exact"}
    assert excerpt.read_run(json.dumps(placed).encode())[0] == excerpt.Run.of("r", [placed])[0]
    with pytest.raises(ExcerptError, match="found start and start_index with different values"):
        excerpt.read_run(json.dumps(row).encode())
    with pytest.raises(ExcerptError, match="found start and start_index with different values"):
        excerpt.Run.of("r", [row])


def test_offsets_that_are_none() -> None:
    """A value that a tool writes instead of an offset is explained with the name of the tool."""
    assert "LangChain writes -1" in nowhere(-1)
    assert "LlamaIndex writes null" in nowhere(None)
    assert "pandas writes nan" in nowhere(float("nan"))
    assert nowhere(7) == nowhere("x") == ""


@pytest.mark.parametrize(("tokens", "text"), [(0, "two three"), (0, "0"), (0, "\u00a0.")])
def test_texts_without_tokens(tokens: int, text: str) -> None:
    """A text with a character that is no white space has tokens."""
    row = {"topic": "q", "document": "A", "start": 4, "end": 9, "tokens": tokens, "text": text}
    with pytest.raises(ExcerptError, match=re.escape("found tokens 0 beside ")):
        excerpt.Run.of("r", [row])
    blank = {**row, "text": " \n"}
    assert excerpt.Run.of("r", [blank]).text.costs["tokens"].tolist() == [0]
