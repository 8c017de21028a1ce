"""Texts of documents: whitespace, words, characters that tools exchange, and hashes of substrings."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from excerpt.model.spans import BoolArray, IntArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

HashArray: TypeAlias = "NDArray[np.uint64]"
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
_INVERSE = pow(_BASE, -1, 1 << 64)
_SPREAD = np.uint64(0xD6E8FEB86659FD93)
#: First code points of blocks of Chinese characters and Japanese kana, each before the end of its block.
_CJK = [0x3005, 0x3008, 0x3041, 0x3100, 0x31F0, 0x3200, 0x3400, 0x4DC0, 0x4E00, 0xA000, 0xF900, 0xFB00]
_CJK += [0xFF66, 0xFF9E, 0x20000, 0x323B0]
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
#: The last code point that is whitespace.
_LAST_SPACE = 0x3000


@cache
def _is_space() -> BoolArray:
    """Mask of the code points that are whitespace by `str.isspace`, up to the last one."""
    return np.array([chr(code).isspace() for code in range(_LAST_SPACE + 1)])


def code_points(text: str) -> NDArray[np.uint32]:
    """Code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


class Hashes:
    """Hashes of all substrings of a text; equal substrings have equal hashes.

    >>> text = Hashes("abcabd")
    >>> (text.of(np.array([0, 3]), 2) == Hashes("ab").of(np.array([0]), 2)).tolist()
    [True, True]
    """

    def __init__(self, text: str) -> None:
        self.length = len(text)
        self._sums = np.zeros(len(text) + 1, np.uint64)
        np.cumsum(spread_codes(text) * powers(_BASE, len(text)), out=self._sums[1:])
        self._divisors = powers(_INVERSE, len(text) + 1)

    def of(self, start: IntArray, length: IntArray | int) -> HashArray:
        """Hashes of substrings."""
        return np.asarray((self._sums[start + length] - self._sums[start]) * self._divisors[start])

    def stretches(self, size: int) -> HashArray:
        """Hashes of all substrings of a size, by position; empty for a shorter text."""
        hashes: HashArray = self._sums[size:] - self._sums[:-size]
        return hashes * self._divisors[: len(hashes)]


def hashes_of(joined: str, size: int) -> HashArray:
    """Hashes of texts of equal size that are joined."""
    return np.asarray(spread_codes(joined).reshape(-1, size).dot(_weights(size)))


@cache
def _weights(size: int) -> HashArray:
    return powers(_BASE, size)


def spread_codes(text: str) -> HashArray:
    """Number with well distributed bits for each character; code points are small and similar."""
    codes = code_points(text).astype(np.uint64)
    codes += np.uint64(1)
    codes *= _SPREAD
    return codes


def powers(base: int, count: int) -> HashArray:
    """Powers of a base from exponent 0."""
    factors = np.full(max(count, 1), base, np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)[:count]


def blanks(text: str) -> IntArray:
    """Positions of the whitespace of a text, ascending.

    >>> blanks("a b\\u3000c\\n").tolist()
    [1, 3, 5]
    """
    table = _is_space()
    if text.isascii():
        return np.flatnonzero(table[np.frombuffer(text.encode(), np.uint8)])
    codes = code_points(text)
    small = np.flatnonzero(codes < len(table))
    return small[table[codes[small]]]


def count_words(text: str) -> int:
    """Count words: each Chinese character or Japanese kana is one, others are as split by `str.split`.

    >>> count_words("to be"), count_words("RAG は検索 too")
    (2, 5)
    """
    return len(text.split()) if text.isascii() else len(_word_ends(text))


def _word_ends(text: str) -> IntArray:
    """Positions of the last character of each word of a text, ascending."""
    alone = np.searchsorted(_CJK, code_points(text), side="right") % 2 == 1
    inside = ~alone
    inside[blanks(text)] = False
    return np.flatnonzero(alone | (inside & ~np.append(inside[1:], False)))


def fold(text: str) -> str:
    r"""Replace every run of whitespace by one space, and strip the text.

    >>> fold(" a\n\n b ")
    'a b'
    """
    return " ".join(text.split())


def squeeze(text: str) -> str:
    r"""Remove all whitespace from a text.

    >>> squeeze(" a\n\n b ")
    'ab'
    """
    return "".join(text.split())


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


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts of documents by id, None if a document is missing; positions of whitespace are cached.

    >>> Texts({"A": "a b"}.get).count("A", np.array([0]), np.array([3])).tolist()
    [2]
    """

    read: Callable[[str], str | None]
    _blanks: dict[str, IntArray | None] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {"read": self.read, "_blanks": {}}  # computed again after unpickling

    def blanks(self, document: str) -> IntArray | None:
        """Positions of the whitespace of a document; None if its text is missing."""
        if document not in self._blanks:
            text = self.read(document)
            self._blanks[document] = None if text is None else blanks(text)
        return self._blanks[document]

    def count(self, document: str, start: IntArray, end: IntArray) -> IntArray:
        """Number of non-whitespace characters of spans of a document; of all if its text is missing."""
        blank = self.blanks(document)
        if blank is None:
            return end - start
        return end - start - (np.searchsorted(blank, end) - np.searchsorted(blank, start))

    def counts(self, names: Sequence[str], document: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Number of non-whitespace characters of spans of several documents (codes of `names`)."""
        counts = end - start
        for name, rows in by_document(names, document):
            counts[rows] = self.count(name, start[rows], end[rows])
        return counts

    def words(self, names: Sequence[str], document: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Number of words of each span, as by `count_words`; -1 if its text is missing.

        >>> place = np.array([0])
        >>> Texts({"A": "to be or"}.get).words(["A"], place, np.array([1]), np.array([7])).tolist()
        [3]
        """
        counts = np.full(len(document), -1, np.int64)
        for name, rows in by_document(names, document):
            blank, text = self.blanks(name), self.read(name)
            if blank is None or text is None:
                continue
            # A word ends at its last character, or at that of the span.
            low, high = np.minimum(start[rows], len(text)), np.minimum(end[rows], len(text))
            ends = _word_ends(text)
            inside = np.searchsorted(ends, high) - np.searchsorted(ends, low)
            open_ = ~np.isin(high - 1, ends) & ~np.isin(high - 1, blank)
            counts[rows] = np.where(high > low, inside + open_, 0)
        return counts

    def trimmed(
        self, names: Sequence[str], document: IntArray, start: IntArray, end: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Strip whitespace from both ends of spans; a span of whitespace only becomes empty.

        >>> first, last = Texts({"A": " ab  "}.get).trimmed(["A"], *np.array([[0, 0], [0, 3], [4, 5]]))
        >>> first.tolist(), last.tolist()
        ([1, 5], [3, 5])
        """
        low, high = start.copy(), end.copy()
        for name, rows in by_document(names, document):
            blank = self.blanks(name)
            if blank is None or not len(blank):
                continue
            opens, closes = blank[np.diff(blank, prepend=-2) > 1], blank[np.diff(blank, append=-1) != 1] + 1
            for at, places in ((low, start[rows]), (high, end[rows] - 1)):
                space = np.searchsorted(opens, places, side="right") - 1
                inside = (space >= 0) & (places < closes[space])
                at[rows[inside]] = (closes if at is low else opens)[space[inside]]
        return low, np.maximum(low, high)


def by_document(names: Sequence[str], document: IntArray) -> list[tuple[str, IntArray]]:
    """Rows of each document, by its name."""
    order = np.argsort(document, kind="stable")
    bounds = np.flatnonzero(np.diff(document[order])) + 1
    return [(names[int(document[rows[0]])], rows) for rows in np.split(order, bounds) if len(rows)]
