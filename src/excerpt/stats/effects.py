"""How large is a difference, and how sure are we of its size? All ordered pairs of runs at once."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray, IntArray
from excerpt.stats.resampling import Units

_NOISE = 1e-12


class Intervals(NamedTuple):
    """Lower and upper limits of the mean difference of every ordered pair of runs."""

    low: FloatArray
    high: FloatArray


def mean_differences(scores: FloatArray) -> FloatArray:
    """What the mean of each run is above that of each other; means are correctly rounded sums.

    >>> mean_differences(np.array([[0.5, 1.0], [0.25, 0.25]])).tolist()
    [[0.0, 0.5], [-0.5, 0.0]]
    """
    means = exact_means(scores)
    return np.asarray(means[:, None] - means)


def cohens_d(scores: FloatArray) -> FloatArray:
    """Mean over standard deviation (n - 1) of paired differences; NaN where the difference is constant.

    >>> cohens_d(np.array([[0.5, 1.0], [0.25, 0.25]])).round(4).tolist()
    [[nan, 1.4142], [-1.4142, nan]]
    """
    spread = _deviations(scores)
    constant = spread <= _NOISE * float(np.abs(scores).max(initial=0.0))
    effect = mean_differences(scores) / np.where(constant, 1.0, spread)
    return np.where(constant, np.nan, effect)


def t_intervals(scores: FloatArray, level: float = 0.95) -> Intervals:
    """Student's intervals of the mean difference, for two-sided confidence `level`."""
    from scipy.special import stdtrit

    topics = scores.shape[1]
    quantile = float(stdtrit(topics - 1.0, (1 + _share(level)) / 2))
    half = quantile * _deviations(scores) / math.sqrt(topics)
    middle = mean_differences(scores)
    return Intervals(middle - half, middle + half)


def bootstrap_intervals(units: Units, sums: FloatArray, level: float = 0.95) -> Intervals:
    """Percentile intervals from resampled sums, for two-sided confidence `level`."""
    runs, samples = sums.shape
    tails = (1 - _share(level)) / 2
    low, high = np.zeros((runs, runs)), np.zeros((runs, runs))
    step = units.unit / units.values.shape[1]
    whole = sums.astype(np.int64)  # as they are; integers are put in order faster
    for i in range(runs - 1):
        difference = whole[i] - whole[i + 1 :]
        difference[np.abs(difference) <= units.tolerance] = 0
        low[i, i + 1 :], high[i, i + 1 :] = quantiles(difference, samples, tails) * step
    return Intervals(low - high.T, high - low.T)


def quantiles(rows: IntArray | FloatArray, samples: int, tail: float) -> FloatArray:
    """Both tails of every row by linear interpolation between order statistics, as numpy does."""
    places = np.array([tail, 1 - tail]) * (samples - 1)
    below = np.floor(places).astype(np.int64)
    above = np.minimum(below + 1, samples - 1)
    ordered = np.partition(rows, np.unique(np.concatenate((below, above))), axis=1)
    part = (places - below)[:, None]
    return np.asarray(ordered[:, below].T * (1 - part) + ordered[:, above].T * part)


def _deviations(scores: FloatArray) -> FloatArray:
    return np.stack([(row - scores).std(axis=1, ddof=1) for row in scores])


def _share(level: float) -> float:
    if not 0 < level < 1:
        raise ExcerptError(f"found {level} as confidence, expected a number between 0 and 1")
    return level
