"""Reciprocal rank fusion, compared exactly: sums of 1/(60 + rank) as fractions where doubles could err."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

import numpy as np

from excerpt.model.spans import FloatArray, IntArray, first_rows

#: What is added to ranks (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion. SIGIR 2009).
ADDED = 60
#: Sums whose doubles are closer than this share of them are compared as fractions.
_NEAR = 1e-9


def fused(item: IntArray, run: IntArray, rank: IntArray, items: int) -> tuple[IntArray, IntArray, FloatArray]:
    """The first results of items in runs (item and rank of each), by item and rank; and the sum of each item.

    The rows ascend by rank within an item and run. Terms are added by rank, so equal ranks give equal sums.
    """
    rows = np.flatnonzero(first_rows(item, run.astype(np.int64)) == np.arange(len(item)))
    rows = rows[np.lexsort((rank[rows], item[rows]))]
    item, rank = item[rows], rank[rows]
    sums: FloatArray = np.bincount(item, 1.0 / (ADDED + rank), items)  # type: ignore[assignment]
    return item, rank, sums


def near_the_best(sums: FloatArray, wanted: int) -> IntArray:
    """The places of all sums that may be among so many highest, whatever was lost in rounding."""
    if not wanted or len(sums) <= wanted:
        return np.arange(len(sums) if wanted else 0)
    least = np.partition(sums, len(sums) - wanted)[len(sums) - wanted]
    return np.flatnonzero(sums >= least * (1 - _NEAR))


def best_of(sums: FloatArray, ranks: Sequence[tuple[int, ...]], wanted: int) -> list[int]:
    """The places of so many highest sums, descending; ties in the order given.

    `ranks` are those behind each sum, ascending.

    >>> best_of(np.array([1 / 70, 1 / 61, 1 / 70 + 1 / 61]), [(10,), (1,), (1, 10)], 2)
    [2, 1]
    """
    order = np.argsort(-sums, kind="stable")
    falling = sums[order]
    apart = np.flatnonzero(falling[1:] < falling[:-1] * (1 - _NEAR)) + 1
    found: list[int] = []
    for places in np.split(order, apart):
        if len(found) >= wanted:
            break
        found += _exactly(places.tolist(), ranks)
    return found[:wanted]


def _exactly(places: list[int], ranks: Sequence[tuple[int, ...]]) -> list[int]:
    """Places by their exact sums, descending; ties in the order given."""
    values = {ranks[place]: Fraction(0) for place in places}
    if len(values) > 1:
        values = {terms: sum_of(terms) for terms in values}
    return sorted(places, key=lambda place: (-values[ranks[place]], place))


def sum_of(ranks: Sequence[int]) -> Fraction:
    """The sum of 1/(60 + rank).

    >>> sum_of([1, 1, 40])
    Fraction(261, 6100)
    """
    terms = (Fraction(len(list(same)), ADDED + rank) for rank, same in groupby(ranks))
    return sum(terms, Fraction(0))
