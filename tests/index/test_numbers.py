"""Columns of numbers: narrow, and sorted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.index import numbers


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.sampled_from([0, 1, 2**8, 2**16 - 1, 2**16, 2**16 + 1, 2**32 - 1, 2**32, 2**40])),
    largest=st.sampled_from([2**8, 2**16, 2**32, 2**41]),
)
def test_rows_are_sorted_by_numbers_of_any_size(values: list[int], largest: int) -> None:
    """Equal numbers stay in their order, whichever way they are sorted."""
    values = [value for value in values if value < largest]
    expected = sorted(range(len(values)), key=values.__getitem__)
    assert numbers.stable_order(np.array(values, np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("largest", "expected"),
    [(0, "<u2"), (2**16 - 1, "<u2"), (2**16, "<u4"), (2**32 - 1, "<u4"), (2**32, "<u8")],
)
def test_numbers_fit(largest: int, expected: str) -> None:
    """The type holds the largest number, and half of it would not, but for the least width."""
    assert numbers.narrowest(largest) == np.dtype(expected)
    assert numbers.narrow(np.array([0, largest]), least=2).tolist() == [0, largest]
