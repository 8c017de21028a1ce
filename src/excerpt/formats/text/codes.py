"""Bytes of a text as numbers: where some of them are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.model.spans import BoolArray, IntArray

Codes: TypeAlias = NDArray[np.uint8]

_BLOCK = 1 << 18  # bytes looked at together: what is computed of them stays in the cache
_SMALL = (1 << 31) - (1 << 16)  # places in smaller texts, and sums of them and short lengths, have 32 bits


def find(codes: Codes, test: Callable[[Codes], BoolArray]) -> IntArray:
    """Where bytes pass a test; of all but very long texts in integers of 32 bits, to be short.

    >>> find(np.frombuffer(b"a b c", np.uint8), lambda block: block == ord(" ")).tolist()
    [1, 3]
    """
    blocks = [codes[begin : begin + _BLOCK] for begin in range(0, len(codes), _BLOCK)]
    counts = [int(np.count_nonzero(test(block))) for block in blocks]  # cheaper than to move what is found
    found: IntArray = np.empty(sum(counts), _index_type(len(codes)))
    done = 0
    for number, (block, count) in enumerate(zip(blocks, counts, strict=True)):
        places = np.flatnonzero(test(block))
        np.add(places, number * _BLOCK, out=found[done : done + count], casting="same_kind")
        done += count
    return found


def _index_type(length: int) -> Any:
    return np.int32 if length < _SMALL else np.int64


def is_among(codes: Codes, wanted: bytes) -> BoolArray:
    """Which bytes are among a few."""
    return np.asarray(np.logical_or.reduce([codes == code for code in wanted]))
