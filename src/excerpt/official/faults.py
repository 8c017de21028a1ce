"""Runs that the official tool rejects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from excerpt.model.spans import BoolArray, IntArray, keys


class Rejection(NamedTuple):
    """The tool drops a whole run because of this line of its file, with this text (one or two lines)."""

    line: int
    text: str


def overlap_row(
    article: IntArray, start: IntArray, end: IntArray, unknown: BoolArray, line: IntArray
) -> int | None:
    """The result on the earliest line that overlaps with an earlier result of its article, if any.

    The tool's test `start < other end and other start < end` also finds an empty passage strictly inside
    another one.
    """
    suspects = _articles_with_overlap(article[~unknown], start[~unknown], end[~unknown])
    found: list[tuple[int, int]] = []
    for suspect in suspects.tolist():
        rows = np.flatnonzero((article == suspect) & ~unknown)
        for place in range(1, len(rows)):
            row, before = rows[place], rows[:place]
            if bool(((start[row] < end[before]) & (start[before] < end[row])).any()):
                found.append((int(line[row]), int(row)))
                break
    return min(found)[1] if found else None


def _articles_with_overlap(article: IntArray, start: IntArray, end: IntArray) -> IntArray:
    filled = np.flatnonzero(end > start)
    order = filled[np.argsort(keys(article[filled], start[filled]), kind="stable")]
    begin, reach = keys(article, start), np.maximum.accumulate(keys(article, end)[order])
    met = order[1:][reach[:-1] > begin[order[1:]]]
    empty = np.flatnonzero(end <= start)
    before = np.searchsorted(begin[order], begin[empty], side="left") - 1
    inside = empty[(before >= 0) & (np.append(reach, 0)[before] > begin[empty])]
    return np.unique(article[np.concatenate((met, inside))])
