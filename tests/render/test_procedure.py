"""Procedures in words."""

from __future__ import annotations

from excerpt.render.procedure import in_words, wrapped
from excerpt.render.tables import Look


def test_every_part_is_said() -> None:
    """Test, comparisons, correction, alpha, topics."""
    found = in_words({"test": "sign", "tests": 2, "correction": "none", "alpha": 0.01, "topics": 1})
    assert found == "sign test, 2 comparisons not corrected, alpha 0.01, 1 topic"


def test_notes_fit_the_terminal() -> None:
    """Lines are as wide as it is; files have one line."""
    assert wrapped("one two three", Look(width=8)) == "one two\nthree"
    assert wrapped("one two three", Look()) == "one two three"
