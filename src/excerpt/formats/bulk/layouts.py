"""Records of one layout: their values are cut out of all of them at once.

A layout is pieces of fixed text with a value between each two. Some bytes, the anchors, stand in every piece
and in no value, so counting anchors tells where each piece must be; then its bytes are compared. What differs
in a single byte is left to the reader that knows the whole language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.formats.results import Names
from excerpt.formats.text.fields import Codes, Fields, find, is_among
from excerpt.model.spans import BoolArray, IntArray

#: Where there is no value.
ABSENT = -1
_MOST_BYTES = 2048
_MOST_LAYOUTS = 16

Places: TypeAlias = NDArray[np.integer[Any]]


class Layout(NamedTuple):
    """The pieces, one more than values, and the names of the values; a value without name is not kept."""

    pieces: tuple[bytes, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, record: bytes, values: Sequence[tuple[str, tuple[int, int]]]) -> Layout | None:
        """The layout of one record whose values, named, stand at these places; None if it is too long."""
        cuts = [0, *(place for _, span in values for place in span), len(record)]
        pieces = tuple(record[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True))
        if sum(map(len, pieces)) > _MOST_BYTES:
            return None
        return cls(pieces, tuple(name for name, _ in values))


@dataclass(frozen=True, eq=False)
class Anchored:
    """A text and the places of all its anchors."""

    data: bytes
    anchors: bytes

    @cached_property
    def codes(self) -> Codes:
        """The text as numbers."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def places(self) -> Places:
        """Where the anchors are, in as few bytes as possible: there are many."""
        return find(self.codes, lambda block: is_among(block, self.anchors))

    def place(self, numbers: IntArray) -> IntArray:
        """Where the anchors of these numbers are."""
        return self.places[numbers].astype(np.int64)

    def starts_with(self, place: Places, text: bytes) -> BoolArray:
        """Whether this text stands at each place; places may be anywhere."""
        last = len(self.data) - len(text)
        if last < 0 or not len(place):
            return np.zeros(len(place), np.bool_)
        # Every stretch of this length, one starting at each byte; neither side may contain NUL.
        stretches = np.ndarray((last + 1,), f"S{len(text)}", self.data, 0, (1,))
        inside = (place >= 0) & (place <= last)
        return np.asarray(inside & (stretches[np.clip(place, 0, last)] == text))

    def match(self, layout: Layout, first: IntArray) -> tuple[BoolArray, list[Places]]:
        """Which records (told by the number of their first anchor) have a layout; where its pieces are."""
        counts = [sum(piece.count(anchor) for anchor in self.anchors) for piece in layout.pieces]
        if not all(counts):
            return np.zeros(len(first), np.bool_), []
        matched = first + sum(counts) <= len(self.places)
        bounds: list[Places] = []
        number = 0
        for piece, count in zip(layout.pieces, counts, strict=True):
            before = min(piece.find(anchor) for anchor in self.anchors if anchor in piece)
            place = self.places[np.minimum(first + number, len(self.places) - 1)] - before
            matched &= self.starts_with(place, piece)
            if bounds:
                matched &= place >= bounds[-1]
            bounds += [place, place + len(piece)]
            number += count
        return matched, bounds


@dataclass(frozen=True, eq=False)
class Cut:
    """What was cut out of records: which ones had a known layout, where they and their values are."""

    data: bytes
    found: BoolArray
    start: IntArray
    end: IntArray
    values: dict[str, tuple[Places, Places]]
    #: Which of the layouts that were tried each record has.
    number: IntArray

    @classmethod
    def of(cls, text: Anchored, first: IntArray, layout_of: Callable[[int], Layout | None]) -> Cut:
        """Cut records by their layouts, which are those of the first records that no earlier one fits."""
        start, end = (np.full(len(first), ABSENT, np.int64) for _ in range(2))
        none = np.full(len(first), ABSENT, np.int64)
        cut = cls(text.data, np.zeros(len(first), np.bool_), start, end, {}, none)
        rest = np.arange(len(first))
        for number in range(_MOST_LAYOUTS):
            if not len(rest):
                break
            layout = layout_of(int(rest[0]))
            matched = np.zeros(len(rest), np.bool_)
            if layout is not None:
                matched, bounds = text.match(layout, first[rest])
                cut._add(layout.names, rest[matched], matched, bounds)
                cut.number[rest[matched]] = number
            matched[0] = True  # it had its chance
            rest = rest[~matched]
        return cut

    def _add(self, names: tuple[str, ...], rows: IntArray, matched: BoolArray, bounds: list[Places]) -> None:
        if not len(rows):
            return
        self.found[rows] = True
        self.start[rows], self.end[rows] = bounds[0][matched], bounds[-1][matched]
        for number, name in enumerate(names):
            if name:
                absent = self.start.shape, ABSENT, bounds[0].dtype
                start, end = self.values.setdefault(name, (np.full(*absent), np.full(*absent)))
                start[rows], end[rows] = (bounds[2 * number + side][matched] for side in (1, 2))

    def has(self, name: str) -> BoolArray:
        """Which records have a value."""
        if name not in self.values:
            return np.zeros(len(self.found), np.bool_)
        return np.asarray(self.values[name][0] != ABSENT)

    def fields(self, name: str) -> tuple[IntArray, Fields]:
        """The records with a known layout that have a value, and these values."""
        rows = np.flatnonzero(self.found & self.has(name))
        start, end = self.values.get(name, (self.start, self.end))
        return rows, Fields(self.data, start[rows].astype(np.int64), end[rows].astype(np.int64))

    def names(self, name: str, odd: re.Pattern[str]) -> Names:
        """The values as names; records where one is empty or has something odd are dropped."""
        rows, values = self.fields(name)
        empty = values.width == 0
        self.drop(rows[empty])
        rows, values = rows[~empty], values[~empty]
        distinct, code = values.encode()
        names = Names(distinct, np.full(len(self.found), -1))
        names.code[rows] = code
        self.drop(rows[~names.fit(odd)[rows]])
        return names

    def drop(self, rows: IntArray) -> None:
        """Leave these records to another reader."""
        self.found[rows] = False
