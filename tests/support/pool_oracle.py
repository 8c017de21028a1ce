"""Pools from their definitions, slowly: lists, sets and fractions, a topic at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from excerpt import Result, Run

#: A document, or a document with start and end.
Item = tuple[Any, ...]
#: The items of each run in a topic, result by result.
Rankings = list[list[Item]]


def rankings_of(runs: list[Run], topic: str, unit: str) -> Rankings:
    """Results of each run for a topic."""
    return [
        [
            (row.document,) if unit == "document" else (row.document, row.start, row.end)
            for row in run
            if row.topic == topic
        ]
        for run in runs
    ]


def topics_of(runs: list[Run]) -> list[str]:
    """All topics as they first appear."""
    return list(dict.fromkeys(row.topic for run in runs for row in run))


def in_rounds(rankings: Rankings, rounds: int) -> list[Item]:
    """Items by round, in each round by run."""
    return list(
        dict.fromkeys(
            ranking[place] for place in range(rounds) for ranking in rankings if place < len(ranking)
        )
    )


def deep(rankings: Rankings, depth: int) -> list[Item]:
    """Items among the first results of any run, in round-robin order."""
    return in_rounds(rankings, depth)


def round_robin(rankings: Rankings, documents: int) -> tuple[list[Item], int]:
    """Whole rounds until there are so many documents; and how many rounds."""
    longest = max(map(len, rankings))
    for rounds in range(1, longest + 1):
        found = in_rounds(rankings, rounds)
        if len({item[0] for item in found}) >= documents:
            return found, rounds
    return in_rounds(rankings, longest), longest


def fusion(rankings: Rankings, item: Item) -> Fraction:
    """The sum of 1/(60 + rank of the first occurrence) over the runs that have it."""
    return sum(
        (Fraction(1, 61 + ranking.index(item)) for ranking in rankings if item in ranking), Fraction(0)
    )


def taken(rankings: Rankings, take: int, floor: int) -> tuple[list[Item], list[Item]]:
    """The floors, and what fusion adds to them; ties as a round robin meets them."""
    floors = in_rounds(rankings, floor)
    others = [item for item in in_rounds(rankings, max(map(len, rankings))) if item not in floors]
    others.sort(key=lambda item: -fusion(rankings, item))
    return floors, others[: max(take - len(floors), 0)]


def sample_size(rankings: Rankings, chosen: list[Item], share: Fraction) -> tuple[set[Item], int]:
    """Remaining items, and the number of them that are drawn."""
    rest = {item for ranking in rankings for item in ranking} - set(chosen)
    return rest, math.ceil(share * len(rest))


def behind(
    rankings: Rankings, item: Item, spans: Callable[[int, int], tuple[int, int]], depth: float = math.inf
) -> dict[int, list[tuple[int, int, int]]]:
    """By run, rank and span of the results of an item down to a depth."""
    found = {
        number: [
            (place + 1, *spans(number, place))
            for place, other in enumerate(ranking)
            if other == item and place < depth
        ]
        for number, ranking in enumerate(rankings)
    }
    return {number: results for number, results in found.items() if results}


@st.composite
def some_runs(draw: st.DrawFn) -> list[Run]:
    """A few runs of few documents, so that they share many; some topics are not in all runs."""
    result = st.builds(
        lambda topic, document, start, length: Result(topic, document, start, start + length),
        st.sampled_from("12"),
        st.sampled_from("ABCDEF"),
        st.integers(0, 2),
        st.integers(1, 2),
    )
    lists = draw(st.lists(st.lists(result, max_size=9), min_size=1, max_size=4).filter(any))
    return [Run.of(f"r{number}", results) for number, results in enumerate(lists)]
