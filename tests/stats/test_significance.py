"""Tests of all pairs, beside scipy, beside full enumeration, and beside what must hold for any scores."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats as scipy_stats

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import Units, all_flipped_sums
from excerpt.stats.significance import TESTS, bootstrap, p_of_sums, p_values

ALL = sorted(TESTS)
#: E12: differences, and the share of all their resamples whose mean is not above 0.
LIMITS = [
    ((3.0, -1.0), Fraction(1, 4)),
    ((2.0, 1.0, -2.0), Fraction(10, 27)),
    ((0.1, 0.3, -0.1, 0.2), Fraction(19, 256)),
]
#: Scores in tenths: many ties, and sums that are 0 but for noise.
tenths = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6),
    elements=st.integers(0, 10).map(lambda tenth: tenth / 10),
)


def scores(runs: int, topics: int, seed: int = 7) -> FloatArray:
    """Scores without ties."""
    return np.random.default_rng(seed).random((runs, topics)) ** 2


def every_resample(table: FloatArray) -> tuple[Units, FloatArray]:
    """Sums over every choice of topics with replacement."""
    units = Units.of(table)
    topics = table.shape[1]
    chosen = [list(choice) for choice in itertools.product(range(topics), repeat=topics)]
    return units, np.stack([units.values[:, choice].sum(axis=1) for choice in chosen], axis=1)


@pytest.mark.parametrize(("differences", "limit"), LIMITS)
def test_bootstrap_limits(differences: tuple[float, ...], limit: Fraction) -> None:
    """Over all resamples the bootstrap is the fraction of E12, and samples come near it."""
    other = np.full(len(differences), 0.7)  # 0.7 + 0.1 - 0.7 is not 0.1: sums are 0 but for noise
    table = np.stack([other + differences, other])
    units, sums = every_resample(table)
    assert p_of_sums(units, sums)[0, 1] == float(limit)
    sampled = p_values(table, "bootstrap", samples=40_000)[0, 1]
    assert abs(sampled - float(limit)) < 4 * (0.25 / 40_000) ** 0.5


@given(tenths)
@settings(max_examples=60, deadline=None)
def test_bootstrap_counts_sums_of_exactly_nothing(table: FloatArray) -> None:
    """Beside fractions: no resample whose mean is 0 is lost to rounding, in either direction."""
    table = table[:3, :4]
    units, sums = every_resample(table)
    found = p_of_sums(units, sums)
    exact = [[Fraction(round(10 * score), 10) for score in row] for row in table.tolist()]
    topics = table.shape[1]
    choices = list(itertools.product(range(topics), repeat=topics))
    for i, j in itertools.permutations(range(len(table)), 2):
        count = sum(sum(exact[i][t] - exact[j][t] for t in choice) <= 0 for choice in choices)
        assert found[i, j] == count / len(choices)


def test_bootstrap_is_one_draw_for_all_pairs() -> None:
    """A pair has the same p-value alone and among others; the directions cover all resamples."""
    table = scores(6, 30)
    whole = p_values(table, rng=np.random.default_rng(3))
    alone = p_values(table[[1, 4]], rng=np.random.default_rng(3))
    assert alone[0, 1] == whole[1, 4]
    assert (whole + whole.T >= 1).all()
    assert (whole == p_values(table, rng=np.random.default_rng(3))).all()
    assert (whole != p_values(table, rng=np.random.default_rng(4))).any()


def test_plus_one_is_never_nothing() -> None:
    """(count + 1) / (samples + 1) where no resample is below 0."""
    table = np.array([[0.9, 0.8, 0.7], [0.1, 0.2, 0.3]])
    rng = np.random.default_rng(1)
    assert bootstrap(table, 99, rng)[0, 1] == 0.0
    assert bootstrap(table, 99, rng, plus_one=True)[0, 1] == 0.01


@pytest.mark.parametrize("topics", [2, 5, 23, 80])
def test_student_is_scipys(topics: int) -> None:
    """Student's t of every ordered pair."""
    table = scores(5, topics)
    found = p_values(table, "t")
    for i, j in itertools.permutations(range(5), 2):
        wanted = scipy_stats.ttest_rel(table[i], table[j], alternative="greater").pvalue
        assert found[i, j] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("topics", [2, 5, 23, 50, 51, 107])
@pytest.mark.parametrize("levels", [None, 6])
def test_wilcoxon_is_scipys(topics: int, levels: int | None) -> None:
    """Exact up to 50 differences, normal above; equal scores are dropped; ties are tested below."""
    table = scores(5, topics)
    if levels:
        table = np.round(table * levels) / 10
    found = p_values(table, "wilcoxon")
    for i, j in itertools.permutations(range(5), 2):
        kept = np.round(table[i] - table[j], 12)
        kept = kept[kept != 0]
        untied = len(np.unique(np.abs(kept))) == len(kept)
        if not untied and len(kept) <= 50:
            continue
        method: Any = "exact" if len(kept) <= 50 else "asymptotic"
        wanted = scipy_stats.wilcoxon(kept, alternative="greater", method=method).pvalue if len(kept) else 1.0
        assert found[i, j] == pytest.approx(float(wanted), rel=1e-9)


@pytest.mark.parametrize("topics", [2, 6, 9, 11])
def test_wilcoxon_with_ties_is_the_enumeration(topics: int) -> None:
    """All signs of the mid-ranks are tried; six equal differences give 1/64."""
    table = np.round(scores(4, topics) * 4) / 10
    found = p_values(table, "wilcoxon")
    for i, j in itertools.permutations(range(4), 2):
        kept = np.round(table[i] - table[j], 12)
        kept = kept[kept != 0]
        ranks = scipy_stats.rankdata(np.abs(kept))
        reached = ranks[kept > 0].sum()
        ways = [ranks[np.array(signs, bool)].sum() for signs in itertools.product((0, 1), repeat=len(kept))]
        assert found[i, j] == pytest.approx(np.mean([way >= reached - 1e-9 for way in ways]))
    same = np.array([[0.5] * 6, [0.4] * 6])
    assert p_values(same, "wilcoxon")[0, 1] == 1 / 64


@pytest.mark.parametrize("topics", [2, 9, 60, 1500])
def test_sign_is_scipys(topics: int) -> None:
    """The binomial tail of the scores that differ."""
    table = np.round(scores(4, topics), 1)
    found = p_values(table, "sign")
    for i, j in itertools.permutations(range(4), 2):
        above, below = int((table[i] > table[j]).sum()), int((table[i] < table[j]).sum())
        wanted = scipy_stats.binomtest(above, above + below, alternative="greater").pvalue
        assert found[i, j] == pytest.approx(float(wanted), rel=1e-9)


@given(tenths)
@settings(max_examples=60, deadline=None)
def test_permutation_takes_every_choice_of_signs(table: FloatArray) -> None:
    """For few topics, beside fractions: flipped sums equal to the one found count."""
    table = table[:3]
    found = p_values(table, "permutation")
    exact = [[round(10 * score) for score in row] for row in table.tolist()]
    topics = table.shape[1]
    choices = list(itertools.product((-1, 1), repeat=topics))
    for i, j in itertools.permutations(range(len(table)), 2):
        differences = [a - b for a, b in zip(exact[i], exact[j], strict=True)]
        above = [sum(s * d for s, d in zip(c, differences, strict=True)) >= sum(differences) for c in choices]
        assert found[i, j] == sum(above) / len(choices)


def test_permutation_of_many_topics_is_near_all_choices() -> None:
    """Random signs come near the share of all of them, and p is never 0."""
    table = scores(2, 13)
    units = Units.of(table)
    flipped = np.subtract(*all_flipped_sums(units))
    wanted = (flipped >= np.subtract(*units.values.sum(axis=1)) - 1).mean()
    assert p_values(table, "permutation", samples=40_000)[0, 1] == pytest.approx(wanted, abs=0.012)
    sure = np.stack([np.ones(60), np.zeros(60)])
    assert p_values(sure, "permutation", samples=999)[0, 1] == 0.001


@pytest.mark.parametrize("test", ALL)
def test_equal_runs_do_not_differ(test: str) -> None:
    """Runs with the same scores have p = 1 in both directions, and so has each beside itself."""
    row = scores(1, 20)[0]
    found = p_values(np.stack([row, row, row / 3]), test, samples=200)
    assert found[0, 1] == found[1, 0] == 1.0
    assert np.diag(found).tolist() == [1.0, 1.0, 1.0]
    assert found[0, 2] < 0.01
    assert found[2, 0] > 0.99


@pytest.mark.parametrize("test", ALL)
def test_scale_and_order_of_topics(test: str) -> None:
    """Scores a million times smaller give the same p-values; exact tests do not mind the order of topics."""
    table = scores(4, 11)
    found = p_values(table, test, samples=300)
    assert p_values(table * 2.0**-20, test, samples=300) == pytest.approx(found)
    if test != "bootstrap":
        assert p_values(table[:, ::-1], test, samples=300) == pytest.approx(found)


@pytest.mark.parametrize("test", ALL)
def test_noise_of_floats_makes_no_difference(test: str) -> None:
    """0.1 + 0.2 is 0.3."""
    table = np.array([[0.1 + 0.2, 0.5, 0.7, 0.1 * 3], [0.3, 0.5, 0.7, 0.3]])
    assert (p_values(table, test, samples=100) == 1.0).all()


def test_constant_differences_are_certain() -> None:
    """Student's t has no spread to divide by: better everywhere by the same amount is p = 0."""
    row = scores(1, 8)[0]
    found = p_values(np.stack([row + 0.1, row]), "t")
    assert found.tolist() == [[1.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("table", "test", "samples", "message"),
    [
        (np.zeros((1, 5)), "t", 1, "found 1 run, expected at least 2 to compare"),
        (np.zeros((3, 1)), "t", 1, "found 1 topic with scores of all runs, expected at least 2"),
        (np.zeros((3, 0)), "t", 1, "found 0 topics with scores of all runs"),
        (np.full((2, 2), np.nan), "t", 1, "found scores that are not numbers"),
        (np.zeros((2, 2)), "welch", 1, "unknown test 'welch'; known: bootstrap, permutation, sign, t, wil"),
        (np.zeros((2, 2)), "bootstrap", 0, "found 0 samples, expected at least 1"),
    ],
)
def test_mistakes(table: FloatArray, test: str, samples: int, message: str) -> None:
    """What cannot be compared is said in one line."""
    with pytest.raises(ExcerptError, match=message):
        p_values(table, test, samples=samples)
