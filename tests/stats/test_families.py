"""Tests of all pairs together, beside full enumeration in fractions, and beside each other."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import SAKAI

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats import FAMILIES_IN_WORDS, families
from excerpt.stats.families import FAMILIES, anova, tukey
from excerpt.stats.significance import p_values

RNG = np.random.default_rng(5)


def rng() -> np.random.Generator:
    """Random numbers that are the same each time."""
    return np.random.default_rng(1)


def every_deal(table: list[list[Fraction]]) -> list[Fraction]:
    """The largest difference of sums, for every order of the scores of every topic."""
    topics = list(zip(*table, strict=True))
    ranges = []
    for dealt in itertools.product(*(itertools.permutations(scores) for scores in topics)):
        sums = [sum(column) for column in zip(*dealt, strict=True)]
        ranges.append(Fraction(max(sums) - min(sums)))
    return ranges


tenths = st.tuples(st.integers(2, 3), st.integers(2, 3)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 10), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(tenths)
@settings(max_examples=40, deadline=None)
def test_few_arrangements_are_enumerated(tenth: list[list[int]]) -> None:
    """The share of all arrangements whose largest difference is at least the one found, exactly."""
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
    """Three runs on four topics have 1296 arrangements; 20,000 random ones give nearly the same."""
    table = RNG.random((3, 4))
    whole = tukey(table, 0.05, 1, rng())
    monkeypatch.setattr(families, "EXACT_ARRANGEMENTS", 0)
    drawn = tukey(table, 0.05, 20_000, rng())
    assert np.abs(drawn.p - whole.p).max() < 4 * (0.25 / 20_000) ** 0.5
    assert drawn.least == pytest.approx(whole.least, rel=0.02)
    monkeypatch.setattr(families, "BLOCK", 25)
    few = tukey(table + np.array([[2.0], [1.0], [0.0]]), 0.01, 50, rng())
    assert (few.p >= 1 / 51).all()
    assert few.least > 1.9  # nothing can be significant


@pytest.mark.parametrize("samples", [19, 39, 50, 99])
def test_what_is_least_decides_as_p_does(samples: int) -> None:
    """A pair of random arrangements is significant just where its difference exceeds what is least."""
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
def test_mistakes(test: str) -> None:
    """What cannot be compared is said; the names are those of the command line."""
    assert test in FAMILIES_IN_WORDS
    bad: list[tuple[FloatArray, str]] = [
        (RNG.random((1, 5)), "found 1 run"),
        (RNG.random((3, 1)), "found 1 topic"),
        (np.full((2, 3), np.nan), "found scores that are not numbers"),
    ]
    for table, message in bad:
        with pytest.raises(ExcerptError, match=message):
            FAMILIES[test](table, 0.05, 10, rng())
