"""A cache that does not grow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.documents.recent import Recent


@given(st.lists(st.integers(0, 6), max_size=40))
def test_the_last_values_that_fit_are_kept(keys: list[int]) -> None:
    """The same values as of a plain model: the last distinct keys whose sizes fit into the room."""
    recent: Recent[str] = Recent(room=6, size=len)
    made: list[int] = []
    expected: list[int] = []  # the last used is the last
    for key in keys:

        def make(key: int = key) -> str:
            made.append(key)
            return "x" * (key + 1)

        known = key in expected
        before = len(made)
        assert recent.get(key, make) == "x" * (key + 1)
        assert (len(made) == before) is known
        if known:
            expected.remove(key)
        if key + 1 <= 6:
            expected.append(key)
        while sum(other + 1 for other in expected) > 6:
            del expected[0]
