"""Names of documents that have only titles."""

from __future__ import annotations

from excerpt.gold.titles import Titles


def test_texts_of_one_title_are_numbered() -> None:
    """In the order in which they come, whoever asks about them."""
    titles = Titles([("a", "x"), ("b", "x"), ("a", "y"), ("a", "x")])
    assert [titles.name("a", "x"), titles.name("a", "y"), titles.name("b", "x")] == ["a#1", "a#2", "b"]
