"""A text with its white space folded, or left out; and the way back.

Folded, every run of white space is one space, with none at the borders. Some chunkers also put white space
where there was none: sentences joined by spaces. What they made of a text is found without any.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from excerpt.model.spans import IntArray
from excerpt.model.texts import blanks, fold, squeeze
from excerpt.placing.searched import Searched


class Folded:
    r"""A text, its folded form, and where the characters of this stand in it.

    Characters that are no white space, the solid ones, are counted: these numbers are the same in both.

    >>> text = Folded("a\n\n b")
    >>> text.folded, text.solid(np.array([2])).tolist(), text.places.tolist()
    ('a b', [1], [0, 4])
    """

    def __init__(self, text: str, *, by_hash: bool = True) -> None:
        self.text = text
        self.searched = Searched(fold(text), by_hash=by_hash)
        self.folded = self.searched.text
        self._by_hash = by_hash

    @cached_property
    def squeezed(self) -> Searched:
        """The text without white space: its places are the numbers of solid characters."""
        return Searched(squeeze(self.text), by_hash=self._by_hash)

    @cached_property
    def places(self) -> IntArray:
        """Where each solid character is in the text."""
        return _solid_places(self.text)

    @cached_property
    def _folded_places(self) -> IntArray:
        """Where each solid character is in the folded text."""
        return _solid_places(self.folded)

    @property
    def size(self) -> int:
        """How many solid characters there are."""
        return len(self.places)

    def solid(self, folded: IntArray) -> IntArray:
        """How many solid characters stand before places of the folded text."""
        return np.searchsorted(self._folded_places, folded)

    def to_folded(self, place: int) -> int:
        """The place in the folded text of the first solid character from a place of the text on."""
        solid = int(self.places.searchsorted(place))
        return int(self._folded_places[solid]) if solid < self.size else len(self.folded)

    def stands(self, part: str, solid: int) -> bool:
        """Whether a folded part, but for its white space, stands after so many solid characters."""
        return self.squeezed.text.startswith(squeeze(part), solid)

    def find(self, part: str, low: int, high: int) -> IntArray:
        """The solid characters before every place of a folded part, of those from `low` to `high`."""
        low, high = max(0, low), min(high, self.size - 1)
        if low > high:
            return np.zeros(0, np.int64)
        first, last = int(self._folded_places[low]), int(self._folded_places[high])
        return self.solid(self.searched.find(part, first, last))


def _solid_places(text: str) -> IntArray:
    mask = np.ones(len(text), np.bool_)
    mask[blanks(text)] = False
    return np.flatnonzero(mask)
