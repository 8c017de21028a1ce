"""Quotes in texts, against looking everywhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.gold.quotes import Found, find_quote, to_characters

TEXTS = st.text("ab ", max_size=30)


@given(TEXTS, st.text("ab ", min_size=1, max_size=4), st.integers(-1, 35))
def test_the_nearest_occurrence(text: str, quote: str, start: int) -> None:
    """Exact where it is claimed or without a claim; the nearest elsewhere; else with other white space."""
    places = [at for at in range(len(text)) if text.startswith(quote, at)]
    found = find_quote(text, quote, start)
    if places:
        at = min(places, key=lambda place: (abs(place - max(start, 0)), place))
        assert found == Found(at, at + len(quote), "exact" if start in {-1, at} else "moved")
    elif found is not None:
        assert text[found.start : found.end].split() == quote.split()
        assert found.how == "moved"
    elif quote.split():
        assert " ".join(quote.split()) not in " ".join(text.split())


def test_white_space_is_folded() -> None:
    """Line ends for blanks, borders of white space."""
    assert find_quote("a\n\n b c", " a b\n", 3) == Found(0, 5, "moved")
    assert find_quote("a b", "   ") is None
    assert find_quote("(a) b", "(a)  b") == Found(0, 5, "moved")


@given(st.text("aé😀", max_size=8))
def test_bytes_become_characters(text: str) -> None:
    """Between characters only."""
    data = text.encode()
    borders = {len(text[:at].encode()): at for at in range(len(text) + 1)}
    assert [to_characters(text, data, place) for place in range(len(data) + 1)] == [
        borders.get(place) for place in range(len(data) + 1)
    ]
