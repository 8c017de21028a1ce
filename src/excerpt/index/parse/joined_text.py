"""Many documents as one text for numpy to look at, and which of them are doubtful."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from excerpt.index.parse.words import PADDING
from excerpt.model.spans import BoolArray, IntArray


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
