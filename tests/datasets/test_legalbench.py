"""LegalBench-RAG: spans of files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.gold_files import faults, gold_file, sample_text

import excerpt
from excerpt.errors import FormatError
from excerpt.gold.quote_rows import read_benchmark as read

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


def test_ids_of_the_file_are_kept() -> None:
    """A question may have a query_id; numbers are for questions without one."""
    gold = read(
        gold_file({"tests": [{**test, "query_id": f"q{row}"} for row, test in enumerate(SAMPLE["tests"])]})
    )
    assert list(gold.questions) == ["q0", "q1", "q2"]
    assert [one.topic for one in gold.evidence] == ["q0", "q1", "q1"]


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("[22, 16]", "found a start at 22 and an end at 16, expected an end after the start"),
        ("[-1, 16]", "found span [-1, 16], expected a pair of whole numbers, [start, end]"),
        ("[16]", "found span [16], expected a pair of whole numbers, [start, end]"),
        ("[1.5, 2]", "found span [1.5, 2], expected a pair of whole numbers, [start, end]"),
    ],
)
def test_spans(span: str, message: str) -> None:
    """Invalid spans are faults."""
    file = gold_file(json.dumps(SAMPLE).replace("[16, 22]", span))
    read(file)
    assert faults(file) == [f"f:1: {message}"]


def test_a_snippet_without_a_span() -> None:
    """Has an answer, but no place."""
    file = gold_file(json.dumps(SAMPLE).replace("[16, 22]", "null"))
    read(file)
    assert "f:1: the row has neither a quote nor offsets" in faults(file)[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"file_path": "leases/one.txt", "span": [16',
            '"span": [16',
            "key file_path is missing, expected a name",
        ),
        (
            '"query": "Consider the lease; may',
            '"q": "Consider the lease; may',
            "key query is missing, expected text",
        ),
        ('"span": [0, 9]', '"span": [0]', "found span [0], expected a pair of whole numbers"),
        ('"span": [0, 9]', '"span": false', "found span false, expected a pair of whole numbers"),
    ],
)
def test_one_fault_each(old: str, new: str, message: str) -> None:
    """Also where an answer could be searched for, or a row has no quote."""
    text = json.dumps(SAMPLE)
    assert old in text
    file = gold_file(text.replace(old, new))
    read(file)
    assert len(faults(file)) == 1
    assert faults(file)[0].startswith(f"f:1: {message}")


@pytest.mark.parametrize("span", ["[null, 3]", "[0.5, 3]", '["0", 3]', "[1, 3.0]"])
def test_numbers_that_are_not_whole(span: str) -> None:
    """Are named with their span."""
    data = f'{{"tests": [{{"query": "Q", "snippets": [{{"file_path": "a", "span": {span}}}]}}]}}'
    with pytest.raises(FormatError) as caught:
        excerpt.read_gold(data.encode())
    assert f"found span {span}, expected a pair of whole numbers" in str(caught.value)
