"""From chunk to chunk."""

from __future__ import annotations

import pytest

from excerpt.placing.stepping import Evenly, step_through


@pytest.mark.parametrize(
    ("text", "parts", "claims", "ahead", "places"),
    [
        ("ab ab ab", ["ab", "ab"], [], 0, [0, 3]),
        ("ab ab ab", ["ab", "ab"], [0, 6], 0, [0, 6]),  # a claim beyond a gap, where nothing overlaps
        ("ab ab ab", ["ab", "ab"], [6, 0], 0, None),  # it leads nowhere
        ("aaaaaaaaaa", ["aaaa", "aaaa", "aaaa"], [], 0, [0, 3, 6]),
        ("aaaaaaaaaa", ["aaaa", "aaaa", "aaaa"], [], 3, [0, 4, 6]),
        ("ab ab", ["ab", "cd"], [], 0, None),
        ("ab cd", ["cd", "ab"], [], 0, None),
        ("ab cd ef gh", ["ab cd", "cd ef ef"], [], 0, None),
        ("ab cd ef gh", ["ab cd", "cd ef", "ef"], [], 0, None),  # a step back, and what is left at the end
        ("", [], [], 0, []),
    ],
)
def test_ways(
    text: str, parts: list[str], claims: list[int | None], ahead: int, places: list[int] | None
) -> None:
    """Either nothing overlaps, or nothing is left out; else there is no short way."""
    assert step_through(text, parts, claims, ahead) == places


def test_evenly() -> None:
    """What is too much is shared by the steps that are left; the first chunk overlaps with none."""
    evenly = Evenly([4, 4, 4], 10)
    assert [evenly.overlap(0, 0), evenly.overlap(1, 4), evenly.overlap(2, 8)] == [0, 1, 2]
    assert Evenly([4, 4], 10).overlap(1, 4) == 0
