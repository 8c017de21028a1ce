"""The most relevant text within a budget: units read in full, and the beginning of one that crosses it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from excerpt.ceilings.frontier import UnitItem
from excerpt.model.spans import BoolArray, IntArray

#: Most states of a knapsack, by characters; and most cells of its tables.
STATES, _CELLS = 1_000_000, 20_000_000


class Beginning(NamedTuple):
    """What the beginning of a unit shows: relevant characters by length, and the length by what is read."""

    relevant: IntArray
    length: IntArray

    def shown(self, most: int | None = None) -> IntArray:
        """Relevant characters shown when 0, 1, … of the cost are read; not more than the first `most`."""
        last = len(self.relevant) - 1
        return np.asarray(self.relevant[np.minimum(self.length, last if most is None else min(most, last))])


def fits(items: Sequence[UnitItem], budget: int) -> bool:
    """Return whether the exact solution is computed."""
    return budget <= STATES and len(items) * (budget + 1) <= _CELLS


def filled(
    items: Sequence[UnitItem],
    budget: int,
    beginning: Callable[[UnitItem], Beginning],
    tried: int | None = None,
) -> tuple[list[int], int]:
    """Disjoint units in an order that shows the most relevant text within a budget, and how much it is.

    Every unit may be the last one, of which only the `beginning` is read; the others are chosen by a knapsack
    without it. A unit is tried if it could be better even with a knapsack that has it, and is one of the
    `tried` with the most relevant text, if given.

    >>> items = [UnitItem(0, 0, 4, 3, 4), UnitItem(1, 5, 9, 4, 4)]
    >>> begins = [Beginning(np.array([0, 0, 0, 1]), np.arange(4)), Beginning(np.arange(4), np.arange(4))]
    >>> filled(items, 6, lambda item: begins[item.number])
    ([0, 1], 5)
    """
    some = sorted(range(len(items)), key=lambda place: -items[place].relevant)[:tried]
    beginnings = {place: beginning(items[place]).shown() for place in some}
    whole = _table(items, budget)
    best, last, left = int(whole[budget]), -1, 0
    bounds = {
        place: int((whole[budget - np.arange(len(gain))] + gain).max()) for place, gain in beginnings.items()
    }
    for place in sorted(bounds, key=lambda at: -bounds[at]):
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

    def chosen(self, at: int, place: int | None = None) -> list[UnitItem]:
        """Units of the best set with a sum, of the first units up to a place."""
        found, place = list[UnitItem](), len(self.items) if place is None else place
        while place:
            if self.tables[place][at] == self.tables[place - 1][at]:
                place -= 1
                continue
            item = self.items[place - 1]
            found.append(item)
            at -= item.cost if self.by_cost else item.relevant
            place = self.before[place - 1]
        return found[::-1]


def filled_trees(
    documents: Sequence[Sequence[UnitItem]],
    budget: int,
    beginning: Callable[[UnitItem], Beginning],
    tried: int | None = None,
) -> tuple[list[int], int] | None:
    """Nested units as by `filled`: their numbers, and how much they show; None if there are too many.

    A unit inside of what is read of the last one only costs; of one that crosses its end the last one may be
    read up to where the other starts. So the others lie before the last one starts, or after some place in
    it; the more of the latter are allowed, from the right to the left, the shorter the beginning.

    >>> whole, inner = UnitItem(0, 0, 9, 5, 9), UnitItem(1, 5, 9, 4, 4)
    >>> begins = [Beginning(np.array([0, 1, 1, 1, 1, 1, 2, 3, 4]), np.arange(9))]
    >>> filled_trees([[whole, inner]], 5, lambda item: begins[item.number] if item is whole else begins[0])
    ([1, 0], 5)
    """
    whole = Apart.of(documents, budget, by_cost=True)
    if whole is None:
        return None
    full = whole.tables[-1]
    best, rows = int(full[budget]), [item.number for item in whole.chosen(budget)]
    some = sorted((item for units in documents for item in units), key=lambda item: -item.relevant)[:tried]
    begins = {item: beginning(item) for item in some if item.cost}
    bounds = {
        item: int((full[budget - np.arange(len(one.length))] + one.shown()).max())
        for item, one in begins.items()
    }
    for item in sorted(bounds, key=lambda one: -bounds[one]):
        if bounds[item] <= best:
            break
        found, others = _with_last(item, begins[item], documents, budget)
        if found > best:
            best, rows = found, [*others, item.number]
    return rows, best


def _with_last(
    last: UnitItem, begin: Beginning, documents: Sequence[Sequence[UnitItem]], budget: int
) -> tuple[int, list[int]]:
    """The most relevant text if the beginning of a unit is read at the end, and the units read before it."""
    (own,) = (units for units in documents if last in units)
    before = [item for item in own if item.end <= last.start]
    after = [item._replace(start=-item.end, end=-item.start) for item in own if item.start > last.start]
    apart = Apart.of(
        [*(units for units in documents if units is not own), before, after], budget, by_cost=True
    )
    assert apart is not None, "fewer units than all of them"
    best, at, place = -1, 0, 0
    for end in range(len(apart.items) - len(after), len(apart.items) + 1):
        most = None if end == len(apart.items) - len(after) else -apart.items[end - 1].end - last.start
        shown = begin.shown(most)
        values = apart.tables[end][budget - np.arange(len(shown))] + shown
        read = int(values.argmax())
        if int(values[read]) > best:
            best, at, place = int(values[read]), budget - read, end
    return best, [item.number for item in apart.chosen(at, place)]


#: Cost of what no set of units reaches.
NEVER = 1 << 40
