"""Tests of all pairs, compared with scipy and full enumeration; invariants for any scores."""

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
from support.published import SAKAI, SCIPY

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats import FAMILIES_IN_WORDS, resampling, significance
from excerpt.stats.resampling import ScoreUnits, all_flipped_sums, flipped_sums, resampled_sums
from excerpt.stats.significance import (
    CORRECTIONS,
    FAMILIES,
    TESTS,
    anova,
    bootstrap,
    correct,
    correct_pairs,
    p_of_sums,
    p_values,
    tukey,
    two_sided,
    two_sided_permutation,
)

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


def every_resample(table: FloatArray) -> tuple[ScoreUnits, FloatArray]:
    """Sums over every choice of topics with replacement."""
    units = ScoreUnits.of(table)
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
    """Compared with fractions: no resample with mean 0 is lost to rounding, in either direction."""
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
    assert bootstrap(table, 99, np.random.default_rng(1))[0, 1] == 0.0
    units = ScoreUnits.of(table)
    sums = resampled_sums(units, 99, np.random.default_rng(1))
    assert p_of_sums(units, sums, plus_one=True)[0, 1] == 0.01


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
        normal = "asymptotic" if SCIPY >= (1, 15) else "approx"
        method: Any = "exact" if len(kept) <= 50 else normal
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
    """For few topics, compared with fractions: flipped sums equal to the observed one count."""
    table = table[:3]
    found = p_values(table, "permutation")
    exact = [[round(10 * score) for score in row] for row in table.tolist()]
    topics = table.shape[1]
    choices = list(itertools.product((-1, 1), repeat=topics))
    for i, j in itertools.permutations(range(len(table)), 2):
        differences = [a - b for a, b in zip(exact[i], exact[j], strict=True)]
        above = [sum(s * d for s, d in zip(c, differences, strict=True)) >= sum(differences) for c in choices]
        assert found[i, j] == sum(above) / len(choices)


@given(tenths)
@settings(max_examples=60, deadline=None)
def test_two_sided_permutation_counts_sums_as_far_from_0(table: FloatArray) -> None:
    """All choices of signs of few topics, in fractions; the same for both orders of two runs."""
    table = table[:3]
    found = two_sided_permutation(table, 99, np.random.default_rng(1))
    exact = [[round(10 * score) for score in row] for row in table.tolist()]
    choices = list(itertools.product((-1, 1), repeat=table.shape[1]))
    for i, j in itertools.permutations(range(len(table)), 2):
        differences = [a - b for a, b in zip(exact[i], exact[j], strict=True)]
        far = [abs(sum(s * d for s, d in zip(c, differences, strict=True))) for c in choices]
        assert found[i, j] == sum(sum_ >= abs(sum(differences)) for sum_ in far) / len(choices)


def test_two_sided_permutation_of_random_signs() -> None:
    """|S| >= |s| among the same signs, which are not symmetric; the observed choice is one more."""
    table, samples = scores(3, 20), 199
    units = ScoreUnits.of(table)
    sums = flipped_sums(units, samples, np.random.default_rng(4))
    found = two_sided_permutation(table, samples, np.random.default_rng(4))
    totals = units.values.sum(axis=1)
    for i, j in itertools.permutations(range(3), 2):
        far = np.abs(sums[i] - sums[j]) >= abs(totals[i] - totals[j])
        assert found[i, j] == (far.sum() + 1) / (samples + 1)
    assert (found != two_sided(p_values(table, "permutation", samples=samples))).any()


def test_permutation_of_many_topics_is_near_all_choices() -> None:
    """Random signs come near the proportion of all of them, and p is never 0."""
    table = scores(2, 13)
    units = ScoreUnits.of(table)
    flipped = np.subtract(*all_flipped_sums(units))
    wanted = (flipped >= np.subtract(*units.values.sum(axis=1)) - 1).mean()
    assert p_values(table, "permutation", samples=40_000)[0, 1] == pytest.approx(wanted, abs=0.012)
    sure = np.stack([np.ones(60), np.zeros(60)])
    assert p_values(sure, "permutation", samples=999)[0, 1] == 0.001


@pytest.mark.parametrize("test", ALL)
def test_equal_runs_do_not_differ(test: str) -> None:
    """Runs with the same scores have p = 1 in both directions, and so has a run with itself."""
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
        (np.full((2, 2), np.nan), "t", 1, "found scores that are not finite"),
        (np.zeros((2, 2)), "welch", 1, "unknown test 'welch'; known: bootstrap, permutation, sign, t, wil"),
        (np.zeros((2, 2)), "bootstrap", 0, "found 0 samples, expected at least 1"),
    ],
)
def test_mistakes(table: FloatArray, test: str, samples: int, message: str) -> None:
    """Errors about scores that cannot be compared, in one line."""
    with pytest.raises(ExcerptError, match=message):
        p_values(table, test, samples=samples)


RNG = np.random.default_rng(5)


def rng() -> np.random.Generator:
    """Random numbers that are the same each time."""
    return np.random.default_rng(1)


def every_deal(table: list[list[Fraction]]) -> list[Fraction]:
    """Largest difference of sums for every permutation of the scores of every topic."""
    topics = list(zip(*table, strict=True))
    ranges = []
    for dealt in itertools.product(*(itertools.permutations(scores) for scores in topics)):
        sums = [sum(column) for column in zip(*dealt, strict=True)]
        ranges.append(Fraction(max(sums) - min(sums)))
    return ranges


families_tenths = st.tuples(st.integers(2, 3), st.integers(2, 3)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 10), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(families_tenths)
@settings(max_examples=40, deadline=None)
def test_few_arrangements_are_enumerated(tenth: list[list[int]]) -> None:
    """Exact proportion of permutations whose largest difference is at least the observed one."""
    exact = [[Fraction(score, 10) for score in row] for row in tenth]
    ranges = every_deal(exact)
    family = tukey(np.array(tenth) / 10, 0.2, 1, rng())
    sums = [sum(row, Fraction(0)) for row in exact]
    for i, j in itertools.product(range(len(exact)), repeat=2):
        found = abs(sums[i] - sums[j])
        share = Fraction(sum(width >= found for width in ranges), len(ranges))
        assert family.p[i, j] == float(share)
        exceeds = float(found) / len(exact[0]) > family.least + 1e-12
        assert exceeds == (share <= Fraction(1, 5))


def test_random_arrangements_come_near_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs on four topics have 1296 permutations; 20,000 random ones give nearly the same."""
    table = RNG.random((3, 4))
    whole = tukey(table, 0.05, 1, rng())
    monkeypatch.setattr(significance, "EXACT_ARRANGEMENTS", 0)
    drawn = tukey(table, 0.05, 20_000, rng())
    assert np.abs(drawn.p - whole.p).max() < 4 * (0.25 / 20_000) ** 0.5
    assert drawn.least == pytest.approx(whole.least, rel=0.02)
    monkeypatch.setattr(resampling, "BLOCK", 25)
    few = tukey(table + np.array([[2.0], [1.0], [0.0]]), 0.01, 50, rng())
    assert (few.p >= 1 / 51).all()
    assert few.least > 1.9  # nothing can be significant


@pytest.mark.parametrize("samples", [19, 39, 50, 99])
def test_what_is_least_decides_as_p_does(samples: int) -> None:
    """With random permutations a pair is significant just if its difference exceeds `least`."""
    table = np.random.default_rng(2).random((6, 12)) + np.linspace(0, 0.6, 6)[:, None]
    for alpha in (0.05, 0.1, 0.2, 0.5):
        family = tukey(table, alpha, samples, rng())
        means = table.mean(axis=1)
        exceeds = np.abs(means[:, None] - means) > family.least + 1e-12
        assert (exceeds == (family.p <= alpha * (1 + 1e-12))).all()
        assert exceeds.any() == (alpha * (samples + 1) >= 1)


def test_ties_that_rounding_hides() -> None:
    """Sums of thirds and sevenths that are equal count as equal, whatever order they are added in."""
    parts = [[1, 2, 5, 3], [3, 1, 4, 6], [2, 6, 1, 2]]
    for whole in (3, 7, 21):
        exact = [[Fraction(part, whole) for part in row] for row in parts]
        ranges = every_deal(exact)
        sums = [sum(row, Fraction(0)) for row in exact]
        family = tukey(np.array(parts) / whole, 0.2, 1, rng())
        for i, j in itertools.product(range(3), repeat=2):
            assert family.p[i, j] == sum(width >= abs(sums[i] - sums[j]) for width in ranges) / len(ranges)


def test_two_runs_are_fishers_test_of_both_sides() -> None:
    """The permutation test of a pair, twice the chance of one side."""
    table = RNG.random((2, 10))
    one = p_values(table, "permutation")
    assert tukey(table, 0.05, 1, rng()).p[0, 1] == pytest.approx(2 * min(one[0, 1], one[1, 0]))


def test_more_runs_are_less_sure_of_a_pair() -> None:
    """The chance that any pair differs so much is that of one pair and more, and about that of an ANOVA."""
    table = np.random.default_rng(2).normal(size=(5, 60))
    alone = p_values(table, "permutation", samples=4000)
    family = tukey(table, 0.05, 4000, rng()).p
    assert (family >= np.minimum(2 * np.minimum(alone, alone.T), 1) - 0.05).all()
    assert np.abs(family - anova(table, 0.05, 1, rng()).p).max() < 0.03


def test_sakais_example() -> None:
    """No pair of the three systems differs: F is 2.475 with p = 0.098."""
    family = tukey(SAKAI, 0.05, 10_000, rng())
    assert (family.p[np.triu_indices(3, 1)] > 0.05).all()
    assert family.p[0, 2] == pytest.approx(anova(SAKAI, 0.05, 1, rng()).p[0, 2], abs=0.03)


@pytest.mark.parametrize("test", sorted(FAMILIES))
def test_runs_that_are_alike(test: str) -> None:
    """Equal runs never differ; nor does a run from itself."""
    table = np.stack([RNG.random(9)] * 3)
    assert (FAMILIES[test](table, 0.05, 50, rng()).p == 1).all()


@pytest.mark.parametrize("test", sorted(FAMILIES))
def test_families_mistakes(test: str) -> None:
    """Errors about scores that cannot be compared; names are those of the command line."""
    assert test in FAMILIES_IN_WORDS
    bad: list[tuple[FloatArray, str]] = [
        (RNG.random((1, 5)), "found 1 run"),
        (RNG.random((3, 1)), "found 1 topic"),
        (np.full((2, 3), np.nan), "found scores that are not finite"),
    ]
    for table, message in bad:
        with pytest.raises(ExcerptError, match=message):
            FAMILIES[test](table, 0.05, 10, rng())


#: Benjamini & Hochberg 1995, section 3.
PUBLISHED = np.array([1, 4, 19, 95, 201, 278, 298, 344, 459, 3240, 4262, 5719, 6528, 7590, 10_000]) / 10_000
STATSMODELS = {"by": "fdr_by", "bh": "fdr_bh", "holm": "holm", "bonferroni": "bonferroni"}


@pytest.mark.parametrize(
    ("correction", "rejections"), [("bh", 4), ("by", 3), ("bonferroni", 3), ("holm", 3), ("none", 9)]
)
def test_published_example(correction: str, rejections: int) -> None:
    """The example rejects 4 hypotheses by Benjamini & Hochberg, 3 by Bonferroni; with c_m = 3.31823, 3."""
    decided = correct(PUBLISHED, correction)
    assert decided.rejected.tolist() == [True] * rejections + [False] * (15 - rejections)


FOUR_HUNDREDTHS = st.lists(st.integers(0, 400), min_size=1, max_size=40)


def adjusted_by_definition(values: list[int], correction: str) -> list[Fraction]:
    """Adjusted p-values of four hundredths in fractions, each from its definition."""
    m = len(values)
    harmonic = sum((Fraction(1, i) for i in range(1, m + 1)), Fraction(0))
    order = sorted(range(m), key=values.__getitem__)
    p = [Fraction(values[i], 400) for i in order]
    if correction == "bonferroni":
        adjusted = [min(Fraction(1), m * each) for each in p]
    elif correction == "holm":  # none is smaller than one before it
        adjusted = [max(min(Fraction(1), (m - j) * p[j]) for j in range(i + 1)) for i in range(m)]
    else:  # none is larger than one after it
        c = harmonic if correction == "by" else Fraction(1)
        adjusted = [min(min(Fraction(1), c * m / (j + 1) * p[j]) for j in range(i, m)) for i in range(m)]
    return [value for _, value in sorted(zip(order, adjusted, strict=True))]


@given(FOUR_HUNDREDTHS, st.sampled_from(sorted(STATSMODELS)))
@settings(max_examples=50, deadline=None)
def test_same_as_the_definition(values: list[int], correction: str) -> None:
    """Adjusted p-values and rejections, ties and order included."""
    decided = correct(np.array(values) / 400, correction, 0.07)
    wanted = adjusted_by_definition(values, correction)
    assert decided.adjusted == pytest.approx(np.array(wanted, float), abs=1e-12)
    assert decided.rejected.tolist() == [each <= Fraction(7, 100) for each in wanted]


@given(FOUR_HUNDREDTHS, st.sampled_from(sorted(STATSMODELS)))
@settings(max_examples=50, deadline=None)
def test_same_as_statsmodels(values: list[int], correction: str) -> None:
    """Adjusted p-values and rejections, where statsmodels is installed."""
    tests = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels comes with --thorough")
    p = np.array(values) / 400
    rejected, adjusted, *_ = tests.multipletests(p, alpha=0.07, method=STATSMODELS[correction])
    decided = correct(p, correction, 0.07)
    assert decided.adjusted == pytest.approx(adjusted, abs=1e-12)
    near = np.abs(decided.adjusted - 0.07) < 1e-9  # statsmodels has no tolerance where they are equal
    assert (decided.rejected == rejected)[~near].all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from(sorted(CORRECTIONS)))
def test_order_and_strength(values: list[float], correction: str) -> None:
    """Smaller p-values stay smaller, none shrinks, and equation 11 gives the same decisions."""
    p = np.array(values)
    decided = correct(p, correction)
    order = np.argsort(p, kind="stable")
    assert (np.diff(decided.adjusted[order]) >= 0).all()
    assert (decided.adjusted >= p * (1 - 1e-12)).all()
    assert (decided.adjusted <= 1).all()
    c = {"by": sum(1 / i for i in range(1, len(p) + 1)), "bh": 1.0}.get(correction)
    if c is not None:
        steps = [i for i in range(1, len(p) + 1) if p[order][i - 1] <= i * 0.05 / (c * len(p)) * (1 + 1e-12)]
        assert int(decided.rejected.sum()) == max(steps, default=0)


def test_nothing_to_reject_and_nothing_to_test() -> None:
    """No p-value below its step rejects nothing; no p-value is no error."""
    assert not correct(np.array([0.2, 0.9])).rejected.any()
    assert correct(np.array([])).adjusted.tolist() == []


def test_pairs_leave_out_the_diagonal() -> None:
    """m is N(N - 1): six hypotheses for three runs."""
    p = np.array([[1.0, 0.001, 0.002], [0.999, 1.0, 0.5], [0.998, 0.5, 1.0]])
    decided = correct_pairs(p, "bonferroni")
    assert decided.adjusted[0].tolist() == [1.0, 0.006, 0.012]
    assert decided.rejected.tolist() == [[False, True, True], [False] * 3, [False] * 3]


def test_corrections_mistakes() -> None:
    """Unknown names and impossible levels."""
    with pytest.raises(ExcerptError, match=r"unknown correction 'fdr'; .*known: bh, bonferroni, by, holm"):
        correct(PUBLISHED, "fdr")
    with pytest.raises(ExcerptError, match="found 5 as alpha, expected a number between 0 and 1"):
        correct(PUBLISHED, "by", 5)
