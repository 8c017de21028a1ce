"""Texts that rows quote: which, and whether they are those at a place."""

from __future__ import annotations

import pytest

from excerpt.model import Run
from excerpt.model.quotes import Trimmed, is_quoted, quote_of, quotes_of


def test_the_text_of_a_row() -> None:
    """Under any of its names; what is empty, or no text, is none."""
    assert quote_of({"page_content": "a", "how": "folded"}) == "a"
    assert quote_of({"text": "", "start": 1}) is None
    assert quote_of({"content": ["a"]}) is None
    assert isinstance(quote_of({"text": "a", "how": "trimmed"}), Trimmed)


@pytest.mark.parametrize(
    ("quote", "text", "same"),
    [
        ("one two", "one two", True),
        ("one two", " one\n two", True),
        ("one two", "one tw", False),
        ("one two", "", False),
        (Trimmed("Title: one two"), "one two", True),
        (Trimmed("Title"), "", False),
        (Trimmed("Title"), "other", False),
    ],
)
def test_what_is_quoted(quote: str, text: str, same: bool) -> None:
    """White space may differ; of a trimmed text a part is enough."""
    assert is_quoted(quote, text) is same


def test_columns() -> None:
    """None in rows without text; nothing where no row has any."""
    quotes = quotes_of({"text": ["a", None, float("nan")], "start": [0, 1, 2]}, 3)
    assert quotes is not None
    assert quotes.tolist() == ["a", None, None]
    assert quotes_of({"text": [None]}, 1) is None
    assert quotes_of({"start": [1]}, 1) is None


def test_they_follow_their_results() -> None:
    """Through the order of a run."""
    rows = [
        {"topic": topic, "document": "A", "start": 0, "end": 1, "text": topic * 2, "score": score}
        for topic, score in (("1", 1), ("2", 1), ("1", 2))
    ]
    rows[2]["text"] = "last"
    run = Run.of("r", rows)
    assert run.quotes is not None
    assert run.quotes.tolist() == ["11", "last", "22"]
    quotes = run.ordered("score").quotes
    assert quotes is not None
    assert quotes.tolist() == ["last", "11", "22"]
