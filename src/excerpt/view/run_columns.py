"""Columns of a run's results, kept next to its scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from excerpt.evaluation.scoring import Scoring
from excerpt.measures import Measure
from excerpt.measures.base import RANK, parameters
from excerpt.model.join import Joined
from excerpt.model.samples import touched
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans, keys
from excerpt.notices import Notices


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


class Flow(NamedTuple):
    """Characters of one question, or of all of them; every character counts once."""

    #: Relevant; of these retrieved; of those cited.
    relevant: int
    found: int
    kept: int
    #: Cited; cited but not relevant; cited but never retrieved.
    cited: int
    vain: int
    unread: int

    @classmethod
    def total(cls, flows: Iterable[Flow]) -> Flow:
        """The sums over questions."""
        return cls(*map(sum, zip((0,) * 6, *flows, strict=True)))

    @property
    def parts(self) -> dict[str, tuple[int, int]]:
        """What each share is made of: so many characters, of so many."""
        return {
            "found": (self.found, self.relevant),
            "cited_of_found": (self.kept, self.found),
            "not_relevant": (self.vain, self.cited),
            "never_retrieved": (self.unread, self.cited),
        }

    @property
    def shares(self) -> dict[str, float | None]:
        """The shares by name; None where there is nothing to have a share of."""
        return {name: part / whole if whole else None for name, (part, whole) in self.parts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Characters and shares."""
        parts = {name: part for name, (part, _) in self.parts.items()}
        return {
            "characters": {"relevant": self.relevant, "cited": self.cited, **parts},
            "shares": self.shares,
        }


def count_funnel(retrieved: Joined, cited: Joined) -> tuple[Flow, ...]:
    """What two runs, joined with the same judgments, have of the relevant text of each topic."""
    judgments = retrieved.judgments
    codes = dict(judgments.document_codes) or {"": 0}
    for name in (*retrieved.run.documents, *cited.run.documents):
        codes.setdefault(name, len(codes))
    spans, pair = judgments.spans, judgments.spans.group
    rows = [
        (judgments.pair_topic[pair] * len(codes) + judgments.pair_document[pair], spans.start, spans.end),
        *(_rows(joined, codes) for joined in (retrieved, cited)),
    ]
    distinct, numbers = np.unique(np.concatenate([group for group, _, _ in rows]), return_inverse=True)
    parts = np.split(numbers, np.cumsum([len(group) for group, _, _ in rows])[:-1])
    wanted, read, told = (
        KeyedSpans.union(part, start, end) for part, (_, start, end) in zip(parts, rows, strict=True)
    )
    topic, found = distinct // len(codes), common(wanted, read)
    sizes = []
    for each in (wanted, found, common(found, told), told, common(told, wanted), common(told, read)):
        sizes.append(np.zeros(len(judgments.topics), np.int64))
        np.add.at(sizes[-1], topic[each.group], each.length)
    relevant, reached, kept, cites, good, seen = sizes
    nowhere = np.zeros(cited.topics, np.int64)  # characters that are cited, but stand nowhere
    if cited.run.lost is not None:
        np.add.at(nowhere, cited.topic, cited.run.lost)
    columns = relevant, reached, kept, cites + nowhere, cites - good + nowhere, cites - seen + nowhere
    return tuple(map(Flow._make, np.stack(columns, axis=1).tolist()))


def _rows(joined: Joined, codes: dict[str, int]) -> tuple[IntArray, IntArray, IntArray]:
    """A number for topic and document of each result, and its span."""
    numbers = np.array([*(codes[name] for name in joined.run.documents), 0], np.int64)
    return joined.topic * len(codes) + numbers[joined.run.document], joined.start, joined.end


def common(one: KeyedSpans, other: KeyedSpans) -> KeyedSpans:
    """The characters that two sets of spans have in common.

    >>> found = common(KeyedSpans.union([0, 1], [0, 0], [9, 9]), KeyedSpans.union([0, 0], [5, 8], [7, 12]))
    >>> found.group.tolist(), found.start.tolist(), found.end.tolist()
    ([0, 0], [5, 8], [7, 9])
    """
    query, span = touched(other, one.group, one.start, one.end)
    start = np.maximum(one.start[query], other.start[span])
    end = np.minimum(one.end[query], other.end[span])
    return KeyedSpans(one.group[query], start, end)


Narrow = NDArray[np.uint32]

#: The start of a result that names nothing that exists.
NOWHERE = np.iinfo(np.uint32).max
#: How many results that show text a second time are kept of one run, and of all.
MOST_AGAIN = 2000


class Counted(NamedTuple):
    """What the overlap policy counts for each result: characters read, and relevant ones among them."""

    read: Narrow
    found: Narrow
    #: Relevant characters not shown before, where these are not the ones found.
    new: Narrow | None = None


class Hits(NamedTuple):
    """Relevant passages (numbers of the judgments' spans) that a run found some of, each once."""

    passage: IntArray
    characters: IntArray
    rank: IntArray


class Again(NamedTuple):
    """Text that a run showed a second time: where, at which rank, and at which rank before."""

    topic: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray
    before: IntArray
    total: int


@dataclass(frozen=True, eq=False)
class Kept:
    """A run on the judged topics, in as few bytes as it takes."""

    name: str
    file: str
    kind: str
    #: Names of the documents that the columns mean by their numbers.
    documents: tuple[str, ...]
    #: Where the results of each topic begin, one more at the end.
    first: IntArray
    document: NDArray[np.int32]
    start: Narrow
    length: Narrow
    #: None where each result counts as it is.
    counted: Counted | None
    hits: Hits
    again: Again
    #: Results of documents that nobody judged for the topic.
    unjudged: int
    #: How far results are read, where reasons are asked for why passages are missed.
    reach: Reach
    #: What gets through to citations on each topic, where there are any.
    funnel: tuple[Flow, ...] | None = None

    @property
    def results(self) -> int:
        """How many results the run has on judged topics."""
        return len(self.document)

    @property
    def topics(self) -> int:
        """How many judged topics the run has results for."""
        return int((np.diff(self.first) > 0).sum())

    def ends(self) -> tuple[NDArray[np.int32], IntArray]:
        """The document and the end of each result that exists."""
        known = self.start != NOWHERE
        return self.document[known], self.start[known].astype(np.int64) + self.length[known]

    def recoded(self, codes: defaultdict[str, int]) -> Kept:
        """The same with documents by other numbers: those of their names, new names are added."""
        numbers = np.fromiter(map(codes.__getitem__, self.documents), np.int32, len(self.documents))
        if not len(numbers):
            return self
        again = self.again._replace(document=numbers[self.again.document].astype(np.int64))
        return replace(self, documents=(), document=numbers[self.document], again=again)


def keep(
    scoring: Scoring, joined: Joined, notices: Notices, *, cited: Joined | None = None
) -> tuple[FloatArray, Kept]:
    """Work on one run: its scores, and what is kept of it."""
    scores = scoring.scores(joined, notices)
    kept = keep_results(joined, reach_of(reading_measure(scoring.measures)[1], joined))
    return scores, kept if cited is None else replace(kept, funnel=count_funnel(joined, cited))


def keep_results(joined: Joined, reach: Reach) -> Kept:
    """What is kept of a run that was not scored."""
    run, placed = joined.run, joined.placed
    nowhere = np.zeros(len(run), np.bool_) if run.whole or run.kind == "documents" else ~run.known
    return Kept(
        name=run.name,
        file=run.source,
        kind="documents" if run.whole else run.kind,
        documents=run.documents,
        first=placed.first,
        document=run.document.astype(np.int32),
        start=np.where(nowhere, NOWHERE, placed.start).astype(np.uint32),
        length=(placed.end - placed.start).astype(np.uint32),
        counted=_counted(joined),
        hits=_hits(joined),
        again=_again(joined),
        unjudged=int((joined.pair < 0).sum()),
        reach=reach,
    )


def _counted(joined: Joined) -> Counted | None:
    """What `Joined.counted` says, also where the policy forbids overlap but no measure minds it."""
    overlap = joined.policy.overlap
    read = joined.new_size if overlap == "first" else joined.size
    found = joined.relevant if overlap == "allow" else joined.new_relevant
    plain = (read == joined.end - joined.start) & (found == joined.relevant)
    new = joined.new_relevant
    if plain.all() and np.array_equal(new, found):
        return None
    beside = None if np.array_equal(new, found) else new.astype(np.uint32)
    return Counted(read.astype(np.uint32), found.astype(np.uint32), beside)


def _hits(joined: Joined) -> Hits:
    """Each character counts once, and belongs to the first result that shows it."""
    placed, spans = joined.placed, joined.judgments.spans
    repeated = np.zeros(len(joined), np.bool_)
    repeated[placed.repeated] = True
    single = np.flatnonzero(~repeated & (joined.relevant > 0))
    row, start, end = single, joined.start[single], joined.end[single]
    if len(placed.repeated):
        segments = placed.segments
        row = np.concatenate((row, placed.repeated[segments.owner]))
        start, end = np.concatenate((start, segments.start)), np.concatenate((end, segments.end))
    judged = np.flatnonzero(joined.pair[row] >= 0)
    row, start, end = row[judged], start[judged], end[judged]
    piece, passage = touched(spans, joined.pair[row], start, end)
    amount = np.minimum(end[piece], spans.end[passage]) - np.maximum(start[piece], spans.start[passage])
    found, place = np.unique(passage, return_inverse=True)
    characters = np.bincount(place, amount, minlength=len(found)).astype(np.int64)
    best = np.full(len(found), len(joined), np.int64)
    np.minimum.at(best, place, row[piece])
    return Hits(found, characters, _ranks(joined, best))


def _ranks(joined: Joined, rows: IntArray) -> IntArray:
    return np.asarray(rows - joined.first[joined.topic[rows]] + 1 if len(rows) else rows)


def _again(joined: Joined) -> Again:
    """Results that share text with an earlier one of the same run; the text is shared with the first such."""
    rows = joined.placed.repeated
    nothing = np.zeros(0, np.int64)
    if not len(rows):
        return Again(*(nothing,) * 6, total=0)
    segments = joined.placed.segments  # sorted by group and start
    filled = np.flatnonzero(joined.end[rows] > joined.start[rows])
    group, place = joined.group[rows[filled]], keys(segments.group, segments.start)
    low = np.searchsorted(place, keys(group, joined.start[rows[filled]]))
    high = np.searchsorted(place, keys(group, joined.end[rows[filled]]))
    bounds = np.stack((low, high), axis=1).ravel()
    earliest = np.minimum.reduceat(np.append(segments.owner, len(rows)), bounds)[::2]
    repeats = earliest < filled
    later, before = rows[filled[repeats]], rows[earliest[repeats]]
    rank = _ranks(joined, later)
    best = np.sort(np.argsort(rank, kind="stable")[:MOST_AGAIN])
    later, before, rank = later[best], before[best], rank[best]
    return Again(
        topic=joined.topic[later],
        document=joined.run.document[later],
        start=np.maximum(joined.start[later], joined.start[before]),
        end=np.minimum(joined.end[later], joined.end[before]),
        rank=rank,
        before=_ranks(joined, before),
        total=int(repeats.sum()),
    )
