"""How many topics would show a difference, and what would so many topics show? The power of a paired t test.

J. Cohen: "Statistical Power Analysis for the Behavioral Sciences", 1988, chapter 2; for topics: W. Webber,
A. Moffat, J. Zobel: "Statistical Power in Retrieval Experimentation", CIKM 2008. All of it needs scipy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats import require_scipy
from excerpt.stats.variance import invert

#: More topics than this are no advice.
MANY = 1_000_000
#: Of smaller chances the distributions have no numbers.
_LEAST = 1e-100


@dataclass(frozen=True)
class Plan:
    """What a test is to do: see a difference with a chance of `power`, and be wrong with one of `alpha`."""

    power: float = 0.8
    alpha: float = 0.05
    one_sided: bool = False

    def __post_init__(self) -> None:
        require_scipy("the power of a test")
        for name, value in (("alpha", self.alpha), ("power", self.power)):
            if not 0 < value < 1:
                raise ExcerptError(f"found {value} as {name}, expected a number between 0 and 1")
        if self.alpha < _LEAST:
            raise ExcerptError(f"found {self.alpha} as alpha, expected at least {_LEAST}")
        if self.power <= self.alpha:
            raise ExcerptError(f"found a power of {self.power}, expected more than alpha ({self.alpha})")

    def said(self) -> tuple[str, ...]:
        """The plan in words, a line each."""
        sides = "one-sided" if self.one_sided else "two-sided"
        return (
            f"{sides} paired t test, alpha {self.alpha:g}",
            f"needed: topics that show the difference with a power of {self.power:g}",
            "visible: the difference that the topics show with that power",
        )

    def chance(self, effect: FloatArray | float, topics: int) -> FloatArray:
        """How often so many topics show a difference of `effect` standard deviations of the differences.

        >>> Plan().chance(0.5, 34).round(4).item()
        0.8078
        """
        from scipy.special import stdtrit

        degrees = topics - 1.0
        limit = -float(stdtrit(degrees, self.alpha if self.one_sided else self.alpha / 2))
        shift = np.abs(np.asarray(effect, dtype=np.float64)) * math.sqrt(topics)
        found = 1 - _below(limit, degrees, shift)
        return found if self.one_sided else found + _below(-limit, degrees, shift)

    def needed(self, effect: float) -> int | None:
        """The fewest topics that show the effect often enough; None where they would be too many.

        >>> Plan().needed(0.5), Plan(one_sided=True).needed(0.5), Plan().needed(0.0001)
        (34, 27, None)
        """
        normal = NormalDist().inv_cdf
        tail = self.alpha if self.one_sided else self.alpha / 2
        least = (normal(self.power) - normal(tail)) / abs(effect) if effect else math.inf
        if least > math.sqrt(MANY):  # Student's t needs more topics than a normal distribution does
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
        """The least effect that so many topics show often enough, in standard deviations.

        >>> round(Plan().visible(34), 4)
        0.495
        """
        return invert(lambda effect: 1 - self.chance(effect, topics), 1 - self.power)


def _below(t: float, degrees: float, shift: FloatArray) -> FloatArray:
    """The chance that the noncentral t is below; scipy has no number where the shift is very large.

    There the numerator is as good as constant, and only the deviation below it varies.
    """
    from scipy.special import chdtrc, nctdtr

    found = np.asarray(nctdtr(degrees, shift, t))
    if t <= 0:
        return np.nan_to_num(found, nan=0.0)
    with np.errstate(over="ignore"):
        constant = chdtrc(degrees, degrees * (shift / t) ** 2)
    return np.where(np.isnan(found), constant, found)
