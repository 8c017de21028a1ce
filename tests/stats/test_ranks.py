"""Ranks with ties."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from excerpt.stats.ranks import average_ranks


@given(st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=4))
def test_ranks_are_those_of_scipy(rows: list[list[int]]) -> None:
    """Equal values share the mean of their places, in every row by itself, and know how many they are."""
    values = np.array(rows, np.float64)
    ranks = average_ranks(values)
    assert ranks.rank.tolist() == rankdata(values, axis=1).tolist()
    assert ranks.ties.tolist() == [[row.count(value) for value in row] for row in rows]
