"""Drops of means are decided without luck, and seen with the power that is told."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.experiments.drops import Power, falls_below, mean_difference, power_of, ratio
from excerpt.stats.significance import p_values

RATIOS = st.integers(1, 5000).flatmap(
    lambda whole: st.integers(0, whole).map(lambda part: Fraction(part, whole))
)


@settings(max_examples=100)
@given(st.lists(st.tuples(RATIOS, RATIOS), min_size=1, max_size=12), st.data())
def test_the_limit_itself_is_not_below(pairs: list[tuple[Fraction, Fraction]], data: st.DataObject) -> None:
    """Scores are ratios of whole numbers: a drop of exactly the limit is no more than that."""
    exact = sum((after - before for before, after in pairs), Fraction(0)) / len(pairs)
    before, after = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    limit = data.draw(st.sampled_from([-exact, Fraction(0), Fraction(1, 100), -exact + Fraction(1, 10**7)]))
    if limit >= 0:
        assert falls_below(before, after, limit) == (exact < -limit)
    assert mean_difference(before, after) == pytest.approx(float(exact), abs=1e-15)


@pytest.mark.parametrize(
    ("before", "after", "drop", "below"),
    [
        ([0.3] * 3, [0.29] * 3, "0.01", False),
        ([0.1, 0.2, 0.0], [0.0, 0.0, 0.3], "0", False),
        ([0.5], [0.4999999999999999], "0", True),
        ([5 / 7] * 7 + [0.0] * 493, [0.0] * 500, "0.01", False),
        ([1.0] * 10, [0.7] * 10, "0.3", False),
        ([1.0] * 10, [0.7] * 9 + [0.6999999999], "0.3", True),
        ([1.0] * 100, [1.0] * 99 + [0.0], "0.01", False),
        ([1.0] * 100, [1.0] * 98 + [0.0] * 2, "0.01", True),
        ([0.5], [0.9], "0", False),
    ],
)
def test_luck_of_doubles_plays_no_role(
    before: list[float], after: list[float], drop: str, *, below: bool
) -> None:
    """Sums and limits are those that people write."""
    assert falls_below(before, after, Fraction(drop)) is below


@given(st.floats(0, 1))
def test_a_ratio_rounds_to_its_double(score: float) -> None:
    """The ratio of a score rounds to the same double."""
    assert float(ratio(score)) == score


def test_power_grows_with_the_drop_and_the_questions() -> None:
    """Nothing is seen of no drop but by chance alpha; a drop of the visible size is seen in 80 %."""
    rng = np.random.default_rng(3)
    few, many = rng.normal(0, 0.1, 30), rng.normal(0, 0.1, 480)
    found = [power_of(few, drop, 0.05, 4000, np.random.default_rng(1)) for drop in (0.0, 0.02, 0.1)]
    powers = [power.power for power in found if power is not None]
    assert powers[0] == pytest.approx(0.05, abs=0.02)
    assert powers[0] < powers[1] < powers[2]
    assert powers[2] > 0.95
    assert found[1] is not None
    again = power_of(few, found[1].visible, 0.05, 4000, np.random.default_rng(1))
    assert again is not None
    assert again.power == pytest.approx(0.8, abs=0.001)
    large = power_of(many, 0.02, 0.05, 4000, np.random.default_rng(1))
    assert large is not None
    assert large.power > powers[1]
    assert found[1].needed(30, 0.02) == pytest.approx(30 * (found[1].visible / 0.02) ** 2, abs=1)


def test_power_is_that_of_the_test_again_and_again() -> None:
    """Power from one set of samples agrees with repeated bootstrap tests of the shifted differences."""
    rng = np.random.default_rng(5)
    differences = rng.normal(0, 0.1, 40)
    differences -= differences.mean()
    drop = 0.03
    seen = 0
    for _ in range(200):
        drawn = rng.choice(differences, 40) - drop
        scores = np.array([np.zeros(40), drawn])
        seen += p_values(scores, "bootstrap", samples=400, rng=rng)[0, 1] < 0.05
    found = power_of(differences, drop, 0.05, 4000, np.random.default_rng(1))
    assert found is not None
    assert found.power == pytest.approx(seen / 200, abs=0.1)


def test_constant_differences_say_nothing() -> None:
    """Without a spread there is no power."""
    assert power_of(np.zeros(9), 0.01, 0.05, 100, np.random.default_rng(1)) is None
    assert Power(0.5, 0.25).needed(100, 0.125) == 400
