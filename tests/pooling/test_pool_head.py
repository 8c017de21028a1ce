"""Names in the head of a pool file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.pooling.pool_head import name_of, word


@given(st.text(min_size=1))
def test_names_are_words(name: str) -> None:
    """Any name is one word without a comma, and comes back."""
    assert len(word(name).split()) == 1
    assert "," not in word(name)
    assert name_of(word(name)) == name
