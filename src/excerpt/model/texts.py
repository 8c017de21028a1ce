"""White space of texts: where it is, texts without it; and what measures ask of the text of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from excerpt.model.spans import BoolArray, IntArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

HashArray: TypeAlias = "NDArray[np.uint64]"
_BASE = 0x9E3779B97F4A7C15  # odd, so that it can be divided by
_INVERSE = pow(_BASE, -1, 1 << 64)
_SPREAD = np.uint64(0xD6E8FEB86659FD93)


@cache
def _is_space() -> BoolArray:
    """Whether each code point is white space as `str.isspace` has it, up to the last that is."""
    found = [code for code in range(0x10000) if chr(code).isspace()]
    table = np.zeros(found[-1] + 1, np.bool_)
    table[found] = True
    return table


def code_points(text: str) -> NDArray[np.uint32]:
    """The characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


class Hashes:
    """The hashes of all stretches of a text; equal stretches have equal ones.

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
        """The hashes of stretches."""
        found: HashArray = (self._sums[start + length] - self._sums[start]) * self._divisors[start]
        return found

    def stretches(self, size: int) -> HashArray:
        """The hashes of all stretches of a size, from each place of the text on; none of a shorter text."""
        found: HashArray = self._sums[size:] - self._sums[:-size]
        return found * self._divisors[: len(found)]


def hash_of(codes: HashArray) -> HashArray:
    """The hashes of stretches of equal size whose characters, as `spread_codes` has them, are in rows."""
    found: HashArray = (codes * powers(_BASE, codes.shape[1])).sum(axis=1)
    return found


def spread_codes(text: str) -> HashArray:
    """A number for each character; their codes themselves are small and alike."""
    codes = code_points(text).astype(np.uint64)
    codes += np.uint64(1)
    codes *= _SPREAD
    return codes


def powers(base: int, count: int) -> HashArray:
    """The powers of a base from 0 on."""
    found = np.full(max(count, 1), base, np.uint64)
    found[0] = 1
    return np.multiply.accumulate(found)[:count]


def blanks(text: str) -> IntArray:
    """The positions of the white space of a text, ascending.

    >>> blanks("a b\\u3000c\\n").tolist()
    [1, 3, 5]
    """
    codes = code_points(text)
    table = _is_space()
    small = np.flatnonzero(codes < len(table))
    return np.asarray(small[table[codes[small]]], np.int64)


def fold(text: str) -> str:
    r"""A text with every run of white space as one space, none at its borders.

    >>> fold(" a\n\n b ")
    'a b'
    """
    return " ".join(text.split())


def squeeze(text: str) -> str:
    r"""A text without white space.

    >>> squeeze(" a\n\n b ")
    'ab'
    """
    return "".join(text.split())


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of documents by id, None of those that are not there; what was found out is kept.

    >>> Texts({"A": "a b"}.get).count("A", np.array([0]), np.array([3])).tolist()
    [2]
    """

    read: Callable[[str], str | None]
    _blanks: dict[str, IntArray | None] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {"read": self.read, "_blanks": {}}  # found out anew where it is needed

    def blanks(self, document: str) -> IntArray | None:
        """The positions of the white space of a document; None where its text is not there."""
        if document not in self._blanks:
            text = self.read(document)
            self._blanks[document] = None if text is None else blanks(text)
        return self._blanks[document]

    def count(self, document: str, start: IntArray, end: IntArray) -> IntArray:
        """The characters of some spans of a document that are no white space; all where there is no text."""
        found = self.blanks(document)
        if found is None:
            return end - start
        return end - start - (np.searchsorted(found, end) - np.searchsorted(found, start))

    def counts(self, names: Sequence[str], document: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """The same for spans of several documents, which are given by their places among the names."""
        found = end - start
        for name, rows in _by_document(names, document):
            found[rows] = self.count(name, start[rows], end[rows])
        return found

    def words(self, names: Sequence[str], document: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """How many words each span has, as `str.split` finds them; -1 where its text is not there.

        >>> place = np.array([0])
        >>> Texts({"A": "to be or"}.get).words(["A"], place, np.array([1]), np.array([7])).tolist()
        [3]
        """
        found = np.full(len(document), -1, np.int64)
        for name, rows in _by_document(names, document):
            blank, text = self.blanks(name), self.read(name)
            if blank is None or text is None:
                continue
            # A word ends at its last character: the last of the text, or of the span, or one before a blank.
            low, high = np.minimum(start[rows], len(text)), np.minimum(end[rows], len(text))
            ends = blank[np.diff(blank, prepend=-1) > 1]
            inside = np.searchsorted(ends, high) - np.searchsorted(ends, low, side="right")
            last = np.searchsorted(blank, high - 1)
            is_blank = np.append(blank, -1)[last] == high - 1
            found[rows] = np.where(high > low, inside + ~is_blank, 0)
        return found

    def trimmed(
        self, names: Sequence[str], document: IntArray, start: IntArray, end: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Spans without the white space at their borders; those of nothing else are empty.

        >>> first, last = Texts({"A": " ab  "}.get).trimmed(["A"], *np.array([[0, 0], [0, 3], [4, 5]]))
        >>> first.tolist(), last.tolist()
        ([1, 5], [3, 5])
        """
        low, high = start.copy(), end.copy()
        for name, rows in _by_document(names, document):
            blank = self.blanks(name)
            if blank is None or not len(blank):
                continue
            opens, closes = blank[np.diff(blank, prepend=-2) > 1], blank[np.diff(blank, append=-1) != 1] + 1
            for at, places in ((low, start[rows]), (high, end[rows] - 1)):
                stretch = np.searchsorted(opens, places, side="right") - 1
                inside = (stretch >= 0) & (places < closes[stretch])
                at[rows[inside]] = (closes if at is low else opens)[stretch[inside]]
        return low, np.maximum(low, high)


def _by_document(names: Sequence[str], document: IntArray) -> list[tuple[str, IntArray]]:
    """Each document that occurs, with the rows where it does."""
    order = np.argsort(document, kind="stable")
    bounds = np.flatnonzero(np.diff(document[order])) + 1
    return [(names[int(document[rows[0]])], rows) for rows in np.split(order, bounds) if len(rows)]
