"""Samples of judgments: relevant text of a run's results if only some relevant passages are kept.

The results and the text read do not depend on the sample, so all samples are counted together: one row per
sample, one column per result with relevant text. Measures of elements are computed sample by sample, from
smaller judgments that all runs share.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.model.join import Joined, clashes, first_owners
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans, keys

if TYPE_CHECKING:
    from excerpt.model.alternatives import TopicNeeds

#: What a sample keeps or leaves out: relevant passages, or relevant elements of graded assessments.
SampleUnit: TypeAlias = Literal["passage", "element"]
#: Most rows (pairs, passages, elements) of smaller judgments that are kept for the next run.
_KEPT = 1 << 20


def unit_pairs(judgments: Judgments, unit: SampleUnit) -> IntArray:
    """Judged pair of every relevant passage, or of every relevant assessed element."""
    if unit == "passage":
        return judgments.spans.group
    assert judgments.elements is not None
    return judgments.elements.pair[relevant_assessed(judgments)]


def relevant_assessed(judgments: Judgments) -> IntArray:
    """Assessed elements with highlighted text or, if the scale has two grades, with a first grade above 0."""
    elements = judgments.elements
    assert elements is not None
    by_text = judgments.scale in {"highlights", "exhaustivity 0-2"}
    return np.flatnonzero((elements.relevant if by_text else elements.exhaustivity) > 0)


class Sample(NamedTuple):
    """Judgments with some of the relevant passages or elements."""

    judgments: Judgments
    #: The elements of the full judgments that are in the sample; None if all are.
    elements: BoolArray | None

    def join(self, joined: Joined) -> Joined:
        """Join the results of a run on the full judgments with the sample."""
        smaller = joined.judged_by(self.judgments)
        if self.elements is not None:
            place = np.where(self.elements, np.cumsum(self.elements) - 1, -1)
            smaller.elements = np.append(place, -1)[joined.elements]
        return smaller


def sample(judgments: Judgments, mask: BoolArray, unit: SampleUnit = "passage") -> Sample:
    """Keep only some relevant passages or elements; elements count the text of these passages."""
    elements = judgments.elements
    if unit == "element":
        assert elements is not None
        wanted = np.ones(len(elements), np.bool_)
        wanted[relevant_assessed(judgments)[~mask]] = False
        return Sample(replace(judgments, elements=elements.only(wanted)), wanted)
    spans = judgments.spans
    kept = KeyedSpans(spans.group[mask], spans.start[mask], spans.end[mask])
    relevant = kept.counts(len(judgments)) > 0
    judgments = replace(
        judgments,
        spans=kept,
        pair_entry=np.where(relevant, judgments.pair_entry, UNKNOWN),
        alternatives=_kept_needs(judgments, kept),
    )
    if elements is None or elements.start is None:
        return Sample(judgments, None)
    inside = kept.overlap(elements.pair, elements.start, elements.start + elements.size)
    wanted = inside > 0
    smaller = replace(elements, relevant=inside).only(wanted)
    return Sample(replace(judgments, elements=smaller), wanted)


def _kept_needs(judgments: Judgments, kept: KeyedSpans) -> TopicNeeds:
    """Return the needs without the parts outside of the kept passages; each part is in one passage."""
    needs = judgments.needs
    if needs is None:
        return {}
    from excerpt.model.alternatives import arrange

    left = iter((kept.overlap(needs.pair, needs.start, needs.end) > 0).tolist())
    return arrange(
        {
            topic: [[tuple(part for part in parts if next(left)) for parts in need] for need in several]
            for topic, several in judgments.alternatives.items()
        }
    )


@dataclass(frozen=True, eq=False)
class Masks:
    """A mask over the relevant passages or elements for each sample; runs share the smaller judgments."""

    masks: BoolArray
    unit: SampleUnit = "passage"
    _samples: dict[int, Sample] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.masks)

    def sample(self, judgments: Judgments, number: int) -> Sample:
        """The sample of a number; as many as fit into memory are made only once."""
        found = self._samples.get(number)
        if found is None:
            found = sample(judgments, self.masks[number], self.unit)
            rows = len(judgments) + len(judgments.spans) + len(judgments.elements or ())
            if (number + 1) * rows <= _KEPT:
                self._samples[number] = found
        return found


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
        topics = judgments.pair_topic[judgments.spans.group]
        first = np.flatnonzero(np.diff(topics, prepend=-1))
        total = np.zeros((len(self.masks), len(judgments.topics)), np.int64)
        if len(first):
            total[:, topics[first]] = np.add.reduceat(self.masks * judgments.spans.length, first, axis=1)
        return total
