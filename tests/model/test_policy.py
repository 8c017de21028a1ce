"""Policies: what they take, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from excerpt.errors import ExcerptError
from excerpt.model import Policy


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"overlap": "frist"}, "unknown policy for overlap 'frist'; did you mean 'first'?"),
        ({"interleaved": "yes"}, "unknown policy for interleaved 'yes'"),
        ({"unknown": ""}, "unknown policy for unknown ''"),
        ({"limit": 0}, "found limit 0, expected a whole number of at least 1, or none"),
        ({"limit": True}, "found limit True, expected a whole number"),
        ({"limit": 1.5}, "found limit 1.5, expected a whole number"),
        ({"unknown_length": 0}, "found unknown_length 0, expected error, mean, or a number from 1 to"),
        ({"unknown_length": "median"}, "found unknown_length 'median', expected error, mean"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    """Each is one line that says what was expected."""
    with pytest.raises(ExcerptError) as caught:
        Policy(**options)
    assert str(caught.value).startswith(message)


def test_every_choice_is_taken() -> None:
    """Policies are values: equal where their fields are."""
    for overlap in ("error", "first", "penalise", "allow"):
        assert Policy(overlap=overlap).overlap == overlap
    assert Policy(limit=None, unknown_length=18) == Policy(limit=None, unknown_length=18)
    assert Policy() != Policy(interleaved="regroup")
