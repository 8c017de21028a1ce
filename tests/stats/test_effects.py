"""Effect sizes and confidence intervals beside scipy and numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from excerpt.errors import ExcerptError
from excerpt.stats.effects import bootstrap_intervals, cohens_d, mean_differences, t_intervals
from excerpt.stats.resampling import Units, resampled_sums

SCORES = np.random.default_rng(2).random((4, 17))


def test_differences_and_effects() -> None:
    """Means and standard deviations of paired differences; both change sign with the order."""
    found, effect = mean_differences(SCORES), cohens_d(SCORES)
    assert found == pytest.approx(-found.T)
    for i, j in itertools.permutations(range(4), 2):
        difference = SCORES[i] - SCORES[j]
        assert found[i, j] == pytest.approx(difference.mean())
        assert effect[i, j] == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert np.isnan(np.diag(effect)).all()


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_student_intervals_are_scipys(level: float) -> None:
    """The interval of the paired t-test."""
    low, high = t_intervals(SCORES, level)
    for i, j in itertools.permutations(range(4), 2):
        wanted = scipy_stats.ttest_rel(SCORES[i], SCORES[j]).confidence_interval(level)
        assert (low[i, j], high[i, j]) == pytest.approx((wanted.low, wanted.high))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_bootstrap_intervals_are_percentiles(level: float) -> None:
    """Percentiles of the resampled mean differences, as numpy interpolates them."""
    units = Units.of(SCORES)
    sums = resampled_sums(units, 500, np.random.default_rng(1))
    low, high = bootstrap_intervals(units, sums, level)
    for i, j in itertools.permutations(range(4), 2):
        means = (sums[i] - sums[j]) * units.unit / 17
        wanted = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
        assert [low[i, j], high[i, j]] == pytest.approx(wanted.tolist(), abs=1e-12)
    assert low == pytest.approx(-high.T)


def test_one_sample_and_equal_runs() -> None:
    """A single resample is both ends; equal runs have an interval of nothing."""
    table = np.stack([SCORES[0], SCORES[0], SCORES[1]])
    units = Units.of(table)
    low, high = bootstrap_intervals(units, resampled_sums(units, 1, np.random.default_rng(1)))
    assert low.tolist() == high.tolist()
    assert low[0, 1] == high[1, 0] == 0.0


def test_mistakes() -> None:
    """A confidence of 95 is meant in percent."""
    with pytest.raises(ExcerptError, match="found 95 as confidence"):
        t_intervals(SCORES, 95)
