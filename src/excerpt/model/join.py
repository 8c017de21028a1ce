"""Join of a run with judgments: relevant text and overlap of each result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import repeat
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from excerpt.errors import FormatError, OverlapError, PolicyError, plural
from excerpt.model.judgments import Judgments
from excerpt.model.policy import UNKNOWN_LENGTH, Policy
from excerpt.model.run import Run
from excerpt.model.spans import (
    POSITION_BITS,
    UNKNOWN,
    BoolArray,
    FloatArray,
    IntArray,
    KeyedSpans,
    first_rows,
    keys,
    running_sums,
    sums,
)
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.model.rankings import Rankings
    from excerpt.model.texts import Texts


_NO_OWNER = np.iinfo(np.int64).max


class Segments(NamedTuple):
    """Spans between neighbouring boundaries, each owned by the best-ranked result that contains it."""

    group: IntArray
    start: IntArray
    end: IntArray
    owner: IntArray


def clashes(group: IntArray, start: IntArray, end: IntArray) -> BoolArray:
    """Mark the results of groups (numbered as by `distinct`) in which two results share a character."""
    filled = np.flatnonzero(end > start)
    several = filled[np.bincount(group[filled])[group[filled]] > 1]
    order = several[np.argsort(keys(group[several], start[several]))]
    starts, reach = keys(group, start)[order], np.maximum.accumulate(keys(group, end)[order])
    shared = np.flatnonzero(reach[:-1] > starts[1:]) + 1
    return np.isin(group, group[order[shared]]) if len(shared) else np.zeros(len(group), np.bool_)


def first_clash(group: IntArray, start: IntArray, end: IntArray) -> tuple[int, int] | None:
    """Best-ranked result that repeats a character, and the best-ranked result that it overlaps."""
    later = repeats(group, start, end)[:1].tolist()
    return (later[0], overlapped_by(group, start, end, later[0])) if later else None


def repeats(group: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Results that repeat a character of a better-ranked result of their group."""
    marked = np.flatnonzero(clashes(group, start, end) & (end > start))
    segments = first_owners(group[marked], start[marked], end[marked])
    new = sums(segments.owner, segments.end - segments.start, len(marked))
    return marked[new < (end - start)[marked]]


def overlapped_by(group: IntArray, start: IntArray, end: IntArray, row: int) -> int:
    """Best-ranked result that shares a character with a result of its group."""
    shares = (group == group[row]) & (start < end[row]) & (end > start[row]) & (end > start)
    return int(np.flatnonzero(shares)[0])


def first_owners(group: IntArray, start: IntArray, end: IntArray) -> Segments:
    """Cut the results at all boundaries; a segment belongs to the first result (lowest index) covering it.

    The lowest index over all covering intervals is computed for all segments together: an interval of n
    segments is represented by two overlapping runs of 2**k segments, and runs are halved level by level.
    """
    low_key, high_key = keys(group, start), keys(group, end)
    points = np.unique(np.concatenate((low_key, high_key)))
    low, high = np.searchsorted(points, low_key), np.searchsorted(points, high_key)
    filled = np.flatnonzero(high > low)
    level = np.zeros(len(group), np.int64)
    level[filled] = np.frexp(high[filled] - low[filled])[1] - 1  # floor of log2, exactly
    owner = np.full(len(points), _NO_OWNER, np.int64)
    for k in range(int(level.max(initial=0)), -1, -1):
        at = filled[level[filled] == k]
        np.minimum.at(owner, low[at], at)
        np.minimum.at(owner, high[at] - (1 << k), at)
        if k:
            half = 1 << (k - 1)
            # A run of 2**k segments becomes its two halves; each is stored at its first segment.
            lower = owner.copy()
            lower[half:] = np.minimum(lower[half:], owner[:-half])
            owner = lower
    owned = np.flatnonzero(owner != _NO_OWNER)
    by = owner[owned]
    base = group[by] << POSITION_BITS
    return Segments(group[by], points[owned] - base, points[owned + 1] - base, by)


@dataclass(frozen=True, eq=False)
class Placed:
    """Results on judged topics, by topic and rank, with the judged pair that each belongs to."""

    run: Run
    policy: Policy
    topics: tuple[str, ...]
    #: Topic of each result (a code of the judgments); first row of each topic, and the number of rows.
    topic: IntArray
    first: IntArray
    #: The judged (topic, document) pair of each result, -1 if it is unjudged.
    pair: IntArray
    #: Number of each result's (topic, document), by first occurrence from 0; and the first row of each.
    group: IntArray
    opens: IntArray
    start: IntArray
    end: IntArray
    #: Code in the judgments of each document of the run, -1 without one.
    documents: IntArray
    #: Characters of each result; `UNKNOWN_LENGTH` if it names an element or span that does not exist.
    size: IntArray

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"<{plural(len(self), 'result')} of {self.run.name!r} on {plural(len(self.topics), 'topic')}>"

    @cached_property
    def results(self) -> IntArray:
        """Number of results of each topic."""
        return np.diff(self.first)

    @cached_property
    def articles(self) -> Articles:
        """Documents of each topic in order of first occurrence."""
        topic = self.topic[self.opens]
        first = np.searchsorted(topic, np.arange(len(self.topics) + 1)).astype(np.int64)
        return Articles(topic, first, self.pair[self.opens], self.opens, self.group)

    @cached_property
    def repeated(self) -> IntArray:
        """Results of documents in which two results overlap."""
        return np.flatnonzero(clashes(self.group, self.start, self.end))

    @cached_property
    def segments(self) -> Segments:
        """Text of the `repeated` results in segments, each owned by the best-ranked result with it."""
        rows = self.repeated
        return first_owners(self.group[rows], self.start[rows], self.end[rows])

    @cached_property
    def read_size(self) -> IntArray:
        """Characters of each result as it is read: of its own text, which may differ from its span."""
        return self.run.text.costs.get("characters", self.size)

    @cached_property
    def lead(self) -> IntArray:
        """Characters of each result's own text that are read before its span."""
        return self.run.text.costs.get("lead", np.zeros(len(self), np.int64))

    @cached_property
    def new_size(self) -> IntArray:
        """Characters of each result that no better-ranked result of the topic contains."""
        rows = self.repeated
        if not len(rows):
            return self.size
        fresh = sums(self.segments.owner, self.segments.end - self.segments.start, len(rows))
        size = self.size.copy()
        span = self.end[rows] - self.start[rows]
        size[rows] = np.where(span > 0, size[rows] - span + fresh, size[rows])
        return size

    @cached_property
    def counted_size(self) -> IntArray:
        """Characters read by each result under the overlap policy."""
        self.check_overlap()
        return self.new_size if self.policy.overlap == "first" else self.size

    @cached_property
    def read(self) -> IntArray:
        """Characters read up to and including each result, under the overlap policy."""
        return self.running(self.counted_size)

    def running(self, amount: IntArray) -> IntArray:
        """Sums of `amount` over the results of a topic up to and including each one."""
        return running_sums(amount, self.first)

    def sums(self, amount: IntArray, *, top: int | None = None) -> IntArray:
        """Sum of `amount` over the first `top` results of each topic (all by default)."""
        total = np.concatenate(([0], np.cumsum(amount)))
        last = self.first[1:] if top is None else np.minimum(self.first[:-1] + top, self.first[1:])
        return total[last] - total[self.first[:-1]]

    def check_overlap(self) -> None:
        """Raise if two results overlap and the policy is `error`."""
        if self.policy.overlap != "error" or not len(self.repeated):
            return
        clash = first_clash(self.group, self.start, self.end)
        if clash is not None:
            later, earlier = clash
            line = f" of line {self.run.line[earlier]}" if self.run.line[earlier] else ""
            found = f"found result [{self.start[later]}, {self.end[later]}) overlapping "
            found += f"[{self.start[earlier]}, {self.end[earlier]}){line}, expected no common text"
            hint = "try ⟨overlap=first⟩ (count each character once), penalise or allow"
            hint += ", or ⟨measures=rag⟩ (measures of results that may overlap)"
            said = f", document {self.document_name(later)}: {found}"
            raise self._error(later, said, hint, OverlapError)

    def check_in_one_piece(self) -> None:
        """Raise if the results of a document are not adjacent, unless the policy is `regroup`."""
        returns = np.flatnonzero(np.diff(self.group) < 0) + 1
        if len(returns) and self.policy.interleaved == "error":
            row = int(returns[0])
            raise self._error(
                row,
                f": found document {self.document_name(row)} "
                "again after another one, expected the results of a document to be adjacent",
                "try ⟨interleaved=regroup⟩ (documents in order of first occurrence)",
            )

    def check_one_result_each(self) -> None:
        """Raise if a document has several results, unless the policy takes the first."""
        extra = np.flatnonzero(self.opens[self.group] != np.arange(len(self)))
        if len(extra) and self.policy.overlap == "error":
            row = int(extra[0])
            raise self._error(
                row,
                f": found a second result of document {self.document_name(row)}, "
                "expected one entry point per document",
                "try ⟨overlap=first⟩ (take the first)",
            )

    def _error(self, row: int, message: str, hint: str, kind: type[PolicyError] = PolicyError) -> PolicyError:
        error = kind(
            f"topic {self.topics[int(self.topic[row])]}{message}",
            path=self.run.source or self.run.name,
            line=int(self.run.line[row]) or None,
            hint=hint,
        )
        error.run = self.run.name
        return error

    def document_name(self, row: int) -> str:
        """Document id of a result, for messages."""
        return self.run.documents[int(self.run.document_code[row])]


@dataclass(frozen=True, eq=False)
class Articles:
    """Documents of a run on judged topics: by topic, in order of first occurrence."""

    #: Topic of each document; first document of each topic, and the number of documents.
    topic: IntArray
    first: IntArray
    #: The judged pair of each document (-1 if unjudged), and its first result.
    pair: IntArray
    first_result: IntArray
    #: The document that each result belongs to.
    of_result: IntArray

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each document in its topic's list, from 1."""
        return np.arange(len(self)) - self.first[self.topic] + 1

    def sums(self, amount: IntArray) -> IntArray:
        """Sum of `amount` over the results of each document."""
        return sums(self.of_result, amount, len(self))

    def running(self, values: FloatArray | BoolArray) -> FloatArray:
        """Sums of `values` over the documents of a topic up to and including each one, topic by topic."""
        total = np.zeros(len(self))
        for low, high in zip(self.first[:-1].tolist(), self.first[1:].tolist(), strict=True):
            np.cumsum(values[low:high], out=total[low:high])
        return total


def limits_of(run: Run, judgments: Judgments, document: IntArray) -> IntArray:
    """Length of the document of each result by the judgments, else by a corpus; -1 if unknown."""
    limits: IntArray = np.append(judgments.document_sizes, UNKNOWN)[document]
    if run.lengths is None or not len(run):
        return limits
    return np.where(limits == UNKNOWN, run.lengths[run.document_code], limits)


def spans_of(
    run: Run, judgments: Judgments, document: IntArray, policy: Policy | None, notices: Notices
) -> tuple[IntArray, IntArray, IntArray]:
    """Start, end and size of each result, by its judged `document`; missing ones have a fixed size."""
    no_lengths = run.lengths is None and judgments.scale == "documents"
    if run.kind == "documents" and no_lengths and (np.abs(judgments.document_sizes) == 1).all():
        size = np.broadcast_to(1, len(run))
        return np.zeros(len(run), np.int64), size, size
    if run.kind == "documents" or run.whole:
        size = limits_of(run, judgments, document)
        size = np.where(run.known, run.end, size) if run.whole else size
        unknown = np.flatnonzero(size == UNKNOWN)
        size[unknown] = 1  # if whole documents are judged, each counts as one unit
        if len(unknown) and policy is not None and judgments.scale != "documents":
            size[unknown] = _lengths(run, judgments, document, unknown, policy, notices)
        return np.zeros(len(run), np.int64), size, size
    known = run.known
    start, end = np.where(known, run.start, 0), np.where(known, run.end, 0)
    missing = (
        UNKNOWN_LENGTH
        if run.text.lost is None
        else np.where(run.text.lost > 0, run.text.lost, UNKNOWN_LENGTH)
    )
    own = np.maximum(end - start, run.text.costs.get("characters", 0))
    return start, end, np.where(known, own, missing)


def _lengths(
    run: Run, judgments: Judgments, document: IntArray, rows: IntArray, policy: Policy, notices: Notices
) -> IntArray:
    """Assumed lengths of documents of unknown length; never shorter than their relevant text."""
    known = judgments.document_sizes[judgments.document_sizes != UNKNOWN]
    length = policy.unknown_length
    if length == "error" or (length == "mean" and not len(known)):
        row = int(rows[0])
        name = run.documents[int(run.document_code[row])]
        where = f"topic {run.topics[int(run.topic_code[row])]}, document {name}"
        raise PolicyError(
            f"found {plural(len(rows), 'whole document')} of unknown length (first: {where}), "
            "expected the length of " + ("at least one document" if length == "mean" else "each"),
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint="give ⟨corpus⟩ or ⟨index⟩, or try "
            + ("⟨unknown_length=mean⟩ (the mean of the known lengths) or " if len(known) else "")
            + "⟨unknown_length=6000⟩ (a number of characters)",
        )
    assumed = (2 * int(known.sum()) + len(known)) // (2 * len(known)) if length == "mean" else int(length)
    one = f"result is a document of unknown length and counts as {assumed} characters"
    many = f"results are documents of unknown length and count as {assumed} characters each"
    notices.add(one, many, len(rows), where=run.place(int(rows[0])))
    reach = np.zeros(len(judgments.documents) + 1, np.int64)
    np.maximum.at(reach, judgments.pair_document[judgments.spans.group], judgments.spans.end)
    return np.maximum(reach[document[rows]], assumed)


def join(
    run: Run,
    judgments: Judgments,
    policy: Policy,
    notices: Notices,
    *,
    lengths: bool = True,
    texts: Texts | None = None,
) -> Joined:
    """Join a run with judgments; without `lengths` no measure uses the text of whole documents."""
    return Joined(_place(run, judgments, policy, notices, lengths=lengths), judgments, texts)


class Joined:
    """Results on judged topics, by topic and rank, with their relevant text (and `texts` of a corpus)."""

    def __init__(self, placed: Placed, judgments: Judgments, texts: Texts | None = None) -> None:
        self.placed, self.judgments, self.texts = placed, judgments, texts
        # Columns of `Placed`, which do not depend on relevance.
        self.run, self.policy, self.topics = placed.run, placed.policy, len(placed.topics)
        self.topic, self.first, self.results = placed.topic, placed.first, placed.results
        self.pair, self.group = placed.pair, placed.group
        self.start, self.end, self.size = placed.start, placed.end, placed.size
        self.read_size, self.lead = placed.read_size, placed.lead
        self.running, self.sums = placed.running, placed.sums

    def judged_by(self, judgments: Judgments) -> Joined:
        """Join the same results with judgments of the same pairs with less relevant text (a sample)."""
        return Joined(self.placed, judgments, self.texts)

    def __len__(self) -> int:
        return len(self.placed)

    def __repr__(self) -> str:
        return f"<{self.placed!r} with {self.judgments!r}>"

    @cached_property
    def relevant(self) -> IntArray:
        """Relevant characters of each result, repeated or not."""
        near = np.flatnonzero(np.append(self.judgments.relevant_by_pair, 0)[self.pair])
        relevant = np.zeros(len(self), np.int64)
        relevant[near] = self.judgments.spans.overlap(self.pair[near], self.start[near], self.end[near])
        return relevant

    @cached_property
    def new_relevant(self) -> IntArray:
        """Relevant characters of each result that no better-ranked result of the topic contains."""
        rows = self.placed.repeated
        if not len(rows):
            return self.relevant
        segments = self.placed.segments
        inside = self.judgments.spans.overlap(self.pair[rows][segments.owner], segments.start, segments.end)
        relevant = self.relevant.copy()
        relevant[rows] = sums(segments.owner, inside, len(rows))
        return relevant

    def shown(self, top: int | None, read: IntArray | None = None) -> KeyedSpans:
        """Text of the first `top` results by judged pair; only the first characters of each with `read`."""
        rank = np.arange(len(self)) - self.first[self.topic]
        rows = np.flatnonzero((self.pair >= 0) & (rank < (top or len(self))))
        end = self.end if read is None else np.minimum(self.end, self.start + read)
        return KeyedSpans.union(self.pair[rows], self.start[rows], end[rows])

    @cached_property
    def counted(self) -> tuple[IntArray, IntArray]:
        """Characters read and relevant characters found by each result under the overlap policy."""
        size = self.placed.counted_size
        once = self.policy.overlap in {"first", "penalise"}
        return size, (self.new_relevant if once else self.relevant)

    @cached_property
    def relevant_by_article(self) -> IntArray:
        """Relevant characters of each document of `articles` for its topic."""
        return np.append(self.judgments.relevant_by_pair, 0)[self.articles.pair]

    @cached_property
    def rankings(self) -> Rankings:
        """Documents of `articles` with their grades: 1 if they have highlighted text."""
        from excerpt.model.rankings import OUTSIDE, UNJUDGED, Rankings  # few measures need it

        judgments, articles = self.judgments, self.articles
        grades = 1 if judgments.grades is None else judgments.grades
        grade = np.where(judgments.relevant_by_pair > 0, grades, 0)
        if judgments.grades is not None:
            grade[judgments.grades < 0] = UNJUDGED
        return Rankings(
            topics=judgments.topics,
            topic=articles.topic,
            grade=np.append(grade, OUTSIDE)[articles.pair],
            first=articles.first,
            judged_topic=judgments.pair_topic,
            judged_grade=grade,
            level=1,
        )

    @cached_property
    def elements(self) -> IntArray:
        """Assessed element of each result, -1 if not assessed, or repeated unless the policy is `allow`."""
        graded = self.judgments.elements
        if graded is None or not len(self):
            return np.full(len(self), -1, np.int64)
        if graded.row is not None and self.run.row is not None:
            element = graded.find_rows(self.pair, self.run.row)
        else:
            codes = np.append(graded.path_codes(self.run.paths), -1)
            element = graded.find(self.pair, codes[self.run.element])
        if self.policy.overlap != "allow":
            order = np.argsort(element, kind="stable")
            repeated = order[1:][np.diff(element[order]) == 0]
            element[repeated] = -1
        return element

    # Properties of `Placed` that are computed on demand.

    @property
    def new_size(self) -> IntArray:
        return self.placed.new_size

    @property
    def read(self) -> IntArray:
        return self.placed.read

    @property
    def articles(self) -> Articles:
        return self.placed.articles


def _place(run: Run, judgments: Judgments, policy: Policy, notices: Notices, *, lengths: bool) -> Placed:
    codes = np.array([judgments.topic_codes.get(topic, -1) for topic in run.topics], np.int64)
    name, topics = run.source or run.name, run.topics
    one = "topic is not in the judgments; its results are left out"
    many = "topics are not in the judgments; their results are left out"
    notices.add_marked(one, many, codes < 0, lambda row: f"topic {topics[row]} of {name}")
    run, topic = _on_judged_topics(run, codes)
    first = np.searchsorted(topic, np.arange(len(judgments.topics) + 1)).astype(np.int64)
    run, topic, first = _limit(run, topic, first, policy, notices)
    judged = judgments.document_codes
    documents = np.fromiter(map(judged.get, run.documents, repeat(-1)), np.int64, len(run.documents))
    document = documents[run.document_code] if len(run) else run.document_code
    start, end, size = spans_of(run, judgments, document, policy if lengths else None, notices)
    opens, group, pair = _pairs(run, topic, judgments, documents)
    placed = Placed(
        run=run,
        policy=policy,
        topics=judgments.topics,
        topic=topic,
        first=first,
        pair=pair,
        group=group,
        opens=opens,
        start=start,
        end=end,
        documents=documents,
        size=size,
    )
    beyond = lengths or run.kind == "entry points" or policy.unknown == "error"
    if run.kind in {"spans", "entry points"}:
        limits = limits_of(run, judgments, document) if beyond else np.full(len(run), UNKNOWN)
        _check_bounds(placed, limits, notices)
    return placed


def _pairs(
    run: Run, topic: IntArray, judgments: Judgments, documents: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """First row of each (topic, document) of a run, its number for each row, and each row's judged pair."""
    # The judged pairs are found by the same comparison as repeated documents.
    own = np.full(len(judgments.documents), -1, np.int64)
    own[documents[documents >= 0]] = np.flatnonzero(documents >= 0)
    judged = np.flatnonzero(own[judgments.pair_document] >= 0)
    keys = judgments.pair_topic[judged] * len(run.documents) + own[judgments.pair_document[judged]]
    first = first_rows(np.concatenate((topic * len(run.documents) + run.document_code, keys)))
    first, of_judged = first[: len(run)], first[len(run) :]
    pair, returned = np.full(len(run), -1, np.int64), of_judged < len(run)
    pair[of_judged[returned]] = judged[returned]
    opens = np.flatnonzero(first == np.arange(len(run)))
    if len(opens) == len(run):  # no document is returned twice
        return opens, first, pair
    group = np.empty(len(run), np.int64)
    group[opens] = np.arange(len(opens))
    return opens, group[first], pair[first]


def _on_judged_topics(run: Run, codes: IntArray) -> tuple[Run, IntArray]:
    """Return the results of judged topics, in the order of the judgments' topics, and the topic of each."""
    topic = codes[run.topic_code] if len(run) else run.topic_code
    if bool((codes < 0).any()) or bool((topic[1:] < topic[:-1]).any()):
        rows = np.argsort(topic, kind="stable")
        rows = rows[topic[rows] >= 0]
        return run.take(rows), topic[rows]
    return run, topic


def _limit(
    run: Run, topic: IntArray, first: IntArray, policy: Policy, notices: Notices
) -> tuple[Run, IntArray, IntArray]:
    counts, limit = np.diff(first), policy.limit_of(run)
    if limit is None or int(counts.max(initial=0)) <= limit:
        return run, topic, first
    one = f"topic has more results than the limit of {limit}; further results are left out"
    many = f"topics have more results than the limit of {limit}; further results are left out"
    notices.add(one, many, int((counts > limit).sum()), where=run.source or run.name)
    rows = np.flatnonzero(np.arange(len(topic)) - first[topic] < limit)
    kept = np.concatenate(([0], np.cumsum(np.minimum(counts, limit))))
    return run.take(rows), topic[rows], kept


def _check_bounds(placed: Placed, limit: IntArray, notices: Notices) -> None:
    run = placed.run
    faults = (
        (
            "result reaches beyond the end of its document",
            "results reach beyond the end of their documents",
            "in full",
            (limit >= 0) & (placed.end > limit),
        ),
        (
            "result is not in its document or the index",
            "results are not in their documents or the index",
            f"as {UNKNOWN_LENGTH} non-relevant characters",
            ~run.known & (not run.whole) & (True if run.text.lost is None else run.text.lost == 0),
        ),
    )
    for singular, several, counted, mask in faults:
        if placed.policy.unknown == "error" and mask.any():
            row = int(mask.argmax())
            raise FormatError(
                f"topic {placed.topics[int(placed.topic[row])]}, document {placed.document_name(row)}: "
                + singular,
                path=run.source or run.name,
                line=int(run.line[row]) or None,
                hint="try ⟨unknown=count⟩ (count its text as not relevant)",
            )
        one, many = f"{singular} and counts {counted}", f"{several} and count {counted}"
        notices.add_marked(one, many, mask, run.place)


Value = TypeVar("Value")
Computed = TypeVar("Computed")
P = ParamSpec("P")

_caches: list[WeakKeyDictionary[Any, Any]] = []


def clear_caches() -> None:
    """Clear all caches, because a definition that was used in them has changed."""
    for cache in _caches:
        cache.clear()


def cached(compute: Callable[Concatenate[Value, P], Computed]) -> Callable[Concatenate[Value, P], Computed]:
    """Cache the results of a function per value and parameters, for all measures that call it.

    A result must not refer to the value, or neither would ever be freed.
    """
    cache: WeakKeyDictionary[Any, dict[object, Computed]] = WeakKeyDictionary()
    _caches.append(cache)

    @wraps(compute)
    def look_up(value: Value, /, *parameters: P.args, **named: P.kwargs) -> Computed:
        computed = cache.setdefault(value, {})
        key = (parameters, tuple(named.items()))
        if key not in computed:
            computed[key] = compute(value, *parameters, **named)
        return computed[key]

    return look_up
