"""Resampled sums: exact, bounded, and the same in blocks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from excerpt.model.spans import FloatArray
from excerpt.stats.correlation import average_ranks
from excerpt.stats.resampling import (
    ScoreUnits,
    all_flipped_sums,
    count_not_above,
    flipped_sums,
    resampled_sums,
)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=200), st.integers(0, 99))
@settings(deadline=None)
def test_sums_are_exact_and_near_the_truth(values: list[float], seed: int) -> None:
    """Sums of units are whole, do not depend on the order, and err by no more than half a unit per topic."""
    units = ScoreUnits.of(np.array([values]))
    drawn = np.random.default_rng(seed).integers(len(values), size=len(values))
    found = float(units.values[0][drawn].sum())
    assert found == float(units.values[0][drawn][::-1].sum())
    assert found == int(found)
    truth = sum(Fraction(values[i]) for i in drawn)
    assert abs(truth - Fraction(found) * Fraction(units.unit)) <= Fraction(units.tolerance * units.unit) / 4


def test_resamples_have_as_many_topics() -> None:
    """A run with score 1 everywhere sums to the number of topics in every resample."""
    units = ScoreUnits.of(np.ones((2, 9)))
    sums = resampled_sums(units, 50, np.random.default_rng(1)) * units.unit
    assert (sums == 9).all()
    single = ScoreUnits.of(np.eye(9))
    assert (resampled_sums(single, 50, np.random.default_rng(1)).sum(axis=0) * single.unit == 9).all()


def test_blocks_change_nothing_but_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resamples drawn in blocks are the same as at once."""
    units = ScoreUnits.of(np.random.default_rng(1).random((3, 10)))
    whole = resampled_sums(units, 40, np.random.default_rng(1)).tolist()
    flips = flipped_sums(units, 40, np.random.default_rng(1)).tolist()
    monkeypatch.setattr("excerpt.stats.resampling.BLOCK", 80)
    assert resampled_sums(units, 40, np.random.default_rng(1)).tolist() == whole
    assert flipped_sums(units, 40, np.random.default_rng(1)).tolist() == flips


def test_all_flips() -> None:
    """Every choice of signs once."""
    units = ScoreUnits.of(np.array([[1.0, 2.0]]))
    assert sorted((all_flipped_sums(units) * units.unit)[0].tolist()) == [-3, -1, 1, 3]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_ranks_by_counting(values: list[int]) -> None:
    """A rank is the number of smaller values plus the middle of the equal ones."""
    ranks = average_ranks(np.array(values, dtype=np.float64))
    for value, rank, ties in zip(values, ranks.rank.tolist(), ranks.ties.tolist(), strict=True):
        smaller, equal = sum(v < value for v in values), values.count(value)
        assert (rank, ties) == (smaller + (equal + 1) / 2, equal)


@given(
    values=arrays(
        np.float64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 6).map(float)
    ),
    tolerance=st.integers(0, 3),
)
def test_counts_are_those_of_all_differences(values: FloatArray, tolerance: int) -> None:
    """Also where values follow each other within the tolerance, and where all are apart."""
    expected = [[int((one - other <= tolerance).sum()) for other in values] for one in values]
    assert count_not_above(values, float(tolerance)).tolist() == expected
    assert count_not_above(values * 100, 1.0).tolist() == [
        [int((one <= other).sum()) for other in values] for one in values
    ]
