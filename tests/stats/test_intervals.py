"""Intervals of means: against fractions, and what they must be whatever is drawn."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from excerpt.errors import ExcerptError
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray
from excerpt.stats.intervals import check_method, mean_intervals, t_mean_intervals
from excerpt.stats.resampling import resampled_counts

SCORES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.5, 1.0, math.nan]))
#: A measure that counts characters beside shares.
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
                st.lists(SCORES, min_size=topics, max_size=topics),
                st.lists(LARGE, min_size=topics, max_size=topics),
            ),
            min_size=1,
            max_size=4,
        )
    ),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.integers(1, 60),
    st.integers(0, 3),
)
def test_limits_are_those_of_fractions(
    rows: list[list[float]], level: float, samples: int, seed: int
) -> None:
    """Every row has the percentiles of its own resampled means, whatever rows stand beside it."""
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
        ({"seed": -1}, "found -1 as seed, expected a whole number of at least 0"),
    ],
)
def test_what_is_no_interval(options: dict[str, float], said: str) -> None:
    """One sentence for what cannot be asked."""
    with pytest.raises(ExcerptError, match=said):
        mean_intervals(np.ones((1, 3)), **options)  # type: ignore[arg-type]


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
    with pytest.raises(ExcerptError, match="found samples or a seed with intervals by t"):
        check_method("t", 10_000, 2)
