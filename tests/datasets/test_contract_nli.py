"""ContractNLI: a hypothesis is judged in every contract."""

from __future__ import annotations

import json

import pytest
from support.gold_files import faults, gold_file, said, sample_text

from excerpt.datasets.kinds import read_contract_nli as read

SAMPLE = sample_text("contract-nli")


def test_questions_and_evidence() -> None:
    """Spans by their numbers; not mentioned is judged."""
    file = gold_file(SAMPLE)
    gold = read(file)
    assert said(gold) == [
        ("nda-1", "3", "The receiving party shall keep it secret."),
        ("nda-1", "3", "Copies are allowed."),
        ("nda-2", "4", "Copies are forbidden."),
    ]
    assert gold.judged == [("nda-1", "3"), ("nda-2", "3"), ("nda-1", "4"), ("nda-2", "4")]
    assert gold.questions["nda-2"].text == "Copies may be made."
    assert (faults(file), file.unknown) == ([], set())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"spans": [0, 1]', '"spans": [9]'), "found span 9 of 3, expected the number of a pair"),
        (('"spans": [0, 1]', '"spans": ["a"]'), 'found span "a" of 3, expected the number of a pair'),
        (('"nda-1": {"choice"', '"nda-9": {"choice"'), "found label nda-9, expected one of the labels"),
        (("[[0, 41]", "[[41, 41]"), "found a start at 41 and an end at 41, expected an end after the start"),
        (("[[0, 41]", "[[0]"), "found span 0 of 3, expected the number of a pair"),
        (('"spans": [0, 1]', '"spans": 5'), "found spans 5, expected a list"),
        (('"spans": [0, 1]', '"spans": "01"'), 'found spans "01", expected a list'),
        (('"spans": [[0, 41]', '"spans": 5, "x": [[0, 41]'), "found spans 5, expected a list"),
        (
            ('"text": "Copies are forbidden."', '"t": 0'),
            "key text is missing, expected text; the object has id, file_name, t, spans",
        ),
    ],
)
def test_faults(change: tuple[str, str], message: str) -> None:
    """Each fault is one message with its line."""
    text = json.dumps(json.loads(SAMPLE))
    assert change[0] in text
    file = gold_file(text.replace(*change, 1))
    read(file)
    assert faults(file)[0].startswith(f"f:1: {message}")
