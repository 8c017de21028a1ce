"""Texts with whitespace folded, and their index of n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import HashArray, Hashes, blanks, fold, hash_of, spread_codes, squeeze

#: The characters of a stretch.
SIZE = 12
#: So many places are compared one by one.
FEW = 16


class Grams:
    """A text of at least `SIZE` characters, to be searched many times.

    >>> Grams("one line, one line, one line").find("line, one line").tolist()
    [4, 14]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.hashes = Hashes(text)
        bits = len(text).bit_length()
        self._places = np.uint64((1 << bits) - 1)
        stretches = self.hashes.stretches(SIZE) & ~self._places
        stretches |= np.arange(len(stretches), dtype=np.uint64)
        self._keys = np.sort(stretches)  # the places of a stretch are together, ascending

    def _ranges(self, part: str, probes: IntArray) -> list[tuple[int, int]]:
        """Where among the keys those of some stretches of a part begin and end."""
        stretches = hash_of(spread_codes(part)[probes[:, None] + np.arange(SIZE)])
        first = self._keys.searchsorted(stretches & ~self._places)
        last = self._keys.searchsorted(stretches | self._places, side="right")
        return [*zip(first.tolist(), last.tolist(), strict=True)]

    def _at(self, first: int, last: int) -> IntArray:
        return (self._keys[first:last] & self._places).astype(np.int64)

    def seeds(self, part: str, probes: Sequence[int]) -> list[IntArray]:
        """Every place of each stretch of a part."""
        return [self._at(*found) for found in self._ranges(part, np.array(probes))]

    def find(self, part: str, low: int = 0, high: int | None = None) -> IntArray:
        """Every place from `low` to `high` where a text of at least `SIZE` characters stands, ascending."""
        last = len(part) - SIZE
        probes = np.array([0, last // 3, last * 2 // 3, last])
        ranges = self._ranges(part, probes)
        rarest = min(range(len(ranges)), key=lambda row: ranges[row][1] - ranges[row][0])
        found = self._at(*ranges[rarest]) - int(probes[rarest])
        most = self.hashes.length - len(part)
        most = most if high is None else min(high, most)
        found = found[found.searchsorted(max(0, low)) : found.searchsorted(most, side="right")]
        if len(found) <= FEW:
            same = [place for place in found.tolist() if self._text.startswith(part, place)]
            return np.array(same, np.int64)
        whole = Hashes(part).of(np.array([0]), len(part))
        return np.asarray(found[self.hashes.of(found, len(part)) == whole])


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
            self._stretches[size] = np.sort(Hashes(self.text).stretches(size))
        known, sought = self._stretches[size], Hashes(part).stretches(size)
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
