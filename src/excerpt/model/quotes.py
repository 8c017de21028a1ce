"""The text that rows of a run or of judgments quote, beside the place that they tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from excerpt.model.keys import HOW, TEXTS
from excerpt.model.texts import squeeze

#: The text of each row, None where it has none.
Quotes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.object_]]


class Trimmed(str):
    """A text of which only a part stands in its document, as placing says."""

    __slots__ = ()


def quote_of(fields: Mapping[str, Any]) -> str | None:
    """The text that a row has; None where it has none.

    >>> quote_of({"text": "one two", "start": 0}), quote_of({"start": 0})
    ('one two', None)
    """
    text = next((fields[key] for key in TEXTS if isinstance(fields.get(key), str)), "")
    return (Trimmed(text) if fields.get(HOW) == "trimmed" else text) if text else None


def is_quoted(quote: str, text: str) -> bool:
    r"""Whether a text is what a row quotes; white space may differ, which chunkers strip and collapse.

    >>> is_quoted("one two", "one\n\ntwo "), is_quoted("one two", "one"), is_quoted(Trimmed("1. one"), "one")
    (True, False, True)
    """
    if quote == text:
        return True
    wanted, found = squeeze(quote), squeeze(text)
    return wanted == found or (isinstance(quote, Trimmed) and bool(found) and found in wanted)


def quotes_of(columns: Mapping[str, list[Any]], count: int) -> Quotes | None:
    """The texts of rows that are given as columns; None where no row has one."""
    keys = [key for key in (*TEXTS, HOW) if key in columns]
    if not count or not set(keys) & set(TEXTS):
        return None
    quotes = np.empty(count, np.object_)
    for row in range(count):
        quotes[row] = quote_of({key: columns[key][row] for key in keys})
    return quotes if any(quote is not None for quote in quotes.tolist()) else None
