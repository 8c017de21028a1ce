"""Spans of code points, and distinct names by hashing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from numpy.typing import NDArray


AnyArray: TypeAlias = "NDArray[Any]"
IntArray: TypeAlias = "NDArray[np.int64]"
FloatArray: TypeAlias = "NDArray[np.float64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"
Row: TypeAlias = tuple[Any, ...]

#: Stands in a column of whole numbers where there is none: not known, not given, or no such thing.
UNKNOWN = -1
#: The largest offset and the largest length that a file may contain.
MAX_OFFSET = 2**31 - 1
#: A key has its group above these bits. Positions stay below 2**33; negative ones sort before the group.
POSITION_BITS = 34


class Span(NamedTuple):
    """A stretch of one document's text.

    >>> Span("d1", 3, 10).length
    7
    """

    document: str
    start: int
    end: int

    @property
    def length(self) -> int:
        """How many characters the span has."""
        return self.end - self.start


def whole_numbers(values: Sequence[object], what: str, rows: Sequence[Row] = ()) -> IntArray:
    """A column of whole numbers; an error where a value is none, instead of cutting it.

    The rows, which start with topic and document, tell where it is.

    >>> whole_numbers([1, 2.0, np.int32(3)], "start").tolist()
    [1, 2, 3]
    """
    if set(map(type, values)) <= {int, np.int64}:
        with suppress(OverflowError):
            return np.array(values, np.int64)
    return np.array([_whole(value, what, rows[i : i + 1]) for i, value in enumerate(values)], np.int64)


def _whole(value: Any, what: str, row: Sequence[Row]) -> int:
    try:
        number = int(value)
        good = number == value and not isinstance(value, bool | np.bool_)
    except (TypeError, ValueError, OverflowError):
        good = False
    if good and abs(number) <= 2 * MAX_OFFSET + 1:
        return number
    expected = f"at most {2 * MAX_OFFSET}" if good else "a whole number of characters"
    raise ExcerptError(
        f"found {value!r:.60} as {what}{_where(row)}, expected {expected}",
        hint=_nowhere(value) if what in {"start", "end"} else "",
    )


def _nowhere(value: object) -> str:
    from excerpt.model.field_names import nowhere  # offsets are seldom wrong

    return nowhere(value)


def _where(row: Sequence[Row]) -> str:
    return "".join(f" in document {document} of topic {topic}" for topic, document, *_ in row)


def check_spans(start: IntArray, end: IntArray, rows: Sequence[Row] = (), *, unknown: bool = False) -> None:
    """An error where a span ends before it starts or is larger than any document; -1, -1 may mean unknown."""
    wrong = (start < 0) | (end < start) | (end > 2 * MAX_OFFSET)
    if unknown:
        wrong &= (start != -1) | (end != -1)
    for row in np.flatnonzero(wrong)[:1].tolist():
        raise ExcerptError(
            f"found span [{start[row]}, {end[row]}){_where(rows[row : row + 1])}, "
            f"expected 0 <= start <= end <= {2 * MAX_OFFSET}",
            hint=_nowhere(int(start[row])),
        )


def keys(group: IntArray, position: IntArray) -> IntArray:
    """One sortable integer for each (group, position); groups below 2**29, positions below 2**33."""
    return (group << POSITION_BITS) + position


def sums(group: IntArray, amount: IntArray, groups: int) -> IntArray:
    """The sum of an amount over each of the groups 0 … groups-1."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, amount)
    return total


def running_sums(amount: IntArray, first: IntArray) -> IntArray:
    """Sums from the first row of a group up to and including each row; `first` is where groups begin."""
    total = np.cumsum(amount)
    before = np.concatenate((np.zeros(1, np.int64), total))[first[:-1]]
    return np.asarray(total - np.repeat(before, np.diff(first)), np.int64)


@dataclass(frozen=True, eq=False)
class KeyedSpans:
    """Disjoint, sorted spans in groups (a group is a topic's document), to be asked in bulk.

    >>> spans = KeyedSpans.union([0, 0, 1], [10, 30, 5], [20, 40, 6])
    >>> spans.overlap(np.array([0, 0, 1, 2]), np.array([0, 15, 0, 0]), np.array([15, 35, 9, 9])).tolist()
    [5, 10, 1, 0]
    """

    group: IntArray
    start: IntArray
    end: IntArray

    @classmethod
    def union(cls, group: object, start: object, end: object) -> KeyedSpans:
        """Merge overlapping and touching spans of each group; empty spans vanish."""
        columns = [np.asarray(column, np.int64) for column in (group, start, end)]
        filled = columns[2] > columns[1]
        group_, start_, end_ = (column[filled] for column in columns)
        order = np.lexsort((start_, group_))
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
        """The length of each span."""
        return self.end - self.start

    @cached_property
    def _keys(self) -> IntArray:
        return keys(self.group, self.start)

    @cached_property
    def _before(self) -> IntArray:
        return np.concatenate(([0], np.cumsum(self.length)))

    def totals(self, groups: int) -> IntArray:
        """The length of all spans of each of the groups 0 … groups-1."""
        bounds = np.searchsorted(self.group, np.arange(groups + 1))
        return np.diff(self._before[bounds])

    def counts(self, groups: int) -> IntArray:
        """The number of spans of each of the groups 0 … groups-1."""
        return np.diff(np.searchsorted(self.group, np.arange(groups + 1))).astype(np.int64)

    def overlap(self, group: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """How many characters each query span shares with the spans of its group (0 for group -1)."""
        inside = (group >= 0) & (end > start)
        result = np.zeros(len(group), np.int64)
        wanted = group[inside]
        result[inside] = self._covered(wanted, end[inside]) - self._covered(wanted, start[inside])
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
