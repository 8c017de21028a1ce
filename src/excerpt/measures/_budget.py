"""Reading up to a budget of characters: what was read and found when it was used up."""

from __future__ import annotations

import numpy as np

from excerpt.model.join import Joined, owned
from excerpt.model.spans import IntArray


def within_budget(joined: Joined, budget: int) -> tuple[IntArray, IntArray]:
    """Relevant characters found and characters read of each result, when reading stops after `budget`.

    Results are read in rank order, repeated text again; the one that crosses the budget is read from its
    start as far as the budget goes, those after it not at all.
    """
    before = joined.running(joined.size) - joined.size
    read = np.clip(budget - before, 0, joined.size)
    found = np.where(read == joined.size, joined.new_relevant, 0)
    cut = np.flatnonzero((read > 0) & (read < joined.size))
    found[cut] = _new_relevant(joined, cut, read[cut])
    return found, read


def _new_relevant(joined: Joined, rows: IntArray, length: IntArray) -> IntArray:
    """Relevant characters not shown before among the first characters of some results."""
    spans, placed = joined.judgments.spans, joined.placed
    limit = joined.start.copy()  # of all others nothing
    limit[rows] = np.minimum(joined.start[rows] + length, joined.end[rows])
    found = np.zeros(len(joined), np.int64)
    found[rows] = spans.overlap(joined.pair[rows], joined.start[rows], limit[rows])
    repeated = placed.repeated
    if len(repeated):
        segments = placed.segments
        owner = repeated[segments.owner]
        inside = spans.overlap(joined.pair[owner], segments.start, np.minimum(segments.end, limit[owner]))
        found[repeated] = owned(segments, inside, len(repeated))
    return found[rows]
