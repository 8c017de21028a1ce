"""Texts in which white space does not count: positions in them, and where else the same words stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from excerpt.model.spans import IntArray, KeyedSpans
from excerpt.model.texts import Texts, fold

#: Characters of folded text that are kept, and places that are remembered.
_ROOM = 10_000_000
_MOST_PLACES = 100_000


@dataclass(frozen=True, eq=False)
class Ink:
    """Positions in documents, by their numbers, as counts of the characters that are no white space."""

    texts: Texts
    names: Sequence[str]
    #: Texts with each stretch of white space as one blank, as far as there is room, and where words stand.
    _folded: dict[int, str] = field(default_factory=dict)
    _places: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def at(self, document: IntArray, position: IntArray) -> IntArray:
        """The characters that are no white space before each position."""
        found = position.copy()
        order = np.argsort(document, kind="stable")
        bounds = np.flatnonzero(np.diff(document[order], prepend=-1, append=-2))
        for low, high in pairwise(bounds.tolist()):
            rows = order[low:high]
            blanks = self.texts.blanks(self.names[int(document[rows[0]])])
            if blanks is not None:
                found[rows] -= np.searchsorted(blanks, position[rows])
        return found

    def text(self, document: int) -> str:
        """The text of a document, nothing where it is not there."""
        return self.texts.read(self.names[document]) or ""

    def places(self, document: int, wanted: str) -> list[int]:
        """Where a folded text stands in a document: characters before it that are no white space."""
        if (document, wanted) not in self._places:
            if len(self._places) > _MOST_PLACES:
                self._places.clear()
            self._places[document, wanted] = list(_occurrences(self._fold(document), wanted))
        return self._places[document, wanted]

    def _fold(self, document: int) -> str:
        if document not in self._folded:
            text = fold(self.text(document))
            if sum(map(len, self._folded.values())) + len(text) > _ROOM:
                self._folded.clear()
            self._folded[document] = text
        return self._folded[document]


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at, blanks, reached = text.find(wanted) if wanted else -1, 0, 0
    while at >= 0:
        blanks += text.count(" ", reached, at)
        reached = at
        yield at - blanks
        at = text.find(wanted, at + 1)


def covers(read: KeyedSpans, group: int, starts: Sequence[int], text: str) -> bool:
    """Whether all of a text was read at one of the places where it stands."""
    size = len(text) - text.count(" ")
    start = np.array(starts, np.int64)
    return bool((read.overlap(np.full(len(start), group), start, start + size) == size).any())
