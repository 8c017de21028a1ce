"""Permutation tests of correlations: p-values from all orders of the runs, or from random ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import FloatArray, IntArray
from excerpt.stats.correlation import COEFFICIENTS, average_ranks, check_rankings, signs_of, weights_of

_BLOCK = 1 << 22  # largest number of places in one block of orders
#: Pairs of arrays: values of places, and of the runs at these places.
_Terms: TypeAlias = tuple[tuple[FloatArray, ...], ...]
#: The rest of complete orders.
_NOTHING = (np.empty(0, np.int64), np.empty((1, 0), np.int64), np.empty((0, 1)))
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
    _, runs = check_rankings(x[None, :], y)
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
    above, weight = weights_of(scores)
    weighted = above * weight[:, None]
    return signs_of(scores[None, :], scores[:, None]), weighted - weighted.T


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
