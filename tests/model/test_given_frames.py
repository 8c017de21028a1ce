"""Data frames: the same columns from every library, with narwhals and without it."""

from __future__ import annotations

import sys
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from excerpt.errors import ExcerptError
from excerpt.model.given_frames import read_frame
from excerpt.model.run import is_frame

COLUMNS = {"topic": ["1", "2"], "start": [3, 4], "path": ["/a[1]", None]}
FRAMES = [
    pd.DataFrame(COLUMNS, dtype=object),
    pl.DataFrame(COLUMNS),
    pa.table(COLUMNS),
    pl.LazyFrame(COLUMNS),
]
NAMES = ["pandas", "polars", "arrow", "lazy"]


@pytest.mark.parametrize("narwhals", [True, False])
@pytest.mark.parametrize("frame", FRAMES, ids=NAMES)
def test_columns(frame: Any, narwhals: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain values by name, whatever the library."""
    if not narwhals:
        monkeypatch.setitem(sys.modules, "narwhals.stable.v1", None)
    assert is_frame(frame)
    assert read_frame(frame) == COLUMNS


def test_missing_values_are_none() -> None:
    """pandas.NA, which is equal to nothing, becomes None; NaN stays, so that it can be named."""
    found = read_frame(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1.0, float("nan")]}))
    assert found["a"] == [1, None]
    assert found["b"][1] != found["b"][1]


def test_what_is_no_frame() -> None:
    """Rows and mappings are none; columns must have values."""
    assert not any(map(is_frame, ([1], {"a": 1}, "abc", pd.DataFrame, 7)))
    strange = type("Strange", (), {"columns": ["a"], "__getitem__": lambda self, name: 7})()
    with pytest.raises(ExcerptError, match="found a column of type int, expected one of a data frame"):
        read_frame(strange)
