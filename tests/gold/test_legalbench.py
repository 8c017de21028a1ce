"""LegalBench-RAG: spans of files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gold_files import faults, gold_file, sample_text

import excerpt
from excerpt.errors import FormatError
from excerpt.gold.kinds import read_legalbench as read

SAMPLE: dict[str, Any] = json.loads(sample_text("legalbench-rag"))


def test_questions_and_evidence() -> None:
    """Questions are numbered; one without snippets stays."""
    file = gold_file(SAMPLE)
    gold = read(file)
    assert [(one.topic, one.document, one.start, one.end, one.quote) for one in gold.evidence] == [
        ("1", "leases/one.txt", 16, 22, "in May"),
        ("2", "leases/one.txt", 24, 37, "No subletting"),
        ("2", "leases/two.txt", 0, 9, ""),
    ]
    assert gold.questions["3"].text == "Consider the lease; who pays for the roof?"
    assert {question.group for question in gold.questions.values()} == {"f"}
    assert (faults(file), file.unknown) == ([], set())


def test_the_group_of_what_is_no_file() -> None:
    """The folder of the first snippet."""
    file = gold_file(SAMPLE)
    file.name = "<bytes>"
    assert [question.group for question in read(file).questions.values()] == ["leases", "leases", ""]


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("[22, 16]", "found span [22, 16], expected a start of at least 0 and an end after it"),
        ("[-1, 16]", "found span [-1, 16], expected a start of at least 0 and an end after it"),
        ("[16]", "found span a list, expected a pair [start, end]"),
        ("[1.5, 2]", "found 1.5 in span [1.5, 2], expected whole numbers"),
        ("null", "key span is missing, expected a pair [start, end]"),
    ],
)
def test_spans(span: str, message: str) -> None:
    """Invalid spans are faults."""
    file = gold_file(json.dumps(SAMPLE).replace("[16, 22]", span))
    read(file)
    assert faults(file) == [f"f:1: {message}"]


@pytest.mark.parametrize("span", ["[null, 3]", "[0.5, 3]", '["0", 3]', "[1, 3.0]"])
def test_numbers_that_are_not_whole(span: str) -> None:
    """Are named with their span."""
    data = f'{{"tests": [{{"query": "Q", "snippets": [{{"file_path": "a", "span": {span}}}]}}]}}'
    with pytest.raises(FormatError) as caught:
        excerpt.read_gold(data.encode())
    assert f" in span {span}, expected whole numbers" in str(caught.value)
