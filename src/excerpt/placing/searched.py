"""A text that is searched again and again: plainly as long as that is quick, then by an index."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from excerpt.model.spans import BoolArray, IntArray
from excerpt.placing.grams import SIZE, Grams, HashArray, Hashes

#: Characters that are gone through before an index is worth its while.
_WORK = 1 << 26
#: What it takes to find one place, in characters gone through.
_EACH = 500
#: A part is near a place where it stands within so many of its lengths.
_NEAR = 4


class Searched:
    """A text and, as soon as it was searched enough, an index of it.

    >>> text = Searched("one two one")
    >>> text.find("one", 0, 8).tolist(), text.near("one", 1), text.first("six")
    ([0, 8], 8, -1)
    """

    def __init__(self, text: str, *, by_hash: bool = True) -> None:
        self.text = text
        self._left = _WORK
        self._by_hash = by_hash and len(text) >= SIZE
        self._stretches: dict[int, HashArray] = {}

    @cached_property
    def grams(self) -> Grams | None:
        """The index; None where it is not wanted, or the text too short."""
        return Grams(self.text) if self._by_hash else None

    def may_have(self, part: str, size: int) -> BoolArray:
        """Which stretches of so many characters of a part stand somewhere; hardly ever, one that does not.

        >>> Searched("one two").may_have("no one", 3).tolist()
        [False, False, False, True]
        """
        if size not in self._stretches:
            self._stretches[size] = np.sort(_all_hashes(self.text, size))
        known, sought = self._stretches[size], _all_hashes(part, size)
        found: BoolArray = known[known.searchsorted(sought).clip(max=len(known) - 1)] == sought
        return found

    def _is_worth(self, part: str) -> Grams | None:
        """The index, where it is worth its while by now."""
        return self.grams if self._left < 0 and len(part) >= SIZE else None

    def near(self, part: str, place: int) -> int:
        """Where a part stands next after a place, if it is near; else -1."""
        return self.text.find(part, place, place + _NEAR * len(part))

    def first(self, part: str) -> int:
        """Where a part stands first; -1 where it stands nowhere."""
        grams = self._is_worth(part)
        if grams is not None:
            found = grams.find(part)
            return int(found[0]) if len(found) else -1
        self._left -= len(self.text)
        return self.text.find(part)

    def find(self, part: str, low: int, high: int) -> IntArray:
        """Every place from `low` to `high` where a part stands, ascending."""
        grams = self._is_worth(part)
        if grams is not None:
            return grams.find(part, low, high)
        found = find_all(self.text, part, low, high + len(part))
        self._left -= high + len(part) - low + (len(part) + _EACH) * len(found)
        return found


def _all_hashes(text: str, size: int) -> HashArray:
    return Hashes(text).of(np.arange(max(0, len(text) - size + 1)), size)


def find_all(text: str, part: str, low: int = 0, high: int | None = None) -> IntArray:
    """Every place where a part stands between two others, overlapping ones too.

    >>> find_all("aaa", "aa").tolist()
    [0, 1]
    """
    found = []
    place = text.find(part, low, high)
    while place >= 0:
        found.append(place)
        place = text.find(part, place + 1, high)
    return np.array(found, np.int64)
