"""Which result was the first to show each character, for all results at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from excerpt.model.spans import POSITION_BITS, BoolArray, IntArray, keys

_NOBODY = np.iinfo(np.int64).max


class Segments(NamedTuple):
    """Stretches of text between neighbouring boundaries, each owned by the result that showed it first."""

    group: IntArray
    start: IntArray
    end: IntArray
    owner: IntArray


def clashes(group: IntArray, start: IntArray, end: IntArray) -> BoolArray:
    """Marks the results that belong to a group in which two results share a character.

    Groups are numbered from 0 on, as `distinct` does it.
    """
    filled = np.flatnonzero(end > start)
    several = filled[np.bincount(group[filled])[group[filled]] > 1]
    order = several[np.argsort(keys(group[several], start[several]))]
    starts, reach = keys(group, start)[order], np.maximum.accumulate(keys(group, end)[order])
    met = np.flatnonzero(reach[:-1] > starts[1:]) + 1
    return np.isin(group, group[order[met]]) if len(met) else np.zeros(len(group), np.bool_)


def first_clash(group: IntArray, start: IntArray, end: IntArray) -> tuple[int, int] | None:
    """The best-placed result that repeats a character, with the best-placed result it repeats."""
    marked = np.flatnonzero(clashes(group, start, end) & (end > start))
    if not len(marked):
        return None
    segments = first_owners(group[marked], start[marked], end[marked])
    new = owned(segments, segments.end - segments.start, len(marked))
    later = int(marked[np.flatnonzero(new < (end - start)[marked])[0]])
    before = marked[marked < later]
    shares = (group[before] == group[later]) & (start[before] < end[later]) & (end[before] > start[later])
    return later, int(before[np.flatnonzero(shares)[0]])


def first_owners(group: IntArray, start: IntArray, end: IntArray) -> Segments:
    """Cut the results at all boundaries; a segment belongs to the first result (lowest index) covering it.

    The lowest index over all covering intervals is found for all segments together: an interval of n
    segments is written as two overlapping runs of 2**k segments, and runs are halved level by level.
    """
    low_key, high_key = keys(group, start), keys(group, end)
    points = np.unique(np.concatenate((low_key, high_key)))
    low, high = np.searchsorted(points, low_key), np.searchsorted(points, high_key)
    filled = np.flatnonzero(high > low)
    level = np.zeros(len(group), np.int64)
    level[filled] = np.frexp(high[filled] - low[filled])[1] - 1  # floor of log2, exactly
    owner = np.full(len(points), _NOBODY, np.int64)
    for k in range(int(level.max(initial=0)), -1, -1):
        at = filled[level[filled] == k]
        np.minimum.at(owner, low[at], at)
        np.minimum.at(owner, high[at] - (1 << k), at)
        if k:
            half = 1 << (k - 1)
            # A run of 2**k segments becomes its two halves; both were written at their first segment.
            lower = owner.copy()
            lower[half:] = np.minimum(lower[half:], owner[:-half])
            owner = lower
    seen = np.flatnonzero(owner != _NOBODY)
    by = owner[seen]
    base = group[by] << POSITION_BITS
    return Segments(group[by], points[seen] - base, points[seen + 1] - base, by)


def owned(segments: Segments, amount: IntArray, results: int) -> IntArray:
    """The sum of `amount` over the segments that each result owns."""
    total = np.zeros(results, np.int64)
    np.add.at(total, segments.owner, amount)
    return total
