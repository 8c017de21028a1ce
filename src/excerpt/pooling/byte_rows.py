"""Rows of text from pieces, many at once: pieces are filled up with NUL to whole words; then the NULs go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from excerpt.model.spans import AnyArray, IntArray

#: Bytes of a word.
WORD = 8


class Pieces(NamedTuple):
    """Texts without NUL, as words: those of a text are between its bounds."""

    words: IntArray
    bounds: IntArray

    @classmethod
    def of(cls, texts: Iterable[str]) -> Pieces:
        """Make pieces of texts."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        filled = [text + b"\0" * (-len(text) % WORD) for text in encoded]
        bounds = np.cumsum([0, *map(len, filled)]) // WORD
        return cls(np.frombuffer(b"".join(filled), np.int64), bounds)

    @classmethod
    def of_rows(cls, rows: AnyArray) -> Pieces:
        """Make a piece of each row of an array, whose rows have whole words."""
        words = rows.view(np.int64).ravel()
        return cls(words, np.arange(len(rows) + 1) * (len(words) // max(len(rows), 1)))


class Column(NamedTuple):
    """Pieces by their numbers, and the row to which each belongs, ascending."""

    pieces: Pieces
    number: IntArray
    row: IntArray


def join_rows(columns: Sequence[Column], rows: int) -> bytes:
    """Join the pieces of each row, column after column.

    >>> every = np.arange(2)
    >>> names, more = Pieces.of(["a", "a longer name"]), Pieces.of([":", ", and"])
    >>> join_rows([Column(names, every, every), Column(more, np.array([0, 1, 0]), np.array([0, 0, 1]))], 2)
    b'a:, anda longer name:'
    """
    sizes = [np.diff(pieces.bounds)[number] for pieces, number, _ in columns]
    # Words by row and column, and where they begin.
    words = np.array([_sums(column.row, size, rows) for column, size in zip(columns, sizes, strict=True)]).T
    begin = (np.cumsum(words) - words.ravel()).reshape(words.shape)
    text = np.empty(words.sum(), np.int64)
    for (pieces, number, row), size, first, own in zip(columns, sizes, begin.T, words.T, strict=True):
        before = np.cumsum(size) - size
        place = (first - (np.cumsum(own) - own))[row]
        moving = np.arange(size.sum())
        text[np.repeat(place, size) + moving] = pieces.words[
            np.repeat(pieces.bounds[number] - before, size) + moving
        ]
    return text.tobytes().translate(None, b"\0")


def _sums(row: IntArray, size: IntArray, rows: int) -> IntArray:
    return np.bincount(row, size, rows).astype(np.int64)


def digits(values: IntArray) -> AnyArray:
    """Decimal digits of numbers from 0, four of a number to a column; NUL where there is none.

    >>> digits(np.array([0, 70, 123_045])).tobytes().replace(b"\\0", b" ")
    b'       0      70  123045'
    """
    most = int(values.max(initial=0))
    rest: AnyArray = values.astype(np.uint32 if most < 1 << 32 else np.int64)
    columns: list[AnyArray] = []
    for place in range(-(-len(str(most)) // 4)):
        higher: AnyArray = rest // 10_000
        column = _groups()[rest - higher * 10_000 + (higher > 0) * 10_000]
        columns.insert(0, np.where(rest > 0, column, 0) if place else column)
        rest = higher
    return np.stack(columns, axis=1)


def in_words(*columns: AnyArray) -> AnyArray:
    """Rows of characters, one to a column, and of `digits`; filled up to whole words."""
    width = sum(4 * column.shape[1] if column.ndim > 1 else 1 for column in columns)
    kinds: list[Any] = [("u4", column.shape[1:]) if column.ndim > 1 else "u1" for column in columns]
    fields = [(f"{number}", kind) for number, kind in enumerate(kinds)]
    rows = np.zeros(len(columns[0]), [*fields, ("fill", f"V{-width % WORD}")])
    for (name, _), column in zip(fields, columns, strict=True):
        rows[name] = column
    return rows


@cache
def _groups() -> AnyArray:
    """Four digits of each number below 10,000: first without zeros in front, then with them."""
    number = np.arange(10_000)[:, None]
    full = number // [1000, 100, 10, 1] % 10 + ord("0")
    bare = np.where(number >= [1000, 100, 10, 0], full, 0)
    return np.concatenate((bare, full)).astype(np.uint8).view(np.uint32).ravel()
