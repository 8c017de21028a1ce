"""Passages of all topics: found, missed, unjudged and repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import plural
from excerpt.evaluation.scoring import cutoff_of
from excerpt.experiments.ranking_verdict import whole
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, IntArray, KeyedSpans, keys
from excerpt.model.texts import Texts, fold
from excerpt.view import reasons
from excerpt.view.funnel import funnel_note
from excerpt.view.library import Library
from excerpt.view.reasons import (
    REASONS,
    MissedSearch,
    Passages,
    Positions,
    RankedResults,
    Survey,
    reason_label,
)
from excerpt.view.run_columns import (
    MOST_AGAIN,
    NOWHERE,
    RunColumns,
    common,
    reading_measure,
    reads_some,
)
from excerpt.view.topic_rows import NEVER, TopicResults, order_by, rows_of

#: Listed rows of unjudged text; the total counts all of them.
MOST_UNJUDGED = 2000


def passages_data(
    judgments: Judgments, kept: Sequence[RunColumns], elsewhere: IntArray | None
) -> dict[str, Any]:
    """Data of all passages; documents are numbers of the library."""
    spans = judgments.spans
    count = np.zeros(len(spans), np.int64) if elsewhere is None else elsewhere
    first, run, characters, rank = _hits(kept, len(spans))
    unjudged, unjudged_hits = _unjudged(judgments, kept)
    return {
        "relevant": {
            "topic": judgments.pair_topic[spans.group].tolist(),
            "document": judgments.pair_document[spans.group],
            "start": spans.start.tolist(),
            "end": spans.end.tolist(),
            "elsewhere": count.tolist(),
            "from": first.tolist(),
        },
        "hits": {"run": run.tolist(), "characters": characters.tolist(), "rank": rank.tolist()},
        "unjudged": unjudged,
        "unjudgedHits": unjudged_hits,
        "again": _again(kept),
    }


def _hits(kept: Sequence[RunColumns], passages: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """First row of each passage, then by passage and run: run, characters found, first rank."""
    passage, characters, rank = _columns([run.hits for run in kept], 3)
    run = np.repeat(np.arange(len(kept)), [len(part.hits.passage) for part in kept])
    order = np.lexsort((run, passage))
    first = np.concatenate(([0], np.cumsum(np.bincount(passage, minlength=passages))))
    return first, run[order], characters[order], rank[order]


def _again(kept: Sequence[RunColumns]) -> dict[str, Any]:
    """Text that runs returned more than once, best ranks first."""
    parts = [run.again for run in kept]
    names = ("topic", "document", "start", "end", "rank", "before")
    columns = dict(zip(names, _columns([part[:6] for part in parts], len(names)), strict=True))
    columns["run"] = np.repeat(np.arange(len(kept)), [len(part.topic) for part in parts])
    order = np.lexsort((columns["run"], columns["topic"], columns["rank"]))[:MOST_AGAIN]
    return {
        "total": sum(part.total for part in parts),
        **{name: column[order].tolist() for name, column in columns.items()},
        "document": columns["document"][order],
    }


def _unjudged(judgments: Judgments, kept: Sequence[RunColumns]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Unjudged text retrieved by any run, and the runs that retrieved it.

    The spans with the best ranks are listed; `from` is the first row of each span in the hits.
    """
    topics = range(len(judgments.topics)) if any(run.unjudged for run in kept) else ()
    parts: list[_TopicPart] = []
    ranks = np.zeros(0, np.int64)  # the best so far: spans with worse ranks than all of these are not listed
    for topic in topics:
        worst = int(ranks.max()) if len(ranks) == MOST_UNJUDGED else NEVER
        part = _unjudged_of(topic, rows_of(kept, topic), judgments, worst)
        ranks = np.sort(np.append(ranks, part.spans.rank))[:MOST_UNJUDGED]
        parts.append(part)
    spans = _Unjudged(*_columns([part.spans for part in parts], len(_Unjudged._fields)))
    order = np.lexsort((spans.start, spans.document, spans.topic, spans.rank))[:MOST_UNJUDGED]
    place = np.full(len(spans.topic), -1, np.int64)
    place[order] = np.arange(len(order))
    shift = np.cumsum([0, *(len(part.spans.topic) for part in parts)])
    moved = [part.hits._replace(piece=part.hits.piece + by) for part, by in zip(parts, shift, strict=False)]
    hits = _PieceHits(*_columns(moved, len(_PieceHits._fields)))
    row = place[hits.piece]
    chosen = np.flatnonzero(row >= 0)
    chosen = chosen[np.lexsort((hits.run[chosen], row[chosen]))]
    listed = {
        "total": sum(part.total for part in parts),
        "topic": spans.topic[order].tolist(),
        "document": spans.document[order],
        "start": spans.start[order].tolist(),
        "end": spans.end[order].tolist(),
        "from": np.cumsum([0, *np.bincount(row[chosen], minlength=len(order))]).tolist(),
    }
    return listed, {"run": hits.run[chosen].tolist(), "rank": hits.rank[chosen].tolist()}


def _columns(parts: Sequence[tuple[IntArray, ...]], count: int) -> list[IntArray]:
    empty = np.zeros(0, np.int64)
    return [np.concatenate([empty, *(part[place] for part in parts)]) for place in range(count)]


class _Unjudged(NamedTuple):
    topic: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray


class _PieceHits(NamedTuple):
    piece: IntArray
    run: IntArray
    rank: IntArray


class _TopicPart(NamedTuple):
    total: int
    spans: _Unjudged
    hits: _PieceHits


def _unjudged_of(topic: int, rows: TopicResults, judgments: Judgments, worst: int) -> _TopicPart:
    """Merged spans of unjudged text that runs returned for a topic, with the first rank by run.

    All spans are counted; spans with a best rank up to `worst` are kept.
    """
    judged = np.zeros(1 + int(rows.document.max(initial=0)), np.bool_)
    low, high = np.searchsorted(judgments.pair_topic, (topic, topic + 1))
    documents = judgments.pair_document[low:high]
    judged[documents[documents < len(judged)]] = True
    mine = np.flatnonzero(rows.known & ~judged[rows.document] & (rows.length > 0))
    document, start, rank, run = (column[mine] for column in (rows.document, rows.start, rows.rank, rows.run))
    key, end = keys(document, start), start + rows.length[mine]
    order = order_by(document, start)
    reach = np.maximum.accumulate(keys(document, end)[order])
    opens = np.flatnonzero(np.append(True, key[order][1:] > reach[:-1])[: len(order)])
    of = np.empty(len(order), np.int64)  # the span of each result
    of[order] = np.repeat(np.arange(len(opens)), np.diff(opens, append=len(order)))
    best = np.full(len(opens), NEVER)
    np.minimum.at(best, of, rank)
    kept = np.flatnonzero(best <= worst)
    place = np.full(len(opens), -1, np.int64)
    place[kept] = np.arange(len(kept))
    inside = np.flatnonzero(place[of] >= 0)
    code = place[of[inside]] * (int(run.max(initial=0)) + 1) + run[inside]
    by_run = np.lexsort((rank[inside], code))
    first = inside[by_run[np.flatnonzero(np.diff(code[by_run], prepend=-1))]]
    head, last = order[opens[kept]], np.append(opens[1:], len(order))[kept] - 1
    where = np.full(len(kept), topic, np.int64)
    ends = reach[last] - keys(document[head], np.zeros(len(kept), np.int64))
    return _TopicPart(
        len(opens),
        _Unjudged(where, document[head], start[head], ends, best[kept]),
        _PieceHits(place[of[first]], run[first], rank[first]),
    )


def documents_of_run(judgments: Judgments, run: RunColumns, count: int) -> dict[str, IntArray]:
    """Characters of `count` documents: relevant, found, retrieved but not relevant, retrieved but unjudged.

    The topics of a document are added up; within a topic every character counts once.
    """
    spans, pairs = judgments.spans, judgments.pair_topic * count + judgments.pair_document
    placed = np.flatnonzero(run.start != NOWHERE)
    topic = np.repeat(np.arange(len(judgments.topics)), np.diff(run.first))[placed]
    code = np.concatenate((pairs[spans.group], topic * count + run.document[placed]))
    distinct, group = np.unique(code, return_inverse=True)
    start = run.start[placed].astype(np.int64)
    relevant = KeyedSpans.union(group[: len(spans)], spans.start, spans.end)
    returned = KeyedSpans.union(group[len(spans) :], start, start + run.length[placed])
    judged = np.isin(distinct, pairs)[returned.group]

    def by_document(each: KeyedSpans, kept: BoolArray | slice = slice(None)) -> IntArray:
        document = (distinct % count)[each.group[kept]]
        return np.bincount(document, each.length[kept], minlength=count).astype(np.int64)

    found = by_document(common(relevant, returned))
    return {
        "relevant": by_document(relevant),
        "found": found,
        "wasted": by_document(returned, judged) - found,
        "unjudged": by_document(returned, ~judged),
    }


#: Characters of a lazy library whose folded texts and whitespace are kept from topic to topic.
_MOST_KEPT = 20_000_000
#: Topics with more text or more documents are not searched for the words of missed passages.
_MOST_TEXT = 4_000_000
_MOST_DOCUMENTS = 500
#: The last digit of a code is the reason, the digits before it are the rank.
BASE = 10


@dataclass(eq=False)
class MissedPassages:
    """Passages missed by runs, topic by topic, within the results that a measure reads."""

    judgments: Judgments
    kept: Sequence[RunColumns]
    library: Library
    measures: Mapping[str, Measure]
    #: Topics with too much text to search for the same words elsewhere.
    unsearched: set[int] = field(default_factory=set)
    _cache: dict[int, IntArray] = field(default_factory=dict)

    @cached_property
    def measure(self) -> tuple[str, Measure]:
        """Name and measure that limits the results read."""
        return reading_measure(self.measures)

    @cached_property
    def positions(self) -> Positions:
        """Positions of all topics that share them."""
        return Positions(Texts(self._text_of), self.library.names)

    def _text_of(self, name: str) -> str | None:
        return self.library.plain_text(self.library.numbers[name])

    def survey(self) -> Survey:
        """Positions for all topics whose reasons are not known yet, once every document has been searched."""
        survey = Survey(self.positions.texts, self.library.names)
        for topic in set(range(len(self.judgments.topics))) - self._cache.keys():
            returned, passages = self._returned(rows_of(self.kept, topic), topic), self._passages(topic)
            sought = {fold(survey.text(place)[start:end]) for place, start, end in passages.T.tolist()}
            for document in self._searched(returned, topic).tolist() if sought else ():
                survey.sought[document].append(sought)
        return survey

    @cached_property
    def _shared(self) -> bool:
        """Return whether all topics use the same positions, which needs the memory of all texts."""
        return not self.library.lazy or int(self.library.reaches.sum()) <= _MOST_KEPT

    @cached_property
    def every(self) -> IntArray:
        """Codes by run and passage of all topics."""
        topics = range(len(self.judgments.topics))
        none = np.zeros((len(self.kept), 0), np.int64)
        return np.concatenate([none, *(self.codes(topic) for topic in topics)], axis=1)

    def signs(self) -> list[str]:
        """One sign for each passage, by run: `-` if it was found, otherwise the digit of the reason."""
        signs = np.where(self.every < 0, ord("-"), self.every % BASE + ord("0")).astype(np.uint8)
        return [row.tobytes().decode() for row in signs]

    def codes(self, topic: int) -> IntArray:
        """By run and passage of a topic: -1 if it was found, otherwise the rank followed by the reason."""
        if topic not in self._cache:
            self._cache[topic] = self._codes(topic)
        return self._cache[topic]

    def of_topic(self, topic: int, passages: IntArray) -> dict[str, Any]:
        """Reasons of missed passages by run, and notes on each run in words."""
        codes = self.codes(topic)
        notes = [[note_of(row, self.measure[1])] if len(row) else [] for row in codes]
        for lines, run in zip(notes, self.kept, strict=True):
            if run.funnel is not None:
                lines.append(funnel_note(run.funnel[topic]))
        places = np.argsort(np.argsort(passages))  # all passages of the topic in the order of its documents
        return {"why": list(codes[:, places]), "notes": notes}

    def _passages(self, topic: int) -> IntArray:
        """Documents, starts and ends of the passages of a topic."""
        spans, pairs = self.judgments.spans, self.judgments.pair_topic
        mine = slice(*np.searchsorted(spans.group, np.searchsorted(pairs, (topic, topic + 1))).tolist())
        return np.stack((self.judgments.pair_document[spans.group[mine]], spans.start[mine], spans.end[mine]))

    def _codes(self, topic: int) -> IntArray:
        passages, runs = self._passages(topic), len(self.kept)
        codes = np.full((runs, passages.shape[1]), -1, np.int64)
        if not codes.size:
            return codes
        wanted = Passages(np.repeat(np.arange(runs), passages.shape[1]), *np.tile(passages, runs))
        returned = self._returned(rows_of(self.kept, topic), topic)
        text = self.positions if self._shared else Positions(Texts(self._text_of), self.library.names)
        elsewhere = len(self._searched(returned, topic)) > 0
        missed = MissedSearch(wanted, returned, text).missed(elsewhere=elsewhere)
        rank = np.where(missed.reason == reasons.LATER, missed.rank, 0)
        codes.flat[missed.passage] = BASE * rank + missed.reason
        return codes

    def _returned(self, rows: TopicResults, topic: int) -> RankedResults:
        last = np.array([int(run.reach.results[topic]) for run in self.kept])[rows.run]
        clip = np.array([int(run.reach.last[topic]) for run in self.kept])[rows.run]
        read = np.where(rows.rank == last, np.minimum(clip, rows.length), rows.length)
        return RankedResults(
            *(rows.run, rows.document, rows.start, rows.start + rows.length, rows.rank),
            within=rows.rank <= last,
            until=rows.start + read,
        )

    def _searched(self, returned: RankedResults, topic: int) -> IntArray:
        """Documents read, to be searched for the words of missed passages; none if they are too large."""
        if self.library.corpus is None:
            return np.zeros(0, np.int64)
        numbers = np.unique(returned.document[returned.within])
        if len(numbers) <= _MOST_DOCUMENTS and int(self.library.reaches[numbers].sum()) <= _MOST_TEXT:
            return numbers
        self.unsearched.add(topic)
        return numbers[:0]

    def table(self, names: Sequence[str]) -> dict[str, Any]:
        """Table of missed passages by run and reason for the overview."""
        codes = self.every
        shown = [code for code in range(len(REASONS)) if self._possible(code)]
        cutoff = cutoff_of(self.measure[1])
        counts = [np.bincount(row[row >= 0] % BASE, minlength=BASE)[shown].tolist() for row in codes]
        note = f"of {plural(codes.shape[1], 'passage')}, in the results that {self.measure[0]} reads"
        if self.library.corpus is not None:
            note += ", whitespace ignored"
        if self.unsearched:
            note += f"; {plural(len(self.unsearched), 'topic')} too large to search for the same text"
        return {
            "title": "Missed passages, and why",
            "note": note,
            "columns": ["Run", "Missed", *(reason_label(code, cutoff).capitalize() for code in shown)],
            "reasons": shown,
            "rows": [[name, sum(row), *row] for name, row in zip(names, counts, strict=True)],
        }

    def _possible(self, code: int) -> bool:
        """Return whether a reason can occur in this evaluation."""
        if code == reasons.LATER:
            return reads_some(self.measure[1])
        without_text = code == reasons.ELSEWHERE and self.library.corpus is None
        return REASONS[code] not in reasons.OF_CHUNKS and not without_text


#: Reasons in a sentence on one run, in the singular and the plural, where it is not the label.
_IN_NOTES = {
    reasons.ELSEWHERE: ("with its text found elsewhere", "with their text found elsewhere"),
    reasons.NO_PASSAGE: ("in a document it found", "in documents it found"),
    reasons.NO_DOCUMENT: ("in a document it did not find", "in documents it did not find"),
}


def note_of(codes: IntArray, measure: Measure) -> str:
    """Passages of a topic that a run missed, in one sentence.

    >>> from excerpt.measures import charR
    >>> note_of(np.array([-1, reasons.NO_PASSAGE, reasons.NO_PASSAGE]), charR @ 5)
    '2 of 3 passages missed, all in documents it found.'
    """
    missed = codes[codes >= 0] % BASE
    if not len(missed):
        return "No passage missed."
    cutoff, counts = cutoff_of(measure), enumerate(np.bincount(missed).tolist())
    labels = {code: (reason_label(code, cutoff),) * 2 for code in range(len(REASONS))} | _IN_NOTES
    parts = [(count, labels[code][count > 1]) for code, count in counts if count]
    head = f"{whole(len(missed))} of {plural(len(codes), 'passage')} missed"
    if len(parts) == 1:
        return f"{head}, {'all ' if len(missed) > 1 else ''}{parts[0][1]}."
    return f"{head}: {', '.join(f'{whole(count)} {reason}' for count, reason in parts)}."
