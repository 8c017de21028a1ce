"""TREC Genomics: passages in bytes."""

from __future__ import annotations

import pytest
from support.gold_files import faults, gold_file, sample_text

from excerpt import Notices, check, read_judgments
from excerpt.datasets.kinds import read_genomics as read
from excerpt.errors import FormatError
from excerpt.gold.quote_rows import kind_of


def test_passages() -> None:
    """Aspects or words of relevance; what is not relevant was judged."""
    file = gold_file(sample_text("trec-genomics"))
    gold = read(file)
    assert [(one.topic, one.document, one.start, one.end) for one in gold.evidence] == [
        ("200", "9063462", 0, 23),
        ("201", "9063462", 24, 37),
    ]
    assert gold.judged == [("200", "9063462"), ("200", "9063463"), ("201", "9063462")]
    assert (gold.unit, faults(file)) == ("byte", [])


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("200\t1\t0\t23\tA|B\n", True),
        ("200 1 0 23 RELEVANT\n", True),
        ("200\t1\t1\t0.5\t3500\t100\ttag\n", False),  # a run
        ("200\t1\t1\t5\t3500\t100\ttag\n", False),
        ("200 0 1 1\n", False),
        ("200 1 1 3 0.5\n", False),  # sampled judgments
        ("1 Q0 A 1 9.5 mine 0 12\n", False),
    ],
)
def test_columns(text: str, known: bool) -> None:
    """Four numbers, then words."""
    kind = kind_of(gold_file(text))
    assert (kind is not None and kind.name == "trec-genomics") == known


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("200\t1\t0\t23", "found 4 columns, expected at least 5 (topic article start length"),
        ("200\t1\tx\t23\tA", "found start 'x' and length '23', expected numbers of bytes"),
        ("200\t1\t0\t99999999999\tA", "found start '0' and length '99999999999', expected numbers"),
    ],
)
def test_faults(line: str, message: str) -> None:
    """Each fault is one message with its line."""
    file = gold_file(f"200\t1\t0\t23\tA\n{line}\n")
    read(file)
    assert faults(file)[0].startswith(f"f:2: {message}")


def test_rows_of_official_gold() -> None:
    """An empty aspect is one, a passage of length 0 is judged alone, further columns are ignored."""
    gold = read(gold_file("200\t1\t0\t23\t\n200\t2\t7\t0\tA\n200\t3\t0\t5\tA\tmore\n"))
    assert [one.document for one in gold.evidence] == ["1", "3"]
    assert gold.judged == [("200", "1"), ("200", "2"), ("200", "3")]


def test_latin_1() -> None:
    """Gold that is not UTF-8 is read with a warning that has the line; other files are an error."""
    text = "200\t1\t0\t23\tA\n200\t1\t30\t5\tSJÖGREN\n".encode("latin-1")
    notices = Notices()
    assert len(read_judgments(text, notices=notices).spans) == 2
    assert next(iter(notices)) == "the file is not UTF-8 and is read as Latin-1 (<bytes>:2)"
    assert "the file is not UTF-8 and is read as Latin-1 (<bytes>:2)" in check(text).warnings
    with pytest.raises(FormatError, match="found byte 0xd6, expected UTF-8 text"):
        read_judgments("200 0 Ö 1\n".encode("latin-1"))
