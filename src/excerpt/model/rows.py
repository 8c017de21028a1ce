"""Rows of values as callers give them: names, offsets and scores, each checked before it becomes a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from types import NoneType
from typing import Any, cast

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.spans import FloatArray


def list_rows(given: object, expected: str) -> list[Any]:
    """The rows of an iterable; an error for text and for what has none."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ExcerptError(f"found {short(repr(given))}, expected {expected}")
    return list(given)


def list_names(values: Iterable[object], what: str) -> list[str]:
    """Names as text; numbers may be names, as in JSON.

    >>> list_names(["a", 7], "topic")
    ['a', '7']
    """
    found = list(values)
    if set(map(type, found)) <= {str}:
        return cast("list[str]", found)
    for value in found:
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise ExcerptError(f"found {short(repr(value))} as {what}, expected text")
    return list(map(str, found))


def list_scores(values: Sequence[object]) -> FloatArray:
    """A column of scores; None stands for none, which a column has as NaN."""
    plain = set(map(type, values)) <= {float, int, NoneType}
    for value in (value for value in values if not plain or value != value):  # noqa: PLR0124 - NaN is not
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and value == value):  # noqa: PLR0124 - NaN is not
            raise ExcerptError(f"found {short(repr(value))} as score, expected a number or None")
    return np.array([np.nan if value is None else value for value in values], np.float64)


def list_highlight(row: object) -> tuple[Any, Any, Any, Any]:
    """Topic, document, start and end of relevant text, also where the last three are a span."""
    match row:
        case (topic, (document, start, end)) | (topic, document, start, end):
            return topic, document, start, end
    raise ExcerptError(
        f"found {short(repr(row))} as relevant text, expected topic and Span, or topic, document, start, end"
    )
