"""Data frames: the same columns from every library, with narwhals and without it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest

from excerpt.errors import ExcerptError
from excerpt.model.given_frames import read_frame
from excerpt.model.run import is_frame

COLUMNS = {"topic": ["1", "2"], "start": [3, 4], "path": ["/a[1]", None]}


class Lazy(NamedTuple):
    """A frame that is not read before it is collected, as polars has."""

    frame: pd.DataFrame

    @property
    def columns(self) -> None:
        """Asked for too early."""
        raise AssertionError("this frame is to be collected first")

    def collect(self) -> pd.DataFrame:
        """Its values."""
        return self.frame


def polars() -> Any:
    """The library, where it is installed."""
    return pytest.importorskip("polars", reason="polars comes with --thorough")


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "arrow": lambda: pa.table(COLUMNS),
    "collected": lambda: Lazy(pd.DataFrame(COLUMNS, dtype=object)),
    "polars": lambda: polars().DataFrame(COLUMNS),
    "lazy": lambda: polars().LazyFrame(COLUMNS),
}


@pytest.mark.parametrize("narwhals", [True, False])
@pytest.mark.parametrize("name", FRAMES)
def test_columns(name: str, narwhals: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain values by name, whatever the library."""
    frame = FRAMES[name]()
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
