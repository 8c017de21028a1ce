"""Running sums that are compared exactly, against fractions, where doubles are not exact enough."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model.exact import RunningSums, first_reaching
from excerpt.model.spans import column_sums

_PRIMES = (2**31 - 1, 2**31 - 19)


def _sums(values: list[Fraction]) -> RunningSums:
    return RunningSums(
        np.array([value.numerator for value in values], np.int64),
        np.array([value.denominator for value in values], np.int64),
    )


def _slow(values: list[Fraction], target: Fraction) -> int:
    """The least i whose sum is at least the target."""
    sums = list(accumulate(values, initial=Fraction(0)))
    return next((i for i, found in enumerate(sums) if found >= target), len(values) + 1)


def _check(mine: list[Fraction], theirs: list[Fraction], share: Fraction) -> None:
    counts = np.arange(len(theirs) + 1)
    shares = np.full(len(counts), share.numerator)
    found = first_reaching(_sums(mine), _sums(theirs), counts, shares, share.denominator)
    right = [_slow(mine, share * sum(theirs[:count], Fraction(0))) for count in counts.tolist()]
    assert found.tolist() == right


_COPRIME = (1, 2, 3, 5, 6, 7, 11, 13, 97, 1009, 65537, 999_983, 10**9 + 7)
_FRACTIONS = st.builds(
    lambda part, of: Fraction(part % (of + 1), of), st.integers(0, 10**10), st.sampled_from(_COPRIME)
)
_SHARES = st.builds(lambda k: Fraction(k, 100), st.integers(1, 100)) | st.sampled_from(
    [Fraction(1), Fraction(1, 3), Fraction(2, 7)]
)


@settings(max_examples=500)
@given(st.lists(_FRACTIONS, max_size=8), st.lists(_FRACTIONS, max_size=8), _SHARES)
def test_any_sums(mine: list[Fraction], theirs: list[Fraction], share: Fraction) -> None:
    _check(mine, theirs, share)


@st.composite
def _ties(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction]]:
    """The same total in other pieces and another order, but for a difference of 1e-9 to 1e-18, or none."""
    mine = draw(st.lists(_FRACTIONS.filter(bool), min_size=1, max_size=7))
    theirs: list[Fraction] = []
    for value in draw(st.permutations(mine)):
        pieces = draw(st.integers(1, 4))
        theirs += [value / pieces] * pieces
    # Two numbers that differ from a value of theirs by next to nothing, and add up to it.
    exponent = draw(st.sampled_from((0, 9, 12, 15, 16, 17, 18)))
    off = draw(st.sampled_from((-1, 0, 1)))
    if exponent and off:
        mine = [*mine, Fraction(1, 2)]
        theirs = [*theirs, Fraction(10**exponent // 2 + off, 10**exponent)]
    return mine, theirs


@settings(max_examples=500)
@given(_ties(), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(29, 100)]))
def test_ties_and_all_but_ties(drawn: tuple[list[Fraction], list[Fraction]], share: Fraction) -> None:
    mine, theirs = drawn
    _check(mine, theirs, share)
    _check(theirs, mine, share)
    _check(mine, mine, Fraction(1))


@pytest.mark.parametrize("exponent", range(9, 19))
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_difference_of_one_part_in_many(exponent: int, off: int) -> None:
    """1/3 + 1/6 against 1/2 ± 10^-e: the order is that of the fractions."""
    mine = [Fraction(1, 3), Fraction(1, 6), Fraction(0), Fraction(1, 7)]
    theirs = [Fraction(10**exponent // 2 + off, 10**exponent)]
    found = first_reaching(_sums(mine), _sums(theirs), np.array([1]), np.array([1]))
    assert found.tolist() == [2 if off <= 0 else 4]


def test_thousands_of_thirds() -> None:
    """Rounding errors of a long sum do not move the rank."""
    mine = [Fraction(1, 3), Fraction(1, 7), Fraction(11, 21)] * 3000
    theirs = [Fraction(1)] * 3000
    counts = np.arange(1, 3001)
    found = first_reaching(_sums(mine), _sums(theirs), counts, np.ones(3000, np.int64))
    np.testing.assert_array_equal(found, 3 * counts)


def test_a_tiny_gain_after_a_great_one() -> None:
    """A term below the rounding error of the sum still counts."""
    tiny = Fraction(1, 10**18)
    mine = [Fraction(3), tiny, Fraction(1)]
    assert first_reaching(
        _sums(mine), _sums([Fraction(3), tiny]), np.array([1, 2]), np.array([1, 1])
    ).tolist() == [1, 2]


def test_nothing_is_reached_at_once() -> None:
    nothing, something = _sums([]), _sums([Fraction(1, 2)])
    zero, one = np.array([0]), np.array([1])
    assert first_reaching(something, something, zero, one).tolist() == [0]
    assert first_reaching(nothing, something, zero, one).tolist() == [0]
    assert first_reaching(nothing, something, one, one).tolist() == [1]
    assert first_reaching(nothing, nothing, zero, one).tolist() == [0]


@pytest.mark.parametrize("prime", _PRIMES)
def test_a_denominator_that_a_modulus_divides(prime: int) -> None:
    """Lengths of text may be any number, also one that has no inverse for a modulus."""
    mine = [Fraction(1, prime), Fraction(prime - 1, prime), Fraction(1, 2)]
    theirs = [Fraction(1), Fraction(1, 2)]
    found = first_reaching(_sums(mine), _sums(theirs), np.array([1, 2]), np.array([1, 1]))
    assert found.tolist() == [2, 3]


@settings(max_examples=200)
@given(st.lists(_FRACTIONS, max_size=10))
def test_the_sums_themselves(values: list[Fraction]) -> None:
    sums = _sums(values)
    right = list(accumulate(values, initial=Fraction(0)))
    assert len(sums) == len(values)
    assert [sums.exact(count) for count in range(len(values) + 1)] == right
    np.testing.assert_allclose(sums.values, [float(value) for value in right], rtol=1e-14)


_PARTS = st.one_of(
    st.floats(0, 1),
    st.floats(0, allow_nan=False, allow_infinity=False, max_value=1e300),
    st.builds(
        lambda power, last: 2.0**power * (1 + last * 2.0**-52), st.integers(-110, 5), st.integers(-1, 1)
    ),
)


@given(columns=st.lists(st.lists(_PARTS, min_size=5, max_size=5), min_size=1, max_size=6))
def test_sums_of_columns_are_rounded_once(columns: list[list[float]]) -> None:
    """Sums in the middle between two doubles, near powers of two, of any size: as `math.fsum` has them."""
    assert column_sums(np.array(columns).T).tolist() == [math.fsum(column) for column in columns]


def test_sums_of_many_columns_are_rounded_once() -> None:
    """A hundred numbers each, of which about one sum in a hundred lies in the middle between two doubles."""
    values = np.random.default_rng(1).random((101, 5000))
    assert column_sums(values).tolist() == [math.fsum(column) for column in values.T]
