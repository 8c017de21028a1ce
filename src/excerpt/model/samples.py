"""Samples of judgments: relevant text of a run's results if only some relevant passages are kept.

The results and the text read do not depend on the sample, so all samples are counted together: one row per
sample, one column per result with relevant text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from excerpt.model.join import Joined, clashes, first_owners
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans, keys


def sample(judgments: Judgments, mask: BoolArray) -> Judgments:
    """Keep only some relevant passages of judgments; a document without passages has no entry point."""
    spans = judgments.spans
    kept = KeyedSpans(spans.group[mask], spans.start[mask], spans.end[mask])
    relevant = kept.counts(len(judgments)) > 0
    return replace(judgments, spans=kept, pair_entry=np.where(relevant, judgments.pair_entry, UNKNOWN))


def touched(spans: KeyedSpans, group: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of a query span and a span of its group that overlap; an empty query overlaps a span around it.

    >>> spans = KeyedSpans.union([0, 0, 1], [10, 30, 5], [20, 40, 6])
    >>> query, span = touched(spans, np.array([0, 1]), np.array([15, 0]), np.array([35, 5]))
    >>> query.tolist(), span.tolist()
    ([0, 0], [0, 1])
    """
    low = np.searchsorted(keys(spans.group, spans.end), keys(group, start), side="right")
    high = np.searchsorted(keys(spans.group, spans.start), keys(group, end), side="left")
    count = np.maximum(high - low, 0)
    query = np.repeat(np.arange(len(group)), count)
    return query, np.arange(len(query)) - np.repeat(np.cumsum(count) - count, count) + low[query]


@dataclass(frozen=True, eq=False)
class Shares:
    """Relevant characters by result and passage under the overlap policy, from which samples select."""

    joined: Joined
    #: Results with relevant text, and the first share of each.
    rows: IntArray
    first: IntArray
    passage: IntArray
    amount: IntArray

    @classmethod
    def of(cls, joined: Joined) -> Shares:
        """Count the characters that each result has of each passage."""
        spans = joined.judgments.spans
        owner, start, end = _segments(joined)
        segment, passage = touched(spans, joined.pair[owner], start, end)
        row = owner[segment]
        start, end = start[segment], end[segment]
        amount = np.minimum(end, spans.end[passage]) - np.maximum(start, spans.start[passage])
        first = np.flatnonzero(np.diff(row, prepend=-1))
        return cls(joined, row[first], first, passage, amount)

    @cached_property
    def topic(self) -> IntArray:
        """Topic of each result with relevant text."""
        return self.joined.topic[self.rows]

    @cached_property
    def opens(self) -> IntArray:
        """First result with relevant text of each topic."""
        return np.flatnonzero(np.diff(self.topic, prepend=-1))

    @cached_property
    def read(self) -> IntArray:
        """Characters read up to and including each result with relevant text."""
        return self.joined.read[self.rows]


def _segments(joined: Joined) -> tuple[IntArray, IntArray, IntArray]:
    """Result, start and end of every span that may be relevant, as often as it counts."""
    relevant = np.append(joined.judgments.relevant_by_pair, 0)[joined.pair] > 0
    rows = np.flatnonzero(relevant & (joined.end > joined.start))
    start, end = joined.start[rows], joined.end[rows]
    if joined.policy.overlap in {"allow", "error"}:
        return rows, start, end
    repeated = clashes(joined.group[rows], start, end)
    if not repeated.any():
        return rows, start, end
    single, again = np.flatnonzero(~repeated), np.flatnonzero(repeated)
    segments = first_owners(joined.group[rows[again]], start[again], end[again])
    owner = np.concatenate((rows[single], rows[again[segments.owner]]))
    order = np.argsort(owner, kind="stable")
    return (
        owner[order],
        np.concatenate((start[single], segments.start))[order],
        np.concatenate((end[single], segments.end))[order],
    )


@dataclass(frozen=True, eq=False)
class Samples:
    """Shares of a run, and a mask over the relevant passages for each sample.

    >>> from excerpt.model import Judgments, Policy, Result, Run, Span
    >>> from excerpt.model.join import join
    >>> from excerpt.notices import Notices
    >>> judgments = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 20, 40))])
    >>> run = Run.of("r", [Result("1", "A", 5, 25), Result("1", "B", 0, 9), Result("1", "A", 30, 99)])
    >>> joined = join(run, judgments, Policy(), Notices())
    >>> samples = Samples(Shares.of(joined), np.array([[True, True], [True, False]]))
    >>> samples.found.tolist(), samples.relevant_by_topic.tolist(), samples.shares.read.tolist()
    ([[10, 20], [5, 5]], [[30], [10]], [20, 98])
    """

    shares: Shares
    masks: BoolArray

    @cached_property
    def found(self) -> IntArray:
        """Relevant characters of the topic up to and including each result, by sample and result."""
        shares = self.shares
        if not len(shares.rows):
            return np.zeros((len(self.masks), 0), np.int64)
        counted = np.add.reduceat(self.masks[:, shares.passage] * shares.amount, shares.first, axis=1)
        total = np.cumsum(counted, axis=1)
        before = (total - counted)[:, shares.opens]
        return np.asarray(total - np.repeat(before, np.diff(shares.opens, append=len(shares.rows)), axis=1))

    @cached_property
    def relevant_by_topic(self) -> IntArray:
        """Relevant characters by sample and topic."""
        judgments = self.shares.joined.judgments
        topic, first = judgments.first_passages
        total = np.zeros((len(self.masks), len(judgments.topics)), np.int64)
        if len(first):
            total[:, topic] = np.add.reduceat(self.masks * judgments.spans.length, first, axis=1)
        return total
