"""Correlations compared with scipy, worked examples (E13) and full enumeration."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats.correlation import (
    average_ranks,
    kendall,
    kendall_many,
    pearson,
    permutation_p,
    rbo,
    spearman,
    tau_ap,
    tau_ap_symmetric,
)

lists = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)


def reversed_groups(size: int) -> tuple[FloatArray, FloatArray]:
    """Two groups in the same order, each reversed inside."""
    x = np.arange(2.0 * size)
    return x, np.concatenate((x[:size][::-1], x[size:][::-1]))


def test_worked_example_with_ties() -> None:
    """C = 4, D = 0, one tie on each side."""
    x, y = np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3])
    assert kendall(x, y) == 0.8


def test_worked_example_of_groups() -> None:
    """Ogilvie & Lalmas, section 3.4: tau 0.026 and rho 0.5 for two groups of 20."""
    x, y = reversed_groups(20)
    assert kendall(x, y) == 20 / 780
    assert spearman(x, y) == pytest.approx(0.5009, abs=5e-5)
    x, y = reversed_groups(10)
    assert kendall(x, y) == pytest.approx(1 / 19)
    assert spearman(x, y) == pytest.approx(67 / 133)


def test_a_published_value_is_possible() -> None:
    """85 runs, 10 ties on each side, 3308 more pairs agreeing: 0.9292135 of INEX 2006, table 1."""
    assert round(3308 / np.sqrt((3570 - 10) * (3570 - 10)), 7) == 0.9292135


@given(lists)
@settings(max_examples=200, deadline=None)
def test_same_as_scipy(pair: tuple[list[int], list[int]]) -> None:
    """Tau-b, rho and r, ties included."""
    x, y = (np.array(values, dtype=np.float64) for values in pair)
    if len(set(pair[0])) == 1 or len(set(pair[1])) == 1:
        assert all(np.isnan(f(x, y)) for f in (kendall, spearman, pearson, tau_ap, tau_ap_symmetric))
        return
    assert kendall(x, y) == pytest.approx(float(scipy_stats.kendalltau(x, y).statistic), abs=1e-12)
    assert spearman(x, y) == pytest.approx(float(scipy_stats.spearmanr(x, y).statistic), abs=1e-12)
    assert pearson(x, y) == pytest.approx(float(scipy_stats.pearsonr(x, y).statistic), abs=1e-12)


def test_many_is_one_by_one() -> None:
    """Rows of rankings agree with single calls, in one block and in several."""
    rng = np.random.default_rng(5)
    rankings, reference = rng.integers(0, 9, (40, 12)).astype(np.float64), rng.random(12)
    taus = kendall_many(rankings, reference)
    assert taus.tolist() == [kendall(row, reference) for row in rankings]


def test_many_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks change nothing."""
    rng = np.random.default_rng(5)
    rankings, reference = rng.random((7, 5)), rng.random(5)
    whole = kendall_many(rankings, reference)
    monkeypatch.setattr("excerpt.stats.correlation._BLOCK", 25)
    assert kendall_many(rankings, reference).tolist() == whole.tolist()


def yilmaz(reference: FloatArray, order: tuple[int, ...]) -> float:
    """Tau-AP as printed: 2/(N - 1) · Σ C(i)/(i - 1) - 1, ties of the reference half right."""
    total = 0.0
    for i in range(1, len(order)):
        right = sum(
            0.5 * ((reference[j] > reference[order[i]]) + 1 - (reference[j] < reference[order[i]]))
            for j in order[:i]
        )
        total += float(right) / i
    return 2 / (len(order) - 1) * total - 1


@given(lists.filter(lambda pair: len(pair[0]) <= 6))
@settings(max_examples=80, deadline=None)
def test_tau_ap_is_the_mean_over_orders_of_ties(pair: tuple[list[int], list[int]]) -> None:
    """Every order of the runs that agrees with the estimate, as often."""
    reference, estimate = (np.array(values, dtype=np.float64) for values in pair)
    assume(len(set(pair[0])) > 1 and len(set(pair[1])) > 1)
    orders = [
        order
        for order in itertools.permutations(range(len(estimate)))
        if (np.diff(estimate[list(order)]) <= 0).all()
    ]
    wanted = np.mean([yilmaz(reference, order) for order in orders])
    assert tau_ap(reference, estimate) == pytest.approx(float(wanted), abs=1e-12)


def test_tau_ap_by_hand() -> None:
    """Four runs, the best two swapped: (1/3) · (-1 + 1 + 1) = 1/3; the last two: (1/3)(1 + 1 + 1/3) = 7/9."""
    truth = np.array([4.0, 3, 2, 1])
    assert tau_ap(truth, np.array([3.0, 4, 2, 1])) == pytest.approx(1 / 3)
    assert tau_ap(truth, np.array([4.0, 3, 1, 2])) == pytest.approx(7 / 9)
    assert tau_ap(truth, truth) == pytest.approx(1)
    assert tau_ap(truth, -truth) == pytest.approx(-1)


@given(lists)
def test_rbo_by_sets(pair: tuple[list[int], list[int]]) -> None:
    """Agreement of the sets at every depth, with exact fractions; runs with equal scores enter together."""
    p, total, agreement = Fraction(9, 10), Fraction(0), Fraction(0)
    for depth in range(1, len(pair[0]) + 1):
        some = [
            {run for run, score in enumerate(scores) if sum(other > score for other in scores) < depth}
            for scores in pair
        ]
        agreement = Fraction(2 * len(some[0] & some[1]), len(some[0]) + len(some[1]))
        total += agreement * p**depth
    expected = agreement * p ** len(pair[0]) + (1 - p) / p * total
    one, two = (np.array(scores, float) for scores in pair)
    assert rbo(one, two) == pytest.approx(float(expected), abs=1e-12)


def test_rbo_weights_the_top() -> None:
    """Equal rankings have 1, and a swap at the top costs more than one at the end."""
    ranking = np.arange(8.0)
    first, last = ranking.copy(), ranking.copy()
    first[-2:], last[:2] = ranking[-2:][::-1], ranking[:2][::-1]
    assert rbo(ranking, ranking) == pytest.approx(1.0, abs=1e-15)
    assert rbo(ranking, first) < rbo(ranking, last) < 1


def test_mistakes() -> None:
    """Lists of other runs, of one run, or with gaps."""
    with pytest.raises(ExcerptError, match="found 2 and 3 scores, expected scores of the same runs"):
        kendall(np.zeros(2), np.zeros(3))
    with pytest.raises(ExcerptError, match="found 1 run with a score, expected at least 2 to rank"):
        spearman(np.zeros(1), np.zeros(1))
    with pytest.raises(ExcerptError, match="not finite"):
        pearson(np.array([np.nan, 1.0]), np.zeros(2))


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 1.0]), max_size=12))
def test_ranks_by_counting(values: list[float]) -> None:
    """A rank is the number of smaller values, plus the middle of the equal ones."""
    ranks = average_ranks(np.array([values, values[::-1]], np.float64))
    for row, numbers in enumerate((values, values[::-1])):
        smaller = [sum(other < value for other in numbers) for value in numbers]
        equal = [numbers.count(value) for value in numbers]
        assert ranks.ties[row].tolist() == equal
        assert ranks.rank[row].tolist() == [
            below + (same + 1) / 2 for below, same in zip(smaller, equal, strict=True)
        ]


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
