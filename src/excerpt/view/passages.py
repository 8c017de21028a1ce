"""Passages of all topics, found and missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import plural
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray, keys
from excerpt.model.texts import Texts
from excerpt.view.funnel import funnel_note
from excerpt.view.library import Library
from excerpt.view.reasons import ELSEWHERE, LATER, OF_CHUNKS, REASONS, Ink, Passages, Returned, find_missed
from excerpt.view.run_columns import MOST_AGAIN, Kept, cutoff_of, reading_measure, reads_some
from excerpt.view.topic_rows import NEVER, Rows, order_by, rows_of
from excerpt.view.verdicts import whole

#: Rows of unjudged text that are listed; their number is told whole.
MOST_UNJUDGED = 2000


def passages_data(judgments: Judgments, kept: Sequence[Kept], elsewhere: IntArray | None) -> dict[str, Any]:
    """All passages; documents by numbers of the library, which the caller turns into names."""
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


def _hits(kept: Sequence[Kept], passages: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """By passage, then run: characters found and first rank; and where each passage begins."""
    passage, characters, rank = _columns([run.hits for run in kept], 3)
    run = np.repeat(np.arange(len(kept)), [len(part.hits.passage) for part in kept])
    order = np.lexsort((run, passage))
    first = np.concatenate(([0], np.cumsum(np.bincount(passage, minlength=passages))))
    return first, run[order], characters[order], rank[order]


def _again(kept: Sequence[Kept]) -> dict[str, Any]:
    """Text that runs showed a second time, best ranks first."""
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


def _unjudged(judgments: Judgments, kept: Sequence[Kept]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Retrieved text of documents that nobody judged, results of all runs joined; and who retrieved it.

    The best pieces of each topic, then the best of these; `from` is where the hits of each begin.
    """
    topics = range(len(judgments.topics)) if any(run.unjudged for run in kept) else ()
    parts: list[_Part] = []
    ranks = np.zeros(0, np.int64)  # the best ones so far: what is worse than all of them is not listed
    for topic in topics:
        worst = int(ranks.max()) if len(ranks) == MOST_UNJUDGED else NEVER
        part = _unjudged_of(topic, rows_of(kept, topic), judgments, worst)
        ranks = np.sort(np.append(ranks, part.pieces.rank))[:MOST_UNJUDGED]
        parts.append(part)
    pieces = _Pieces(*_columns([part.pieces for part in parts], len(_Pieces._fields)))
    order = np.lexsort((pieces.start, pieces.document, pieces.topic, pieces.rank))[:MOST_UNJUDGED]
    place = np.full(len(pieces.topic), -1, np.int64)
    place[order] = np.arange(len(order))
    shift = np.cumsum([0, *(len(part.pieces.topic) for part in parts)])
    moved = [part.hits._replace(piece=part.hits.piece + by) for part, by in zip(parts, shift, strict=False)]
    hits = _Hits(*_columns(moved, len(_Hits._fields)))
    row = place[hits.piece]
    chosen = np.flatnonzero(row >= 0)
    chosen = chosen[np.lexsort((hits.run[chosen], row[chosen]))]
    listed = {
        "total": sum(part.total for part in parts),
        "topic": pieces.topic[order].tolist(),
        "document": pieces.document[order],
        "start": pieces.start[order].tolist(),
        "end": pieces.end[order].tolist(),
        "from": np.cumsum([0, *np.bincount(row[chosen], minlength=len(order))]).tolist(),
    }
    return listed, {"run": hits.run[chosen].tolist(), "rank": hits.rank[chosen].tolist()}


def _columns(parts: Sequence[tuple[IntArray, ...]], count: int) -> list[IntArray]:
    """The columns of several tables, one below the other."""
    nothing = np.zeros(0, np.int64)
    return [np.concatenate([nothing, *(part[place] for part in parts)]) for place in range(count)]


class _Pieces(NamedTuple):
    topic: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray


class _Hits(NamedTuple):
    piece: IntArray
    run: IntArray
    rank: IntArray


class _Part(NamedTuple):
    total: int
    pieces: _Pieces
    hits: _Hits


def _unjudged_of(topic: int, rows: Rows, judgments: Judgments, worst: int) -> _Part:
    """The text of one topic's unjudged documents that runs returned, in pieces; and the first rank by run.

    All pieces are counted, those with ranks up to the worst one are kept.
    """
    judged = np.zeros(1 + int(rows.document.max(initial=0)), np.bool_)
    low, high = np.searchsorted(judgments.pair_topic, (topic, topic + 1))
    named = judgments.pair_document[low:high]
    judged[named[named < len(judged)]] = True
    mine = np.flatnonzero(rows.known & ~judged[rows.document] & (rows.length > 0))
    document, start, rank, run = (column[mine] for column in (rows.document, rows.start, rows.rank, rows.run))
    key, end = keys(document, start), start + rows.length[mine]
    order = order_by(document, start)
    reach = np.maximum.accumulate(keys(document, end)[order])
    opens = np.flatnonzero(np.append(True, key[order][1:] > reach[:-1])[: len(order)])
    of = np.empty(len(order), np.int64)  # the piece of each result
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
    return _Part(
        len(opens),
        _Pieces(where, document[head], start[head], ends, best[kept]),
        _Hits(place[of[first]], run[first], rank[first]),
    )


#: More text or more documents of a topic are not looked through for the words of a missed passage.
_MOST_TEXT = 4_000_000
_MOST_DOCUMENTS = 500
#: A rank stands before the last digit of what is told of a passage, which is the reason.
BASE = 10


@dataclass(eq=False)
class Missing:
    """The passages that runs missed, topic by topic, as far as one of the measures reads."""

    judgments: Judgments
    kept: Sequence[Kept]
    library: Library
    measures: Mapping[str, Measure]
    #: Topics with too much text to look whether the same words were read at another place.
    unsearched: set[int] = field(default_factory=set)
    _found: dict[int, IntArray] = field(default_factory=dict)

    @cached_property
    def measure(self) -> tuple[str, Measure]:
        """The measure that says how far results are read, with its name."""
        return reading_measure(self.measures)

    @cached_property
    def _ink(self) -> Ink:
        return Ink(Texts(self._text_of), self.library.names)

    def _text_of(self, name: str) -> str | None:
        return self.library.plain_text(self.library.numbers[name])

    def codes(self, topic: int) -> IntArray:
        """By run and passage of a topic: -1 where it was found, else the reason, with the rank before it."""
        if topic not in self._found:
            self._found[topic] = self._codes(topic)
        return self._found[topic]

    def of_topic(self, topic: int, passages: IntArray) -> dict[str, Any]:
        """Why each of the passages was missed, by run, and the same in words; with what was cited."""
        codes = self.codes(topic)
        notes = [[note_of(row, self.measure[1])] if len(row) else [] for row in codes]
        for lines, run in zip(notes, self.kept, strict=True):
            if run.funnel is not None:
                lines.append(funnel_note(run.funnel[topic]))
        places = np.argsort(np.argsort(passages))  # all passages of the topic, in the order of its documents
        return {"why": list(codes[:, places]), "notes": notes}

    def _codes(self, topic: int) -> IntArray:
        spans, pairs = self.judgments.spans, self.judgments.pair_topic
        low, high = np.searchsorted(spans.group, np.searchsorted(pairs, (topic, topic + 1)))
        passages, runs = int(high - low), len(self.kept)
        found = np.full((runs, passages), -1, np.int64)
        if not passages:
            return found
        document = self.judgments.pair_document[spans.group[low:high]]
        wanted = Passages(
            np.repeat(np.arange(runs), passages),
            *(np.tile(column, runs) for column in (document, spans.start[low:high], spans.end[low:high])),
        )
        returned = self._returned(rows_of(self.kept, topic), topic)
        ink = Ink(Texts(self._text_of), self.library.names) if self.library.lazy else self._ink
        missed = find_missed(wanted, returned, ink, elsewhere=self._searched(returned, topic))
        rank = np.where(missed.reason == LATER, missed.rank, 0)
        found.flat[missed.passage] = BASE * rank + missed.reason
        return found

    def _returned(self, rows: Rows, topic: int) -> Returned:
        last = np.array([int(run.reach.results[topic]) for run in self.kept])[rows.run]
        clip = np.array([int(run.reach.last[topic]) for run in self.kept])[rows.run]
        read = np.where(rows.rank == last, np.minimum(clip, rows.length), rows.length)
        return Returned(
            *(rows.run, rows.document, rows.start, rows.start + rows.length, rows.rank),
            within=rows.rank <= last,
            until=rows.start + read,
        )

    def _searched(self, returned: Returned, topic: int) -> bool:
        """Whether what was read is looked through for the words of missed passages."""
        if self.library.corpus is None:
            return False
        numbers = np.unique(returned.document[returned.within])
        if len(numbers) <= _MOST_DOCUMENTS and int(self.library.reaches[numbers].sum()) <= _MOST_TEXT:
            return True
        self.unsearched.add(topic)
        return False

    def table(self, names: Sequence[str]) -> dict[str, Any]:
        """How many passages each run missed for which reason, for the overview."""
        every = [self.codes(topic) for topic in range(len(self.judgments.topics))]
        codes = np.concatenate([np.zeros((len(names), 0), np.int64), *every], axis=1)
        shown = [code for code, reason in enumerate(REASONS) if reason not in OF_CHUNKS and self._told(code)]
        counts = [[int(((row >= 0) & (row % BASE == code)).sum()) for code in shown] for row in codes]
        note = f"of {plural(codes.shape[1], 'passage')}, read as far as {self.measure[0]} reads"
        if self.library.corpus is not None:
            note += ", white space not counted"
        if self.unsearched:
            note += f"; in {plural(len(self.unsearched), 'topic')} nobody looked for the same text"
        return {
            "title": "Missed passages, and why",
            "note": note,
            "columns": ["Run", "Missed", *(_called(code, self.measure[1]) for code in shown)],
            "rows": [
                [name, whole(sum(row)), *map(whole, row)] for name, row in zip(names, counts, strict=True)
            ],
        }

    def _told(self, code: int) -> bool:
        """Whether a reason can be there at all."""
        if code == LATER:
            return reads_some(self.measure[1])
        return code != ELSEWHERE or self.library.corpus is not None


def _called(code: int, measure: Measure) -> str:
    if code != LATER:
        return REASONS[code][0].upper() + REASONS[code][1:]
    cutoff = cutoff_of(measure)
    return "At a later rank" if cutoff is None else f"At rank {cutoff + 1}…n"


def note_of(codes: IntArray, measure: Measure) -> str:
    """What a run missed of a topic, in a line."""
    missed = codes[codes >= 0] % BASE
    if not len(missed):
        return "No passage missed."
    counts = [(int((missed == code).sum()), code) for code in range(len(REASONS))]
    said = [f"{whole(count)} {_called(code, measure).lower()}" for count, code in counts if count]
    return f"{whole(len(missed))} of {plural(len(codes), 'passage')} missed: {', '.join(said)}."
