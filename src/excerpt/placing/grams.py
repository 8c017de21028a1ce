"""Where any text stands in a long one: an index of its stretches of a few characters, by hashes.

A hash of a stretch is the sum of code base**place over its characters, modulo 2**64, divided by
base**(first place): two differences of running sums compare stretches of any length. Different stretches may
have the same hash, though hardly ever do; whoever uses what is found here compares it with the text.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from excerpt.model.spans import IntArray

#: The characters of a stretch.
SIZE = 12
#: So many places are compared one by one.
FEW = 16
_BASE = 0x9E3779B97F4A7C15  # odd, so that it can be divided by
_INVERSE = pow(_BASE, -1, 1 << 64)
_SPREAD = np.uint64(0xD6E8FEB86659FD93)  # codes of characters are small and alike
_ENCODING = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"

HashArray = NDArray[np.uint64]


class Hashes:
    """The hashes of all stretches of a text.

    >>> text = Hashes("abcabd")
    >>> (text.of(np.array([0, 3]), 2) == Hashes("ab").of(np.array([0]), 2)).tolist()
    [True, True]
    """

    def __init__(self, text: str) -> None:
        self.length = len(text)
        codes = _codes(text)
        codes *= _powers(_BASE, len(text))
        self._sums = np.zeros(len(text) + 1, np.uint64)
        np.cumsum(codes, out=self._sums[1:])
        self._divisors = _powers(_INVERSE, len(text) + 1)

    def of(self, start: IntArray, length: IntArray | int) -> HashArray:
        """The hashes of stretches."""
        found: HashArray = (self._sums[start + length] - self._sums[start]) * self._divisors[start]
        return found

    def stretches(self) -> HashArray:
        """The hashes of all stretches of the usual size, from each place of the text on."""
        return (self._sums[SIZE:] - self._sums[:-SIZE]) * self._divisors[: self.length - SIZE + 1]


def _codes(text: str) -> HashArray:
    codes = np.frombuffer(text.encode(_ENCODING, "surrogatepass"), np.uint32).astype(np.uint64)
    codes += np.uint64(1)
    codes *= _SPREAD
    return codes


def _powers(base: int, count: int) -> HashArray:
    """The powers of a base from 0 on."""
    found = np.full(max(count, 1), base, np.uint64)
    found[0] = 1
    return np.multiply.accumulate(found)[:count]


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
        stretches = self.hashes.stretches() & ~self._places
        stretches |= np.arange(len(stretches), dtype=np.uint64)
        self._keys = np.sort(stretches)  # the places of a stretch are together, ascending

    def _ranges(self, part: str, probes: IntArray) -> list[tuple[int, int]]:
        """Where among the keys those of some stretches of a part begin and end."""
        codes = _codes(part)[probes[:, None] + np.arange(SIZE)]
        stretches = (codes * _powers(_BASE, SIZE)).sum(axis=1)
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
