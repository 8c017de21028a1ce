"""Many documents as one text for numpy to look at, and which of them are doubtful.

Short pieces of the text are compared as 64-bit words: equal pieces get equal numbers, without a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from excerpt.model.spans import BoolArray, IntArray, distinct

Words = npt.NDArray[np.uint64]

WORD = 8
LONGEST = 64  # bytes of a piece
PADDING = b" " * (LONGEST + WORD)  # after a text, so that words begin everywhere in it

_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
# What of a word belongs to a piece of which so many bytes are left.
_MASKS = np.array([(1 << 8 * min(left, WORD)) - 1 for left in range(LONGEST + 1)], np.uint64)


def words_of(data: bytes) -> Words:
    """The eight bytes that begin at each place, as one number whose lowest byte is the first."""
    return np.ndarray(len(data) - WORD + 1, "<u8", data, strides=(1,))


def cut(words: Words, mark: bytes) -> tuple[Words, BoolArray]:
    """Each word up to the first byte that is `mark`, and whether there was none.

    The usual trick on words: the lowest bit of `(x - ones) & ~x & tops` is in the first byte that is zero.
    """
    other = words ^ (_ONES * np.uint64(mark[0]))
    ends = (other - _ONES) & ~other & _TOPS
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def are(
    words: Words, begin: IntArray, length: IntArray, pieces: Sequence[bytes], which: IntArray
) -> BoolArray:
    """Whether the `length` bytes (up to LONGEST) at each place are the piece of that length it names."""
    table = _table(pieces)
    equal: BoolArray = words[begin] & _MASKS[length] == table[0][which]
    for rows, left, at in _further(length):
        equal[rows] &= words[begin[rows] + at] & _MASKS[left] == table[at // WORD][which[rows]]
    return equal


def _table(pieces: Sequence[bytes]) -> Words:
    """The first words of all pieces, their second ones and so on; what a piece does not have is 0."""
    width = -(-max(map(len, pieces)) // WORD) * WORD
    padded = b"".join([piece.ljust(width, b"\0") for piece in pieces])
    return np.ascontiguousarray(np.frombuffer(padded, "<u8").reshape(len(pieces), -1).T)


def _further(length: IntArray) -> Iterator[tuple[IntArray, IntArray, int]]:
    """The rows of pieces that have a second word, a third one and so on; what is left there; where it is."""
    rows = np.flatnonzero(length > WORD)
    left = length[rows] - WORD
    at = WORD
    while len(rows):
        yield rows, left, at
        longer = left > WORD
        rows, left = rows[longer], left[longer] - WORD
        at += WORD


def number_pieces(data: bytes, begin: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """A number for each piece, equal for equal pieces, and the first place of each number, ascending.

    No piece has a NUL in it, so a shorter one is not a longer one that ends in them.
    """
    words = words_of(data)
    columns = [words[begin] & _MASKS[length]]
    for rows, left, at in _further(length):
        columns.append(np.zeros(len(begin), np.uint64))
        columns[-1][rows] = words[begin[rows] + at] & _MASKS[left]
    first, number = distinct(*columns)
    return number, first


class Doubtful(Exception):
    """Some documents need the parser."""

    def __init__(self, documents: BoolArray) -> None:
        super().__init__()
        self.documents = documents


class JoinedText:
    """Documents one after another, with one byte for each unit of the index.

    `data` and `text` are the same bytes, for Python and for numpy; `bounds` are where documents begin, and
    the end of the last.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.data = b"".join((*texts, PADDING))
        self.text = np.frombuffer(self.data, np.uint8)
        self.bounds: IntArray = np.cumsum([0, *map(len, texts)])
        self._doubted = np.zeros(len(texts), np.bool_)

    def documents_at(self, places: IntArray) -> IntArray:
        """The document that holds each place."""
        return np.searchsorted(self.bounds, places, "right") - 1

    def doubt(self, places: IntArray) -> None:
        """Documents that hold one of the places need the parser."""
        self._doubted[self.documents_at(places)] = True

    def doubt_documents(self, doubted: BoolArray) -> None:
        """These documents need the parser."""
        self._doubted |= doubted

    def settle(self) -> None:
        """Give up where there are doubts: one document may have misled what was found out about others."""
        if self._doubted.any():
            raise Doubtful(self._doubted)


def select_outside(places: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """The places, which ascend, that are in none of the ranges [begin, end), which ascend and do not meet."""
    low, high = np.searchsorted(places, begin), np.searchsorted(places, end)
    if (low == high).all():
        return places
    change = np.zeros(len(places) + 1, np.int64)
    np.add.at(change, low, 1)
    np.add.at(change, high, -1)
    outside: BoolArray = np.cumsum(change[:-1]) == 0
    return places[outside]
