"""P-values of correlations compared with scipy and full enumeration."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from excerpt.experiments.permutation import permutation_p
from excerpt.stats.correlation import kendall, kendall_many, pearson, spearman, tau_ap_symmetric

lists = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)


@functools.cache
def exact_tau_ap(reference: tuple[int, ...], estimate: tuple[int, ...]) -> Fraction:
    """Tau-AP as in `yilmaz`, with fractions: the mean over all orders of the runs that the estimate ties."""
    size, values = len(reference), []
    for order in itertools.permutations(range(size)):
        if all(estimate[one] >= estimate[two] for one, two in itertools.pairwise(order)):
            right = [
                Fraction((reference[j] >= reference[run]) + (reference[j] > reference[run]), 2 * i)
                for i, run in enumerate(order)
                for j in order[:i]
            ]
            values.append(Fraction(2, size - 1) * sum(right, Fraction()) - 1)
    return sum(values, Fraction()) / len(values)


def exact_sums(x: tuple[int, ...], y: tuple[int, ...]) -> dict[str, Fraction]:
    """Each coefficient times a number that no order changes, from the definitions."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    signs = [((x[i] > x[j]) - (x[i] < x[j])) * ((y[i] > y[j]) - (y[i] < y[j])) for i, j in pairs]

    def product(one: Sequence[Fraction | int], two: Sequence[Fraction | int]) -> Fraction:
        means = [Fraction(sum(side)) / len(side) for side in (one, two)]
        return sum(
            (Fraction(a - means[0]) * (b - means[1]) for a, b in zip(one, two, strict=True)), Fraction()
        )

    def ranks(side: tuple[int, ...]) -> list[Fraction]:
        return [Fraction(sum((a < b) + (a <= b) for a in side) + 1, 2) for b in side]

    return {
        "tau_b": Fraction(sum(signs)),
        "tau_ap": exact_tau_ap(x, y) + exact_tau_ap(y, x),
        "spearman": product(ranks(x), ranks(y)),
        "pearson": product(x, y),
    }


@given(lists.filter(lambda pair: len(pair[0]) <= 5))
@settings(max_examples=40, deadline=None)
def test_p_by_all_orders(pair: tuple[list[int], list[int]]) -> None:
    """The proportion of all orders with a coefficient as far from 0, ties included, to the last bit."""
    x, y = map(tuple, pair)
    p = permutation_p(np.array(x, np.float64), np.array(y, np.float64), np.random.default_rng(1))
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert all(np.isnan(value) for value in p.values())
        return
    given_order = exact_sums(x, y)
    orders = [exact_sums(x, order) for order in itertools.permutations(y)]
    for name, value in given_order.items():
        assert p[name] == sum(abs(other[name]) >= abs(value) for other in orders) / len(orders), name


@pytest.mark.parametrize("size", [2, 3, 6, 7, 8, 10])
def test_p_of_scipy(size: int) -> None:
    """Exact p of Kendall's tau without ties, whatever the number of runs."""
    rng = np.random.default_rng(size)
    x, y = rng.random(size), rng.random(size)
    expected = scipy_stats.kendalltau(x, y, method="exact").pvalue
    assert permutation_p(x, y, rng)["tau_b"] == pytest.approx(float(expected), abs=1e-12)


def test_p_of_scipy_by_permutation() -> None:
    """Rho and r by scipy's permutation test of all orders, with decimals that tie only without rounding."""
    x, y = np.array([0.1, 0.2, 0.3, 0.7, 0.4, 0.6]), np.array([0.3, 0.1, 0.2, 0.6, 0.6, 0.5])
    p = permutation_p(x, y, np.random.default_rng(1))
    whole = [np.rint(10 * side) for side in (x, y)]
    for name, coefficient in (("spearman", spearman), ("pearson", pearson)):
        found = scipy_stats.permutation_test(
            (whole[0],),
            lambda side, of=coefficient: round(abs(of(side, whole[1])), 9),
            permutation_type="pairings",
            alternative="greater",
            n_resamples=10_000,
        )
        assert p[name] == pytest.approx(found.pvalue, abs=1e-12)


def test_p_of_many_runs() -> None:
    """Of more than 10 runs 10,000 random orders count, drawn once; the given order is added."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 9, 13).astype(np.float64)
    y = x + rng.integers(0, 12, 13)
    p = permutation_p(x, y, np.random.default_rng(7))
    orders = np.random.default_rng(7).permuted(np.tile(np.arange(13), (10_000, 1)), axis=1)
    taus = kendall_many(y[orders], x)
    assert p["tau_b"] == (int((np.abs(taus) >= abs(kendall(x, y)) - 1e-9).sum()) + 1) / 10_001
    for name, coefficient in (("tau_ap", tau_ap_symmetric), ("spearman", spearman), ("pearson", pearson)):
        found = np.array([coefficient(x, y[order]) for order in orders[:2000]])
        assert p[name] == pytest.approx(np.mean(np.abs(found) >= abs(coefficient(x, y)) - 1e-9), abs=0.02)
    assert permutation_p(x, y, np.random.default_rng(8)) != p
    same = permutation_p(np.arange(40.0), np.arange(40.0), rng)
    assert set(same.values()) == {1 / 10_001}
