"""The best text for its length: sets of units that do not overlap, from dense to complete.

Of all sets of disjoint units, those on the upper convex hull of (characters read, relevant characters) are
found exactly if units are disjoint or nested, by one pass over the trees: the hull of an element is that of
its children together, up to the point from which it pays to take the element itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple


class UnitItem(NamedTuple):
    """A unit: its number, span, relevant characters, what it costs to read, and its document."""

    number: int
    start: int
    end: int
    relevant: int
    cost: int
    document: int = 0


class HullStep(NamedTuple):
    """A step along the hull: take a unit, and leave out the units inside of it."""

    relevant: int
    cost: int
    item: UnitItem

    @property
    def slope(self) -> float:
        """Relevant characters for each character; quotients of whole numbers below 2**26 stay distinct."""
        return self.relevant / self.cost


def nested(items: Sequence[UnitItem]) -> bool:
    """Return whether any two units, sorted by place, are disjoint or nested."""
    ends: list[int] = []
    for item in items:
        while ends and ends[-1] <= item.start:
            ends.pop()
        if ends and ends[-1] < item.end:
            return False
        ends.append(item.end)
    return True


def disjoint(items: Sequence[UnitItem]) -> bool:
    """Return whether no two units, sorted by start, overlap."""
    return all(one.end <= two.start for one, two in pairwise(items))


def steps(items: Sequence[UnitItem]) -> list[HullStep]:
    """Steps of the hull of the units of a document, the steepest first; units are disjoint or nested.

    >>> section, first, second = UnitItem(0, 0, 10, 6, 10), UnitItem(1, 0, 4, 4, 4), UnitItem(2, 5, 10, 2, 5)
    >>> [(step.item.number, step.relevant, step.cost) for step in steps([section, first, second])]
    [(1, 4, 4), (2, 2, 5)]
    """
    if disjoint(items):
        found = [HullStep(item.relevant, item.cost, item) for item in items if item.relevant]
        return sorted(found, key=lambda step: -step.slope)
    open_: list[tuple[UnitItem, list[HullStep]]] = []
    roots: list[HullStep] = []

    def close() -> None:
        item, inside = open_.pop()
        inside = _with_whole(item, inside)
        (open_[-1][1] if open_ else roots).extend(inside)

    for item in items:
        while open_ and open_[-1][0].end <= item.start:
            close()
        open_.append((item, []))
    while open_:
        close()
    return sorted(roots, key=lambda step: -step.slope)


def _with_whole(item: UnitItem, inside: list[HullStep]) -> list[HullStep]:
    """Hull of an element: of the units inside of it, then of the element itself where it is above theirs."""
    inside.sort(key=lambda step: -step.slope)
    relevant, cost, kept = 0, 0, 0
    for step in inside:
        # The line to the whole element is at least as steep as the next step: leave the hull of the parts.
        if (item.relevant - relevant) * step.cost >= step.relevant * (item.cost - cost):
            break
        relevant, cost, kept = relevant + step.relevant, cost + step.cost, kept + 1
    if item.relevant == relevant or item.cost <= cost:
        return inside
    return [*inside[:kept], HullStep(item.relevant - relevant, item.cost - cost, item)]


def taken(path: Sequence[HullStep]) -> list[UnitItem]:
    """Units of the set after some steps: a unit replaces those inside of it, which came before."""
    return maximal(sorted((step.item for step in path), key=by_place))


def by_place(item: UnitItem) -> tuple[int, int, int]:
    """Order of units: a unit comes before those inside of it."""
    return item.document, item.start, -item.end


def maximal(items: Sequence[UnitItem]) -> list[UnitItem]:
    """Units, sorted by place, that no other one contains."""
    kept: list[UnitItem] = []
    for item in items:
        if not kept or item.document != kept[-1].document or item.end > kept[-1].end:
            kept.append(item)
    return kept


def best_ratio(path: Sequence[HullStep], weight: Fraction, total: int) -> int:
    """Number of steps after which F_beta is highest; `weight` is beta².

    F = (1 + β²)·found / (β²·total + read) is a quotient of linear functions, so a vertex of the hull has the
    highest. It rises along the hull as long as a step is steeper than the quotient so far.

    >>> path = [HullStep(4, 4, UnitItem(0, 0, 4, 4, 4)), HullStep(1, 20, UnitItem(1, 5, 25, 1, 20))]
    >>> best_ratio(path, Fraction(1), 5)
    1
    """
    found, read, kept = 0, 0, 0
    under, over = weight.denominator, weight.numerator * total
    for step in path:
        if step.relevant * (over + under * read) <= found * under * step.cost:
            break
        found, read, kept = found + step.relevant, read + step.cost, kept + 1
    return kept
