"""Every format by its sample, and by its example."""

from __future__ import annotations

import pytest
from support.gold_files import KINDS, faults, gold_file, sample_text

from excerpt.gold.file import GoldFormat
from excerpt.gold.quote_rows import kind_of


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_samples_and_examples_are_of_one_format(kind: GoldFormat) -> None:
    """Each is known by its own format only."""
    for text in (sample_text(kind.name), kind.example):
        file = gold_file(text)
        assert [other.name for other in KINDS if other.recognise(file)] == [kind.name]
        assert kind.read(file).questions
        assert (faults(file), "colour" in file.unknown) == ([], False)


@pytest.mark.parametrize(
    "text", ["", "a b c", "<a/>", "{}", "[]", "[1]", '{"topic": "1", "document": "A"}', "null"]
)
def test_other_files(text: str) -> None:
    """Nothing is taken for what it is not."""
    assert kind_of(gold_file(text)) is None
