"""The place of a text that is nearest to a quote which does not occur: by spelling, else by its words."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from excerpt.errors import short
from excerpt.model.texts import fold_characters
from excerpt.placing.dense_words import densest
from excerpt.placing.markup import ReadText, kind_of_document

#: Least share of the words of a quote that a place has, and least number of them.
_LEAST, _LEAST_WORDS = 0.5, 3
_SHOWN = 60
_WORD = re.compile(r"\w+")


class NearestPlace(NamedTuple):
    """A place, its line from 1, in what it differs from the quote, and the share of the quote's words."""

    start: int
    end: int
    line: int
    text: str
    differs: str
    share: float = 1.0

    def __str__(self) -> str:
        by = self.differs if self.differs != "words" else f"words, {100 * self.share:.0f} % of them are there"
        return f'nearest: line {self.line} "{short(" ".join(self.text.split()), _SHOWN)}" (differs by: {by})'


def nearest(text: str, quote: str, name: str = "") -> NearestPlace | None:
    """Return the nearest place of a quote in the text of a document of this name; None if nothing is near.

    >>> print(nearest("One.\\nThe term is two years.", "the term is two years"))
    nearest: line 2 "The term is two years" (differs by: case)
    >>> print(nearest("One.\\nThe term is two long years.", "The term was two years"))
    nearest: line 2 "The term is two long years" (differs by: words, 80 % of them are there)
    """
    kind = kind_of_document(name)
    seen = ReadText(text, kind) if kind else None
    words = [_keys(fold_characters(quote)), _keys(fold_characters(seen.seen if seen else text))]
    asked, given = ([key for _, _, key in some] for some in words)
    if not asked or not given:
        return None
    joined = " ".join(["", *given, ""])
    at = joined.find(" ".join(["", *asked, ""]))
    if at >= 0:  # the same words in the same order
        low = joined.count(" ", 0, at)
        high, share = low + len(asked) - 1, 1.0
    else:
        low, high, count = densest(asked, given)
        share = count / len(asked) if count >= _LEAST_WORDS else 0.0
    if share < _LEAST:
        return None
    folded = fold_characters(seen.seen if seen else text)
    start, end = words[1][low][0], words[1][high][1]
    source = seen.seen if seen else text
    if len(folded) != len(source):  # ligatures and marks: the words are looked up by their number
        plain = list(_WORD.finditer(source))
        low, high = min(low, len(plain) - 1), min(high, len(plain) - 1)
        start, end = plain[low].start(), plain[high].end()
    there = source[start:end]
    place = seen.span(start, end) if seen else (start, end)
    line = text.count("\n", 0, place[0]) + 1
    differs = _difference(quote, there) if at >= 0 else "words"
    return NearestPlace(*place, line, there, differs, share)


def _keys(text: str) -> list[tuple[int, int, str]]:
    """Words with their places, without case and forms of Unicode."""
    return [
        (match.start(), match.end(), unicodedata.normalize("NFKC", match[0]).casefold())
        for match in _WORD.finditer(text)
    ]


def _difference(quote: str, there: str) -> str:
    """Name what differs in two texts of the same words."""
    one, other = (" ".join(fold_characters(text).split()) for text in (quote.strip(), there))
    bare = [re.sub(r"\W+", "", text) for text in (one, other)]
    forms = [unicodedata.normalize("NFKC", text) for text in bare]
    if bare[0] == bare[1]:
        return "spacing" if one.replace(" ", "") == other.replace(" ", "") else "punctuation"
    if forms[0] == forms[1]:
        return "Unicode form"
    return "case" if bare[0].casefold() == bare[1].casefold() else "case and Unicode form"
