"""Intervals of agreement: numbers of resamples, computed from whole numbers as that of all documents is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.assess.merging import Grade
from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import resampled_counts

#: Whole numbers of any size, one for each resample.
Wholes: TypeAlias = NDArray[Any]
_TAIL = 0.025


class Resamples:
    """How often each of some clusters is in each of so many resamples, drawn with replacement."""

    def __init__(self, clusters: int, samples: int, seed: int) -> None:
        self._drawn = resampled_counts(clusters, samples, np.random.default_rng(seed)).astype(object)

    def sums(self, values: Sequence[int]) -> Wholes:
        """In every resample, the sum of a value of each cluster.

        >>> Resamples(3, 4, seed=1).sums([10**20] * 3).tolist() == [3 * 10**20] * 4
        True
        """
        found: Wholes = np.array(values, object) @ self._drawn
        return found

    def means(self, totals: Sequence[Fraction], counts: Sequence[int]) -> FloatArray:
        """Means over units: each cluster has so many units, and a total of their values."""
        unit = lcm(*(total.denominator for total in totals))
        wholes = [total.numerator * (unit // total.denominator) for total in totals]
        return ratios(self.sums(wholes), unit * self.sums(counts))


def ratios(above: Wholes, below: Wholes) -> FloatArray:
    """One whole number by the other, rounded once, as a fraction is; NaN by 0.

    >>> ratios(np.array([10**30, 1], object), np.array([3 * 10**30, 0], object)).tolist()
    [0.3333333333333333, nan]
    """
    pairs = zip(above.tolist(), below.tolist(), strict=True)
    return np.array([one / other if other else np.nan for one, other in pairs])


def kappas(crossed: Mapping[tuple[Grade, Grade], Wholes]) -> FloatArray:
    """Cohen's kappa of every resample; NaN where it is not defined."""
    total = sum(crossed.values())
    same = sum(counts * int(one == two) for (one, two), counts in crossed.items())
    first: dict[Grade, Any] = {}
    second: dict[Grade, Any] = {}
    for (one, two), counts in crossed.items():
        first[one] = first.get(one, 0) + counts
        second[two] = second.get(two, 0) + counts
    chance = sum(first[value] * second[value] for value in first.keys() & second.keys())
    return ratios(same * total - chance, total * total - chance)


def limits(value: Fraction | None, resampled: FloatArray) -> tuple[float | None, float | None]:
    """The interval that holds the value, and 95 of 100 resamples in which there is one.

    >>> limits(Fraction(1, 3), np.array([0.25, 0.25, np.nan]))
    (0.25, 0.3333333333333333)
    """
    known = resampled[~np.isnan(resampled)]
    if value is None or not len(known):
        return None, None
    low, high = np.quantile(known, [_TAIL, 1 - _TAIL])
    return min(float(low), float(value)), max(float(high), float(value))
