"""Numbers of Java: exponentials within a unit of the last digit, and those that a Java 17 printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.official.java_doubles import exponential


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-3.571741852301796, "0.028106853030094914"),
        (-4.238953867656128, "0.014422671977469595"),
        (-8.875010563438478, "1.3984015139346294E-4"),
        (-7.046871537864012, "8.701268626015151E-4"),
        (-11.512925464970229, "9.999999999999997E-6"),
        (0.0, "1.0"),
    ],
)
def test_what_java_printed(value: float, expected: str) -> None:
    """In the first four, correct rounding would give another last digit."""
    assert exponential(value) == float(expected.replace("E", "e"))


@given(st.floats(-800, 800))
def test_near_the_c_library(value: float) -> None:
    """At most one unit of the last digit away."""
    exact = math.exp(value) if value < 700 else math.inf
    assert exponential(value) == exact or abs(exponential(value) - exact) <= math.ulp(exact)
