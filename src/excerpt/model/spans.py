"""Spans of text, sums over groups, and distinct rows by hashing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


AnyArray: TypeAlias = "NDArray[Any]"
IntArray: TypeAlias = "NDArray[np.int64]"
FloatArray: TypeAlias = "NDArray[np.float64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"

#: Missing value in a column of whole numbers.
UNKNOWN = -1
#: The largest offset and the largest length that a file may contain.
MAX_OFFSET = 2**31 - 1
#: Where relevant text begins that is at no place: a quote that a text lost. No result reaches it.
NO_PLACE = 2**30
#: A key has its group above these bits. Positions stay below 2**33; negative ones sort before the group.
POSITION_BITS = 34


class Span(NamedTuple):
    """A span of one document's text: the characters from `start` up to, not including, `end`.

    >>> Span("d1", 3, 10).length
    7
    """

    document: str
    start: int
    end: int

    @property
    def length(self) -> int:
        """Number of characters of the span."""
        return self.end - self.start


def keys(group: IntArray, position: IntArray) -> IntArray:
    """One sortable integer for each (group, position); groups below 2**29, positions below 2**33."""
    return (group << POSITION_BITS) + position


def sums(group: IntArray, amount: IntArray, groups: int) -> IntArray:
    """Sum of an amount over each of the groups 0 … groups-1."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, amount)
    return total


def running_sums(amount: IntArray, first: IntArray) -> IntArray:
    """Sums from the first row of a group up to and including each row; `first` has the first rows."""
    total = np.cumsum(amount)
    before = np.concatenate((np.zeros(1, np.int64), total))[first[:-1]]
    return np.asarray(total - np.repeat(before, np.diff(first)), np.int64)


def column_sums(values: FloatArray) -> FloatArray:
    """Correctly rounded sums of columns of non-negative numbers, as `math.fsum` computes them.

    Rows are added together with the rounding error of each addition. If the last bit is still uncertain,
    which is rare, `math.fsum` decides.

    >>> bool(column_sums(np.array([[1.0], [2.0**-53], [2.0**-53]]))[0] == 1 + 2.0**-52)
    True
    """
    rows, columns = values.shape
    high, low = np.zeros(columns), np.zeros(columns)
    for row in values:
        total = high + row
        rest = total - high
        low += (high - (total - rest)) + (row - rest)
        high = total
    sums = high + low
    # The error of `sums` is `low - (sums - high)`, which is exact, plus the rounding errors of `low`.
    error = np.abs(low - (sums - high)) + rows * rows * 2.0**-104 * sums
    uncertain = np.flatnonzero(2 * error >= np.spacing(np.nextafter(sums, 0)))
    sums[uncertain] = [math.fsum(column) for column in values[:, uncertain].T.tolist()]
    return sums


@dataclass(frozen=True, eq=False)
class KeyedSpans:
    """Disjoint, sorted spans in groups (a group is a topic's document), with operations on many spans.

    >>> spans = KeyedSpans.union([0, 0, 1], [10, 30, 5], [20, 40, 6])
    >>> spans.overlap(np.array([0, 0, 1, 2]), np.array([0, 15, 0, 0]), np.array([15, 35, 9, 9])).tolist()
    [5, 10, 1, 0]
    """

    group: IntArray
    start: IntArray
    end: IntArray

    @classmethod
    def union(cls, group: object, start: object, end: object) -> KeyedSpans:
        """Merge overlapping and adjacent spans of each group; empty spans are dropped."""
        columns = [np.asarray(column, np.int64) for column in (group, start, end)]
        filled = columns[2] > columns[1]
        group_, start_, end_ = (column[filled] for column in columns)
        order = np.argsort(keys(group_, start_))
        group_, start_, end_ = group_[order], start_[order], end_[order]
        if not len(group_):
            return cls(group_, start_, end_)
        reach = np.maximum.accumulate(keys(group_, end_))
        opens = np.ones(len(group_), np.bool_)
        opens[1:] = keys(group_, start_)[1:] > reach[:-1]
        first = np.flatnonzero(opens)
        last = np.append(first[1:], len(group_)) - 1
        return cls(group_[first], start_[first], reach[last] - (group_[first] << POSITION_BITS))

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def length(self) -> IntArray:
        """Length of each span."""
        return self.end - self.start

    @cached_property
    def _keys(self) -> IntArray:
        return keys(self.group, self.start)

    @cached_property
    def _before(self) -> IntArray:
        return np.concatenate(([0], np.cumsum(self.length)))

    def totals(self, groups: int) -> IntArray:
        """Total length of the spans of each of the groups 0 … groups-1."""
        bounds = np.searchsorted(self.group, np.arange(groups + 1))
        return np.diff(self._before[bounds])

    def counts(self, groups: int) -> IntArray:
        """Number of spans of each of the groups 0 … groups-1."""
        return np.diff(np.searchsorted(self.group, np.arange(groups + 1))).astype(np.int64)

    def overlap(self, group: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Number of characters that each query span shares with the spans of its group (0 for group -1)."""
        filled = (group >= 0) & (end > start)
        result = np.zeros(len(group), np.int64)
        groups = group[filled]
        result[filled] = self._covered(groups, end[filled]) - self._covered(groups, start[filled])
        return result

    def _covered(self, group: IntArray, position: IntArray) -> IntArray:
        """Characters of all spans before (group, position), earlier groups included."""
        if not len(self):
            return np.zeros(len(group), np.int64)
        index = np.searchsorted(self._keys, keys(group, position), side="right") - 1
        last = np.maximum(index, 0)
        reached = np.minimum(self.length[last], position - self.start[last])
        partial = np.where(self.group[last] == group, reached, self.length[last])
        return np.where(index < 0, 0, self._before[last] + partial)


#: Column of integers, signed or not; several columns make one value per row.
KeyColumn: TypeAlias = "NDArray[np.integer[Any]]"

#: Odd numbers with well distributed bits; each pass uses another one.
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_FEW = 64
_LARGE = 2.0**900


class Distinct(NamedTuple):
    """First row of each distinct value, ascending, and the number of each row's value."""

    rows: IntArray
    codes: IntArray


def distinct(*keys: KeyColumn) -> Distinct:
    """Number the distinct rows of the columns in order of first appearance.

    >>> rows, codes = distinct(np.array([7, 5, 7, 5, 9]))
    >>> rows.tolist(), codes.tolist()
    ([0, 1, 4], [0, 1, 0, 1, 2])
    """
    first = first_rows(*keys)
    is_first = first == np.arange(len(first))
    return Distinct(np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first])


def first_rows(*keys: KeyColumn) -> IntArray:
    """First row with the same values in all columns, for each row.

    Every row writes its number into the slot of its hash, in reverse, so that the first row wins. A row whose
    values equal those of the row in its slot is finished. The few others continue with another hash, and
    after the last pass the remaining rows are sorted.
    """
    wide = [key if key.itemsize == 8 else key.astype(np.int64) for key in keys]
    columns = [np.ascontiguousarray(key).view(np.uint64) for key in wide]
    first = np.arange(len(columns[0]))
    left: IntArray = first
    for multiplier in _MULTIPLIERS:
        if len(left) <= _FEW:
            break
        here = columns if left is first else [column[left] for column in columns]
        in_slot, same = _one_pass(here, multiplier)
        if left is first:
            first, left = in_slot, np.flatnonzero(~same)
        else:
            first[left[same]] = left[in_slot[same]]
            left = left[~same]
    if len(left):
        first[left] = left[_by_sorting([column[left] for column in columns])]
    return first


def _one_pass(columns: list[NDArray[np.uint64]], multiplier: int) -> tuple[IntArray, BoolArray]:
    rows = len(columns[0])
    bits = max(rows.bit_length(), 8)
    hashed = columns[0] * np.uint64(multiplier)
    for column in columns[1:]:
        hashed ^= hashed >> np.uint64(29)  # otherwise high bits of a column would not affect the next
        hashed += column
        hashed *= np.uint64(multiplier)
    slot = (hashed >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, np.int32)  # half the memory; no column has 2**31 rows
    table[slot[::-1]] = np.arange(rows - 1, -1, -1, dtype=np.int32)
    in_slot = table[slot].astype(np.int64)
    same = columns[0][in_slot] == columns[0]
    for column in columns[1:]:
        same &= column[in_slot] == column
    return in_slot, same


def _by_sorting(columns: list[NDArray[np.uint64]]) -> IntArray:
    order = np.lexsort(columns)
    opens = np.ones(len(order), np.bool_)
    opens[1:] = np.logical_or.reduce([column[order[1:]] != column[order[:-1]] for column in columns])
    first = np.empty_like(order)
    first[order] = order[opens][np.cumsum(opens) - 1]  # the sort is stable, so this is the first row
    return first


def exact_means(scores: FloatArray) -> FloatArray:
    """Means of the defined scores over the last axis, NaN if there are none; sums are correctly rounded.

    >>> exact_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5, math.nan, 1.0]])).tolist()
    [0.19999999999999998, 0.19999999999999998, 0.75]
    """
    defined = ~np.isnan(scores)
    rows = np.where(defined, scores, 0.0).reshape(math.prod(scores.shape[:-1]), scores.shape[-1])
    most = rows.max(initial=0)
    long = len(rows) * _FEW < rows.shape[1] and most < _LARGE  # `fsum` of larger numbers may fail
    if rows.size and rows.min() >= 0 and most < math.inf and not long:
        sums = column_sums(np.ascontiguousarray(rows.T))  # faster than `fsum`, with the same result
    else:
        sums = np.array([math.fsum(row) for row in rows])
    with np.errstate(invalid="ignore"):
        return np.asarray(sums.reshape(scores.shape[:-1]) / defined.sum(axis=-1))
