"""A measure is found however it is spelt."""

from __future__ import annotations

import pytest

from excerpt.errors import ExcerptError
from excerpt.model.measure_names import find_measure, value_of

ALIASES = {"recall@5": "charR@5"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("charR[5]", "recall@5"),
        ("charR@5", "recall@5"),
        ("recall@5", "recall@5"),
        ("charR[6]", None),
        ("my own", "my own"),
        ("mine", None),
    ],
)
def test_spellings(name: str, found: str | None) -> None:
    """By its value, or by its name where that is no measure."""
    assert find_measure(name, ["my own", "recall@5"], ALIASES) == found


def test_one_name_for_two_measures_is_refused() -> None:
    """What an everyday name stands for may differ from table to table."""
    with pytest.raises(ExcerptError, match=r"found recall@5 for two measures, charF\[5\] and charR\[5\]"):
        find_measure("recall@5", ["recall@5"], ALIASES, {"recall@5": "charF@5"})


def test_values() -> None:
    """Names that are no measures have none."""
    assert value_of("iP@0.01") == value_of("iP[0.01]")
    assert value_of("no measure") is None
