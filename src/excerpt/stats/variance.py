"""Analysis of variance, and the power of paired t tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray
from excerpt.stats import require_scipy

#: Sums of squares below this share of all are noise of the arithmetic.
_NOISE = 1e-24
#: More differences than this are interpolated between points.
_POINTS = 128
#: Chances below this are 0 where they are many.
_NOTHING = 1e-280
#: Steps of the integral over the least of normal variables.
_STEP = 0.15
_LEAST = np.arange(-30.0, 9.0, _STEP)


@dataclass(frozen=True)
class Variance:
    """Sums of squares of runs, topics and what is left, with how many of both there are."""

    runs: int
    topics: int
    by_run: float
    by_topic: float
    left: float

    @classmethod
    def of(cls, scores: FloatArray) -> Variance:
        """The analysis of scores of runs (rows) on topics (columns).

        >>> Variance.of(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]))
        Variance(runs=2, topics=3, by_run=6.0, by_topic=9.0, left=1.0)
        """
        runs, topics = scores.shape
        mean = math.fsum(scores.ravel().tolist()) / scores.size
        of_run = exact_means(scores) - mean
        of_topic = exact_means(np.ascontiguousarray(scores.T)) - mean
        rest = scores - mean - of_run[:, None] - of_topic
        squares = [
            topics * math.fsum((of_run**2).tolist()),
            runs * math.fsum((of_topic**2).tolist()),
            math.fsum((rest**2).ravel().tolist()),
        ]
        noise = _NOISE * float(np.abs(scores).max(initial=0.0)) ** 2 * scores.size
        return cls(runs, topics, *(0.0 if square <= noise else square for square in squares))

    @property
    def degrees(self) -> int:
        """Degrees of freedom of what is left."""
        return (self.runs - 1) * (self.topics - 1)

    @property
    def residual(self) -> float:
        """The variance that runs and topics leave unexplained."""
        return self.left / self.degrees

    def rows(self) -> tuple[dict[str, Any], ...]:
        """The table of the analysis: runs, topics, what is left. Needs scipy."""
        return (
            {"source": "run", **self._source(self.by_run, self.runs - 1)},
            {"source": "topic", **self._source(self.by_topic, self.topics - 1)},
            {"source": "residual", **self._source(self.left, self.degrees), **dict.fromkeys(_TESTED)},
        )

    def _source(self, squares: float, degrees: int) -> dict[str, Any]:
        """A line of the table; what nothing is left to be measured by is None."""
        from scipy.special import fdtrc

        mean, whole = squares / degrees, self.by_run + self.by_topic + self.left
        beyond = squares - degrees * self.residual
        f = mean / self.residual if self.left else None
        return {
            "sum_of_squares": squares,
            "degrees": degrees,
            "mean_square": mean,
            "eta2": _ratio(squares, whole),
            "f": f,
            "p": None if f is None else float(fdtrc(float(degrees), float(self.degrees), f)),
            "eta2_partial": _ratio(squares, squares + self.left),
            "omega2": _ratio(beyond, whole + self.residual),
            "omega2_partial": _ratio(beyond, squares + (self.runs * self.topics - degrees) * self.residual),
        }

    def honest(self, scores: FloatArray, alpha: float) -> tuple[FloatArray, float]:
        """p-values of all pairs by Tukey's HSD, and the difference that is significant. Needs scipy.

        Where nothing is left unexplained, any difference is certain.
        """
        means = exact_means(scores)
        difference = np.abs(means[:, None] - means)
        if not self.left:
            noise = math.sqrt(_NOISE) * float(np.abs(scores).max(initial=0.0))
            return np.where(difference > noise, 0.0, 1.0), noise
        error = math.sqrt(self.residual / self.topics)
        least = invert(lambda q: range_tail(q, self.runs, self.degrees), alpha)
        p = np.ones(difference.shape)
        above = np.triu_indices(self.runs, 1)
        p[above] = range_tail(difference[above] / error, self.runs, self.degrees)
        return np.minimum(p, p.T), least * error


_TESTED = ("f", "p", "eta2_partial", "omega2", "omega2_partial")


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def range_tail(q: FloatArray, count: int, degrees: int) -> FloatArray:
    """The chance that the studentised range of so many normal variables is q or more. Needs scipy.

    scipy's own `studentized_range` takes some 30 ms for each value, half a minute for all pairs of 50 runs.
    Here the sums over both integrals have positive terms only; of many values, the logarithm is interpolated.

    >>> range_tail(np.array([3.5317, 5.0]), 3, 24).round(4).tolist()
    [0.05, 0.0046]
    """
    if len(q) <= _POINTS:
        return _range_tail(q, count, degrees)
    most = q.max(keepdims=True)
    while float(_range_tail(most, count, degrees)[0]) < _NOTHING:
        most *= 0.8
    ends = np.log1p([float(q.min()), float(most[0])])
    middle, half = ends.mean(), max(float(np.ptp(ends)) / 2, 1e-9)

    def logarithm(x: FloatArray) -> FloatArray:
        return np.log(_range_tail(np.expm1(middle + half * x), count, degrees))

    series = np.polynomial.chebyshev.chebinterpolate(logarithm, _POINTS - 1)  # type: ignore[type-var]
    found = np.polynomial.chebyshev.chebval((np.log1p(np.minimum(q, most)) - middle) / half, series)
    return np.where(q > most, 0.0, np.minimum(np.exp(found), 1.0))


def _range_tail(q: FloatArray, count: int, degrees: int) -> FloatArray:
    """An integral over the standard deviation of the chance that the range is above q times that."""
    scale, weight = _deviations(degrees)
    found = np.empty(len(q))
    for place, value in enumerate(q.tolist()):
        found[place] = weight @ _normal_range_tail(value * scale, count)
    return np.minimum(found, 1.0)


def _deviations(degrees: int) -> tuple[FloatArray, FloatArray]:
    """Standard deviations, evenly by their logarithm, with their chances."""
    step, wide = 0.15 / math.sqrt(degrees), 9 / math.sqrt(degrees)
    logarithm = np.arange(-wide - 40 / degrees, wide + 1 / degrees, step)
    density = np.exp(degrees * (logarithm - np.expm1(2 * logarithm) / 2))
    return np.exp(logarithm), density / density.sum()


def _normal_range_tail(width: FloatArray, count: int) -> FloatArray:
    """The chance that the range of normal variables is above a width, by the place of the least of them."""
    from scipy.special import ndtr

    above = ndtr(-_LEAST)
    beyond = np.minimum(ndtr(-_LEAST - width[:, None]) / above, 1.0)
    first = count * np.exp(-(_LEAST**2) / 2) / math.sqrt(2 * math.pi) * above ** (count - 1) * _STEP
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1((count - 1) * np.log1p(-beyond)) @ first)


def invert(tail: Callable[[FloatArray], FloatArray], chance: float) -> float:
    """Where a tail, which falls from 1, has fallen to a chance.

    >>> round(invert(lambda x: np.exp(-x), 0.05), 9)
    2.995732274
    """
    low, high = 0.0, 1.0
    while float(tail(np.array([high]))[0]) > chance:
        low, high = high, 2 * high
    while high - low > 1e-11 * high:
        points = np.linspace(low, high, 18)
        place = int(np.count_nonzero(tail(points[1:-1]) > chance))
        low, high = float(points[place]), float(points[place + 1])
    return (low + high) / 2


#: More topics than this are no advice.
MANY = 1_000_000
#: Of smaller chances the distributions have no numbers.
_LEAST_ALPHA = 1e-100


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
        if self.alpha < _LEAST_ALPHA:
            raise ExcerptError(f"found {self.alpha} as alpha, expected at least {_LEAST_ALPHA}")
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
