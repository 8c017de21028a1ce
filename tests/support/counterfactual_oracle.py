"""Counterfactuals again, slowly, from their definition: sets of characters and lists, one topic at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

#: A result: document and span; a start below 0 names nothing that exists.
Row = tuple[str, int, int]
Character = tuple[str, int]


def characters(row: Row) -> list[Character]:
    """The characters of a result, in order."""
    document, start, end = row
    return [(document, place) for place in range(max(start, 0), max(end, 0))]


def pieces(marked: Iterable[Character]) -> list[Row]:
    """Characters as spans without gaps, in order."""
    made = []
    ordered = sorted(marked)
    for _, some in groupby(enumerate(ordered), lambda at: (at[1][0], at[1][1] - at[0])):
        inside = [one for _, one in some]
        made.append((inside[0][0], inside[0][1], inside[-1][1] + 1))
    return made


def first_ranks(rows: Sequence[Row]) -> dict[Character, int]:
    """The rank, from 0, at which each character is first shown."""
    ranks: dict[Character, int] = {}
    for rank, row in enumerate(rows):
        for one in characters(row):
            ranks.setdefault(one, rank)
    return ranks


def inserted(base: list[Row], better: Sequence[Row], moved: set[Character]) -> list[Row]:
    """A list with characters of the better list at its ranks, each where that list has it first."""
    made, ranks, least = list(base), first_ranks(better), 0
    for rank in range(len(better)):
        for piece in pieces(one for one in moved if ranks[one] == rank):
            place = min(max(rank, least), len(made))
            made.insert(place, piece)
            least = place + 1
    return made


def changed(better: Sequence[Row], worse: Sequence[Row], relevant: set[Character]) -> dict[str, list[Row]]:
    """The worse list, changed in each cause alone."""
    of_better, of_worse = first_ranks(better), first_ranks(worse)
    missed = {one for one in relevant if one in of_better and one not in of_worse}
    both = relevant & of_better.keys() & of_worse.keys()
    late = {one for one in both if of_better[one] < of_worse[one]}
    left: list[Row] = []
    for rank, row in enumerate(worse):
        own = set(characters(row))
        gone = {one for one in own & late if of_worse[one] == rank}
        left += pieces(own - gone) if gone else [row]
    around: list[Row] = []
    for row in worse:
        inside = set(characters(row)) & relevant
        around += pieces(inside) if inside else [row]
    before = [
        row
        for rank, row in enumerate(worse)
        if any(one in relevant and of_worse[one] == rank for one in characters(row))
    ]
    repeated: list[Row] = []
    for rank, row in enumerate(worse):
        new = {one for one in characters(row) if of_worse[one] == rank}
        repeated += pieces(new) if characters(row) else [row]
    return {
        "missed": inserted(list(worse), better, missed),
        "late": inserted(left, better, late),
        "around": around,
        "before": before,
        "repeated": repeated,
    }
