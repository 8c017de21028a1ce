"""Moments as they are kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.assess.times import seconds_of, stamp


@given(st.integers(0, 4_000_000_000_000))
def test_a_moment_survives_to_the_millisecond(milliseconds: int) -> None:
    """And the text of a later one sorts later."""
    assert round(seconds_of(stamp(milliseconds / 1000)) * 1000) == milliseconds
    assert stamp(milliseconds / 1000) < stamp(milliseconds / 1000 + 1)
