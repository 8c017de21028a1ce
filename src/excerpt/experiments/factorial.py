"""Effects of the levels of factors: permutations within a topic, and analysis of variance of a factorial.

Scores are means of the runs that share the levels of all factors. A topic is one unit: it may like a level
more than other topics do, so levels are permuted within it on its means, never single cells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.model.spans import FloatArray, exact_means
from excerpt.stats.intervals import mean_intervals
from excerpt.stats.resampling import BLOCK, ScoreUnits, check_samples
from excerpt.stats.significance import EXACT_ARRANGEMENTS
from excerpt.stats.variance import Variance

_NOISE = 1e-12  # relative to the largest score; smaller interactions are rounding
#: Number of doubles in a block of permutations, which draws its rows before its columns: p depends on it.
_ALTERNATING = 1 << 22


class LevelEffects(NamedTuple):
    """Effects of levels, limits of their intervals, and two-sided p-values, each by level."""

    effect: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray


def level_effects(
    means: FloatArray,
    baseline: int | None = None,
    *,
    alpha: float = 0.05,
    samples: int = 10_000,
    rng: np.random.Generator,
    seed: int = 1,
) -> LevelEffects:
    """Effects of levels (rows) from the mean of all of them on topics (columns), or from a baseline level.

    Under the hypothesis a topic's means are exchangeable among its levels, or between a level and the
    baseline. p is the proportion of permutations with an effect at least as large, in either direction: of
    all, up to 4096; else (count + 1) / (samples + 1) of random ones. Intervals are bootstrap percentiles.

    >>> means = np.array([[0.5, 0.75, 0.5], [0.25, 0.25, 0.25]])
    >>> found = level_effects(means, rng=np.random.default_rng(1))
    >>> found.effect.round(4).tolist(), found.p.tolist()
    ([0.1667, -0.1667], [0.25, 0.25])
    """
    levels = len(means)
    if levels < 2:
        raise ExcerptError(f"found {plural(levels, 'level')}, expected at least 2 to compare")
    check_samples(samples)
    others = exact_means(np.ascontiguousarray(means.T)) if baseline is None else means[baseline]
    limits = mean_intervals(means - others, 1 - alpha, samples, seed)
    units = ScoreUnits.of(means)
    if baseline is None:
        p = _against_mean(units, samples, rng)
    else:
        p = np.ones(levels)
        for level in range(levels):
            if level != baseline:
                pair = ScoreUnits(units.values[[level, baseline]], units.unit, units.tolerance)
                p[level] = _against_mean(pair, samples, rng)[0]
    whole = exact_means(means)
    middle = math.fsum(whole.tolist()) / levels if baseline is None else whole[baseline]
    return LevelEffects(whole - middle, limits[:, 0], limits[:, 1], p)


def _against_mean(units: ScoreUnits, samples: int, rng: np.random.Generator) -> FloatArray:
    """Two-sided p of each level: one of the topic's means is drawn, with equal chances, for every topic."""
    values, (levels, topics) = units.values, units.values.shape
    total = values.sum()
    observed = np.abs(levels * values.sum(axis=1) - total)
    # Both sums may be wrong by up to the tolerance, once for each level.
    least = observed - 2 * levels * units.tolerance
    exact = levels**topics <= EXACT_ARRANGEMENTS
    reached, drawn = np.zeros(levels), 0
    for sums in _all_picks(values) if exact else _random_picks(values, samples, rng):
        extremes = np.sort(np.abs(levels * sums - total))
        reached += len(extremes) - np.searchsorted(extremes, least, side="left")
        drawn += len(extremes)
    more = 0 if exact else 1
    return np.asarray((reached + more) / (drawn + more))


def _all_picks(values: FloatArray) -> Iterator[FloatArray]:
    sums = np.zeros(1)
    for column in values.T:
        sums = (sums[:, None] + column).ravel()
    yield sums


def _random_picks(values: FloatArray, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    levels, topics = values.shape
    columns, step = np.arange(topics), max(1, BLOCK // topics)
    for start in range(0, samples, step):
        picks = rng.integers(levels, size=(min(step, samples - start), topics))
        yield values[picks, columns].sum(axis=1)


class InteractionTest(NamedTuple):
    """What pairs of levels score beyond the effects of both, and the p-value that this is chance."""

    beyond: FloatArray
    p: float


def interaction_test(cells: FloatArray, samples: int, rng: np.random.Generator) -> InteractionTest:
    """Test the interaction of two factors (rows, columns) on topics (last axis).

    What is left of a topic's cells without the means of its rows and columns is permuted within the topic,
    by rows and by columns; the statistic is the sum of squares of the means over topics. For two factors of
    two levels this flips the sign of each topic's interaction. p is (count + 1) / (samples + 1).

    >>> cells = np.array([[[0.5, 0.5]] * 2, [[0.25, 0.25]] * 2])
    >>> interaction_test(cells, 100, np.random.default_rng(1)).p
    1.0
    """
    check_samples(samples)
    rows, columns, topics = cells.shape
    left = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean(axis=(0, 1))
    left[np.abs(left) <= _NOISE * float(np.abs(cells).max(initial=0.0))] = 0.0
    beyond = left.mean(axis=2)
    by_topic = np.ascontiguousarray(np.moveaxis(left, 2, 0))
    observed = float((by_topic.sum(axis=0) ** 2).sum()) * (1 - _NOISE)
    topic, reached = np.arange(topics)[:, None, None], 0
    step = max(1, _ALTERNATING // left.size)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        row = rng.random((size, topics, rows)).argsort(axis=2)[..., :, None]
        column = rng.random((size, topics, columns)).argsort(axis=2)[..., None, :]
        sums = by_topic[topic, row, column].sum(axis=1)
        reached += int(((sums**2).sum(axis=(1, 2)) >= observed).sum())
    return InteractionTest(beyond, (reached + 1) / (samples + 1))


def factor_variance(cells: FloatArray, factors: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Rows of an analysis of variance of a full factorial, measured on every topic. Needs scipy.

    `cells` has the topics on its first axis and a further one for every factor. The error of a factor is its
    interaction with topics, as with repeated measures (AnovaRM of statsmodels).

    >>> cells = np.array([[0.1, 0.3], [0.2, 0.6], [0.3, 0.4]])
    >>> [(row["source"], row["degrees"]) for row in factor_variance(cells, ["size"])]
    [('topic', 2), ('size', 1), ('size:topic', 2)]
    """
    noise = 1e-24 * float(np.abs(cells).max(initial=0.0)) ** 2 * cells.size
    squares = {
        kept: math.fsum((part**2).ravel().tolist()) * (cells.size / part.size)
        for kept, part in _parts(cells).items()
    }
    squares = {kept: 0.0 if square <= noise else square for kept, square in squares.items()}
    degrees = {kept: math.prod(cells.shape[axis] - 1 for axis in kept) for kept in squares}
    total = math.fsum(squares.values())
    names = {kept: ":".join(factors[axis - 1] for axis in kept) for kept in squares if kept and kept[0]}
    known = [kept for kept in names if len(kept) <= 2]
    rows = [_source("topic", squares[0,], degrees[0,], total)]
    for kept in known:
        error = (0, *kept)
        analysed = Variance(degrees[kept] + 1, cells.shape[0], squares[kept], 0.0, squares[error])
        tested = _tested(analysed, math.prod(cells.shape[axis] for axis in (0, *kept)), total)
        rows.append({**_source(names[kept], squares[kept], degrees[kept], total), **tested})
        rows.append(_source(f"{names[kept]}:topic", squares[error], degrees[error], total))
    rest = [kept for kept in squares if len(set(kept) - {0}) > 2]
    if rest:
        squared, free = math.fsum(squares[kept] for kept in rest), sum(degrees[kept] for kept in rest)
        rows.append(_source("other interactions", squared, free, total))
    return tuple(rows)


def _parts(cells: FloatArray) -> dict[tuple[int, ...], FloatArray]:
    """Effect of every set of axes: the mean over the other axes, without the effects of smaller sets."""
    found: dict[tuple[int, ...], FloatArray] = {(): cells.mean(keepdims=True)}
    for size in range(1, cells.ndim + 1):
        for kept in itertools.combinations(range(cells.ndim), size):
            others = tuple(axis for axis in range(cells.ndim) if axis not in kept)
            smaller = sum(part for axes, part in found.items() if set(axes) < set(kept))
            found[kept] = cells.mean(axis=others, keepdims=True) - smaller
    del found[()]
    return found


def _source(name: str, squares: float, degrees: int, total: float) -> dict[str, Any]:
    untested = dict.fromkeys(("f", "p", "eta2_partial", "omega2", "omega2_partial"))
    eta2 = squares / total if total else None
    mean = squares / degrees
    return {
        "source": name, "sum_of_squares": squares, "degrees": degrees, "mean_square": mean, "eta2": eta2,
        **untested,
    }  # fmt: skip


def _tested(analysed: Variance, size: int, total: float) -> dict[str, Any]:
    """F, p and sizes of an effect against its own error; None without an error."""
    from scipy.special import fdtrc

    squares, error, degrees = analysed.by_run, analysed.unexplained, analysed.runs - 1
    residual, excess = analysed.residual, analysed.by_run - degrees * analysed.residual
    f = squares / degrees / residual if error else None
    partial = squares + (size - degrees) * residual
    return {
        "f": f,
        "p": None if f is None else float(fdtrc(float(degrees), float(analysed.degrees), f)),
        "eta2_partial": squares / (squares + error) if squares + error else None,
        "omega2": excess / (total + residual) if total + residual else None,
        "omega2_partial": excess / partial if partial else None,
    }
