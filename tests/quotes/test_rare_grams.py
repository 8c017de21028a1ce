"""Quotes searched in many texts at once are found where one search after the other finds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.quotes import rare_grams
from excerpt.quotes.quote_search import QuotedText, find_everywhere, find_marked
from excerpt.quotes.rare_grams import Needle, RareGrams

WORDS = [
    "two",
    "years",
    "“years”",
    "*two*",
    "it\u2019s",
    "a",
    "e\N{COMBINING ACUTE ACCENT}t",
    "...",
    "`term`",
    "\n- ",
]
TEXTS = st.lists(st.sampled_from([*WORDS, "\n", "&amp;", "<b>bold</b>", "par-\nts"]), max_size=12).map(
    " ".join
)
QUOTES = st.lists(st.sampled_from([*WORDS, "bold", "&", "parts", "Two"]), min_size=1, max_size=5).map(
    " ".join
)


@given(st.lists(TEXTS, max_size=5), st.lists(QUOTES, max_size=4), st.booleans(), st.integers(1, 40))
def test_all_at_once_or_one_by_one(texts: list[str], quotes: list[str], parts: bool, together: int) -> None:
    """The same documents and places in the same order, for any size of a batch."""
    documents = [(f"{number}{'.md' if number % 2 else '.txt'}", text) for number, text in enumerate(texts)]
    plain, marked = [], []
    for name, text in documents:
        for number, quote in enumerate(quotes):
            document, named = QuotedText(text), QuotedText(text, name)
            if places := document.find_all(quote) or (document.find_parts(quote) if parts else []):
                plain.append((number, name, places))
            if every := [[one] for one in named.find_all(quote)] or [
                *filter(None, [named.find_parts(quote)])
            ]:
                marked.append((number, name, every))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_grams, "_TOGETHER", together)
        assert list(find_everywhere(quotes, documents, parts=parts)) == plain
        assert list(find_marked(quotes, documents)) == marked


def test_the_rarest_gram_decides() -> None:
    """A text with the common words of a quote alone is not searched."""
    common = "the party of the first part "
    grams = RareGrams([Needle(0, [f"{common}assigns quicksilver to {common}"])])
    likely = list(
        grams.search([[common * 20], [f"{common}assigns quicksilver to {common}"], ["quicksilver"]])
    )
    assert likely == [[], [0], []]
    assert list(RareGrams([]).search([["any"], []])) == [[], []]
