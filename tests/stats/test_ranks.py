"""Ranks with ties."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.stats.ranks import average_ranks


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 1.0]), max_size=12))
def test_ranks_by_counting(values: list[float]) -> None:
    """A rank is the number of smaller values, plus the middle of the equal ones."""
    ranks = average_ranks(np.array([values, values[::-1]], np.float64))
    for row, numbers in enumerate((values, values[::-1])):
        smaller = [sum(other < value for other in numbers) for value in numbers]
        equal = [numbers.count(value) for value in numbers]
        assert ranks.ties[row].tolist() == equal
        assert ranks.rank[row].tolist() == [
            below + (same + 1) / 2 for below, same in zip(smaller, equal, strict=True)
        ]
