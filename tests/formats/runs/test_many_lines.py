"""Results of many lines of JSON, which are read in another way than those of few."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run_files import damaged, json_lines, outcome

from excerpt.formats.runs import jsonl
from excerpt.records import rows

USUAL = '{"topic": "1", "document": "A", "start": 3, "end": 7, "score": 0.5, "rank": 1, "run": "r"}'


def as_many(data: bytes, **options: Any) -> tuple[Any, ...]:
    """The run as it is read if the file has many lines."""
    with patch.object(rows, "_MANY", 0):
        return outcome(jsonl.read, data, **options)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_usual_and_unusual_files(seed: int, keep: bool) -> None:
    """Both ways see the same columns, notices and faults."""
    data = json_lines(random.Random(seed))
    assert outcome(jsonl.read, data, keep=keep) == as_many(data, keep=keep)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_damaged_files(seed: int, keep: bool) -> None:
    """Both ways see the same, and above all the same faults, in files that were damaged."""
    rng = random.Random(seed)
    data = damaged(rng, json_lines(rng))
    assert outcome(jsonl.read, data, keep=keep) == as_many(data, keep=keep)


@pytest.mark.parametrize(
    "line",
    [
        USUAL,
        '{"query":7,"doc":"a b, {c}","offset":0,"length":2147483647}',
        '{"topic": "1", "document": "日本", "path": "/a[1] /a[2]", "text": "what, it: says", "n": -1.5e+3}',
        '{ "rank" : 0 , "topic" : "1" , "document" : 12 , "x" : null , "y" : 0.123456789012345678 } ',
        '{"topic": 0, "document": "A", "score": -12}',
        '{"topic": "1", "doc": "caf\\u00e9 \\"A\\"", "path": "\\/a[1]", "text": "a\\nb\\ud800", "x": "\\\\"}',
        '{"qid": 1, "text": "a", "metadata": {"source": "A", "begin": 3, "end": 4, "x": {"y": [0, ""]}}}',
        '{"topic": "1", "rank": 1, "meta": {"topic": 7, "doc": null, "source": "A", "n": NaN}, "l": []}',
        USUAL[:-1] + ', "text": "' + 5000 * "x" + '"}',
        USUAL[:-1] + ', "text": "a", "metadata": {"pages": [1, 2], "box": [ -0.5,1e3 , 0 ], "none": [ ]}}',
    ],
)
def test_what_tools_write(line: str) -> None:
    """Both ways agree."""
    data = f"{line}\n{line}\n{line}\n".encode()
    assert outcome(jsonl.read, data) == as_many(data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"A"', '"A\\ud800"'),
        ('"A"', '"A\\x"'),
        ('"A"', '"A\\u004g"'),
        ('"A"', '"A\tB"'),
        ('"A"', '""'),
        ('"A"', "007"),
        ('"A"', "-0"),
        ('"A"', "1.5"),
        ('"A"', '"A", "document": "B"'),
        ('"topic"', '"query": "2", "topic"'),
        ("3", "03"),
        ("3", "-1"),
        ("3", "8"),
        ("3", "2147483648"),
        ("0.5", "-0"),
        ("0.5", ".5"),
        ("0.5", "5."),
        ("0.5", "00.5"),
        ("0.5", "+0.5"),
        ("0.5", "1.e5"),
        ("0.5", "1\u06635"),
        ("0.5", "NaN"),
        ("0.5", "-Infinity"),
        ("0.5", "9" * 400),
        ("0.5", "null"),
        ("0.5", '"0.5"'),
        ('"end": 7, ', ""),
        ('"r"', "5"),
        ("}", "} {}"),
        ("}", ", }"),
        ("{", "[{"),
        ("{", "\u00a0{"),
    ],
)
def test_other_lines_are_as_many(old: str, new: str) -> None:
    """Unusual or faulty lines are left to the slow reader; the other lines are not."""
    other = USUAL.replace(old, new, 1)
    assert other != USUAL
    data = f"{USUAL}\n\n{other}\n{USUAL}\n".encode()
    assert outcome(jsonl.read, data, keep=True) == as_many(data, keep=True)


def test_other_numbers_must_be_numbers() -> None:
    """Values of no meaning are checked all the same."""
    for numbers in ("1, 2, 3, 4", "1, 2, 3, 04", "1, " * 40 + "5"):
        members = "".join(f', "x{place}": {number}' for place, number in enumerate(numbers.split(", ")))
        data = (USUAL[:-1] + members + "}\n").encode()
        assert outcome(jsonl.read, data, keep=True) == as_many(data, keep=True)


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
        assert outcome(jsonl.read, lines.encode(), keep=True) == as_many(lines.encode(), keep=True)
