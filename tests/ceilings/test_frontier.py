"""Hulls of nested units against every set of units without overlap."""

from __future__ import annotations

import itertools
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.ceilings.frontier import UnitItem, best_ratio, by_place, nested, steps, taken
from excerpt.ceilings.knapsack import Apart


@st.composite
def trees(draw: st.DrawFn) -> list[UnitItem]:
    """Nested units of a text, in which some characters are relevant."""
    relevant = draw(st.sets(st.integers(0, 11), min_size=1))
    units = list[tuple[int, int]]()
    for low, high in draw(st.lists(st.tuples(st.integers(0, 11), st.integers(1, 12)), max_size=9)):
        apart = all(
            high <= one or two <= low or (one <= low and high <= two) or (low <= one and two <= high)
            for one, two in units
        )
        if low < high and apart and (low, high) not in units:
            units.append((low, high))
    items = [
        UnitItem(n, low, high, len(relevant & {*range(low, high)}), high - low)
        for n, (low, high) in enumerate(units)
    ]
    return sorted((item for item in items if item.relevant), key=by_place)


def sets(items: list[UnitItem]) -> list[tuple[UnitItem, ...]]:
    """All sets of units without overlap."""
    every = itertools.chain.from_iterable(
        itertools.combinations(items, size) for size in range(len(items) + 1)
    )
    return [
        some
        for some in every
        if all(one.end <= two.start or two.end <= one.start for one, two in itertools.combinations(some, 2))
    ]


@settings(deadline=None)
@given(trees(), st.integers(0, 4), st.sampled_from((Fraction(1), Fraction(1, 16), Fraction(4))))
def test_best_ratio_of_trees(items: list[UnitItem], missed: int, weight: Fraction) -> None:
    """The best F of all sets is that of a prefix of the hull; the set after the prefix has it."""
    assert nested(items)
    total = max((sum(item.relevant for item in some) for some in sets(items)), default=0) + missed
    if not items:
        return

    def f(some: tuple[UnitItem, ...]) -> Fraction:
        found, read = sum(item.relevant for item in some), sum(item.cost for item in some)
        return (1 + weight) * found / (weight * total + read)

    path = steps(items)
    assert f(tuple(taken(path[: best_ratio(path, weight, total)]))) == max(map(f, sets(items)))


@settings(deadline=None)
@given(trees(), st.integers(0, 14))
def test_tables_of_sets_without_overlap(items: list[UnitItem], size: int) -> None:
    """Most relevant characters for a cost, and least cost for relevant characters, with a set that has it."""
    cheap, full = (Apart.of([items], size, by_cost=by_cost) for by_cost in (False, True))
    assert cheap is not None
    assert full is not None
    worlds = [(sum(item.relevant for item in some), sum(item.cost for item in some)) for some in sets(items)]
    for at in range(size + 1):
        assert full.tables[-1][at] == max(found for found, read in worlds if read <= at)
        costs = [read for found, read in worlds if found == at]
        assert (cheap.tables[-1][at] >= 1 << 40) == (not costs)
        if costs:
            assert cheap.tables[-1][at] == min(costs) == sum(item.cost for item in cheap.chosen(at))
        assert sum(item.relevant for item in full.chosen(at)) == full.tables[-1][at]
