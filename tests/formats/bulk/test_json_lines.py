"""Lines of JSON that are cut all at once say what the parser says, whatever the file."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run_files import damaged, json_lines, outcome

from excerpt.formats.bulk import json_lines as bulk
from excerpt.formats.bulk.json_lines import cut_lines
from excerpt.formats.runs import jsonl

USUAL = '{"topic": "1", "document": "A", "start": 3, "end": 7, "score": 0.5, "rank": 1, "run": "r"}'


def parsed(data: bytes, **options: Any) -> tuple[Any, ...]:
    """What is found where the door to the bulk reader is shut."""
    with patch.object(bulk, "cut_lines", lambda _, **__: None):
        return outcome(jsonl.read, data, **options)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_usual_and_unusual_files(seed: int, keep: bool) -> None:
    """Both ways see the same columns, notices and faults."""
    data = json_lines(random.Random(seed))
    assert outcome(jsonl.read, data, keep=keep) == parsed(data, keep=keep)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_damaged_files(seed: int, keep: bool) -> None:
    """Both ways see the same, and above all the same faults, in files that were damaged."""
    rng = random.Random(seed)
    data = damaged(rng, json_lines(rng))
    assert outcome(jsonl.read, data, keep=keep) == parsed(data, keep=keep)


@pytest.mark.parametrize(
    "line",
    [
        USUAL,
        '{"query":7,"doc":"a b, {c}","offset":0,"length":2147483647}',
        '{"topic": "1", "document": "日本", "path": "/a[1] /a[2]", "text": "what, it: says", "n": -1.5e+3}',
        '{ "rank" : 0 , "topic" : "1" , "document" : 12 , "x" : null , "y" : 0.123456789012345678 } ',
        '{"topic": 0, "document": "A", "score": -12}',
    ],
)
def test_what_tools_write_is_cut(line: str) -> None:
    """Every line is, and both ways agree."""
    data = f"{line}\n{line}\n{line}\n".encode()
    bulk = cut_lines(data)
    assert bulk is not None
    assert bulk.results.line.tolist() == [1, 2, 3]
    assert bulk.others == [(4, "")]
    assert outcome(jsonl.read, data) == parsed(data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"A"', '"A\\u0042"'),
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
def test_other_lines_are_parsed(old: str, new: str) -> None:
    """What is unusual or wrong is left to the parser; the lines around it are not."""
    other = USUAL.replace(old, new, 1)
    assert other != USUAL
    data = f"{USUAL}\n\n{other}\n{USUAL}\n".encode()
    bulk = cut_lines(data)
    assert bulk is not None
    assert bulk.results.line.tolist() == [1, 4]
    assert bulk.others == [(2, ""), (3, other), (5, "")]
    assert outcome(jsonl.read, data, keep=True) == parsed(data, keep=True)


def test_other_numbers_must_be_numbers() -> None:
    """Values of no meaning are checked all the same; lines with more of them than we check are parsed."""
    for numbers in ("1, 2, 3, 4", "1, 2, 3, 04", "1, 2, 3, 4, 5"):
        members = "".join(f', "x{place}": {number}' for place, number in enumerate(numbers.split(", ")))
        bulk = cut_lines((USUAL[:-1] + members + "}\n").encode())
        assert (bulk is not None) == (numbers == "1, 2, 3, 4")
        data = (USUAL[:-1] + members + "}\n").encode()
        assert outcome(jsonl.read, data, keep=True) == parsed(data, keep=True)
