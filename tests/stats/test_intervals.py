"""Effect sizes and confidence intervals compared with scipy and numpy."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from support.published import SAKAI

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray, exact_means
from excerpt.stats.intervals import (
    bootstrap_intervals,
    check_method,
    clean_differences,
    cohens_d,
    glass_delta,
    hedges_g,
    mean_differences,
    mean_intervals,
    residual_effect,
    t_intervals,
    t_mean_intervals,
    win_counts,
)
from excerpt.stats.resampling import ScoreUnits, resampled_counts, resampled_sums

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
    units = ScoreUnits.of(SCORES)
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
    units = ScoreUnits.of(table)
    low, high = bootstrap_intervals(units, resampled_sums(units, 1, np.random.default_rng(1)))
    assert low.tolist() == high.tolist()
    assert low[0, 1] == high[1, 0] == 0.0


def test_mistakes() -> None:
    """A confidence of 95 is meant in percent."""
    with pytest.raises(ExcerptError, match="found 95 as confidence"):
        t_intervals(SCORES, 95)


#: Quotients of counts, of which none is so small that it has fewer digits than others.
INTERVALS_SCORES = st.one_of(
    st.floats(0, 1, allow_subnormal=False), st.sampled_from([0.0, 0.1, 0.5, 1.0, math.nan])
)
#: A measure that counts characters among proportions.
LARGE = st.integers(0, 10**6).map(float)


def slowly(scores: list[float], level: Fraction, samples: int, seed: int) -> tuple[Fraction, Fraction] | None:
    """Both limits by exact arithmetic, from the same draws."""
    known = [Fraction(score) for score in scores if not math.isnan(score)]
    if not known:
        return None
    drawn = resampled_counts(len(known), samples, np.random.default_rng(seed)).T.tolist()
    means: list[Fraction] = sorted(
        sum((n * score for n, score in zip(row, known, strict=True)), Fraction(0)) / len(known)
        for row in drawn
    )

    def at(share: Fraction) -> Fraction:
        place = share * (samples - 1)
        below = math.floor(place)
        above = min(below + 1, samples - 1)
        return means[below] + (means[above] - means[below]) * (place - below)

    return at((1 - level) / 2), at((1 + level) / 2)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12).flatmap(
        lambda topics: st.lists(
            st.one_of(
                st.lists(INTERVALS_SCORES, min_size=topics, max_size=topics),
                st.lists(LARGE, min_size=topics, max_size=topics),
            ),
            min_size=1,
            max_size=4,
        )
    ),
    st.sampled_from([(0.5, 3), (0.9, 19), (0.95, 39)]).flatmap(
        lambda least: st.tuples(st.just(least[0]), st.integers(least[1], 60))
    ),
    st.integers(0, 3),
)
def test_limits_are_those_of_fractions(rows: list[list[float]], drawn: tuple[float, int], seed: int) -> None:
    """Every row has the percentiles of its own resampled means, whatever the other rows."""
    level, samples = drawn
    found = mean_intervals(np.array(rows), level, samples, seed)
    for row, (low, high) in zip(rows, found.tolist(), strict=True):
        wanted = slowly(row, Fraction(level), samples, seed)
        if wanted is None:
            assert math.isnan(low)
            assert math.isnan(high)
            continue
        largest = max(score for score in row if not math.isnan(score))
        assert [low, high] == pytest.approx([float(limit) for limit in wanted], rel=0, abs=1e-11 * largest)


@pytest.mark.parametrize("score", [0.1, 1 / 3, 1.0, 0.0, 12345.0])
def test_constant_scores_have_their_mean_as_interval(score: float) -> None:
    """No rounding puts the mean outside."""
    scores = np.full((1, 7), score)
    assert mean_intervals(scores).tolist() == [[exact_means(scores)[0]] * 2]


def test_extremes_are_scores() -> None:
    """A limit that is the least or the largest score is that, to the last digit."""
    scores = np.array([[5 / 6, 5 / 22, 0.6792452830188679]])
    assert mean_intervals(scores).tolist() == [[5 / 22, 5 / 6]]


def test_interval_of_many_topics() -> None:
    """Near what the normal distribution says: 0.5 ± 1.96 · 0.5 / √400, and wider with more confidence."""
    scores: FloatArray = np.tile([0.0, 1.0], 200)[None]
    (low, high), (lower, higher) = mean_intervals(scores)[0], mean_intervals(scores, 0.99)[0]
    assert [low, high] == pytest.approx([0.451, 0.549], abs=0.005)
    assert lower < low < 0.5 < high < higher
    other = np.arange(7.0)[None]
    assert mean_intervals(other, samples=99, seed=2).tolist() != mean_intervals(other, samples=99).tolist()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": 0.0}, "found 0.0 as confidence, expected a number between 0 and 1"),
        ({"level": 1}, "found 1 as confidence"),
        ({"level": "0.9"}, "found '0.9' as confidence"),
        ({"samples": 0}, "found 0 as samples, expected a whole number of at least 1"),
        ({"samples": 1.5}, "found 1.5 as samples"),
        ({"samples": 1}, "found 1 sample, expected at least 39 for an interval at 0.95; try samples=10000"),
        ({"samples": 38}, "found 38 samples, expected at least 39"),
        ({"samples": 18, "level": 0.9}, "found 18 samples, expected at least 19 for an interval at 0.9"),
        ({"samples": 198, "level": 0.99}, "found 198 samples, expected at least 199"),
        ({"level": 0.9999}, "found 10000 samples, expected at least 19999 .*try samples=19999"),
        ({"seed": -1}, "found -1 as seed, expected a whole number of at least 0"),
    ],
)
def test_what_is_no_interval(options: dict[str, float], said: str) -> None:
    """One sentence for what cannot be asked."""
    with pytest.raises(ExcerptError, match=said):
        mean_intervals(np.ones((1, 3)), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("level", "least"), [(0.95, 39), (0.9, 19), (0.99, 199), (0.999, 1999), (0.5, 3)])
def test_the_least_samples_of_an_interval(level: float, least: int) -> None:
    """With them, the expected tail beyond the limits holds the least and the largest sample."""
    assert (least + 1) * (1 - Fraction(str(level))) / 2 == 1
    assert mean_intervals(np.arange(7.0)[None], level, least).shape == (1, 2)


def test_students_limits_are_scipys() -> None:
    """Of the scores that are defined, each row by itself."""
    scores = np.random.default_rng(2).random((3, 12))
    scores[1, 4:7] = np.nan
    found = t_mean_intervals(scores, 0.9)
    for row, (low, high) in zip(scores, found.tolist(), strict=True):
        known = row[~np.isnan(row)]
        wanted = scipy_stats.ttest_1samp(known, 0.0).confidence_interval(0.9)
        assert (low, high) == pytest.approx((wanted.low, wanted.high))
    assert np.isnan(t_mean_intervals(np.full((1, 4), np.nan))).all()


def test_methods() -> None:
    """Only these, and what a method does not use is refused."""
    check_method("t", 10_000, 1)
    with pytest.raises(ExcerptError, match="unknown method of intervals 'z'"):
        check_method("z", 10_000, 1)
    with pytest.raises(ExcerptError, match="samples and seed need bootstrap intervals"):
        check_method("t", 10_000, 2)
