"""HiCBench: quotes without places."""

from __future__ import annotations

import pytest
from support.gold_files import faults, gold_file, sample_text

import excerpt
from excerpt.errors import ExcerptError
from excerpt.gold.quote_rows import read_benchmark as read


def test_questions_and_evidence() -> None:
    """Questions are numbered; the texts are elsewhere, or in the record."""
    file = gold_file(sample_text("hicbench"))
    gold = read(file)
    assert [(one.topic, one.document, one.start, one.quote, one.item.line) for one in gold.evidence] == [
        ("1", "one", -1, "The rent is due in May.", 1),
        ("2", "one", -1, "No subletting is allowed.", 2),
        ("2", "one", -1, "The rent is due in May. ", 2),
    ]
    assert (gold.documents, gold.questions["2"].group) == ({}, "one")
    assert (faults(file), file.unknown) == ([], set())
    assert read(gold_file({"_id": 1, "input": "?", "evidences": [], "context": "t"})).documents == {"1": "t"}


def test_faults() -> None:
    """Records without what makes them."""
    file = gold_file({"input": "?", "evidences": "x"})
    read(file)
    assert faults(file) == [
        "f:1: key _id is missing, expected a name or a number; the object has input, evidences",
        'f:1: found evidences "x", expected a list',
    ]


def test_texts_are_needed() -> None:
    """The format has none but where a record has its context."""
    data = b'{"_id": "A", "input": "When?", "evidences": ["in May"]}\n'
    with pytest.raises(ExcerptError, match="quotes need the documents: corpus="):
        excerpt.read_gold(data)
