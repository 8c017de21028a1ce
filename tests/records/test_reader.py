"""Objects in JSON lines: every kind of value that does not fit is a fault with its line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable

import pytest
from excerpt.formats.text.json_lines import OF_JUDGMENTS, OF_RUNS, Record, looks_like, records
from excerpt.model.field_names import looks_like_location

import excerpt
from excerpt.errors import ExcerptError, FormatError, short
from excerpt.formats.source import Source
from excerpt.gold.file import parse_json, parser_of_many

Open = Callable[..., Source]


def record(opened: Open, **fields: object) -> Record:
    """An object as if read from line 3."""
    return Record(3, fields, opened("x", keep=True).faults)


def messages(record: Record) -> list[str]:
    """The faults reported through a record."""
    return [str(fault) for fault in record.faults.found]


def test_records_know_their_lines(opened: Open) -> None:
    """Blank lines are skipped and counted, whatever the line ends."""
    found = list(records(opened('\ufeff{"a": 1}\r\n\r\n \t\r{"b": "\u2028"}\n')))
    assert [(one.line, one.fields) for one in found] == [(1, {"a": 1}), (4, {"b": "\u2028"})]


@pytest.mark.parametrize("line", ["[1]", "1", "null", "{", '{"a": 1} {"b": 2}', "{'a': 1}", "[" * 100_000])
def test_lines_that_are_no_objects(opened: Open, line: str) -> None:
    """Other values, broken JSON and bottomless nesting are faults, and the next line is read."""
    source = opened(f'{line}\n{{"a": 1}}', keep=True)
    assert [one.line for one in records(source)] == [2]
    assert [str(fault) for fault in source.faults.found] == [
        f"f:1: found {short(line)!r}, expected one JSON object per line"
    ]


def test_a_number_of_too_many_digits(opened: Open) -> None:
    """Python refuses to read such numbers; the line is a fault."""
    source = opened('{"a": ' + "9" * 10_000 + "}", keep=True)
    assert list(records(source)) == []
    assert len(source.faults.found) == 1


@pytest.mark.parametrize(("value", "name"), [("A", "A"), (17, "17"), ("a b", "a b"), (-1, "-1"), ("Ä", "Ä")])
def test_names(opened: Open, value: object, name: str) -> None:
    """Strings and whole numbers are names."""
    one = record(opened, topic=value)
    assert one.name("topic") == name
    assert messages(one) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [("", 'topic ""'), (True, "topic true"), (1.5, "topic 1.5"), ([1], "topic [1]")],
)
def test_values_that_are_no_names(opened: Open, value: object, found: str) -> None:
    """Names are strings or whole numbers."""
    one = record(opened, topic=value)
    assert one.name("topic") == ""
    assert messages(one) == [f"f:3: found {found}, expected a string or a whole number"]


def test_half_a_character_is_no_name(opened: Open) -> None:
    """JSON can spell surrogates that no file can contain."""
    one = record(opened, topic="\ud800")
    assert one.name("topic") == ""
    assert messages(one) == ['f:3: found topic "\\ud800", expected a string or a whole number']


@pytest.mark.parametrize(
    ("value", "found", "wanted"),
    [
        (1.0, "1.0", "a whole number"),
        (True, "true", "a whole number"),
        ("5", '"5"', "a whole number"),
        (-1, "-1", "a number that is not negative"),
        (2**31, "2147483648", "a number up to 2147483647"),
        (10**30, str(10**30), "a number up to 2147483647"),
    ],
)
def test_values_that_are_no_offsets(opened: Open, value: object, found: str, wanted: str) -> None:
    """Offsets in JSON must be whole numbers."""
    one = record(opened, rank=value)
    assert one.whole("rank", -1) == 0
    assert messages(one) == [f"f:3: found rank {found}, expected {wanted}"]


@pytest.mark.parametrize("value", [float("nan"), "1", True, [], 10**400])
def test_values_that_are_no_scores(opened: Open, value: object) -> None:
    """Scores are numbers; NaN and integers beyond all floats are none."""
    one = record(opened, score=value)
    score = one.number("score")
    assert score != score  # noqa: PLR0124 - NaN
    assert len(messages(one)) == 1
    assert messages(one)[0].endswith(", expected a number")


@pytest.mark.parametrize(
    ("fields", "span"),
    [
        ({"start": 3, "end": 9}, (3, 9)),
        ({"offset": 3, "length": 9}, (3, 12)),
        ({"start": 3, "end": 3}, (3, 3)),
        ({}, None),
        ({"start": None, "end": None}, None),
    ],
)
def test_spans(opened: Open, fields: dict[str, object], span: tuple[int, int] | None) -> None:
    """Start and end, or offset and length, or neither."""
    one = record(opened, **fields)
    assert one.span() == span
    assert messages(one) == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"start": 3}, "key end is missing (also called end_index, end_char_idx, end_char_index, end_char)"),
        (
            {"end": 3},
            (
                "key start is missing (also called start_index, start_char_idx, start_char_index, "
                "start_char, begin, split_idx_start)"
            ),
        ),
        ({"offset": 3}, "key length is missing"),
        ({"start": 9, "end": 3}, "found end 3 before start 9, expected an end at or after the start"),
        ({"start": 2.0, "end": 3}, "found start 2.0, expected a whole number"),
        ({"start": -1, "end": -1}, "found start -1, expected a number that is not negative"),
    ],
)
def test_spans_that_are_none(opened: Open, fields: dict[str, object], message: str) -> None:
    """Half a span, a reversed one and one of other numbers are faults."""
    one = record(opened, **fields)
    one.span()
    assert messages(one)[0].split("; ")[0] == f"f:3: {message}"


def test_lists_of_spans(opened: Open) -> None:
    """A list of pairs, nothing else."""
    assert record(opened, spans=[[1, 2], [5, 9]]).spans() == [(1, 2), (5, 9)]
    assert record(opened).spans() == []
    bad: object
    for bad in ([1, 2], [[1]], [[1, 2, 3]], "x", {}, [None]):
        one = record(opened, spans=bad)
        assert one.spans() == []
        assert messages(one)[0].endswith("expected a list of pairs [start, end]")


@pytest.mark.parametrize(
    ("line", "run", "judgments"),
    [
        ('{"topic": 1, "document": 2, "score": 1}', 2, 0),
        ('{"topic": 1, "document": 2, "spans": []}', 0, 2),
        ('{"topic": 1, "document": 2, "start": 1, "end": 2}', 1, 2),
        ('{"topic": 1', 1, 1),
        ("1 Q0 A 1 1 r", 0, 0),
        ("<a>", 0, 0),
        ("[1]", 0, 0),
    ],
)
def test_recognition(opened: Open, line: str, run: int, judgments: int) -> None:
    """Keys distinguish runs and judgments; lines with neither may be both, and are read as judgments."""
    source = opened(line)
    assert looks_like(source, OF_RUNS, OF_JUDGMENTS, 1) == run
    assert looks_like(source, OF_JUDGMENTS, OF_RUNS, 2) == judgments


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ('{"qid": 1, "docno": "A"}', {"topic": 1, "document": "A"}),
        (
            '{"query_id": "q", "query": "what is it?", "doc_id": "A"}',
            {"topic": "q", "document": "A"},
        ),
        (
            '{"topic": "1", "source": "a.txt", "start_index": 3, "end_index": 9, "similarity": 0.5}',
            {"topic": "1", "document": "a.txt", "start": 3, "end": 9, "score": 0.5},
        ),
        (
            '{"query": "1", "ref_doc_id": "A", "start_char_idx": 0, "end_char_idx": 4}',
            {"topic": "1", "document": "A", "start": 0, "end": 4},
        ),
        ('{"topic": null, "query": 7, "begin": 1, "other": 2}', {"topic": 7, "start": 1, "other": 2}),
    ],
)
def test_usual_spellings(opened: Open, line: str, fields: dict[str, object]) -> None:
    """Keys are known by the names that people give them; the first spelling that has a value counts."""
    assert [one.fields for one in records(opened(line))] == [fields]


@pytest.mark.parametrize("key", ["start_pos", "endOffset", "from", "char_range", "span", "xpath", "Begin"])
def test_keys_that_tell_a_place(key: str) -> None:
    """Keys of words for places are not passed over."""
    assert looks_like_location(key)


@pytest.mark.parametrize("key", ["title", "tokens", "chunk_index", "position", "id", "tone", "friend"])
def test_keys_that_tell_nothing(key: str) -> None:
    """Other keys do no harm, whatever they have in common with words for places."""
    assert not looks_like_location(key)
    assert looks_like_location("relevance", graded=True)
    assert not looks_like_location("relevance")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"start_idx": 3, "end": 5}, "split_idx_start); the line has start_idx, topic, document, end"),
        (
            {"start": None, "end": 5},
            "found start null next to end, expected a whole number; LlamaIndex writes",
        ),
        (
            {"offset": 3, "len_chars": 5},
            "key length is missing; the line has len_chars, topic, document, offset",
        ),
    ],
)
def test_half_a_place(fields: dict[str, object], said: str) -> None:
    """The other half may be null, or have a name that is not known."""
    data = json.dumps({"topic": "1", "document": "A", **fields}).encode()
    with pytest.raises(FormatError, match=re.escape(said)):
        excerpt.read_judgments(data, format="jsonl")


def test_where_a_text_was_placed_start_and_end_count() -> None:
    """Not what the framework wrote; without that two places are refused, in memory as in files."""
    row = {"topic": "q", "document": "d", "start_index": -1, "start": 8, "end": 18}
    placed = {**row, "how": "exact"}
    assert excerpt.read_run(json.dumps(placed).encode())[0] == excerpt.Run.of("r", [placed])[0]
    with pytest.raises(ExcerptError, match="found start and start_index with different values"):
        excerpt.read_run(json.dumps(row).encode())
    with pytest.raises(ExcerptError, match="found start and start_index with different values"):
        excerpt.Run.of("r", [row])


def test_placed_chunks_have_their_place(opened: Open) -> None:
    """The start and end of a placed chunk count, whatever other keys it has."""
    line = '{"document": "A", "start": 3, "end": 9, "start_index": -1, "how": "exact"}'
    found = list(records(opened(line, keep=True)))
    assert messages(found[0]) == []
    assert found[0].span() == (3, 9)


@pytest.mark.parametrize(
    "text",
    [
        *(
            '{"a": 1, "a": 2}',
            "-0",
            "-0.0",
            "1e400",
            "1e-400",
            "NaN",
            "[-Infinity]",
            "9" * 25,
            "-" + "9" * 400,
        ),
        *(
            "18446744073709551616",
            "0.1234567890123456789",
            "9007199254740993.0",
            "5e-324",
            "1E2",
            "01",
            "1.",
            ".5",
        ),
        *(
            '"\\ud800"',
            '"\\ud83d\\ude00"',
            '"\\ud83d\\u0041"',
            '"\\u0000"',
            '"\t"',
            '"\x7f\u2028"',
            '"\\/"',
            '"',
        ),
        *("\ufeff{}", " {} ", "\xa0{}", "[1,]", '{"a": 1,}', "{1: 2}", "tru", "", "[" * 600 + "]" * 600),
        *("[" * 3000 + "]" * 3000, '{"a": {"b": [true, false, null]}} x'),
    ],
)
def test_a_faster_parser_reads_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With msgspec and without it, values, their types and what is refused are those of the json module."""
    assert repr(parser_of_many()(text)) == repr(parse_json(text))
    monkeypatch.setitem(sys.modules, "msgspec", None)
    assert parser_of_many() is parse_json
