"""Alpha against its definition, by pairs of values and fractions, and against the library `krippendorff`."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import judge_oracle
from support.judge_oracle import Units

from excerpt.judging.alpha import SCALES, AlphaScale, Ratings, whole_sum

UNITS = st.lists(st.lists(st.sampled_from([0, 1, 2, 3, 7]), max_size=5), max_size=12)


def ratings(units: Units) -> Ratings:
    """The judgments of units as columns."""
    rows = [(at, value) for at, unit in enumerate(units) for value in unit]
    return Ratings(*np.array(rows, np.int64).reshape(-1, 2).T)


@given(UNITS)
def test_alpha_is_what_its_definition_says(units: Units) -> None:
    """With any number of judges of each unit, and units that one or none judged."""
    assert ratings(units).alpha("nominal") == judge_oracle.alpha(units, ordinal=False)
    assert ratings(units).alpha("ordinal") == judge_oracle.alpha(units, ordinal=True)


def test_the_example_of_krippendorff() -> None:
    """Four observers, twelve units, some values missing: Computing Krippendorff's alpha-reliability, 2011."""
    a = ["1", "2", "3", "3", "2", "1", "4", "1", "2", "", "", ""]
    b = ["1", "2", "3", "3", "2", "2", "4", "1", "2", "5", "", "3"]
    c = ["", "3", "3", "3", "2", "3", "4", "2", "2", "5", "1", ""]
    d = ["1", "2", "3", "3", "2", "4", "4", "1", "2", "5", "1", ""]
    units = [[int(value) for value in unit if value] for unit in zip(a, b, c, d, strict=True)]
    assert round(float(ratings(units).alpha("nominal") or 0), 3) == 0.743
    assert round(float(ratings(units).alpha("ordinal") or 0), 3) == 0.815


@given(UNITS)
def test_the_library_krippendorff_agrees(units: Units) -> None:
    """Where it is installed; it computes with floating-point numbers."""
    krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    values = sorted({value for unit in units if len(unit) > 1 for value in unit})
    if len(values) < 2:
        return
    table = np.full((max(map(len, units)), len(units)), np.nan)
    for at, unit in enumerate(units):
        table[: len(unit), at] = unit
    for scale in SCALES:
        own = ratings(units).alpha(scale)
        other = krippendorff.alpha(table, level_of_measurement=scale)
        assert own is not None
        assert float(own) == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_intervals_are_those_of_drawn_documents(scale: AlphaScale) -> None:
    """Each resample is a list of units, of which alpha is computed anew."""
    units = [[0, 0], [1, 1, 2], [2, 2], [0, 1], [3, 3, 3], [0, 0], [0, 0, 1], [2, 0]]
    own = ratings(units)
    drawn = np.random.default_rng(3).integers(len(units), size=(40, len(units)))
    rows, number = np.unique(
        [sorted(unit) + [9] * (3 - len(unit)) for unit in units], axis=0, return_inverse=True
    )
    by_pattern = {tuple(row): at for at, row in enumerate(own._patterns.counts.tolist())}
    place = [by_pattern[tuple(float((row == value).sum()) for value in range(4))] for row in rows]
    counts = np.zeros((40, len(by_pattern)))
    for sample, chosen in enumerate(drawn.tolist()):
        for unit in chosen:
            counts[sample, place[number.ravel()[unit]]] += 1
    found = own._patterns.alphas(scale, counts)
    for sample, chosen in enumerate(drawn.tolist()):
        expected = judge_oracle.alpha([units[unit] for unit in chosen], ordinal=scale == "ordinal")
        assert found[sample] == pytest.approx(np.nan if expected is None else float(expected), nan_ok=True)


@pytest.mark.parametrize("scale", SCALES)
def test_an_interval_holds_the_value(scale: AlphaScale) -> None:
    """The same every time; another seed gives another one."""
    own = ratings([[0, 0], [1, 1], [2, 1], [0, 1], [3, 3], [0, 0], [1, 0], [2, 0]] * 5)
    one, two, other = (own.interval(scale, samples=99, seed=seed) for seed in (1, 1, 2))
    value = own.alpha(scale)
    assert one is not None
    assert value is not None
    assert one[0] < value < one[1]
    assert one == two != other


@pytest.mark.parametrize("units", [[], [[1]], [[1, 1]], [[2, 2], [2, 2]], [[1], [2]]])
def test_what_is_undefined_is_none(units: Units) -> None:
    """Without two values that differ there is nothing to expect."""
    for scale in SCALES:
        assert ratings(units).alpha(scale) is None
        assert ratings(units).interval(scale, samples=9, seed=1) is None


@given(st.lists(st.integers(0, 2**63 - 1)))
def test_sums_may_be_larger_than_their_parts(values: list[int]) -> None:
    """As Python adds them."""
    assert whole_sum(np.array(values, np.int64)) == sum(values)


@given(UNITS, st.randoms())
def test_the_order_of_judges_does_not_matter(units: Units, random: random.Random) -> None:
    """Unlike in a Cohen kappa of the tables of several pairs."""
    mixed = [random.sample(unit, len(unit)) for unit in units]
    for scale in SCALES:
        assert ratings(units).alpha(scale) == ratings(mixed).alpha(scale)
