"""Search in a text with folded whitespace, with an n-gram index for many searches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import HashArray, Hashes, blanks, fold, hash_of, spread_codes, squeeze

#: Characters of an n-gram.
SIZE = 12
#: Most offsets that are compared one by one.
FEW = 16


class NgramIndex:
    """N-gram index of a text of at least `SIZE` characters, for many searches.

    >>> NgramIndex("one line, one line, one line").find("line, one line").tolist()
    [4, 14]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.hashes = Hashes(text)
        bits = len(text).bit_length()
        self._offset_bits = np.uint64((1 << bits) - 1)
        ngrams = self.hashes.stretches(SIZE) & ~self._offset_bits
        ngrams |= np.arange(len(ngrams), dtype=np.uint64)
        self._keys = np.sort(ngrams)  # the offsets of an n-gram are together, ascending

    def _ranges(self, part: str, probes: IntArray) -> list[tuple[int, int]]:
        """Ranges of the keys of some n-grams of a part."""
        ngrams = hash_of(spread_codes(part)[probes[:, None] + np.arange(SIZE)])
        first = self._keys.searchsorted(ngrams & ~self._offset_bits)
        last = self._keys.searchsorted(ngrams | self._offset_bits, side="right")
        return [*zip(first.tolist(), last.tolist(), strict=True)]

    def _at(self, first: int, last: int) -> IntArray:
        return (self._keys[first:last] & self._offset_bits).astype(np.int64)

    def seeds(self, part: str, probes: Sequence[int]) -> list[IntArray]:
        """All offsets of each n-gram of a part at `probes`."""
        return [self._at(*keys) for keys in self._ranges(part, np.array(probes))]

    def find(self, part: str, low: int = 0, high: int | None = None) -> IntArray:
        """All offsets from `low` to `high` of a text of at least `SIZE` characters, ascending."""
        last = len(part) - SIZE
        probes = np.array([0, last // 3, last * 2 // 3, last])
        ranges = self._ranges(part, probes)
        rarest = min(range(len(ranges)), key=lambda row: ranges[row][1] - ranges[row][0])
        offsets = self._at(*ranges[rarest]) - int(probes[rarest])
        most = self.hashes.length - len(part)
        most = most if high is None else min(high, most)
        offsets = offsets[offsets.searchsorted(max(0, low)) : offsets.searchsorted(most, side="right")]
        if len(offsets) <= FEW:
            same = [offset for offset in offsets.tolist() if self._text.startswith(part, offset)]
            return np.array(same, np.int64)
        part_hash = Hashes(part).of(np.array([0]), len(part))
        return np.asarray(offsets[self.hashes.of(offsets, len(part)) == part_hash])


#: Characters that are scanned before an index is made.
_WORK = 1 << 26
#: Cost of one occurrence, in characters scanned.
_PER_OCCURRENCE = 500
#: Distance up to which an occurrence is near, in lengths of the part.
_NEAR = 4


class SearchedText:
    """A text to search, with an n-gram index as soon as it has been searched enough.

    >>> text = SearchedText("one two one")
    >>> text.find("one", 0, 8).tolist(), text.near("one", 1), text.first("six")
    ([0, 8], 8, -1)
    """

    def __init__(self, text: str, *, by_hash: bool = True) -> None:
        self.text = text
        self._work_left = _WORK
        self._by_hash = by_hash and len(text) >= SIZE
        self._ngrams: dict[int, HashArray] = {}

    @cached_property
    def ngrams(self) -> NgramIndex | None:
        """The n-gram index; None if it is not wanted or the text is too short."""
        return NgramIndex(self.text) if self._by_hash else None

    def may_have(self, part: str, size: int) -> BoolArray:
        """True for the n-grams of `size` characters of a part that occur in the text; errors are very rare.

        >>> SearchedText("one two").may_have("no one", 3).tolist()
        [False, False, False, True]
        """
        if size not in self._ngrams:
            self._ngrams[size] = np.sort(Hashes(self.text).stretches(size))
        own, sought = self._ngrams[size], Hashes(part).stretches(size)
        occurs: BoolArray = own[own.searchsorted(sought).clip(max=len(own) - 1)] == sought
        return occurs

    def _index_for(self, part: str) -> NgramIndex | None:
        """The n-gram index, if the text has been searched enough and the part is long enough."""
        return self.ngrams if self._work_left < 0 and len(part) >= SIZE else None

    def near(self, part: str, offset: int) -> int:
        """Next occurrence of a part from an offset on, -1 if it is not near."""
        return self.text.find(part, offset, offset + _NEAR * len(part))

    def first(self, part: str) -> int:
        """First occurrence of a part, -1 without one."""
        ngrams = self._index_for(part)
        if ngrams is not None:
            offsets = ngrams.find(part)
            return int(offsets[0]) if len(offsets) else -1
        self._work_left -= len(self.text)
        return self.text.find(part)

    def find(self, part: str, low: int, high: int) -> IntArray:
        """All offsets from `low` to `high` at which a part occurs, ascending."""
        ngrams = self._index_for(part)
        if ngrams is not None:
            return ngrams.find(part, low, high)
        offsets = find_all(self.text, part, low, high + len(part))
        self._work_left -= high + len(part) - low + (len(part) + _PER_OCCURRENCE) * len(offsets)
        return offsets


def find_all(text: str, part: str, low: int = 0, high: int | None = None) -> IntArray:
    """All offsets of a part in text[low:high], also of overlapping occurrences.

    >>> find_all("aaa", "aa").tolist()
    [0, 1]
    """
    offsets = []
    offset = text.find(part, low, high)
    while offset >= 0:
        offsets.append(offset)
        offset = text.find(part, offset + 1, high)
    return np.array(offsets, np.int64)


class FoldedText:
    r"""A text, the same text with folded whitespace, and the offsets of its solid characters in both.

    Solid characters are all but whitespace. Their numbers are the same in both texts.

    >>> text = FoldedText("a\n\n b")
    >>> text.folded, text.solid(np.array([2])).tolist(), text.offsets.tolist()
    ('a b', [1], [0, 4])
    """

    def __init__(self, text: str, *, by_hash: bool = True) -> None:
        self.text = text
        self.searched = SearchedText(fold(text), by_hash=by_hash)
        self.folded = self.searched.text
        self._by_hash = by_hash

    @cached_property
    def squeezed(self) -> SearchedText:
        """The text without whitespace, in which offsets are numbers of solid characters."""
        return SearchedText(squeeze(self.text), by_hash=self._by_hash)

    @cached_property
    def offsets(self) -> IntArray:
        """Offset of each solid character in the text."""
        return _solid_offsets(self.text)

    @cached_property
    def _folded_offsets(self) -> IntArray:
        return _solid_offsets(self.folded)

    @property
    def size(self) -> int:
        return len(self.offsets)

    def solid(self, folded: IntArray) -> IntArray:
        """Number of solid characters before offsets of the folded text."""
        return np.searchsorted(self._folded_offsets, folded)

    def to_folded(self, offset: int) -> int:
        """Offset in the folded text of the first solid character from an offset of the text on."""
        solid = int(self.offsets.searchsorted(offset))
        return int(self._folded_offsets[solid]) if solid < self.size else len(self.folded)

    def occurs_at(self, part: str, solid: int) -> bool:
        """Check if a folded part, apart from whitespace, occurs after `solid` solid characters."""
        return self.squeezed.text.startswith(squeeze(part), solid)

    def find(self, part: str, low: int, high: int) -> IntArray:
        """Numbers of solid characters, from `low` to `high`, before all occurrences of a folded part."""
        low, high = max(0, low), min(high, self.size - 1)
        if low > high:
            return np.zeros(0, np.int64)
        first, last = int(self._folded_offsets[low]), int(self._folded_offsets[high])
        return self.solid(self.searched.find(part, first, last))


def _solid_offsets(text: str) -> IntArray:
    mask = np.ones(len(text), np.bool_)
    mask[blanks(text)] = False
    return np.flatnonzero(mask)
