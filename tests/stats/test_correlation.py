"""Correlations compared with scipy, worked examples (E13) and full enumeration."""

from __future__ import annotations

import itertools
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
