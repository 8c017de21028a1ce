"""Analysis of variance, and Tukey's HSD."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from excerpt.model.spans import FloatArray, exact_means

_NOISE = 1e-24  # sums of squares below this proportion of the total are rounding noise
_POINTS = 128  # more differences than this are interpolated between points
_NOTHING = 1e-280  # probabilities below this are 0 if many are interpolated
_STEP = 0.15  # step of the integral over the least of normal variables
_LEAST = np.arange(-30.0, 9.0, _STEP)
_TESTED = ("f", "p", "eta2_partial", "omega2", "omega2_partial")


@dataclass(frozen=True)
class Variance:
    """Sums of squares of a two-way analysis of variance: runs, topics and residual."""

    runs: int
    topics: int
    by_run: float
    by_topic: float
    unexplained: float

    @classmethod
    def of(cls, scores: FloatArray) -> Variance:
        """Analyse scores of runs (rows) on topics (columns).

        >>> Variance.of(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]))
        Variance(runs=2, topics=3, by_run=6.0, by_topic=9.0, unexplained=1.0)
        """
        runs, topics = scores.shape
        mean = math.fsum(scores.ravel().tolist()) / scores.size
        of_run = exact_means(scores) - mean
        of_topic = exact_means(np.ascontiguousarray(scores.T)) - mean
        residuals = scores - mean - of_run[:, None] - of_topic
        squares = [
            topics * math.fsum((of_run**2).tolist()),
            runs * math.fsum((of_topic**2).tolist()),
            math.fsum((residuals**2).ravel().tolist()),
        ]
        noise = _NOISE * float(np.abs(scores).max(initial=0.0)) ** 2 * scores.size
        return cls(runs, topics, *(0.0 if square <= noise else square for square in squares))

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the residual."""
        return (self.runs - 1) * (self.topics - 1)

    @property
    def residual(self) -> float:
        """Residual variance, which neither runs nor topics explain."""
        return self.unexplained / self.degrees

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Rows of the table of the analysis: runs, topics, residual. Needs scipy."""
        return (
            {"source": "run", **self._source(self.by_run, self.runs - 1)},
            {"source": "topic", **self._source(self.by_topic, self.topics - 1)},
            {"source": "residual", **self._source(self.unexplained, self.degrees), **dict.fromkeys(_TESTED)},
        )

    def _source(self, squares: float, degrees: int) -> dict[str, Any]:
        """One row of the table; values that are undefined without a residual are None."""
        from scipy.special import fdtrc

        mean, total = squares / degrees, self.by_run + self.by_topic + self.unexplained
        excess = squares - degrees * self.residual
        f = mean / self.residual if self.unexplained else None
        return {
            "sum_of_squares": squares,
            "degrees": degrees,
            "mean_square": mean,
            "eta2": _ratio(squares, total),
            "f": f,
            "p": None if f is None else float(fdtrc(float(degrees), float(self.degrees), f)),
            "eta2_partial": _ratio(squares, squares + self.unexplained),
            "omega2": _ratio(excess, total + self.residual),
            "omega2_partial": _ratio(excess, squares + (self.runs * self.topics - degrees) * self.residual),
        }

    def tukey_hsd(self, scores: FloatArray, alpha: float) -> tuple[FloatArray, float]:
        """p-values of all pairs by Tukey's HSD, and the least significant difference. Needs scipy."""
        means = exact_means(scores)
        difference = np.abs(means[:, None] - means)
        if not self.unexplained:  # any difference is significant
            noise = math.sqrt(_NOISE) * float(np.abs(scores).max(initial=0.0))
            return np.where(difference > noise, 0.0, 1.0), noise
        error = math.sqrt(self.residual / self.topics)
        least = invert(lambda q: range_tail(q, self.runs, self.degrees), alpha)
        p = np.ones(difference.shape)
        above = np.triu_indices(self.runs, 1)
        p[above] = range_tail(difference[above] / error, self.runs, self.degrees)
        return np.minimum(p, p.T), least * error


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def range_tail(q: FloatArray, count: int, degrees: int) -> FloatArray:
    """Probability that the studentised range of `count` normal variables is q or more. Needs scipy.

    scipy's own `studentized_range` takes some 30 ms for each value, half a minute for all pairs of 50 runs.
    Here the sums for both integrals have positive terms only; for many values the logarithm is interpolated.

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
    tail = np.polynomial.chebyshev.chebval((np.log1p(np.minimum(q, most)) - middle) / half, series)
    return np.where(q > most, 0.0, np.minimum(np.exp(tail), 1.0))


def _range_tail(q: FloatArray, count: int, degrees: int) -> FloatArray:
    """Integrate over the standard deviation the probability that the range is above q times that."""
    scale, weight = _deviations(degrees)
    tail = np.empty(len(q))
    for number, value in enumerate(q.tolist()):
        tail[number] = weight @ _normal_range_tail(value * scale, count)
    return np.minimum(tail, 1.0)


def _deviations(degrees: int) -> tuple[FloatArray, FloatArray]:
    """Standard deviations, evenly spaced by logarithm, with their probabilities."""
    step, wide = 0.15 / math.sqrt(degrees), 9 / math.sqrt(degrees)
    logarithm = np.arange(-wide - 40 / degrees, wide + 1 / degrees, step)
    density = np.exp(degrees * (logarithm - np.expm1(2 * logarithm) / 2))
    return np.exp(logarithm), density / density.sum()


def _normal_range_tail(width: FloatArray, count: int) -> FloatArray:
    """Probability that the range of normal variables exceeds a width, integrated over the least of them."""
    from scipy.special import ndtr

    above = ndtr(-_LEAST)
    beyond = np.minimum(ndtr(-_LEAST - width[:, None]) / above, 1.0)
    first = count * np.exp(-(_LEAST**2) / 2) / math.sqrt(2 * math.pi) * above ** (count - 1) * _STEP
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1((count - 1) * np.log1p(-beyond)) @ first)


def invert(tail: Callable[[FloatArray], FloatArray], probability: float) -> float:
    """Find where a tail function, which falls from 1, reaches a probability.

    >>> round(invert(lambda x: np.exp(-x), 0.05), 9)
    2.995732274
    """
    low, high = 0.0, 1.0
    while float(tail(np.array([high]))[0]) > probability:
        low, high = high, 2 * high
    while high - low > 1e-11 * high:
        points = np.linspace(low, high, 18)
        number = int(np.count_nonzero(tail(points[1:-1]) > probability))
        low, high = float(points[number]), float(points[number + 1])
    return (low + high) / 2
