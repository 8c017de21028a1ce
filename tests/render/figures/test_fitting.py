"""Names that are not too long, and places that do not collide."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.render.figures.fitting import apart, label


def test_labels() -> None:
    """Control characters are visible and long names cut."""
    assert label("a\x1b") == "a\\x1b"
    assert len(label("n" * 5000)) == 60


@settings(max_examples=50)
@given(st.lists(st.floats(-20, 120), max_size=12))
def test_places_are_moved_apart(places: list[float]) -> None:
    """By a gap, within the limits, in the same order; places that do not collide stay."""
    moved = apart(places, 5.0, 0.0, 100.0)
    pairs = sorted(zip(places, moved, strict=True), key=lambda pair: pair[1])
    assert all(after[1] - before[1] >= 5.0 - 1e-9 for before, after in itertools.pairwise(pairs))
    assert [place for place, _ in pairs] == sorted(places)
    assert all(-1e-9 <= place <= 100.0 + 1e-9 for place in moved)
    if apart(moved, 5.0, 0.0, 100.0) != pytest.approx(moved, abs=1e-6):
        raise AssertionError("what is apart stays")
