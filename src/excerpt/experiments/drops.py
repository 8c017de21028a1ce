"""Drops of means, compared exactly, and the power to detect them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import ScoreUnits, resampled_sums

ENOUGH = 0.8  # power at which the number of questions counts as enough
_CLOSE = 1e-9  # means this close to the limit, relative to the largest number, are compared as fractions
_LARGEST = 1 << 26  # doubles distinguish all ratios of whole numbers up to this


def mean_difference(before: Sequence[float], after: Sequence[float]) -> float:
    """Mean of after - before; the sum is correctly rounded.

    >>> mean_difference([0.1, 0.2, 0.3], [0.3, 0.2, 0.1])
    0.0
    """
    return math.fsum((*after, *(-score for score in before))) / len(before)


def falls_below(before: Sequence[float], after: Sequence[float], drop: Fraction) -> bool:
    """Return whether the mean of after - before is less than -drop, strictly and exactly.

    A score counts as the nearest ratio of whole numbers, unless these are large: 0.29 is 29/100.

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
    """Ratio of whole numbers up to some millions that a double represents, or else the double itself.

    >>> ratio(0.29), ratio(5 / 7), ratio(0.5 - 2**-40) < Fraction(1, 2)
    (Fraction(29, 100), Fraction(5, 7), True)
    """
    exact = Fraction(score)
    simple = exact.limit_denominator(_LARGEST)
    return simple if float(simple) == score else exact


class Power(NamedTuple):
    """Power to detect a drop, and the smallest drop (`visible`) that is detected with power `ENOUGH`."""

    power: float
    visible: float

    def needed(self, topics: int, drop: float) -> int:
        """Estimate of the questions needed to detect the drop, if further questions are like these.

        >>> Power(0.2, 0.5).needed(50, 0.125)
        800
        """
        return math.ceil(topics * (Fraction(self.visible) / Fraction(drop)) ** 2)


def power_of(
    differences: FloatArray, drop: float, alpha: float, samples: int, rng: np.random.Generator
) -> Power | None:
    """Power of a one-sided test at alpha to detect a mean of -drop, if differences vary as these do.

    Topics are resampled, with replacement, from the differences shifted to that mean; the same samples give
    the bootstrap's limit. None if all differences are equal, since their variation is then unknown.

    >>> differences = np.tile([0.1, -0.1, 0.0, 0.0], 25)
    >>> power = power_of(differences, 0.02, 0.05, 10_000, np.random.default_rng(1))
    >>> power is not None and 0.75 < power.power < 0.9 and round(power.visible, 2)
    0.02
    """
    if (differences == differences[0]).all():
        return None
    centred = differences - math.fsum(differences.tolist()) / len(differences)
    units = ScoreUnits.of(centred[None])
    means = np.sort(resampled_sums(units, samples, rng)[0]) * units.unit / len(differences)
    limit = float(np.quantile(means, 1 - alpha))
    detected = int(np.searchsorted(means, drop - limit, side="left"))
    return Power(detected / samples, limit + float(np.quantile(means, ENOUGH)))
