"""Exact comparison of sums of fractions, many at a time.

Sums are kept as doubles and as residues modulo two primes. Two sums whose doubles differ by more than the
rounding error are ordered by their doubles. Closer sums are equal if their residues are equal (the chance of
an error is below 2**-60), and are otherwise ordered by integer arithmetic without rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from excerpt.model.spans import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from fractions import Fraction

#: Larger than any length, so that every denominator has an inverse; squares stay below 2**63.
_PRIMES = (2_999_999_929, 2_999_999_777)
_NEAR = 1e-9


class RunningSums:
    """Running sums of a list of fractions: sum i is the sum of the first i fractions."""

    def __init__(self, numerator: IntArray, denominator: IntArray) -> None:
        self.numerator, self.denominator = numerator, denominator

    def __len__(self) -> int:
        return len(self.numerator)

    @cached_property
    def values(self) -> FloatArray:
        """Sums as doubles, from 0 (no fraction) to the sum of all."""
        return np.concatenate(([0.0], np.cumsum(self.numerator / self.denominator)))

    @cached_property
    def residues(self) -> tuple[IntArray, IntArray]:
        """The sums modulo the two primes."""
        first, second = (self._residues(prime) for prime in _PRIMES)
        return first, second

    def _residues(self, prime: int) -> IntArray:
        distinct, place = np.unique(self.denominator, return_inverse=True)
        inverse = np.array([pow(int(value), -1, prime) for value in distinct.tolist()], np.int64)
        terms = (self.numerator % prime) * (inverse[place] if len(place) else self.numerator) % prime
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(terms))) % prime

    @property
    def positive(self) -> BoolArray:
        """Mask of the fractions above 0."""
        return self.numerator > 0

    def exact(self, count: int) -> Fraction:
        """The sum of the first `count` fractions, without rounding."""
        from fractions import Fraction  # most comparisons do not need it

        by_denominator: dict[int, int] = {}
        for a, b in zip(self.numerator[:count].tolist(), self.denominator[:count].tolist(), strict=True):
            by_denominator[b] = by_denominator.get(b, 0) + a
        return sum((Fraction(a, b) for b, a in by_denominator.items()), Fraction(0))


class FractionSums(RunningSums):
    """Running sums of fractions whose numerators or denominators may be larger than an array can hold."""

    def __init__(self, fractions: Sequence[Fraction]) -> None:
        sign = np.array([(value > 0) - (value < 0) for value in fractions], np.int64)
        super().__init__(sign, np.ones(len(sign), np.int64))
        self._fractions = fractions

    @cached_property
    def values(self) -> FloatArray:
        return np.concatenate(([0.0], np.cumsum([float(value) for value in self._fractions])))

    def _residues(self, prime: int) -> IntArray:
        terms = [value.numerator * pow(value.denominator, -1, prime) % prime for value in self._fractions]
        return np.cumsum([0, *terms]) % prime

    def exact(self, count: int) -> Fraction:
        from fractions import Fraction  # most comparisons do not need it

        return sum(self._fractions[:count], Fraction(0))


def first_reaching(
    sums: RunningSums, other: RunningSums, count: IntArray, share: IntArray, whole: int = 1
) -> IntArray:
    """Least i per row whose sum in `sums` is at least `share/whole` of sum `count` of `other`.

    `len(sums) + 1` if there is no such sum. The fractions of `sums` must not be negative.
    """
    target = other.values[count] * share / whole
    scale = _NEAR * max(1.0, float(sums.values[-1]), float(np.max(target, initial=0.0)))
    low = np.searchsorted(sums.values, target - scale)
    high = np.searchsorted(sums.values, target + scale)
    # Between low and high the doubles do not decide; usually there is little between them.
    for row in np.flatnonzero(low < high).tolist():
        exact = _Target(other, int(count[row]), int(share[row]), whole)
        low[row] = exact.first_reached(sums, int(low[row]), int(high[row]))
    return low.astype(np.int64)


class _Target(NamedTuple):
    """`share/whole` of the sum of the first `terms` fractions."""

    sums: RunningSums
    terms: int
    share: int
    whole: int

    def first_reached(self, sums: RunningSums, low: int, high: int) -> int:
        """Least i in low … high-1 whose sum reaches the target, else high; sums never decrease."""
        while low < high:
            middle = (low + high) // 2
            if self._reached(sums, middle):
                high = middle
            else:
                low = middle + 1
        return low

    def _reached(self, sums: RunningSums, i: int) -> bool:
        if all(
            (self.whole * int(mine[i]) - self.share * int(theirs[self.terms])) % prime == 0
            for mine, theirs, prime in zip(sums.residues, self.sums.residues, _PRIMES, strict=True)
        ):
            return True
        return self.whole * sums.exact(i) >= self.share * self.sums.exact(self.terms)
