"""How far a measure reads: up to a rank, and within a budget of characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from excerpt.measures import Measure
from excerpt.measures.base import RANK, parameters
from excerpt.model.join import Joined
from excerpt.model.spans import IntArray


class Reach(NamedTuple):
    """How far a measure reads: so many results of each topic, and so many characters of the last of them."""

    results: IntArray
    last: IntArray


def cutoff_of(measure: Measure) -> int | None:
    """The rank up to which a measure reads; None where it reads all.

    >>> from excerpt.measures import charR, iP
    >>> cutoff_of(charR @ 5), cutoff_of(iP @ 0.1)
    (5, None)
    """
    ranks = [getattr(measure, field.name) for field, kind in parameters(type(measure)) if kind is RANK]
    return ranks[0] if ranks else None


def whole_reach(joined: Joined) -> Reach:
    """All results, to their ends."""
    return Reach(joined.results, np.full(joined.topics, np.iinfo(np.int64).max))


def reach_of(measure: Measure, joined: Joined) -> Reach:
    """How far a measure reads the results of each topic: up to its cut-off, and within its budget."""
    budget, cutoff = getattr(measure, "budget", None), cutoff_of(measure)
    count, last = whole_reach(joined)
    count = count if cutoff is None else np.minimum(count, cutoff)
    if budget is None:
        return Reach(count, last)
    before = joined.running(joined.size) - joined.size
    opened = np.bincount(joined.topic[before < int(budget)], minlength=len(count))
    count = np.minimum(count, opened)
    full = np.flatnonzero(count)
    last[full] = int(budget) - before[joined.first[full] + count[full] - 1]
    return Reach(count, last)


def reads_some(measure: Measure) -> bool:
    """Whether a measure stops somewhere: at a rank, or where a budget is used up."""
    return cutoff_of(measure) is not None or getattr(measure, "budget", None) is not None


def reading_measure(measures: Mapping[str, Measure]) -> tuple[str, Measure]:
    """The measure, with its name, that says how far to read: the first with a cut-off or a budget."""
    for name, measure in measures.items():
        if reads_some(measure):
            return name, measure
    return next(iter(measures.items()))
