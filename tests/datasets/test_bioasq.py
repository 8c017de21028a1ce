"""BioASQ: snippets of sections."""

from __future__ import annotations

import pytest
from support.gold_files import faults, gold_file, sample_text

from excerpt.datasets.bioasq import read_bioasq as read

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
