"""Has a mean fallen by more than is allowed, exactly; and would a fall of that size have been seen?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import Units, resampled_sums

#: How often a drop must be seen for the questions to be enough.
ENOUGH = 0.8
#: Means this close to the limit, as a share of the largest number, are compared as fractions.
_CLOSE = 1e-9
#: Ratios of whole numbers up to this are told from each other by doubles.
_LARGEST = 1 << 26


def mean_difference(before: Sequence[float], after: Sequence[float]) -> float:
    """The mean of after - before; the sum is correctly rounded.

    >>> mean_difference([0.1, 0.2, 0.3], [0.3, 0.2, 0.1])
    0.0
    """
    return math.fsum((*after, *(-score for score in before))) / len(before)


def falls_below(before: Sequence[float], after: Sequence[float], drop: Fraction) -> bool:
    """Whether the mean of after - before is less than -drop, strictly and exactly.

    A score is the ratio of whole numbers that it is nearest to, where these are not large: 0.29 is 29/100.

    >>> falls_below([0.3, 0.3], [0.29, 0.29], Fraction("0.01")), 0.29 - 0.3 < -0.01
    (False, True)
    """
    mean, limit = mean_difference(before, after), float(drop)
    largest = max(map(abs, (*before, *after, limit, 1.0)))
    if abs(mean + limit) > _CLOSE * largest:
        return mean < -limit
    total = sum((ratio(new) - ratio(old) for old, new in zip(before, after, strict=True)), Fraction(0))
    return total < -drop * len(before)


def ratio(score: float) -> Fraction:
    """The ratio of whole numbers up to some millions that a double stands for, else the double itself.

    >>> ratio(0.29), ratio(5 / 7), ratio(0.5 - 2**-40) < Fraction(1, 2)
    (Fraction(29, 100), Fraction(5, 7), True)
    """
    exact = Fraction(score)
    simple = exact.limit_denominator(_LARGEST)
    return simple if float(simple) == score else exact


class Power(NamedTuple):
    """How often a drop would be seen, and how large a drop is that is seen often enough."""

    power: float
    visible: float

    def needed(self, topics: int, drop: float) -> int:
        """About how many questions show the drop often enough, if more of them are like these.

        >>> Power(0.2, 0.5).needed(50, 0.125)
        800
        """
        return math.ceil(topics * (Fraction(self.visible) / Fraction(drop)) ** 2)


def power_of(
    differences: FloatArray, drop: float, alpha: float, samples: int, rng: np.random.Generator
) -> Power | None:
    """How often a one-sided test at alpha would see a mean of -drop, if differences spread as these do.

    Topics are drawn again, with replacement, from the differences moved to that mean; the bootstrap's limit
    is that of the same samples. None where all differences are the same, which say nothing of their spread.

    >>> spread = np.tile([0.1, -0.1, 0.0, 0.0], 25)
    >>> found = power_of(spread, 0.02, 0.05, 10_000, np.random.default_rng(1))
    >>> found is not None and 0.75 < found.power < 0.9 and round(found.visible, 2)
    0.02
    """
    if (differences == differences[0]).all():
        return None
    centred = differences - math.fsum(differences.tolist()) / len(differences)
    units = Units.of(centred[None])
    means = np.sort(resampled_sums(units, samples, rng)[0]) * units.unit / len(differences)
    limit = float(np.quantile(means, 1 - alpha))
    seen = int(np.searchsorted(means, drop - limit, side="left"))
    return Power(seen / samples, limit + float(np.quantile(means, ENOUGH)))
