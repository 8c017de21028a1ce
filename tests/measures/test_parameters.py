"""Values of parameters as text."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.measures._parameters import show_decimal


@settings(max_examples=150)
@given(st.fractions(-100, 100, max_denominator=10**6), st.integers(0, 5))
def test_fractions_print_exactly(value: Fraction, places: int) -> None:
    """A printed fraction is the fraction, with at least the places asked for if it is a decimal number."""
    shown = show_decimal(value, places)
    assert Fraction(shown) == value
    assert "/" in shown or len(shown.partition(".")[2]) >= places
