"""Columns of numbers from 0 on: in as few bytes as they fit, and sorted in linear time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from excerpt.model.spans import IntArray

_RADIX_BYTES = 2  # numpy sorts no wider numbers by their digits


def narrowest(largest: int, *, least: int = 2) -> np.dtype[Any]:
    """The unsigned type of at least `least` bytes that holds numbers up to `largest`.

    >>> narrowest(65_535), narrowest(65_536), narrowest(255, least=1)
    (dtype('uint16'), dtype('uint32'), dtype('uint8'))
    """
    width = least
    while largest >> 8 * width:
        width *= 2
    return np.dtype(f"<u{width}")


def narrow(values: npt.NDArray[Any], *, least: int = 1) -> npt.NDArray[Any]:
    """The same numbers in as few bytes as they fit, but at least so many."""
    return values.astype(narrowest(int(values.max(initial=0)), least=least), copy=False)


def stable_order(values: npt.NDArray[Any]) -> IntArray:
    """The rows sorted by numbers from 0 on, equal ones in their order; in linear time up to 32 bits."""
    low = narrow(values)
    if low.dtype.itemsize <= _RADIX_BYTES or low.dtype.itemsize > 2 * _RADIX_BYTES:
        return np.argsort(low, kind="stable")
    order = np.argsort(low.astype(np.uint16), kind="stable")  # the lower half
    return order[np.argsort((low >> 16).astype(np.uint16)[order], kind="stable")]
