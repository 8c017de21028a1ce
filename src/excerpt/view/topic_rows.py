"""Topics as plain data: documents, relevant text, and the distinct results of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from excerpt.model.judgments import Judgments
from excerpt.model.spans import AnyArray, BoolArray, IntArray
from excerpt.view.run_columns import NOWHERE, RunColumns

_RELEVANT, _JUDGED, _UNJUDGED = range(3)
#: Ranks of documents that no run returned: with relevant text, and without.
_UNRANKED, NEVER = (1 << 62) - 1, 1 << 62


class ListedDocuments(NamedTuple):
    """Documents of a topic in display order."""

    #: Number of the document; its judged pair (-1: unjudged); its relevant characters.
    document: IntArray
    pair: IntArray
    relevant: IntArray


class TopicResults(NamedTuple):
    """Results of all runs on one topic, run by run."""

    document: IntArray
    start: IntArray
    length: IntArray
    rank: IntArray
    run: IntArray
    known: BoolArray


class DistinctResults(NamedTuple):
    """Distinct results of a topic, sorted by document (its index in the list), start and length."""

    document: IntArray
    start: IntArray
    length: IntArray
    #: Relevant characters of each.
    relevant: IntArray

    def steps(self) -> IntArray:
        """Differences of successive starts within each document."""
        step = np.diff(self.start, prepend=0)
        opening = np.flatnonzero(np.diff(self.document, prepend=-1))
        step[opening] = self.start[opening]
        return step


def rows_of(kept: Sequence[RunColumns], topic: int) -> TopicResults:
    """Collect the results of all runs on one topic."""
    parts = [slice(int(run.first[topic]), int(run.first[topic + 1])) for run in kept]
    counts = [part.stop - part.start for part in parts]

    def column(name: str) -> IntArray:
        columns = [getattr(run, name)[part] for run, part in zip(kept, parts, strict=True)]
        return np.concatenate(columns).astype(np.int64) if columns else np.zeros(0, np.int64)

    start = column("start")
    known = start != NOWHERE
    return TopicResults(
        document=column("document"),
        start=np.where(known, start, 0),
        length=column("length"),
        rank=np.concatenate([np.zeros(0, np.int64), *(np.arange(1, count + 1) for count in counts)]),
        run=np.repeat(np.arange(len(kept)), counts),
        known=known,
    )


def order_by(*columns: IntArray) -> IntArray:
    """Stable order of rows by columns of non-negative integers, the first column first.

    NumPy sorts 16-bit numbers by counting, which is several times faster than comparing.
    """
    halves = [
        (column >> shift).astype(np.uint16)
        for column in reversed(columns)
        for shift in range(0, max(1, int(column.max(initial=0)).bit_length()), 16)
    ]
    return np.asarray(np.lexsort(halves))


def list_documents(judgments: Judgments, topic: int, rows: TopicResults) -> ListedDocuments:
    """Documents with relevant text first, by its amount; then judged, then unjudged, each by best rank."""
    low, high = np.searchsorted(judgments.pair_topic, (topic, topic + 1))
    marked = np.flatnonzero(judgments.relevant_by_pair[low:high]) + low
    best = np.full(1 + max(int(rows.document.max(initial=0)), len(judgments.documents)), NEVER)
    best[judgments.pair_document[marked]] = _UNRANKED
    np.minimum.at(best, rows.document, rows.rank)
    documents = np.flatnonzero(best < NEVER)
    judged = np.where(documents < len(judgments.documents), documents, -1)
    pair = judgments.pairs(np.full(len(documents), topic, np.int64), judged)
    relevant = np.append(judgments.relevant_by_pair, 0)[pair]
    group = np.where(relevant > 0, _RELEVANT, np.where(pair >= 0, _JUDGED, _UNJUDGED))
    ranks = np.minimum(best[documents], 1 + rows.rank.max(initial=0))
    order = order_by(group, relevant.max(initial=0) - relevant, ranks)
    return ListedDocuments(documents[order], pair[order], relevant[order])


@dataclass(frozen=True, eq=False)
class TopicRows:
    """A topic whose results are numbers of distinct spans."""

    judgments: Judgments
    kept: Sequence[RunColumns]
    topic: int

    def data(self) -> dict[str, Any]:
        """Data of the topic for its page, in arrays, without titles and lengths of documents."""
        rows = rows_of(self.kept, self.topic)
        listed = list_documents(self.judgments, self.topic, rows)
        spans, numbers = self._spans(rows, listed)
        bounds = np.searchsorted(rows.run, np.arange(len(self.kept) + 1))
        lists = [numbers[low:high] for low, high in pairwise(bounds.tolist())]
        return {
            "id": self.judgments.topics[self.topic],
            "documents": {
                "number": listed.document,
                "judged": (listed.pair >= 0).astype(np.int64),
                "entry": np.append(self.judgments.pair_entry, -1)[listed.pair],
            },
            "relevant": self._relevant(listed),
            "spans": {
                "count": np.bincount(spans.document, minlength=len(listed.document)),
                "start": spans.steps(),
                "length": spans.length,
                "relevant": spans.relevant,
            },
            "runs": lists,
            "counted": self._counted(spans, lists),
        }

    def _relevant(self, listed: ListedDocuments) -> dict[str, Any]:
        spans = self.judgments.spans
        marked = listed.pair[listed.relevant > 0]
        low, high = np.searchsorted(spans.group, marked), np.searchsorted(spans.group, marked, side="right")
        rows = np.concatenate([np.zeros(0, np.int64), *map(np.arange, low.tolist(), high.tolist())])
        return {
            "document": np.repeat(np.arange(len(marked)), high - low),
            "start": spans.start[rows],
            "end": spans.end[rows],
            "passage": rows,
        }

    def _spans(self, rows: TopicResults, listed: ListedDocuments) -> tuple[DistinctResults, IntArray]:
        """Distinct results by document, start and length; and the number of each result."""
        place = np.zeros(1 + int(listed.document.max(initial=0)), np.int64)
        place[listed.document] = np.arange(len(listed.document))
        document = place[rows.document]
        known = np.flatnonzero(rows.known)
        columns = document[known], rows.start[known], rows.length[known]
        order = order_by(*columns)
        ordered = [column[order] for column in columns]
        opens = np.ones(len(order), np.bool_)
        opens[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
        numbers = np.full(len(rows.document), -1, np.int64)
        numbers[known[order]] = np.cumsum(opens) - 1
        document, start, length = (column[opens] for column in ordered)
        relevant = self.judgments.spans.overlap(listed.pair[document], start, start + length)
        return DistinctResults(document, start, length, relevant), numbers

    def _counted(self, spans: DistinctResults, lists: Sequence[IntArray]) -> dict[str, dict[str, AnyArray]]:
        """Characters that count under the overlap policy, for runs in which some results count partly."""
        counted = {}
        for number, (run, numbers) in enumerate(zip(self.kept, lists, strict=True)):
            if run.counted is None:
                continue
            part = slice(int(run.first[self.topic]), int(run.first[self.topic + 1]))
            read, counts = run.counted.read[part], run.counted.found[part]
            new = None if run.counted.new is None else run.counted.new[part]
            plain = (
                bool((numbers >= 0).all())
                and np.array_equal(read, spans.length[numbers])
                and np.array_equal(counts, spans.relevant[numbers])
            )
            if not plain or not (new is None or np.array_equal(new, counts)):
                columns = {"read": read, "found": counts, "new": new}
                counted[str(number)] = {name: c for name, c in columns.items() if c is not None}
        return counted
