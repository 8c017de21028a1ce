"""Correlation of two lists of scores of the same runs.

Kendall's tau-b (Kendall, Biometrika 33, 1945), tau-AP (Yilmaz, Aslam & Robertson, SIGIR 2008), Spearman's
rho and Pearson's r. Higher scores are better; the correlation with a constant list is undefined (NaN).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.model.spans import BoolArray, FloatArray, IntArray

_BLOCK = 1 << 22  # largest number of pairwise comparisons in one block of rankings


def kendall(x: FloatArray, y: FloatArray) -> float:
    """Kendall's tau-b.

    >>> kendall(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3]))
    0.8
    """
    return float(kendall_many(np.asarray(x, dtype=np.float64)[None, :], y)[0])


def kendall_many(rankings: FloatArray, reference: FloatArray) -> FloatArray:
    """Tau-b of every row of `rankings` (samples by runs) with one reference.

    It is (C - D)/√((n₀ - n₁)(n₀ - n₂)), where n₀ is the number of pairs of runs and n₁, n₂ the numbers
    of pairs tied on either side; all are whole numbers.
    """
    samples, runs = check_rankings(rankings, reference)
    left, right = np.triu_indices(runs, 1)
    expected = signs_of(reference[left], reference[right])
    agreement, untied = np.empty(samples), np.empty(samples)
    step = max(1, _BLOCK // len(left))
    for start in range(0, samples, step):
        block = rankings[start : start + step]
        signs = signs_of(block[:, left], block[:, right])
        agreement[start : start + step] = signs @ expected
        untied[start : start + step] = np.count_nonzero(signs, axis=1)
    product = untied * np.count_nonzero(expected)
    return np.where(product > 0, agreement / np.sqrt(np.where(product > 0, product, 1.0)), np.nan)


def signs_of(first: FloatArray, second: FloatArray) -> FloatArray:
    """1 where the first is greater, -1 where the second is, else 0."""
    return (first > second).astype(np.float64) - (first < second)


def tau_ap(reference: FloatArray, estimate: FloatArray) -> float:
    """Tau-AP of an estimated ranking with the reference: agreement at the top counts more.

    If the estimate has ties, it is the mean over all orders of the tied runs; a pair that is tied in the
    reference counts as half right.

    >>> tau_ap(np.array([4.0, 3, 2, 1]), np.array([4.0, 3, 1, 2])) > tau_ap(
    ...     np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1])
    ... )
    True
    """
    _, runs = check_rankings(estimate[None, :], reference)
    if (estimate == estimate[0]).all() or (reference == reference[0]).all():
        return float("nan")
    above, weight = weights_of(estimate)
    # Of the runs that the estimate ranks above a run: those above it in the reference, less those below it.
    agreement = np.where(above, signs_of(reference[None, :], reference[:, None]), 0.0).sum(axis=1)
    return float((agreement * weight).sum() / (runs - 1))


def weights_of(estimate: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Mask of the runs (columns) that an estimate ranks above each run, and the weight of one of them."""
    above = np.asarray(estimate[None, :] > estimate[:, None])
    rank = above.sum(axis=1)
    ties = (estimate[None, :] == estimate[:, None]).sum(axis=1)
    # A tied run takes each rank of its group equally often; at a rank, all runs above it count equally.
    harmonic = np.concatenate(([0.0, 0.0], np.cumsum(1.0 / np.arange(1, len(estimate)))))
    return above, (harmonic[rank + ties] - harmonic[rank]) / ties


def tau_ap_symmetric(x: FloatArray, y: FloatArray) -> float:
    """Mean of tau-AP with each list as the reference, for two lists of equal standing."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def pearson(x: FloatArray, y: FloatArray) -> float:
    """Pearson's correlation coefficient.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([2.0, 4, 7])), 4)
    0.9934
    """
    check_rankings(x[None, :], y)
    if (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    a, b = x - x.mean(), y - y.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()), -1.0, 1.0))


def spearman(x: FloatArray, y: FloatArray) -> float:
    """Spearman's rho: Pearson's coefficient of the ranks; equal scores get the mean of their ranks.

    >>> round(spearman(np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 3, 9])), 4)
    0.8
    """
    check_rankings(x[None, :], y)
    return pearson(average_ranks(x).rank, average_ranks(y).rank)


def rbo(x: FloatArray, y: FloatArray, persistence: float = 0.9) -> float:
    """Rank-biased overlap, extrapolated (W. Webber, A. Moffat and J. Zobel, TOIS 2010); 1 for equal rankings.

    Runs with equal scores share the best of their ranks.

    >>> round(rbo(np.array([3.0, 2, 1]), np.array([2.0, 3, 1])), 4)
    0.9
    """
    _, runs = check_rankings(x[None, :], y)
    depth = np.arange(1, runs + 1)
    first, second = (((side > side[:, None]).sum(axis=1) < depth[:, None]) for side in (x, y))
    agreement = 2 * (first & second).sum(axis=1) / (first.sum(axis=1) + second.sum(axis=1))
    weighted = agreement * persistence**depth
    return float(weighted[-1] + (1 - persistence) / persistence * weighted.sum())


def check_rankings(rankings: FloatArray, reference: FloatArray) -> tuple[int, int]:
    """Return the numbers of rankings and of runs; raise if scores of some run are missing."""
    samples, runs = rankings.shape
    if runs != len(reference):
        raise ExcerptError(f"found {runs} and {len(reference)} scores, expected scores of the same runs")
    if runs < 2:
        raise ExcerptError(f"found {plural(runs, 'run')} with a score, expected at least 2 to rank")
    if not (np.isfinite(rankings).all() and np.isfinite(reference).all()):
        raise ExcerptError("found scores that are not finite, expected a score of every run")
    return samples, runs


#: Correlation coefficients by their names in tables.
COEFFICIENTS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "tau_b": kendall,
    "tau_ap": tau_ap_symmetric,
    "spearman": spearman,
    "pearson": pearson,
}


class Ranks(NamedTuple):
    """Ranks from 1 in each row, and the size of each value's group of equal values in the row."""

    rank: FloatArray
    ties: IntArray


def average_ranks(values: FloatArray) -> Ranks:
    """Ranks in ascending order along the last axis; equal values get the mean of their ranks.

    >>> ranks = average_ranks(np.array([[0.3, 0.1, 0.3, 0.2]]))
    >>> ranks.rank.tolist(), ranks.ties.tolist()
    ([[3.5, 1.0, 3.5, 2.0]], [[2, 1, 2, 1]])
    """
    size = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=-1)
    position = np.broadcast_to(np.arange(size), values.shape)
    differs = np.ones(values.shape, dtype=np.bool_)
    differs[..., 1:] = ascending[..., 1:] != ascending[..., :-1]
    first = np.maximum.accumulate(np.where(differs, position, 0), axis=-1)
    ends = np.roll(differs, -1, axis=-1)
    last = np.minimum.accumulate(np.where(ends, position, size)[..., ::-1], axis=-1)[..., ::-1]
    rank = np.empty(values.shape)
    ties = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(rank, order, (first + last) / 2 + 1, axis=-1)
    np.put_along_axis(ties, order, last - first + 1, axis=-1)
    return Ranks(rank, ties)
