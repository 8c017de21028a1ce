"""Many lines of JSON: read as structures, with the same result and the same faults as line by line."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_files import damaged, json_lines, outcome

from excerpt.formats.runs import jsonl
from excerpt.records import rows

USUAL = '{"topic": "1", "document": "A", "start": 3, "end": 7, "score": 0.5, "rank": 1, "run": "r"}'


def many(data: bytes, **options: Any) -> tuple[Any, ...]:
    """The run as it is read if there are many lines."""
    with patch.object(rows, "_MANY", 0):
        return outcome(jsonl.read, data, **options)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_usual_and_unusual_files(seed: int, keep: bool) -> None:
    """Both ways see the same columns, notices and faults."""
    data = json_lines(random.Random(seed))
    assert many(data, keep=keep) == outcome(jsonl.read, data, keep=keep)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_damaged_files(seed: int, keep: bool) -> None:
    """Both ways see the same, and above all the same faults, in files that were damaged."""
    rng = random.Random(seed)
    data = damaged(rng, json_lines(rng))
    assert many(data, keep=keep) == outcome(jsonl.read, data, keep=keep)


@pytest.mark.parametrize(
    "line",
    [
        '{"query":7,"doc":"a b, {c}","offset":0,"length":2147483647}',
        '{"topic": "1", "document": "日本", "path": "/a[1] /a[2]", "text": "what, it: says", "n": -1.5e+3}',
        '{ "rank" : 0 , "topic" : "1" , "document" : 12 , "x" : null , "y" : 0.123456789012345678 } ',
        '{"topic": "1", "doc": "caf\\u00e9 \\"A\\"", "path": "\\/a[1]", "text": "a\\nb\\ud800", "x": "\\\\"}',
        '{"qid": 1, "text": "a", "metadata": {"source": "A", "begin": 3, "end": 4, "x": {"y": [0, ""]}}}',
        '{"topic": "1", "rank": 1, "meta": {"topic": 7, "doc": null, "source": "A", "n": NaN}, "l": []}',
        '{"topic": "1", "document": "A", "start": 3.0, "end": 7.0}',
        '{"topic": "1", "document": "A", "start": 3, "start": 4, "end": 7}',
        '{"topic": "1", "document": "A", "start": true, "end": 7}',
    ],
)
def test_lines_beside_usual_ones(line: str) -> None:
    """A line of other keys or types changes nothing in the others."""
    for lines in ((line,) * 3, (USUAL, line, USUAL), (line, USUAL, line)):
        data = "\n".join(lines).encode()
        assert many(data, keep=True) == outcome(jsonl.read, data, keep=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(('"A"', new) for new in ('"A\\ud800"', '"A\\x"', '"A\tB"', '""', "007", "-0", "1.5", "null", "[]")),
        *(("3", new) for new in ("03", "-1", "8", "3.5", "2147483648", "9" * 30, "true", '"3"', "null")),
        *(("0.5", new) for new in ("-0", ".5", "5.", "+0.5", "NaN", "-Infinity", "1e999", "9" * 400, '"1"')),
        *(("0.5", "9" * count) for count in (19, 20, 309, 4301)),
        *(('"r"', new) for new in ("5", "[]", "1.5")),
        *(("}", new) for new in ("} {}", ", }", "", ', "x": ' + "[" * 600 + "]" * 600 + "}")),
        *(("{", new) for new in ("[{", "\u00a0{", "\ufeff{")),
    ],
)
def test_other_lines(old: str, new: str) -> None:
    """What msgspec refuses goes to the json module: the same values, the same faults."""
    other = USUAL.replace(old, new, 1)
    assert other != USUAL
    for text in (f"{USUAL}\n\n{other}\n{USUAL}\n", f"{other}\n{USUAL}\n"):
        assert many(text.encode(), keep=True) == outcome(jsonl.read, text.encode(), keep=True)


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
def test_a_faster_parser_reads_the_same(text: str) -> None:
    """Values, their types and what is refused are those of the json module."""
    with patch.object(rows, "_MANY", 0):
        assert repr(list(rows._parsed([text.encode()]))) == repr([rows.parse_json(text)])


@pytest.mark.parametrize("key", ["te\\t", 'a\\"b', "\\ud800", "日本", "\\\\", "f0", "ff0", ""])
def test_keys_of_any_letters(key: str) -> None:
    """A key may need escapes, or be called as a field of ours."""
    line = USUAL[:-1] + f', "{key}": "v"}}'
    data = f"{line}\n{USUAL}\n{line}\n".encode()
    assert many(data, keep=True) == outcome(jsonl.read, data, keep=True)


def test_other_numbers_must_be_numbers() -> None:
    """Values of no meaning are checked all the same."""
    for numbers in ("1, 2, 3, 4", "1, 2, 3, 04", "1, " * 40 + "5"):
        members = "".join(f', "x{place}": {number}' for place, number in enumerate(numbers.split(", ")))
        data = (USUAL[:-1] + members + "}\n").encode()
        assert outcome(jsonl.read, data, keep=True) == many(data, keep=True)


@pytest.mark.parametrize(
    "numbers",
    [
        "1, 2",
        "[1 2]",
        "[1, ]",
        "[,]",
        "[01]",
        "[1.]",
        "[.5]",
        "[+1]",
        "[--1]",
        "[1e]",
        "[1]]",
        "[1, ",
        "[1,]2",
    ],
)
def test_lists_of_numbers_must_be_lists_of_numbers(numbers: str) -> None:
    """A list without a meaning is checked in every line, also in the one that gives the layout."""
    good, bad = (USUAL[:-1] + f', "box": {some}}}\n' for some in ("[1, 2.5]", numbers))
    for lines in (good + bad + good, bad + good + good):
        assert outcome(jsonl.read, lines.encode(), keep=True) == many(lines.encode(), keep=True)
