"""BioASQ: snippets of sections."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.gold_files import faults, gold_file, sample_text

from excerpt import Notices, check, evaluate, read_run
from excerpt.datasets.bioasq import read_bioasq as read
from excerpt.errors import FormatError

SAMPLE = sample_text("bioasq")


def test_questions_and_evidence() -> None:
    """A document is a section of an article."""
    file = gold_file(SAMPLE)
    gold = read(file)
    assert [(one.document, one.start, one.end, one.quote) for one in gold.evidence] == [
        ("15829955#abstract", 16, 22, "in May"),
        ("15829955#abstract", 24, 37, "No subletting"),
    ]
    assert [(one.text, one.group) for one in gold.questions.values()] == [
        ("When is the rent due?", "factoid"),
        ("Is the roof new?", "yesno"),
    ]
    assert (faults(file), file.unknown) == ([], set())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('"endSection": "abstract"', '"endSection": "title"'),
            "found a snippet from abstract to title, expected one",
        ),
        (
            ('"offsetInEndSection": 22', '"offsetInEndSection": 16'),
            "found a start at 16 and an end at 16, expected an end",
        ),
        (
            ('"offsetInBeginSection": 16', '"offsetInBeginSection": -1'),
            "found offsetInBeginSection -1, expected a number that is not negative",
        ),
        (
            ('"body"', '"text"'),
            "key body is missing, expected text; the object has id, type, text, documents, snippets",
        ),
    ],
)
def test_faults(change: tuple[str, str], message: str) -> None:
    """Each fault is one message with its line."""
    file = gold_file(SAMPLE.replace(*change, 1))
    read(file)
    assert message in faults(file)[0]


def answers(*questions: dict[str, Any]) -> bytes:
    """A file of a system."""
    return json.dumps({"questions": questions}).encode()


def one(article: str, section: str, begin: object, end: object, text: str = "") -> dict[str, Any]:
    """A snippet of a section."""
    sections = {"beginSection": section, "endSection": section, "text": text}
    return {
        "document": f"http://x/{article}",
        "offsetInBeginSection": begin,
        "offsetInEndSection": end,
    } | sections


def test_answers_of_a_system() -> None:
    """Snippets in their order, with an exclusive end and documents as in the gold; offsets may be texts."""
    given = answers(
        {"id": "1", "snippets": [one("7/", "abstract", 5, 9), one("7", "sections.0", "0", "4")]},
        {"id": 2, "documents": ["http://x/8"]},
    )
    run = read_run(given)
    assert [tuple(result[:4]) for result in run] == [("1", "7#abstract", 5, 9), ("1", "7#sections.0", 0, 4)]
    assert run.kind == "spans"


def test_documents_of_a_system_without_snippets() -> None:
    """Each once, in their order."""
    run = read_run(answers({"id": "1", "documents": ["http://x/8", "x/7/", "http://x/8"], "snippets": []}))
    assert [result[:2] for result in run] == [("1", "8"), ("1", "7")]
    assert run.kind == "documents"


def test_the_place_decides() -> None:
    """One file may be gold and run; `check` takes it for judgments."""
    table = evaluate(SAMPLE.encode(), SAMPLE.encode() + b"\n", ["charR", "charP"], notices=Notices())
    assert table.means().tolist() == [[1.0, 1.0]]
    assert "judgments" in check(SAMPLE.encode()).summary
    assert "a run of spans" in check(SAMPLE.encode(), kind="run").summary


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (answers({"id": "1"}), "found no result, expected at least one"),
        (answers({"id": "1", "snippets": [one("7", "a", 5, 4)]}), "found end 4 before start 5"),
        (
            answers({"id": "1", "snippets": [one("7", "a", "x", 4)]}),
            'found offsetInBeginSection "x", expected',
        ),
        (answers({"id": "1"}, {"id": "1", "documents": ["x/1"]}), "found question 1 again, expected each id"),
        (answers({"documents": ["x/1"]}), "key id is missing"),
    ],
)
def test_faults_of_a_system(given: bytes, message: str) -> None:
    """A file without any result is no run."""
    with pytest.raises(FormatError, match=message):
        read_run(given, format="bioasq")
