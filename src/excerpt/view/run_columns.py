"""Result columns of a run, kept for reports together with its scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from excerpt.evaluation.scoring import Scoring, cutoff_of
from excerpt.measures import Measure
from excerpt.model.join import Joined
from excerpt.model.samples import touched
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans, keys
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


class MeasureReach(NamedTuple):
    """Results that a measure reads: their number per topic, and the characters of the last one."""

    results: IntArray
    last: IntArray


def whole_reach(joined: Joined) -> MeasureReach:
    """Reach of a measure that reads all results completely."""
    return MeasureReach(joined.results, np.full(joined.topics, np.iinfo(np.int64).max))


def reach_of(measure: Measure, joined: Joined) -> MeasureReach:
    """Results of each topic that a measure reads: up to its cut-off and within its budget."""
    budget, cutoff = getattr(measure, "budget", None), cutoff_of(measure)
    count, last = whole_reach(joined)
    count = count if cutoff is None else np.minimum(count, cutoff)
    if budget is None:
        return MeasureReach(count, last)
    cost = measure.costs(joined)
    left = int(budget) - (joined.running(cost) - cost)
    lead = joined.lead * cost // np.maximum(joined.read_size, 1)
    opened = np.bincount(joined.topic[left > lead], minlength=len(count))
    count = np.minimum(count, opened)
    full = np.flatnonzero(count)
    rows = joined.first[full] + count[full] - 1
    read = left[rows] * joined.read_size[rows] // np.maximum(cost[rows], 1)
    last[full] = read - joined.lead[rows]
    return MeasureReach(count, last)


def reads_some(measure: Measure) -> bool:
    """Return whether a measure has a cut-off or a budget."""
    return cutoff_of(measure) is not None or getattr(measure, "budget", None) is not None


def reading_measure(measures: Mapping[str, Measure]) -> tuple[str, Measure]:
    """Name and measure that limits the results read: the first one with a cut-off or a budget."""
    for name, measure in measures.items():
        if reads_some(measure):
            return name, measure
    return next(iter(measures.items()))


class Flow(NamedTuple):
    """Numbers of characters of one question or of all; every character counts once."""

    #: Relevant; relevant and retrieved; relevant, retrieved and cited.
    relevant: int
    found: int
    kept: int
    #: Cited; cited, but not relevant; cited, but never retrieved.
    cited: int
    vain: int
    unread: int

    @classmethod
    def total(cls, flows: Iterable[Flow]) -> Flow:
        """Sums over questions."""
        return cls(*map(sum, zip((0,) * 6, *flows, strict=True)))

    @property
    def parts(self) -> dict[str, tuple[int, int]]:
        """Numerator and denominator of each proportion, in characters."""
        return {
            "found": (self.found, self.relevant),
            "cited_of_found": (self.kept, self.found),
            "not_relevant": (self.vain, self.cited),
            "never_retrieved": (self.unread, self.cited),
        }

    @property
    def shares(self) -> dict[str, float | None]:
        """Proportions by name; None if undefined (0/0)."""
        return {name: part / total if total else None for name, (part, total) in self.parts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output: characters and proportions."""
        parts = {name: part for name, (part, _) in self.parts.items()}
        return {
            "characters": {"relevant": self.relevant, "cited": self.cited, **parts},
            "shares": self.shares,
        }


def count_funnel(retrieved: Joined, cited: Joined, *, corpus: Corpus | None = None) -> tuple[Flow, ...]:
    """Retrieved and cited text of each topic; both runs are joined with the same judgments.

    Documents that are not judged may have two names, of which the corpus knows that they mean the same.
    """
    judgments = retrieved.judgments
    codes = dict(judgments.document_codes) or {"": 0}
    own: dict[str, int] = {}
    for name in (*retrieved.run.documents, *cited.run.documents):
        if name not in codes:
            id_ = None if corpus is None else corpus.resolve(name)
            codes[name] = own.setdefault(name if id_ is None else id_, len(codes))
    spans, pair = judgments.spans, judgments.spans.group
    rows = [
        (judgments.pair_topic[pair] * len(codes) + judgments.pair_document[pair], spans.start, spans.end),
        *(_rows(joined, codes) for joined in (retrieved, cited)),
    ]
    distinct, numbers = np.unique(np.concatenate([group for group, _, _ in rows]), return_inverse=True)
    parts = np.split(numbers, np.cumsum([len(group) for group, _, _ in rows])[:-1])
    marked, read, quoted = (
        KeyedSpans.union(part, start, end) for part, (_, start, end) in zip(parts, rows, strict=True)
    )
    topic, found = distinct // len(codes), common(marked, read)
    sizes = []
    for each in (marked, found, common(found, quoted), quoted, common(quoted, marked), common(quoted, read)):
        sizes.append(np.zeros(len(judgments.topics), np.int64))
        np.add.at(sizes[-1], topic[each.group], each.length)
    relevant, reached, kept, cites, good, seen = sizes
    unplaced = np.zeros(cited.topics, np.int64)  # cited characters that occur in no document
    if cited.run.text.lost is not None:
        np.add.at(unplaced, cited.topic, cited.run.text.lost)
    columns = relevant, reached, kept, cites + unplaced, cites - good + unplaced, cites - seen + unplaced
    return tuple(map(Flow._make, np.stack(columns, axis=1).tolist()))


def _rows(joined: Joined, codes: dict[str, int]) -> tuple[IntArray, IntArray, IntArray]:
    """Number of the pair of topic and document of each result, and its span."""
    numbers = np.array([*(codes[name] for name in joined.run.documents), 0], np.int64)
    return joined.topic * len(codes) + numbers[joined.run.document_code], joined.start, joined.end


def common(one: KeyedSpans, other: KeyedSpans) -> KeyedSpans:
    """Intersection of two sets of spans.

    >>> both = common(KeyedSpans.union([0, 1], [0, 0], [9, 9]), KeyedSpans.union([0, 0], [5, 8], [7, 12]))
    >>> both.group.tolist(), both.start.tolist(), both.end.tolist()
    ([0, 0], [5, 8], [7, 9])
    """
    query, span = touched(other, one.group, one.start, one.end)
    start = np.maximum(one.start[query], other.start[span])
    end = np.minimum(one.end[query], other.end[span])
    return KeyedSpans(one.group[query], start, end)


Narrow = NDArray[np.uint32]

#: Start of a result whose document or span does not exist.
NOWHERE = np.iinfo(np.uint32).max
#: Most results with repeated text that are kept of one run, and of all runs.
MOST_AGAIN = 2000


class Counted(NamedTuple):
    """Characters of each result that count as read and as found under the overlap policy."""

    read: Narrow
    found: Narrow
    #: Relevant characters that no earlier result contains, if they differ from those found.
    new: Narrow | None = None


class Hits(NamedTuple):
    """Relevant passages (numbers of the judgments' spans) that a run found at least partly."""

    passage: IntArray
    characters: IntArray
    rank: IntArray


class Again(NamedTuple):
    """Repeated text of a run: its span, its rank, and the rank of the earlier result."""

    topic: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray
    before: IntArray
    total: int


@dataclass(frozen=True, eq=False)
class RunColumns:
    """Results of a run on the judged topics, as compact columns."""

    name: str
    file: str
    kind: str
    #: Names of the documents, by the numbers in the columns.
    documents: tuple[str, ...]
    #: First row of each topic, and the number of all rows.
    first: IntArray
    document: NDArray[np.int32]
    start: Narrow
    length: Narrow
    #: None if each result counts completely.
    counted: Counted | None
    hits: Hits
    again: Again
    #: Number of unjudged results.
    unjudged: int
    #: Results that count when reasons for missed passages are determined.
    reach: MeasureReach
    #: Retrieved and cited text of each topic, if there are citations.
    funnel: tuple[Flow, ...] | None = None

    @property
    def results(self) -> int:
        """Number of results on judged topics."""
        return len(self.document)

    @property
    def topics(self) -> int:
        """Number of judged topics with results."""
        return int((np.diff(self.first) > 0).sum())

    def ends(self) -> tuple[NDArray[np.int32], IntArray]:
        """Document and end of each result with a span."""
        placed = self.start != NOWHERE
        return self.document[placed], self.start[placed].astype(np.int64) + self.length[placed]

    def recoded(self, codes: defaultdict[str, int]) -> RunColumns:
        """Copy with the document numbers of `codes`; new names are added to it."""
        numbers = np.fromiter(map(codes.__getitem__, self.documents), np.int32, len(self.documents))
        if not len(numbers):
            return self
        again = self.again._replace(document=numbers[self.again.document].astype(np.int64))
        return replace(self, documents=(), document=numbers[self.document], again=again)


def score_run(
    scoring: Scoring, joined: Joined, notices: Notices, *, cited: Joined | None = None
) -> tuple[FloatArray, RunColumns]:
    """Scores and result columns of one run."""
    scores = scoring.scores(joined, notices)
    kept = columns_of_run(joined, reach_of(reading_measure(scoring.measures)[1], joined))
    return scores, kept if cited is None else replace(
        kept, funnel=count_funnel(joined, cited, corpus=scoring.reading.corpus)
    )


def columns_of_run(joined: Joined, reach: MeasureReach) -> RunColumns:
    """Result columns of a run."""
    run, placed = joined.run, joined.placed
    unplaced = np.zeros(len(run), np.bool_) if run.whole or run.kind == "documents" else ~run.known
    return RunColumns(
        name=run.name,
        file=run.source,
        kind="documents" if run.whole else run.kind,
        documents=run.documents,
        first=placed.first,
        document=run.document_code.astype(np.int32),
        start=np.where(unplaced, NOWHERE, placed.start).astype(np.uint32),
        length=(placed.end - placed.start).astype(np.uint32),
        counted=_counted(joined),
        hits=_hits(joined),
        again=_again(joined),
        unjudged=int((joined.pair < 0).sum()),
        reach=reach,
    )


def _counted(joined: Joined) -> Counted | None:
    """Same as `Joined.counted`, but also if the policy forbids overlap and the measures allow it."""
    overlap = joined.policy.overlap
    read = joined.new_size if overlap == "first" else joined.size
    found = joined.relevant if overlap == "allow" else joined.new_relevant
    plain = (read == joined.end - joined.start) & (found == joined.relevant)
    new = joined.new_relevant
    if plain.all() and np.array_equal(new, found):
        return None
    unseen = None if np.array_equal(new, found) else new.astype(np.uint32)
    return Counted(read.astype(np.uint32), found.astype(np.uint32), unseen)


def _hits(joined: Joined) -> Hits:
    """Passages found; each character counts once, for the first result that contains it."""
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
    """Results that repeat text of an earlier result of the same run; the first such result is named."""
    rows = joined.placed.repeated
    if not len(rows):
        return Again(*(np.zeros(0, np.int64),) * 6, total=0)
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
        document=joined.run.document_code[later],
        start=np.maximum(joined.start[later], joined.start[before]),
        end=np.minimum(joined.end[later], joined.end[before]),
        rank=rank,
        before=_ranks(joined, before),
        total=int(repeats.sum()),
    )
