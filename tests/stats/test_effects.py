"""Effect sizes and confidence intervals beside scipy and numpy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from published import SAKAI
from scipy import stats as scipy_stats

from excerpt.errors import ExcerptError
from excerpt.stats.effects import (
    bootstrap_intervals,
    clean_differences,
    cohens_d,
    glass_delta,
    hedges_g,
    mean_differences,
    residual_effect,
    t_intervals,
    win_counts,
)
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


def test_other_effect_sizes() -> None:
    """Hedges' factor is near 1 - 3/(4n - 5); Glass counts in the other run's deviations."""
    effect, corrected, glass = cohens_d(SCORES), hedges_g(SCORES), glass_delta(SCORES)
    factor = 1 - 3 / (4 * 16 - 1)
    off = ~np.eye(4, dtype=bool)
    assert corrected[off] == pytest.approx(factor * effect[off], rel=5e-4)
    assert glass[1, 2] == pytest.approx((SCORES[1] - SCORES[2]).mean() / SCORES[2].std(ddof=1))
    assert np.isnan(np.diag(glass)).all()
    assert np.isnan(hedges_g(SCORES[:, :2])).all()


def test_residual_effect_of_two_runs_is_a_multiple_of_cohens() -> None:
    """The variance of the differences is twice the residual variance; with more runs, their mean is."""
    two = SCORES[:2]
    assert residual_effect(two)[0, 1] == pytest.approx(math.sqrt(2) * cohens_d(two)[0, 1])
    spread = [(SCORES[i] - SCORES[j]).var(ddof=1) for i, j in itertools.combinations(range(4), 2)]
    wanted = (SCORES[0].mean() - SCORES[3].mean()) / math.sqrt(np.mean(spread) / 2)
    assert residual_effect(SCORES)[0, 3] == pytest.approx(wanted)
    constant = np.stack([SCORES[0], SCORES[0] + 0.1])
    assert np.isnan(residual_effect(constant)).all()


def test_sakais_effect_sizes() -> None:
    """The figures that the book gives for its Table 5.1."""
    found = residual_effect(SAKAI)
    assert found[np.triu_indices(3, 1)] == pytest.approx([0.5070, 0.6760, 0.1690], abs=5e-5)
    assert cohens_d(SAKAI)[0, 1] == pytest.approx(0.473, abs=5e-4)


def test_wins_are_counted_without_noise() -> None:
    """0.1 + 0.2 is 0.3; wins of one run are losses of the other."""
    table = np.array([[0.1 + 0.2, 0.5, 0.7, 0.0], [0.3, 0.4, 0.9, 0.0]])
    counts = win_counts(table)
    assert (counts.wins[0, 1], counts.ties[0, 1], counts.losses[0, 1]) == (1, 2, 1)
    assert (counts.wins == counts.losses.T).all()
    assert (counts.ties.diagonal() == 4).all()
    assert (clean_differences(np.zeros((2, 3)), 0) == 0).all()
    many = win_counts(SCORES)
    assert many.wins[0, 1] == (SCORES[0] > SCORES[1]).sum()


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
