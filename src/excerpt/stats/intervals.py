"""Effect sizes, and confidence intervals of means and of differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.model.spans import BoolArray, FloatArray, IntArray, exact_means
from excerpt.stats import require_scipy
from excerpt.stats.resampling import ScoreUnits, resampled_sums
from excerpt.stats.variance import Variance

#: Tolerance relative to the largest score: smaller deviations are 0, and limits this near the mean are equal.
_NOISE = 1e-12
_DECIMALS = 12  # decimals of a difference relative to the largest score; subtraction leaves noise beyond them


class Counts(NamedTuple):
    """Numbers of topics on which each run scores above, equal to and below each other run."""

    wins: IntArray
    ties: IntArray
    losses: IntArray


class Intervals(NamedTuple):
    """Lower and upper limits of the mean difference of every ordered pair of runs."""

    low: FloatArray
    high: FloatArray


def mean_differences(scores: FloatArray) -> FloatArray:
    """Differences of the means of all ordered pairs of runs; the sums are correctly rounded.

    >>> mean_differences(np.array([[0.5, 1.0], [0.25, 0.25]])).tolist()
    [[0.0, 0.5], [-0.5, 0.0]]
    """
    means = exact_means(scores)
    return np.asarray(means[:, None] - means)


def cohens_d(scores: FloatArray) -> FloatArray:
    """Cohen's d: mean over standard deviation (n - 1) of paired differences; NaN if they are constant.

    >>> cohens_d(np.array([[0.5, 1.0], [0.25, 0.25]])).round(4).tolist()
    [[nan, 1.4142], [-1.4142, nan]]
    """
    return _per_deviation(scores, _deviations(scores))


def hedges_g(scores: FloatArray) -> FloatArray:
    """Hedges' g: Cohen's d corrected for its bias in small samples (L. Hedges, 1981); NaN with only 2 topics.

    >>> hedges_g(np.array([[0.5, 1.0, 0.75], [0.25, 0.25, 0.0]])).round(4).tolist()
    [[nan, 1.1401], [-1.1401, nan]]
    """
    half = (scores.shape[1] - 1) / 2
    if half <= 0.5:
        return np.full((len(scores), len(scores)), np.nan)
    unbiased = math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)
    return cohens_d(scores) * unbiased


def glass_delta(scores: FloatArray) -> FloatArray:
    """Glass's delta: mean difference over the standard deviation (n - 1) of the other (column's) run.

    >>> glass_delta(np.array([[0.5, 1.0], [0.25, 0.75]])).round(4).tolist()
    [[nan, 0.7071], [-0.7071, nan]]
    """
    return _per_deviation(scores, np.broadcast_to(scores.std(axis=1, ddof=1), (len(scores),) * 2))


def residual_effect(scores: FloatArray) -> FloatArray:
    """Mean difference over the root of the residual variance of runs and topics (T. Sakai, 2018)."""
    root = math.sqrt(Variance.of(scores).residual)
    return _per_deviation(scores, np.full((len(scores),) * 2, root))


def _per_deviation(scores: FloatArray, deviation: FloatArray) -> FloatArray:
    """Mean differences in standard deviations; NaN on the diagonal and for deviations of 0."""
    constant = deviation <= _NOISE * float(np.abs(scores).max(initial=0.0))
    np.fill_diagonal(constant, val=True)
    return np.where(constant, np.nan, mean_differences(scores) / np.where(constant, 1.0, deviation))


def clean_differences(
    scores: FloatArray, first: int | IntArray, second: slice | IntArray = slice(None)
) -> FloatArray:
    """Differences of runs from others on every topic, relative to the largest score, without noise."""
    largest = float(np.abs(scores).max(initial=0.0))
    return np.asarray(np.round((scores[first] - scores[second]) / (largest or 1.0), _DECIMALS))


def win_counts(scores: FloatArray) -> Counts:
    """Topics won, tied and lost by each run against each other run; scores that differ by noise are tied.

    >>> counts = win_counts(np.array([[0.5, 0.3, 0.3], [0.25, 0.1 + 0.2, 0.75]]))
    >>> [matrix[0, 1].item() for matrix in counts]
    [1, 1, 1]
    """
    wins = np.stack([(clean_differences(scores, run) > 0).sum(axis=1) for run in range(len(scores))])
    return Counts(wins, scores.shape[1] - wins - wins.T, wins.T)


def t_intervals(scores: FloatArray, level: float = 0.95) -> Intervals:
    """Student's intervals of the mean difference, for two-sided confidence `level`; needs scipy."""
    from scipy.special import stdtrit

    topics = scores.shape[1]
    quantile = float(stdtrit(topics - 1.0, (1 + _checked_level(level)) / 2))
    half = quantile * _deviations(scores) / math.sqrt(topics)
    middle = mean_differences(scores)
    return Intervals(middle - half, middle + half)


def bootstrap_intervals(
    units: ScoreUnits,
    sums: FloatArray,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Intervals:
    """Percentile intervals from resampled sums, for two-sided confidence `level`; `progress` by runs."""
    runs, samples = sums.shape
    tails = (1 - _checked_level(level)) / 2
    low, high = np.zeros((runs, runs)), np.zeros((runs, runs))
    step = units.unit / units.values.shape[1]
    integers = sums.astype(np.int64)  # exact, and faster to partition
    for i in range(runs - 1):
        difference = integers[i] - integers[i + 1 :]
        difference[np.abs(difference) <= units.tolerance] = 0
        low[i, i + 1 :], high[i, i + 1 :] = quantiles(difference, samples, tails) * step
        if progress is not None:
            progress(i + 1, runs - 1)
    return Intervals(low - high.T, high - low.T)


def quantiles(rows: IntArray | FloatArray, samples: int, tail: float) -> FloatArray:
    """Lower and upper quantile of every row, by linear interpolation between order statistics as in numpy."""
    positions = np.array([tail, 1 - tail]) * (samples - 1)
    below = np.floor(positions).astype(np.int64)
    above = np.minimum(below + 1, samples - 1)
    ordered = np.partition(rows, np.unique(np.concatenate((below, above))), axis=1)
    fraction = (positions - below)[:, None]
    return np.asarray(ordered[:, below].T * (1 - fraction) + ordered[:, above].T * fraction)


def _deviations(scores: FloatArray) -> FloatArray:
    return np.stack([(row - scores).std(axis=1, ddof=1) for row in scores])


def _checked_level(level: float) -> float:
    if not 0 < level < 1:
        raise ExcerptError(f"found {level} as confidence, expected a number between 0 and 1")
    return level


#: Effect sizes by their names in rows.
EFFECTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "effect": cohens_d,
    "hedges_g": hedges_g,
    "glass_delta": glass_delta,
    "effect_residual": residual_effect,
}


METHODS = ("bootstrap", "t")
_TOGETHER = 256  # rows that are resampled together; more would need much memory


def mean_intervals(
    scores: FloatArray, level: float = 0.95, samples: int = 10_000, seed: int = 1
) -> FloatArray:
    """Bootstrap limits (low, high) of the mean of every row of scores; NaN for a row without scores.

    Undefined scores (NaN) are left out. Rows with scores on the same topics share their samples.

    >>> mean_intervals(np.array([[0.0, 1.0, 1.0, 0.0], [0.25, 0.25, 0.25, np.nan]])).tolist()
    [[0.0, 1.0], [0.25, 0.25]]
    """
    check_sampling(level, samples, seed)
    limits = np.full((len(scores), 2), np.nan)
    defined = ~np.isnan(scores)
    for rows in _rows_by_topics(defined):
        topics = defined[rows[0]]
        if topics.any():
            limits[rows] = _limits(scores[rows][:, topics], level, samples, np.random.default_rng(seed))
    return limits


def t_mean_intervals(scores: FloatArray, level: float = 0.95) -> FloatArray:
    """Student's limits of the mean of every row of scores; NaN with fewer than two scores. Needs scipy.

    >>> t_mean_intervals(np.array([[0.0, 1.0, 1.0, 0.0], [0.25, np.nan, np.nan, np.nan]])).round(4).tolist()
    [[-0.4187, 1.4187], [nan, nan]]
    """
    from scipy.special import stdtrit

    limits = np.full((len(scores), 2), np.nan)
    for number, row in enumerate(scores):
        defined = row[~np.isnan(row)]
        if len(defined) > 1:
            quantile = float(stdtrit(len(defined) - 1.0, (1 + level) / 2))
            half = quantile * defined.std(ddof=1) / math.sqrt(len(defined))
            mean = float(exact_means(defined[None])[0])
            limits[number] = mean - half, mean + half
    return limits


def check_method(method: str, samples: int, seed: int) -> None:
    """Raise an error for an unknown method, or for samples and seed if the method does not use them."""
    if method not in METHODS:
        raise UnknownName("method of intervals", str(method), METHODS)
    if method == "t":
        require_scipy("Student's t")
        if (samples, seed) != (10_000, 1):
            raise ExcerptError("⟨samples⟩ and ⟨seed⟩ need bootstrap intervals, found intervals by t")


def check_drawing(samples: int, seed: int) -> None:
    """Raise an error if the number of samples or the seed is out of range."""
    for name, value, least in (("samples", samples, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ExcerptError(f"found {value!r} as {name}, expected a whole number of at least {least}")


def check_sampling(level: float, samples: int, seed: int) -> None:
    """Raise an error if the confidence level, samples or seed are out of range.

    The least and the largest of n samples are the quantiles 1 / (n + 1) and n / (n + 1); an interval with
    limits beyond them does not exist (A. Davison and D. Hinkley, 1997).
    """
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ExcerptError(f"found {level!r} as confidence, expected a number between 0 and 1")
    check_drawing(samples, seed)
    least = math.ceil(round(2 / (1 - level), 6)) - 1
    if samples < least:
        raise ExcerptError(
            f"found {plural(int(samples), 'sample')}, expected at least {least} for an interval at {level:g}",
            hint=f"try ⟨samples={max(least, 10_000)}⟩",
        )


def _rows_by_topics(defined: BoolArray) -> Iterator[IntArray]:
    """Rows that are defined on the same topics, at most `_TOGETHER` at a time."""
    groups: dict[bytes, list[int]] = {}
    for number, row in enumerate(np.packbits(defined, axis=1)):
        groups.setdefault(row.tobytes(), []).append(number)
    for rows in groups.values():
        for start in range(0, len(rows), _TOGETHER):
            yield np.array(rows[start : start + _TOGETHER])


def _limits(scores: FloatArray, level: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """Limits of rows without NaN; each row has its own unit."""
    units = [ScoreUnits.of(row[None]) for row in scores]
    combined = ScoreUnits(np.concatenate([one.values for one in units]), 1.0, 0.0)
    sums = quantiles(resampled_sums(combined, samples, rng), samples, (1 - level) / 2).T
    limits = sums * np.array([[one.unit] for one in units]) / scores.shape[1]
    least, most = scores.min(axis=1)[:, None], scores.max(axis=1)[:, None]
    limits, noise = np.asarray(np.clip(limits, least, most)), _NOISE * np.maximum(np.abs(least), np.abs(most))
    for exact in (least, most, exact_means(scores)[:, None]):
        limits = np.where(np.abs(limits - exact) <= noise, exact, limits)
    return limits
