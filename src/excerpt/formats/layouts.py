"""Records of one layout: their values are cut out of all of them at once.

A layout is pieces of fixed text with a value between each two. Some bytes, the anchors, stand in every piece
and in no value, so counting anchors tells where each piece must be; then its bytes are compared. What differs
in a single byte is left to the reader that knows the whole language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from excerpt.formats.fields import Fields
from excerpt.model.spans import BoolArray, IntArray

#: Where there is no value.
ABSENT = -1
_MOST_BYTES = 2048
_MOST_LAYOUTS = 16


class Layout(NamedTuple):
    """The pieces, one more than values, and the names of the values."""

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
    def codes(self) -> NDArray[np.uint8]:
        """The text as numbers."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def places(self) -> IntArray:
        """Where the anchors are."""
        return np.flatnonzero(np.logical_or.reduce([self.codes == anchor for anchor in self.anchors]))

    def starts_with(self, place: IntArray, text: bytes) -> BoolArray:
        """Whether this text stands at each place; places may be anywhere."""
        last = len(self.data) - len(text)
        if last < 0 or not len(place):
            return np.zeros(len(place), np.bool_)
        # Every stretch of this length, one starting at each byte; neither side may contain NUL.
        stretches = np.ndarray((last + 1,), f"S{len(text)}", self.data, 0, (1,))
        inside = (place >= 0) & (place <= last)
        return np.asarray(inside & (stretches[np.clip(place, 0, last)] == text))

    def match(self, layout: Layout, first: IntArray) -> tuple[BoolArray, list[IntArray]]:
        """Which records (told by the number of their first anchor) have a layout; where its pieces are."""
        counts = [sum(piece.count(anchor) for anchor in self.anchors) for piece in layout.pieces]
        if not all(counts):
            return np.zeros(len(first), np.bool_), []
        matched = first + sum(counts) <= len(self.places)
        bounds: list[IntArray] = []
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
    values: dict[str, tuple[IntArray, IntArray]]

    @classmethod
    def of(
        cls,
        text: Anchored,
        first: IntArray,
        names: Sequence[str],
        layout_of: Callable[[int], Layout | None],
    ) -> Cut:
        """Find the layouts by the first records that do not have an earlier one's; these values are cut."""
        found = np.zeros(len(first), np.bool_)
        start, end = (np.full(len(first), ABSENT, np.int64) for _ in range(2))
        values = {name: (start.copy(), end.copy()) for name in names}
        rest = np.arange(len(first))
        for _ in range(_MOST_LAYOUTS):
            if not len(rest):
                break
            layout = layout_of(int(rest[0]))
            matched = np.zeros(len(rest), np.bool_)
            if layout is not None:
                matched, bounds = text.match(layout, first[rest])
                rows = rest[matched]
                found[rows] = True
                if len(rows):
                    start[rows], end[rows] = bounds[0][matched], bounds[-1][matched]
                for number, name in enumerate(layout.names):
                    if len(rows) and name in values:
                        values[name][0][rows] = bounds[2 * number + 1][matched]
                        values[name][1][rows] = bounds[2 * number + 2][matched]
            matched[0] = True  # it had its chance
            rest = rest[~matched]
        return cls(text.data, found, start, end, values)

    def has(self, name: str) -> BoolArray:
        """Which records have a value."""
        return np.asarray(self.values[name][0] != ABSENT)

    def fields(self, name: str, rows: IntArray) -> Fields:
        """The values of records that have it."""
        start, end = self.values[name]
        return Fields(self.data, start[rows], end[rows])

    def drop(self, rows: IntArray) -> None:
        """Leave these records to another reader."""
        self.found[rows] = False
