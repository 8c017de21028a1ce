"""Correlation of two lists of scores of the same runs.

Kendall's tau-b (Kendall, Biometrika 33, 1945), tau-AP (Yilmaz, Aslam & Robertson, SIGIR 2008), Spearman's
rho and Pearson's r. Higher scores are better; the correlation with a constant list is undefined (NaN).
Permutation tests give their p-values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.model.spans import BoolArray, FloatArray, IntArray

_BLOCK = 1 << 22  # largest number of pairwise comparisons in one block of rankings
#: Pairs of arrays: values of places, and of the runs at these places.
_Terms: TypeAlias = tuple[tuple[FloatArray, ...], ...]
#: The rest of complete orders.
_NOTHING = (np.empty(0, np.int64), np.empty((1, 0), np.int64), np.empty((0, 1)))


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
    samples, runs = _checked(rankings, reference)
    left, right = np.triu_indices(runs, 1)
    expected = _signs(reference[left], reference[right])
    agreement, untied = np.empty(samples), np.empty(samples)
    step = max(1, _BLOCK // len(left))
    for start in range(0, samples, step):
        block = rankings[start : start + step]
        signs = _signs(block[:, left], block[:, right])
        agreement[start : start + step] = signs @ expected
        untied[start : start + step] = np.count_nonzero(signs, axis=1)
    product = untied * np.count_nonzero(expected)
    return np.where(product > 0, agreement / np.sqrt(np.where(product > 0, product, 1.0)), np.nan)


def _signs(first: FloatArray, second: FloatArray) -> FloatArray:
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
    _, runs = _checked(estimate[None, :], reference)
    if (estimate == estimate[0]).all() or (reference == reference[0]).all():
        return float("nan")
    above, weight = _weights(estimate)
    # Of the runs that the estimate ranks above a run: those above it in the reference, less those below it.
    agreement = np.where(above, _signs(reference[None, :], reference[:, None]), 0.0).sum(axis=1)
    return float((agreement * weight).sum() / (runs - 1))


def _weights(estimate: FloatArray) -> tuple[BoolArray, FloatArray]:
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
    _checked(x[None, :], y)
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
    _checked(x[None, :], y)
    return pearson(average_ranks(x).rank, average_ranks(y).rank)


def rbo(x: FloatArray, y: FloatArray, persistence: float = 0.9) -> float:
    """Rank-biased overlap, extrapolated (W. Webber, A. Moffat and J. Zobel, TOIS 2010); 1 for equal rankings.

    Runs with equal scores share the best of their ranks.

    >>> round(rbo(np.array([3.0, 2, 1]), np.array([2.0, 3, 1])), 4)
    0.9
    """
    _, runs = _checked(x[None, :], y)
    depth = np.arange(1, runs + 1)
    first, second = (((side > side[:, None]).sum(axis=1) < depth[:, None]) for side in (x, y))
    agreement = 2 * (first & second).sum(axis=1) / (first.sum(axis=1) + second.sum(axis=1))
    weighted = agreement * persistence**depth
    return float(weighted[-1] + (1 - persistence) / persistence * weighted.sum())


def _checked(rankings: FloatArray, reference: FloatArray) -> tuple[int, int]:
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


#: Most runs of which all orders are compared; of more runs, the number of random orders.
EXACT, ORDERS = 10, 10_000
_NOISE = 1e-12  # sums of fractions are equal if they differ by at most this, for each two runs


def permutation_p(x: FloatArray, y: FloatArray, rng: np.random.Generator) -> dict[str, float]:
    """Two-sided p-value of each coefficient: the proportion of orders of `y` with one as far from 0.

    Up to 10 runs all orders count, and p is exact. Of more runs 10,000 random orders do, and p is
    (count + 1) / (10,000 + 1). Tau-b and rho are compared as whole numbers; tau-AP and r, which are sums of
    fractions, as equal if they differ by rounding only. NaN if a list is constant.

    >>> x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])
    >>> permutation_p(x, y, np.random.default_rng(1))["tau_b"]  # 8 of 24 orders
    0.3333333333333333
    """
    _, runs = _checked(x[None, :], y)
    if (x == x[0]).all() or (y == y[0]).all():
        return dict.fromkeys(COEFFICIENTS, float("nan"))
    (signs_x, heavy_x), (signs_y, heavy_y) = map(_by_pairs, (x, y))
    # Coefficients times constants: sums over pairs of runs, of which two make tau-AP, and sums over runs.
    pairs = ((signs_x, signs_y), (signs_x, heavy_y), (heavy_x, signs_y))
    singles = (
        tuple(2 * average_ranks(side).rank - (runs + 1) for side in (x, y)),
        tuple(centred / np.abs(centred).max() for centred in (x - x.mean(), y - y.mean())),
    )
    given = _Orders(np.arange(runs)[None, :], *_NOTHING)
    least = [abs(float(found[0, 0])) - _NOISE * runs * runs for found in given.sums(pairs, singles)]
    counts, total = np.zeros(len(least), np.int64), 0
    for block in _all_orders(runs) if runs <= EXACT else _random_orders(runs, rng):
        found = np.abs(block.sums(pairs, singles))
        counts += (found >= np.array(least)[:, None, None]).sum(axis=(1, 2))
        total += found[0].size
    drawn = int(runs > EXACT)  # the given order is one of all orders, but not one of those drawn
    shares = ((counts + drawn) / (total + drawn)).tolist()
    return dict(zip(COEFFICIENTS, shares, strict=True))


def _by_pairs(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Antisymmetric matrices: order of each two runs, and the same with the weights of tau-AP."""
    above, weight = _weights(scores)
    weighted = above * weight[:, None]
    return _signs(scores[None, :], scores[:, None]), weighted - weighted.T


class _Orders(NamedTuple):
    """Orders of runs: each of some beginnings, with each order of the rest."""

    head: IntArray  # a row per beginning
    #: Runs of the rest, and their places in it: a row per order, and as a mask of place and run by order.
    rest: IntArray
    tail: IntArray
    placed: FloatArray

    def sums(self, pairs: _Terms, singles: _Terms) -> FloatArray:
        """Sums of tau-b, tau-AP, rho and r, each by beginning and order of the rest."""
        size = self.head.shape[1]
        across = [
            (one[:size, size:].T @ two[:, self.rest][self.head]).reshape(len(self.head), -1) @ self.placed
            for one, two in pairs
        ]
        heads, tails = _within(pairs, self.head), _within(pairs, self.rest[self.tail], size)
        tau, first, second = heads[:, :, None] + tails[:, None] + across
        by_run = (
            (of_run[self.head] @ of_place[:size])[:, None] + of_run[self.rest][self.tail] @ of_place[size:]
            for of_place, of_run in singles
        )
        return np.array([tau, first + second, *by_run])


def _within(terms: _Terms, runs: IntArray, start: int = 0) -> FloatArray:
    """Sums over the pairs of places from `start` on, for each term and each order (row) of runs there."""
    sums, by_place = np.zeros((len(terms), len(runs))), np.ascontiguousarray(runs.T)
    for place, first in enumerate(by_place[:-1]):
        own, later = start + place, slice(start + place + 1, start + len(by_place))
        for number, (of_places, of_runs) in enumerate(terms):
            values = of_runs.ravel().take(first * len(of_runs) + by_place[place + 1 :])
            sums[number] += of_places[own, later] @ values
    return sums


def _all_orders(runs: int) -> Iterator[_Orders]:
    """All orders, by the runs in their first half."""
    half = runs // 2
    head, tail = (np.array(list(permutations(range(size)))) for size in (half, runs - half))
    placed = (tail[:, :, None] == np.arange(runs - half)).reshape(len(tail), -1).T.astype(np.float64)
    for chosen in combinations(range(runs), half):
        yield _Orders(np.array(chosen)[head], np.setdiff1d(np.arange(runs), chosen), tail, placed)


def _random_orders(runs: int, rng: np.random.Generator) -> Iterator[_Orders]:
    """Random orders, without a rest."""
    drawn = rng.permuted(np.tile(np.arange(runs), (ORDERS, 1)), axis=1)
    step = max(1, _BLOCK // runs)
    for start in range(0, ORDERS, step):
        yield _Orders(drawn[start : start + step], *_NOTHING)


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
