"""QASPER: quotes placed in the text of papers; the release and records with columns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.gold_files import faults, gold_file, said, sample_text

from excerpt.datasets.qasper import read

SAMPLE: dict[str, Any] = json.loads(sample_text("qasper"))


def columns() -> dict[str, Any]:
    """The sample as a record with columns."""
    paper = SAMPLE["1909.00001"]
    sections, asked = paper["full_text"], paper["qas"]
    return {
        "id": "1909.00001",
        "title": paper["title"],
        "abstract": paper["abstract"],
        "full_text": {key: [one[key] for one in sections] for key in ("section_name", "paragraphs")},
        "figures_and_tables": {"caption": [one["caption"] for one in paper["figures_and_tables"]]},
        "qas": {
            "question": [one["question"] for one in asked],
            "question_id": [one["question_id"] for one in asked],
            "answers": [{"answer": [answer["answer"] for answer in one["answers"]]} for one in asked],
        },
    }


@pytest.mark.parametrize(
    "content",
    [SAMPLE, columns(), [columns()], json.dumps(columns()) + "\n"],
    ids=["release", "record", "list", "lines"],
)
def test_questions_and_evidence(content: Any) -> None:
    """Extracted words are located in their evidence, though they may occur earlier; captions are text."""
    file = gold_file(content)
    gold = read(file)
    assert said(gold) == [
        ("q1", "1909.00001", "An arch pushes outwards. We measured 5 kN."),
        ("q1", "1909.00001", "Figure 1: Forces in an arch."),
        ("q1", "1909.00001", "We measured 5 kN."),
        ("q1", "1909.00001", "Figure 1: Forces in an arch."),
        ("q1", "1909.00001", "5 kN"),
        ("q1", "1909.00001", "Ropes are older."),
        ("q1", "1909.00001", "Ropes are older."),
    ]
    assert gold.judged == [("q1", "1909.00001"), ("q2", "1909.00001")]
    assert gold.questions["q2"] == ("q2", "Who paid for it?", "1909.00001", "")
    assert gold.documents["1909.00001"].startswith(
        "Arches of Stone\n\nWe look at arches.\n\nIntroduction\n\nAn"
    )
    assert faults(file) == []


def test_quotes_that_are_nowhere_have_no_place() -> None:
    """Such quotes are reported later, by the verification of all evidence."""
    gold = read(gold_file(json.dumps(SAMPLE).replace('["Ropes are older."]', '["Ropes are new.", " "]')))
    assert [(one.start, one.end) for one in gold.evidence if "new" in one.quote] == [(-1, -1), (-1, -1)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"full_text": [', '"full_text": 7, "x": ['), "f:1: found full_text 7, expected a list"),
        (('"paragraphs": [', '"paragraphs": [7, '), "f:1: found 7 in paragraphs, expected texts"),
        (('"question_id": "q2"', '"question_id": "q1"'), "f:1: found question q1 again (first in line 1)"),
        (
            ('"answer": {', '"answers": {'),
            "f:1: key answer is missing, expected an object; the object has answers, annotation_id, worker",
        ),
    ],
)
def test_faults(change: tuple[str, str], message: str) -> None:
    """Each fault is one line."""
    file = gold_file(json.dumps(SAMPLE).replace(*change, 1))
    read(file)
    assert faults(file)[0].startswith(message)


def test_columns_of_several_lengths() -> None:
    """A table is a table."""
    record = columns()
    record["qas"]["question"].pop()
    file = gold_file(record)
    read(file)
    shown = "question 1, question_id 2, answers 2"
    assert faults(file) == [f"f:1: found columns of different lengths ({shown}), expected equal lengths"]
