"""Where a quote stands in a text: at its place, elsewhere, or with other white space."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from excerpt.model.texts import fold

#: At its place, or anywhere where it has none; at another place, or with other white space.
How: TypeAlias = Literal["exact", "moved"]


class Found(NamedTuple):
    """Where a quote stands."""

    start: int
    end: int
    how: How


def find_quote(text: str, quote: str, start: int = -1) -> Found | None:
    r"""The occurrence of a quote nearest to where it should start; the first where that is not known (-1).

    A quote that is nowhere is looked for with any white space where it has some; it is moved then, too.

    >>> find_quote("a b, a b", "a b", 5), find_quote("a b, a b", "a b", 4)
    (Found(start=5, end=8, how='exact'), Found(start=5, end=8, how='moved'))
    >>> find_quote("a\n b", " a b"), find_quote("a b", "b a")
    (Found(start=0, end=4, how='moved'), None)
    """
    if start >= 0 and text.startswith(quote, start):
        return Found(start, start + len(quote), "exact")
    place = text.find(quote) if start < 0 else _nearest(text, quote, start)
    if place >= 0:
        return Found(place, place + len(quote), "exact" if start < 0 else "moved")
    words = quote.split()
    if not words or " ".join(words) not in _folded(text):
        return None
    folded = (match.span() for match in re.finditer(r"\s+".join(map(re.escape, words)), text))
    return Found(*min(folded, key=lambda span: abs(span[0] - max(start, 0))), "moved")


@lru_cache(maxsize=1)
def _folded(text: str) -> str:
    """A text with one blank for each white space in it; quotes of one document come together."""
    return fold(text)


def _nearest(text: str, quote: str, start: int) -> int:
    """The occurrence whose start is nearest; the earlier one of two; -1 where there is none."""
    before = text.rfind(quote, 0, min(start, len(text)) + len(quote))
    after = text.find(quote, min(start, len(text)))
    if before < 0 or after < 0:
        return max(before, after)
    return before if start - before <= after - start else after


def to_characters(text: str, data: bytes, place: int) -> int | None:
    r"""The character at a byte of a text, which is given in both ways; None inside of a character.

    >>> to_characters("é!", "é!".encode(), 2), to_characters("é!", "é!".encode(), 1)
    (1, None)
    """
    if len(text) == len(data):
        return place
    try:
        return len(data[:place].decode())
    except UnicodeDecodeError:
        return None
