"""The most passages that units find within a budget: units read in full, and the beginning of a last one.

A passage is found if enough of its characters is shown. Of disjoint or nested units no two that are read
overlap in a best list, and the beginning of the last one ends where it completes a passage, given what others
show of it. So units and such beginnings are intervals, of which disjoint ones are chosen from left to right;
all that the choice of the next one depends on is how much of the passage at its border was shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from excerpt.ceilings.frontier import UnitItem
from excerpt.model.spans import IntArray

_MOST = 3000  # intervals of a document
_FOUND = -1  # amount shown of a passage that counts already


class WantedPassage(NamedTuple):
    """A relevant passage: its place, how much must be shown, and its characters that count by length."""

    start: int
    end: int
    needed: int
    counted: IntArray

    def between(self, start: int, end: int) -> int:
        """Characters that count of a part of the document."""
        low, high = max(start, self.start), min(end, self.end)
        return int(self.counted[high - self.start] - self.counted[low - self.start]) if high > low else 0


class _Piece(NamedTuple):
    """A unit, or the beginning of one, which is read last."""

    start: int
    end: int
    cost: int
    number: int
    last: bool


class _Before(NamedTuple):
    """What was chosen: whether a beginning, passages found, the passage at the border, and its part."""

    last: bool = False
    found: int = 0
    border: int = -1
    shown: int = 0


class _Cheapest(NamedTuple):
    """The least cost so far, the piece that was added, and what was chosen before."""

    cost: int
    piece: _Piece | None = None
    before: _Cheapest | None = None
    #: The last choice in another document.
    other: _Cheapest | None = None

    def pieces(self) -> Iterator[_Piece]:
        """Yield all pieces, those of other documents too."""
        here: _Cheapest | None = self
        while here is not None:
            if here.piece is not None:
                yield here.piece
            if here.other is not None:
                yield from here.other.pieces()
            here = here.before


class FoundMost(NamedTuple):
    """Numbers of the units of a best list in order, and how many passages it finds."""

    rows: list[int]
    found: int


def most_found(
    documents: Sequence[tuple[Sequence[UnitItem], Sequence[WantedPassage]]],
    budget: int,
    cost_of: Callable[[UnitItem, int], int],
) -> FoundMost | None:
    """Return the best list of nested units of several documents; None if there are too many.

    `cost_of` gives what the first characters of a unit cost to read.

    >>> passage = WantedPassage(2, 6, 4, np.arange(5))
    >>> units = [UnitItem(0, 0, 4, 2, 4), UnitItem(1, 4, 9, 2, 5)]
    >>> most_found([(units, [passage])], 6, lambda item, length: length)
    FoundMost(rows=[0, 1], found=1)
    """
    total = {(False, 0): _Cheapest(0)}
    for items, passages in documents:
        pieces = _pieces(items, passages, cost_of)
        if pieces is None:
            return None
        own = _least(pieces, passages, budget)
        joined = dict(total)
        for (last, found), before in total.items():
            for (also_last, more), here in own.items():
                key, cost = (last or also_last, found + more), before.cost + here.cost
                if cost <= budget and not (last and also_last) and _is_cheaper(cost, joined.get(key)):
                    joined[key] = _Cheapest(cost, None, before, here)
        total = joined
    best = max(total, key=lambda key: (key[1], -total[key].cost))
    pieces = sorted(total[best].pieces(), key=lambda piece: piece.last)
    return FoundMost([piece.number for piece in pieces], best[1])


def _is_cheaper(cost: int, known: _Cheapest | None) -> bool:
    return known is None or cost < known.cost


def _pieces(
    items: Sequence[UnitItem], passages: Sequence[WantedPassage], cost_of: Callable[[UnitItem, int], int]
) -> list[_Piece] | None:
    """Units that touch a passage, and their beginnings that complete one; by end."""
    found = {
        _Piece(item.start, item.end, item.cost, item.number, last=False)
        for item in items
        if any(passage.start < item.end and item.start < passage.end for passage in passages)
    }
    for passage in passages:
        touching = [item for item in items if passage.start < item.end and item.start < passage.end]
        whole = passage.needed == int(passage.counted[-1])
        sums = set[int]() if whole else _sums(passage, touching)
        for item in touching:
            at = int(passage.counted[max(item.start - passage.start, 0)])
            ends = _up_to(passage, touching) if whole else {at + passage.needed - shown for shown in sums}
            for amount in ends:
                end = passage.start + int(np.searchsorted(passage.counted, amount))
                if amount > at and item.start < end < item.end and end <= passage.end:
                    cost = cost_of(item, end - item.start)
                    found.add(_Piece(item.start, end, cost, item.number, last=True))
            if len(found) > _MOST:
                return None
    return sorted(found, key=lambda piece: (piece.end, piece.start, piece.cost))


def _up_to(passage: WantedPassage, items: Sequence[UnitItem]) -> set[int]:
    """Characters of a passage before the units in it, and all: where a beginning may end if it needs all."""
    inside = (item.start - passage.start for item in items if item.start > passage.start)
    return {int(passage.counted[at]) for at in inside} | {passage.needed}


def _sums(passage: WantedPassage, items: Sequence[UnitItem]) -> set[int]:
    """Amounts that disjoint units may show of a passage."""
    order = sorted(items, key=lambda item: item.end)
    ends, sums = [item.end for item in order], [{0}]
    for item in order:
        own = passage.between(item.start, item.end)
        before = sums[bisect_right(ends, item.start)]
        sums.append(sums[-1] | {shown + own for shown in before if shown + own < passage.needed})
    return sums[-1]


def _least(
    pieces: Sequence[_Piece], passages: Sequence[WantedPassage], budget: int
) -> dict[tuple[bool, int], _Cheapest]:
    """Least cost of disjoint pieces by whether one is a beginning, and by passages found."""
    tables: list[dict[_Before, _Cheapest]] = [{_Before(): _Cheapest(0)}]
    ends = [piece.end for piece in pieces]
    for piece in pieces:
        table = dict(tables[-1])
        for before, chosen in tables[bisect_right(ends, piece.start)].items():
            cost = chosen.cost + piece.cost
            if cost > budget or (piece.last and before.last):
                continue
            after = _after(before, piece, passages)
            if _is_cheaper(cost, table.get(after)):
                table[after] = _Cheapest(cost, piece, chosen)
        tables.append(table)
    least: dict[tuple[bool, int], _Cheapest] = {}
    for before, chosen in tables[-1].items():
        if _is_cheaper(chosen.cost, least.get((before.last, before.found))):
            least[before.last, before.found] = chosen
    return least


def _after(before: _Before, piece: _Piece, passages: Sequence[WantedPassage]) -> _Before:
    """What was chosen with one piece more."""
    found, border, left = before.found, -1, 0
    for place, passage in enumerate(passages):
        if passage.end <= piece.start or piece.end <= passage.start:
            continue
        shown = before.shown if place == before.border else 0
        if shown != _FOUND:
            shown += passage.between(piece.start, piece.end)
            if shown >= passage.needed:
                found, shown = found + 1, _FOUND
        if passage.end > piece.end:
            rest = passage.between(piece.end, passage.end)
            border, left = place, shown if shown == _FOUND or shown + rest >= passage.needed else 0
    return _Before(before.last or piece.last, found, border, left)
