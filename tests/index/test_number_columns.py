"""Columns of unsigned numbers: as narrow as they may be, sorted in linear time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.index.disk import narrow, narrowest, stable_order, write_column
from excerpt.indexing.merge import Spool


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.sampled_from([0, 1, 2**8, 2**16 - 1, 2**16, 2**16 + 1, 2**32 - 1, 2**32, 2**40])),
    largest=st.sampled_from([2**8, 2**16, 2**32, 2**41]),
)
def test_rows_are_sorted_by_numbers_of_any_size(values: list[int], largest: int) -> None:
    """Equal numbers stay in their order, whichever way they are sorted."""
    values = [value for value in values if value < largest]
    expected = sorted(range(len(values)), key=values.__getitem__)
    assert stable_order(np.array(values, np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("largest", "expected"),
    [(0, "<u2"), (2**16 - 1, "<u2"), (2**16, "<u4"), (2**32 - 1, "<u4"), (2**32, "<u8")],
)
def test_numbers_fit(largest: int, expected: str) -> None:
    """The type fits the largest number, and half of it would not, except for the least width."""
    assert narrowest(largest) == np.dtype(expected)
    assert narrow(np.array([0, largest]), least=2).tolist() == [0, largest]


def test_wide_numbers(tmp_path: Path) -> None:
    """Columns are as wide as their largest value needs."""
    spool = Spool(tmp_path, "narrow")
    spool.append(np.array([1, 65_535]))
    spool.finish()
    wide = Spool(tmp_path, "wide")
    wide.append(np.array([1]))
    wide.append(np.array([2**32 - 1]))
    wide.finish()
    assert [str(np.load(tmp_path / f"{name}.npy").dtype) for name in ("narrow", "wide")] == [
        "uint16",
        "uint32",
    ]
    assert np.load(tmp_path / "wide.npy").tolist() == [1, 2**32 - 1]


def test_whole_columns_are_as_narrow_as_they_may_be(tmp_path: Path) -> None:
    """Numbers below 0 keep their type."""
    for name, values in {"a": [0, 70_000], "b": [-1, 3], "c": [2**40]}.items():
        write_column(tmp_path, name, np.array(values))
    assert [str(np.load(tmp_path / f"{name}.npy").dtype) for name in "abc"] == ["uint32", "int64", "uint64"]
