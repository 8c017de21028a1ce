"""Looking up in columns."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.index.lookup import expand, lower_bound


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=12), st.integers(-1, 11)), max_size=20))
def test_bisection_in_slices(queries: list[tuple[list[int], int]]) -> None:
    """The first number of each slice that is not below what is asked for, as the library finds it."""
    slices = [sorted(numbers) for numbers, _ in queries]
    counts = np.array([len(numbers) for numbers in slices], np.int64)
    ends = np.cumsum(counts)
    begins = ends - counts
    column = np.array([number for numbers in slices for number in numbers], np.int64)
    found = lower_bound(column, begins, ends, np.array([value for _, value in queries], np.int64))
    expected = [bisect_left(numbers, value) for numbers, (_, value) in zip(slices, queries, strict=True)]
    assert (found - begins).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5))))
def test_ranges_are_expanded(ranges: list[tuple[int, int]]) -> None:
    """All numbers of all ranges, each with the place of its range."""
    low = np.array([begin for begin, _ in ranges], np.int64)
    query, number = expand(low, low + np.array([size for _, size in ranges], np.int64))
    expected = [(place, begin + step) for place, (begin, size) in enumerate(ranges) for step in range(size)]
    assert list(zip(query.tolist(), number.tolist(), strict=True)) == expected
