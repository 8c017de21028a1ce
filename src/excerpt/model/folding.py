"""Folding of text for quotes, chunks and citations: whitespace, and characters that tools exchange."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import code_points, fold

#: Characters that are read as others; full-width forms come from the Unicode database.
_ALIKE = {
    **dict.fromkeys("\u2019\u2018\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2013\u2014\u2010\u2011\u2212", "-"),
    **dict(zip("\u2026\ufb01\ufb02\ufb00\ufb03\ufb04", ("...", "fi", "fl", "ff", "ffi", "ffl"), strict=True)),
    "\N{SOFT HYPHEN}": "",
}
#: Conjoining vowels and final consonants of Hangul, which combine with the letter before.
_JAMO = range(0x1160, 0x1200)


@cache
def _alike() -> dict[str, str]:
    wide = {chr(code): unicodedata.decomposition(chr(code)).split() for code in range(0xFF01, 0xFFE7)}
    return _ALIKE | {one: chr(int(of[1], 16)) for one, of in wide.items() if of and of[0] == "<wide>"}


def _replaced(text: str) -> str:
    for character in _alike().keys() & set(text):
        text = text.replace(character, _alike()[character])
    return text


def fold_characters(text: str) -> str:
    r"""Replace quotation marks, dashes, ellipses, ligatures, wide forms; compose; drop soft hyphens.

    >>> fold_characters("“e\N{COMBINING ACUTE ACCENT}”… ﬁ\N{SOFT HYPHEN}n\n")
    '"é"... fin\n'
    """
    return text if text.isascii() else unicodedata.normalize("NFC", _replaced(text))


def fold_text(text: str) -> str:
    r"""Fold the characters of a text and its runs of whitespace, and strip it; case is kept.

    >>> fold_text(" It\u2019s\n\n fine ")
    "It's fine"
    """
    return fold(fold_characters(text))


def combines(text: str) -> BoolArray:
    """Mask of the characters that combine with the one before: a span never begins with one."""
    high = [character for character in set(text) if character > "\u02ff"] if not text.isascii() else []
    marks = [ord(one) for one in high if ord(one) in _JAMO or unicodedata.category(one)[0] == "M"]
    return np.isin(code_points(text), marks) if marks else np.zeros(len(text), np.bool_)


def folded_from(text: str) -> tuple[IntArray, IntArray]:
    r"""Start and end in a text of each character of `fold_characters(text)`.

    >>> start, end = folded_from("ﬁe\N{COMBINING ACUTE ACCENT}\N{SOFT HYPHEN}!")
    >>> start.tolist(), end.tolist()
    ([0, 0, 1, 4], [1, 1, 3, 5])
    """
    codes, size = code_points(text), np.ones(len(text), np.int64)
    for character, alike in _ALIKE.items():
        if len(alike) != 1 and character in text:
            size[codes == ord(character)] = len(alike)
    at = np.repeat(np.arange(len(text)), size)
    first, cluster = ~combines(_replaced(text)), np.cumsum(~combines(fold_characters(text)))
    first[:1] = True  # a text may begin with a mark
    opens = np.flatnonzero(first)
    which: IntArray = cluster - cluster[:1]
    ends = at[np.append(opens, len(at))[1:] - 1] + 1
    bounds = np.append(np.flatnonzero(~combines(text)), len(text))  # a ligature may have a mark
    return at[opens][which], bounds[np.searchsorted(bounds, ends[which])]
