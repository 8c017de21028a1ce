"""Data frames of any library, as columns of plain values."""

from __future__ import annotations

import math
from typing import Any, Protocol

from excerpt.errors import ExcerptError


class Frame(Protocol):
    """A table of pandas, polars, Arrow or another library: what has columns by name."""

    def __getitem__(self, name: Any, /) -> Any: ...


def read_frame(frame: Any) -> dict[str, list[Any]]:
    """The columns of a data frame by name; what is missing is None, but for numbers that are NaN.

    Narwhals reads it where it is installed; without it, frames of pandas, polars and Arrow are read.
    """
    try:
        import narwhals.stable.v1 as narwhals
    except ImportError:
        columns = _by_hand(frame)
    else:
        try:
            opened: Any = narwhals.from_native(frame)
        except TypeError:
            columns = _by_hand(frame)
        else:
            opened = opened.collect() if hasattr(opened, "collect") else opened
            columns = {str(name): opened.get_column(name).to_list() for name in opened.columns}
    return {
        name: [None if _is_missing(value) else value for value in values] for name, values in columns.items()
    }


def _by_hand(frame: Any) -> dict[str, list[Any]]:
    frame = frame.collect() if hasattr(frame, "collect") else frame  # not before it is asked for
    names = getattr(frame, "column_names", None)
    names = list(frame.columns) if names is None else names
    return {str(name): _values(frame[name]) for name in names}


def _values(column: Any) -> list[Any]:
    for name in ("to_pylist", "to_list", "tolist"):
        if callable(found := getattr(column, name, None)):
            return list(found())
    raise ExcerptError(f"found a column of type {type(column).__name__}, expected one of a data frame")


def _is_missing(value: object) -> bool:
    """Whether a value is what a library has where there is none: `pandas.NA` is equal to nothing."""
    return type(value).__name__ in {"NAType", "NaTType"}


def is_absent(value: object) -> bool:
    """Whether there is no value: None, or what a data frame has instead.

    >>> is_absent(None), is_absent(float("nan")), is_absent(0)
    (True, True, False)
    """
    return value is None or (isinstance(value, float) and math.isnan(value)) or _is_missing(value)
