"""A chunk and its place."""

from __future__ import annotations

import pytest

from excerpt.placing.places import Wanted


@pytest.mark.parametrize(
    ("start", "end", "how"),
    [
        (None, None, "exact"),
        (3, None, "exact"),
        (3, 5, "exact"),
        (None, 5, "exact"),
        (4, None, "moved"),
        (3, 6, "moved"),
        (None, 4, "moved"),
    ],
)
def test_claims(start: int | None, end: int | None, how: str) -> None:
    """A chunk is exact where nothing that was said of it is wrong."""
    assert Wanted("ab", start, end).at(3) == (3, 5, how)
