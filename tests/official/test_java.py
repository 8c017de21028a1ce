"""Numbers and names as Java has them."""

from __future__ import annotations

import pytest

from excerpt.official.java import double_text, sort_key


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (0.001, "0.001"),
        (0.0009999, "9.999E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1 / 3, "0.3333333333333333"),
        (-2.5e-9, "-2.5E-9"),
        (0.0, "0.0"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_doubles(value: float, text: str) -> None:
    """Shortest digits, an exponent outside [1e-3, 1e7)."""
    assert double_text(value) == text


def test_names_are_ordered_by_code_units() -> None:
    """A character beyond 16 bits stands before U+FFFD, since its first half does."""
    assert sorted(["\ufffd", "\U0001f600", "2", "10"], key=sort_key) == ["10", "2", "\U0001f600", "\ufffd"]
