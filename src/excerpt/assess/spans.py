"""A set of characters as sorted spans that do not touch, changed in place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class Spans:
    """Characters that are in, as few half-open spans as possible.

    >>> spans = Spans([(0, 5), (10, 20)])
    >>> spans.add(5, 8); spans.remove(12, 14)
    >>> list(spans), spans.covers(0, 8), spans.meets(8, 10)
    ([(0, 8), (10, 12), (14, 20)], True, False)
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.add(start, end)

    def copy(self) -> Spans:
        """The same characters, to be changed apart from these."""
        other = Spans()
        other._starts, other._ends = self._starts[:], self._ends[:]
        return other

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def __len__(self) -> int:
        return len(self._starts)

    def characters(self) -> int:
        """How many characters are in."""
        return sum(self._ends) - sum(self._starts)

    def add(self, start: int, end: int) -> None:
        """Put characters in; what they touch becomes one span with them."""
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def remove(self, start: int, end: int) -> None:
        """Take characters out."""
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        if first >= last:
            return
        left, right = self._starts[first], self._ends[last - 1]
        kept = [(left, start)] if left < start else []
        kept += [(end, right)] if end < right else []
        self._starts[first:last] = [piece[0] for piece in kept]
        self._ends[first:last] = [piece[1] for piece in kept]

    def put_missing(self, start: int, end: int, others: Spans) -> None:
        """Put in those of these characters that are not in others.

        >>> spans = Spans()
        >>> spans.put_missing(0, 10, Spans([(2, 4), (8, 20)])); list(spans)
        [(0, 2), (4, 8)]
        """
        first, last = bisect_right(others._ends, start), bisect_left(others._starts, end)
        for left, right in zip(others._starts[first:last], others._ends[first:last], strict=True):
            if start < left:
                self.add(start, left)
            start = right
        if start < end:
            self.add(start, end)

    def meets(self, start: int, end: int) -> bool:
        """Whether any of these characters is in."""
        first = bisect_right(self._ends, start)
        return start < end and first < len(self._starts) and self._starts[first] < end

    def covers(self, start: int, end: int) -> bool:
        """Whether all of these characters are in."""
        first = bisect_right(self._ends, start)
        return first < len(self._starts) and self._starts[first] <= start and end <= self._ends[first]
