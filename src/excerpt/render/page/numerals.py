"""Whole numbers as text, a column at a time: what JSON writes, many times faster."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Digits of one word: its eight bytes are a sign, a free one, digits with NUL or zeros before them, a comma.
_DIGITS = 5
_STEP = 10**_DIGITS
_MINUS = np.uint64(ord("-"))
_ZEROS = np.uint64(int.from_bytes(b"\0\0" + b"0" * _DIGITS, "little"))
_NO_COMMA = np.uint64((1 << 56) - 1)

Words: TypeAlias = NDArray[np.uint64]


def number_text(column: NDArray[Any]) -> bytes:
    """Numbers of up to 18 digits with commas between them.

    >>> number_text(np.array([0, -7, 120, 3000000]))
    b'0,-7,120,3000000'
    """
    values = column.astype(np.int64, copy=False)
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    sizes = np.abs(values) if least < 0 else values
    words = _long(sizes) if max(most, -least) >= _STEP else _table()[sizes][:, None]
    if least < 0:
        words[values < 0, 0] |= _MINUS
    return words.tobytes().translate(None, b"\0")[:-1]


def _long(sizes: NDArray[np.int64]) -> Words:
    """Numbers of several words each, which stand in a row."""
    words: list[Words] = []
    while sizes.any():
        rest = sizes // _STEP
        word = _table()[sizes - _STEP * rest]
        word[rest > 0] |= _ZEROS
        words.append(np.where(sizes > 0, word & _NO_COMMA, np.uint64(0)) if words else word)
        sizes = rest
    return np.stack(words[::-1], axis=1)


@cache
def _table() -> Words:
    """All numbers of one word, right-aligned and with a comma, NUL before them."""
    texts = b"".join((b"%d," % number).rjust(8, b"\0") for number in range(_STEP))
    return np.frombuffer(texts, "<u8")
