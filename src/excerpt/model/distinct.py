"""Distinct values in order of first appearance, by hashing instead of sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import BoolArray, IntArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: 64-bit integers, signed or not; several of them side by side make one value.
Key: TypeAlias = "NDArray[np.integer[Any]]"

#: Odd numbers with bits all over; each pass hashes by another one.
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_FEW = 64


class Distinct(NamedTuple):
    """The row where each distinct value first appears, ascending; and the number of each row's value."""

    rows: IntArray
    codes: IntArray


def distinct(*keys: Key) -> Distinct:
    """Number the distinct rows of the columns in order of first appearance.

    >>> rows, codes = distinct(np.array([7, 5, 7, 5, 9]))
    >>> rows.tolist(), codes.tolist()
    ([0, 1, 4], [0, 1, 0, 1, 2])
    """
    first = first_rows(*keys)
    is_first = first == np.arange(len(first))
    return Distinct(np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first])


def first_rows(*keys: Key) -> IntArray:
    """For each row the first row that has the same values in all columns.

    Every row writes its number into the slot of its hash, the first one last. Rows with the values that they
    find in their slot are done, and all rows of equal values share a slot; the few others go on with another
    hash. Whatever the hash does, no row is lost: at last the values are sorted.
    """
    columns = [np.ascontiguousarray(key).view(np.uint64) for key in keys]
    first = np.arange(len(columns[0]))
    left: IntArray = first
    for multiplier in _MULTIPLIERS:
        if len(left) <= _FEW:
            break
        here = columns if left is first else [column[left] for column in columns]
        found, same = _one_pass(here, multiplier)
        if left is first:
            first, left = found, np.flatnonzero(~same)
        else:
            first[left[same]] = left[found[same]]
            left = left[~same]
    if len(left):
        first[left] = left[_by_sorting([column[left] for column in columns])]
    return first


def _one_pass(columns: list[NDArray[np.uint64]], multiplier: int) -> tuple[IntArray, BoolArray]:
    rows = len(columns[0])
    bits = max(rows.bit_length(), 8)
    hashed = columns[0] * np.uint64(multiplier)
    for column in columns[1:]:
        hashed ^= hashed >> np.uint64(29)  # else the high bits of a column would never meet the next
        hashed += column
        hashed *= np.uint64(multiplier)
    slot = (hashed >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, np.int32)  # half the memory; there are no columns of 2**31 rows
    table[slot[::-1]] = np.arange(rows - 1, -1, -1, dtype=np.int32)
    found = table[slot].astype(np.int64)
    same = columns[0][found] == columns[0]
    for column in columns[1:]:
        same &= column[found] == column
    return found, same


def _by_sorting(columns: list[NDArray[np.uint64]]) -> IntArray:
    order = np.lexsort(columns)
    opens = np.ones(len(order), np.bool_)
    opens[1:] = np.logical_or.reduce([column[order[1:]] != column[order[:-1]] for column in columns])
    first = np.empty_like(order)
    first[order] = order[opens][np.cumsum(opens) - 1]  # the sort is stable: the first of equal rows leads
    return first
