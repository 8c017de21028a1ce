"""Average precision over characters, without interpolation: PASSAGE2 of TREC Genomics, for any spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from excerpt.measures.base import RANK, Measure, parameter
from excerpt.model.join import Joined
from excerpt.model.samples import touched
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans, keys, running_sums

#: Characters at the beginning of a stretch that are added one by one; the rest in closed form.
_HEAD = 64
_STRETCHES = 1 << 14  # that are added at a time, to limit memory
_NEAR = 0.5  # below this, t - log(1 + t) is computed by a series
_TERMS = 14


class _Stretches(NamedTuple):
    """New relevant text of results in order of reading: disjoint spans of judged pairs."""

    topic: IntArray
    pair: IntArray
    start: IntArray
    end: IntArray
    #: Relevant characters found, and other characters read, before each.
    found: IntArray
    other: IntArray

    @classmethod
    def of(cls, joined: Joined, top: int | None) -> _Stretches:
        """Find the stretches in the first `top` results of each topic."""
        row, start, end = _owned(joined)
        rank = row - joined.first[joined.topic[row]]
        kept = np.flatnonzero((joined.pair[row] >= 0) & (rank < (top or len(joined))))
        row, start, end = row[kept], start[kept], end[kept]
        spans = joined.judgments.spans
        part, span = touched(spans, joined.pair[row], start, end)
        row = row[part]
        start, end = np.maximum(start[part], spans.start[span]), np.minimum(end[part], spans.end[span])
        filled = np.flatnonzero(end > start)
        order = filled[np.argsort(keys(row[filled], start[filled]))]
        row, start, end = row[order], start[order], end[order]
        topic, pair, begin = joined.topic[row], joined.pair[row], joined.start[row]
        length = np.asarray(end - start, np.int64)
        found = running_sums(length, np.searchsorted(topic, np.arange(joined.topics + 1))) - length
        irrelevant = joined.size - joined.relevant
        lead = np.minimum(joined.lead, joined.size - (joined.end - joined.start))[row]
        before = lead + (start - begin) - spans.overlap(pair, begin, start)
        other = (joined.running(irrelevant) - irrelevant)[row] + before
        return cls(topic, pair, start, end, found, other)

    def inside(self, pair: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, _Stretches]:
        """Return the parts of the stretches in some spans, each with the number of its span."""
        order = np.argsort(keys(self.pair, self.start))
        by_place = KeyedSpans(self.pair[order], self.start[order], self.end[order])
        number, place = touched(by_place, pair, start, end)
        row = order[place]
        low, high = np.maximum(start[number], self.start[row]), np.minimum(end[number], self.end[row])
        found = np.asarray(self.found[row] + (low - self.start[row]), np.int64)
        return number, _Stretches(self.topic[row], self.pair[row], low, high, found, self.other[row])

    def sums(self, topics: int) -> FloatArray:
        """Sum, for each topic, of the precision at each of these characters."""
        order = np.argsort(self.topic, kind="stable")
        values = _precisions(*(column[order] for column in (self.found, self.other, self.end - self.start)))
        total = np.zeros(topics)
        if len(order):
            opens = np.flatnonzero(np.diff(self.topic[order], prepend=-1))
            total[self.topic[order][opens]] = np.add.reduceat(values, opens)
        return total


def _owned(joined: Joined) -> tuple[IntArray, IntArray, IntArray]:
    """Result, start and end of all text of the results, each character at the result that shows it first."""
    repeated, segments = joined.placed.repeated, joined.placed.segments
    alone = np.ones(len(joined), np.bool_)
    alone[repeated] = False
    rows = np.flatnonzero(alone)
    return (
        np.concatenate((rows, repeated[segments.owner])),
        np.concatenate((joined.start[rows], segments.start)),
        np.concatenate((joined.end[rows], segments.end)),
    )


def _precisions(found: IntArray, other: IntArray, count: IntArray) -> FloatArray:
    """Sums of (found + i) / (found + other + i) for i from 1 to `count`."""
    total = np.zeros(len(count))
    for begin in range(0, len(count), _STRETCHES):
        rows = slice(begin, begin + _STRETCHES)
        total[rows] = _head(found[rows], other[rows], np.minimum(count[rows], _HEAD))
    long = np.flatnonzero(count > _HEAD)
    total[long] += _rest(found[long] + _HEAD, other[long], count[long] - _HEAD)
    return total


def _head(found: IntArray, other: IntArray, count: IntArray) -> FloatArray:
    """Sums of a few terms each, added one by one."""
    if not len(count):
        return np.zeros(0)
    first = np.cumsum(count) - count
    step = np.arange(int(count.sum())) - np.repeat(first, count) + 1
    above = np.repeat(found, count) + step
    return np.add.reduceat(above / (above + np.repeat(other, count)), first)


def _rest(found: IntArray, other: IntArray, count: IntArray) -> FloatArray:
    """Sums of many terms each, by the formula of Euler and Maclaurin at the middles of the terms.

    After the first terms the formula is exact to more digits than a double has; without cancellation, since
    the integral n - N log(1 + n/A) is (A - N) log(1 + t) + A (t - log(1 + t)) with t = n/A.
    """
    low = found + other + 0.5
    high, share = low + count, count / low
    integral = (found + 0.5) * np.log1p(share) + low * _log_gap(share)
    low, high = low**-2.0, high**-2.0
    terms = (low - high) / 24 - 7 * (low**2 - high**2) / 960 + 31 * (low**3 - high**3) / 8064
    return np.asarray(integral + other * terms)


def _log_gap(share: FloatArray) -> FloatArray:
    """t - log(1 + t), also for small t."""
    half = share / (2 + share)
    square, series = half**2, np.zeros_like(half)
    for number in range(_TERMS, 0, -1):
        series = series * square + 1 / (2 * number + 1)
    near = 2 * square / (1 - half) - 2 * half * square * series
    return np.where(share < _NEAR, near, share - np.log1p(share))


@dataclass(frozen=True)
class CharacterAveragePrecision(Measure):
    """The mean, over all relevant characters of the topic, of precision where each is first shown; else 0.

    The first k results are read character by character. A relevant character that is new is found and read;
    one that was shown before is neither; any other character is read each time it is shown. Precision is the
    number of characters found over those read. It is not interpolated, and the order of the results and of
    the text inside of a result matters. Without a cut-off the whole list is read; the mean over topics is
    charMAP. It is PASSAGE2 of TREC Genomics, for spans of any collection.

    If a topic has alternatives, the characters of the best alternative of each need count, as in charR, with
    the precision of the text of all of them.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 10, 20), ("1", "A", 30, 40), ("1", "B", 0, 5)])
    >>> run = excerpt.Run.of("r", [("1", "A", 10, 20), ("1", "A", 10, 20), ("1", "A", 12, 30)])
    >>> excerpt.evaluate(judgments, [run], ["charAP"]).mean("r", "charAP")
    0.4
    """

    name = "charAP"
    mean_name = "charMAP"
    reference = "W. Hersh, A. Cohen, L. Ruslen, P. Roberts: TREC 2007 Genomics Track Overview. TREC 2007"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        stretches = _Stretches.of(joined, self.top)
        total, needs = joined.judgments.relevant_by_topic, joined.judgments.needs
        area = stretches.sums(joined.topics)
        if needs is not None:
            shown = joined.shown(self.top).overlap(needs.pair, needs.start, needs.end)
            best = needs.best(shown)
            parts = np.flatnonzero(np.isin(needs.alternative, best))
            _, counted = stretches.inside(needs.pair[parts], needs.start[parts], needs.end[parts])
            own = counted.sums(joined.topics)
            _, length = needs.recalled(shown, total, total)
            area[needs.topic], total = own[needs.topic], length
        return np.asarray(area / np.maximum(total, 1))
