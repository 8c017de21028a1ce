"""The most relevant text within a budget: units read in full, and the beginning of one that crosses it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from excerpt.ceilings.frontier import UnitItem
from excerpt.model.spans import BoolArray, IntArray

#: Most states of a knapsack, by characters; and most cells of its tables.
STATES, _CELLS = 1_000_000, 20_000_000


def fits(items: Sequence[UnitItem], budget: int) -> bool:
    """Return whether the exact solution is computed."""
    return budget <= STATES and len(items) * (budget + 1) <= _CELLS


def filled(items: Sequence[UnitItem], budget: int, beginnings: Sequence[IntArray]) -> tuple[list[int], int]:
    """Disjoint units in an order that shows the most relevant text within a budget, and how much it is.

    `beginnings` has, for each unit, the relevant characters shown when 0, 1, … of its cost are read, up to
    one below its whole cost or to the budget. Every unit may be the last one, of which only the beginning is
    read; the others are chosen by a knapsack without it. A unit is tried if it could be better even with a
    knapsack that has it.

    >>> items = [UnitItem(0, 0, 4, 3, 4), UnitItem(1, 5, 9, 4, 4)]
    >>> filled(items, 6, [np.array([0, 0, 0, 1]), np.array([0, 1, 2, 3])])
    ([0, 1], 5)
    """
    whole = _table(items, budget)
    best, last, left = int(whole[budget]), -1, 0
    bounds = [int((whole[budget - np.arange(len(gain))] + gain).max()) for gain in beginnings]
    for place in sorted(range(len(items)), key=lambda at: -bounds[at]):
        if bounds[place] <= best:
            break
        others, gain = _table([*items[:place], *items[place + 1 :]], budget), beginnings[place]
        values = others[budget - np.arange(len(gain))] + gain
        read = int(values.argmax())
        if int(values[read]) > best:
            best, last, left = int(values[read]), place, budget - read
    if last < 0:
        return _chosen(items, budget), best
    rest = [place for place in range(len(items)) if place != last]
    return [*(rest[place] for place in _chosen([items[place] for place in rest], left)), last], best


def _table(items: Sequence[UnitItem], budget: int) -> IntArray:
    """Most relevant characters of units read in full, by what they cost at most."""
    table = np.zeros(budget + 1, np.int64)
    for item in items:
        _add(table, item)
    return table


def _add(table: IntArray, item: UnitItem) -> BoolArray | None:
    """Add a unit to the most relevant text by cost; return where it is taken."""
    if item.cost >= len(table):
        return None
    with_item = table[: len(table) - item.cost] + item.relevant
    taken = with_item > table[item.cost :]
    table[item.cost :] = np.maximum(table[item.cost :], with_item)
    return taken


def _chosen(items: Sequence[UnitItem], budget: int) -> list[int]:
    """Places of the units of a best set within a budget."""
    table = np.zeros(budget + 1, np.int64)
    takes = [_add(table, item) for item in items]
    found, left = list[int](), budget
    for place in range(len(items) - 1, -1, -1):
        take, cost = takes[place], items[place].cost
        if take is not None and left >= cost and take[left - cost]:
            found.append(place)
            left -= cost
    return found[::-1]


class Apart(NamedTuple):
    """Best values of sets of units that do not overlap, by their sums of relevant characters or of costs.

    Units are in the order of their ends. The table after a unit is the better of that without it, and of the
    table after the last unit that ends before it starts, with the unit: weighted interval scheduling.
    """

    items: list[UnitItem]
    before: list[int]
    tables: list[IntArray]
    by_cost: bool

    @classmethod
    def of(cls, documents: Sequence[Sequence[UnitItem]], size: int, *, by_cost: bool) -> Apart | None:
        """Most relevant characters by cost, or least cost by relevant characters; None if it is too large.

        >>> apart = Apart.of([[UnitItem(0, 0, 9, 5, 9), UnitItem(1, 0, 4, 4, 4)]], 6, by_cost=False)
        >>> apart.tables[-1][[4, 5]].tolist(), [item.number for item in apart.chosen(5)]
        ([4, 9], [0])
        """
        items, before, tables = list[UnitItem](), list[int](), list[IntArray]()
        if size > STATES or sum(map(len, documents)) * (size + 1) > _CELLS:
            return None
        first = np.zeros(size + 1, np.int64) if by_cost else np.full(size + 1, NEVER)
        first[0] = 0
        tables.append(first)
        for units in documents:
            own, begin = sorted(units, key=lambda item: (item.end, item.start)), len(items)
            ends = [item.end for item in own]
            for item in own:
                place = begin + bisect_right(ends, item.start)
                items.append(item)
                before.append(place)
                at, value = (item.cost, item.relevant) if by_cost else (item.relevant, item.cost)
                table = tables[-1].copy()
                if at <= size:
                    with_item = tables[place][: size + 1 - at] + value
                    better = np.maximum if by_cost else np.minimum
                    better(table[at:], with_item, out=table[at:])
                tables.append(table)
        return cls(items, before, tables, by_cost)

    def chosen(self, at: int) -> list[UnitItem]:
        """Units of the best set with a sum."""
        found, place = list[UnitItem](), len(self.items)
        while place:
            if self.tables[place][at] == self.tables[place - 1][at]:
                place -= 1
                continue
            item = self.items[place - 1]
            found.append(item)
            at -= item.cost if self.by_cost else item.relevant
            place = self.before[place - 1]
        return found[::-1]


#: Cost of what no set of units reaches.
NEVER = 1 << 40
