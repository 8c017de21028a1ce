"""Plan of a paired t test: its power, and the topics it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats import require_scipy
from excerpt.stats.variance import invert

MANY = 1_000_000  # larger numbers of topics are not reported as needed
_LEAST_ALPHA = 1e-100  # the distributions of scipy are undefined for smaller probabilities


@dataclass(frozen=True)
class Plan:
    """Plan of a paired t test: its power to detect a difference, and its significance level alpha."""

    power: float = 0.8
    alpha: float = 0.05
    one_sided: bool = False

    def __post_init__(self) -> None:
        require_scipy("the power of a test")
        for name, value in (("alpha", self.alpha), ("power", self.power)):
            if not 0 < value < 1:
                raise ExcerptError(f"found {value} as {name}, expected a number between 0 and 1")
        if self.alpha < _LEAST_ALPHA:
            raise ExcerptError(f"found {self.alpha} as alpha, expected at least {_LEAST_ALPHA}")
        if self.power <= self.alpha:
            raise ExcerptError(f"found a power of {self.power}, expected more than alpha ({self.alpha})")

    def notes(self) -> tuple[str, ...]:
        """Lines that explain the test and the columns `needed` and `visible`."""
        sides = "one-sided" if self.one_sided else "two-sided"
        return (
            f"{sides} paired t test, alpha {self.alpha:g}",
            f"needed: number of topics that detect the difference with a power of {self.power:g}",
            "visible: smallest difference that these topics detect with that power",
        )

    def chance(self, effect: FloatArray | float, topics: int) -> FloatArray:
        """Power of so many topics to detect a difference of `effect` standard deviations of the differences.

        >>> Plan().chance(0.5, 34).round(4).item()
        0.8078
        """
        from scipy.special import stdtrit

        degrees = topics - 1.0
        limit = -float(stdtrit(degrees, self.alpha if self.one_sided else self.alpha / 2))
        shift = np.abs(np.asarray(effect, dtype=np.float64)) * math.sqrt(topics)
        power = 1 - _below(limit, degrees, shift)
        return power if self.one_sided else power + _below(-limit, degrees, shift)

    def needed(self, effect: float) -> int | None:
        """Smallest number of topics that detect the effect with the planned power; None if above `MANY`.

        >>> Plan().needed(0.5), Plan(one_sided=True).needed(0.5), Plan().needed(0.0001)
        (34, 27, None)
        """
        normal = NormalDist().inv_cdf
        tail = self.alpha if self.one_sided else self.alpha / 2
        least = (normal(self.power) - normal(tail)) / abs(effect) if effect else math.inf
        if least > math.sqrt(MANY):  # Student's t needs more topics than a normal distribution
            return None
        low, high = 1, max(2, math.ceil(least**2))
        while self._too_few(effect, high):
            low, high = high, high + 1 + (high - low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._too_few(effect, middle) else (low, middle)
        return high

    def _too_few(self, effect: float, topics: int) -> bool:
        return float(self.chance(effect, topics)) < self.power

    def visible(self, topics: int) -> float:
        """Smallest effect, in standard deviations, that so many topics detect with the planned power.

        >>> round(Plan().visible(34), 4)
        0.495
        """
        return invert(lambda effect: 1 - self.chance(effect, topics), 1 - self.power)


def _below(t: float, degrees: float, shift: FloatArray) -> FloatArray:
    """Probability that the noncentral t is below `t`; scipy gives NaN if the shift is very large."""
    from scipy.special import chdtrc, nctdtr

    tail = np.asarray(nctdtr(degrees, shift, t))
    if t <= 0:
        return np.nan_to_num(tail, nan=0.0)
    with np.errstate(over="ignore"):  # the numerator is nearly constant, only the deviation varies
        constant = chdtrc(degrees, degrees * (shift / t) ** 2)
    return np.where(np.isnan(tail), constant, tail)
