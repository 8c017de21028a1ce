"""Reciprocal rank fusion where doubles would err."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.pooling.fusing import best_of, fused, near_the_best, sum_of


@given(
    st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=5).map(sorted), min_size=1), st.integers(0, 9)
)
def test_sums_are_compared_exactly(ranks: list[list[int]], wanted: int) -> None:
    """Few ranks give many ties and near ties; those of equal sums keep their order."""
    sums = np.array([sum(1 / (60 + rank) for rank in found) for found in ranks])
    near = near_the_best(sums, wanted)
    best = near[best_of(sums[near], [tuple(ranks[place]) for place in near.tolist()], wanted)].tolist()
    exact = [sum((Fraction(1, 60 + rank) for rank in found), Fraction(0)) for found in ranks]
    assert best == sorted(range(len(ranks)), key=lambda place: -exact[place])[:wanted]


def test_equal_sums_of_different_ranks() -> None:
    """1/66 + 1/132 is 1/88 + 1/88: the first given comes first, whatever the doubles are."""
    assert sum_of([6, 72]) == sum_of([28, 28]) == Fraction(1, 44)
    for ranks in ([(6, 72), (28, 28)], [(28, 28), (6, 72)]):
        sums = np.array([float(sum_of(found)) for found in ranks]) * np.array([1, 1 + 1e-15])
        assert best_of(sums, ranks, 2) == [0, 1]


def test_only_the_first_result_in_a_run_counts() -> None:
    """A run that returns an item twice gives it one share."""
    item, run = np.array([0, 1, 0, 0]), np.array([0, 0, 0, 1])
    found, ranks, sums = fused(item, run, np.array([1, 2, 3, 7]), 2)
    assert (found.tolist(), ranks.tolist()) == ([0, 0, 1], [1, 7, 2])
    assert sums.tolist() == [1 / 61 + 1 / 67, 1 / 62]
