"""Questions that a run fails on: what it missed of each, in context, and what it returned instead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.formats.topics import Topics
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray
from excerpt.model.texts import Texts
from excerpt.view.asked import topic_of
from excerpt.view.explanation import Failure, Instead, MissedPassage
from excerpt.view.ink import Ink
from excerpt.view.reaching import Reach
from excerpt.view.reasons import REASONS, Missed, Passages, Pieces

#: Characters of a result that are told.
_BEGINNING = 400


@dataclass(frozen=True, eq=False)
class Looked:
    """A run beside the judgments: how far it was read, and the passages that it missed."""

    joined: Joined
    reach: Reach
    missed: Missed


@dataclass(frozen=True, eq=False)
class Failures:
    """What is told of questions: of the first `top` results, with some characters of context."""

    judgments: Judgments
    texts: Texts
    topics: Topics | None
    top: int
    around: int

    @cached_property
    def passages(self) -> Passages:
        """Every relevant passage once; the queries are topics."""
        spans, pair = self.judgments.spans, self.judgments.spans.group
        document = self.judgments.pair_document[pair]
        return Passages(self.judgments.pair_topic[pair], document, spans.start, spans.end)

    @cached_property
    def counted(self) -> IntArray:
        """The passages that are more than white space."""
        ink = Ink(self.texts, self.judgments.documents)
        low, high = (ink.at(self.passages.document, place) for place in self.passages[2:])
        return np.flatnonzero(high > low)

    def tell(
        self,
        topic: int,
        mine: Looked,
        other: Looked | None,
        pieces: Pieces | None,
        scores: tuple[float | None, float | None],
    ) -> Failure:
        """One question, by its number; with the scores of the run and of the other."""
        name = self.judgments.topics[topic]
        asked, known = topic_of(name, self.judgments, self.topics), self.judgments.questions.get(name)
        rows = np.flatnonzero(self.passages.query[mine.missed.passage] == topic)
        results = int(mine.reach.results[topic])
        return Failure(
            topic=name,
            question=asked.text or asked.title,
            group="" if known is None else known.group,
            score=scores[0],
            other=scores[1],
            passages=int((self.passages.query[self.counted] == topic).sum()),
            missed=tuple(self._missed(row, mine, other, pieces) for row in rows.tolist()),
            returned=tuple(self._instead(mine, topic, rank) for rank in range(1, 1 + min(results, self.top))),
            results=results,
        )

    def _missed(self, row: int, mine: Looked, other: Looked | None, pieces: Pieces | None) -> MissedPassage:
        passage, reason, rank, characters, found = (int(column[row]) for column in mine.missed)
        number, start, end = (int(column[passage]) for column in self.passages[1:])
        name = self.judgments.documents[number]
        text = self.texts.read(name) or ""
        parts = None if pieces is None else self._parts(pieces, number, start, end)
        return MissedPassage(
            document=name,
            start=start,
            end=end,
            reason=REASONS[reason],
            rank=rank or None,
            characters=characters,
            found=found,
            text=text[start:end],
            before=text[max(start - self.around, 0) : start],
            after=text[end : end + self.around],
            chunks=None if parts is None else len(parts),
            largest=None if parts is None else max(parts.tolist(), default=0),
            other=None if other is None else passage not in other.missed.passage,
            read=self._read(mine, int(self.judgments.spans.group[passage])),
        )

    def _parts(self, pieces: Pieces, number: int, start: int, end: int) -> IntArray:
        """Characters of a passage, white space not counted, in each chunk that has some of it."""
        rows = np.flatnonzero((pieces.document == number) & (pieces.start < end) & (pieces.end > start))
        low, high = np.maximum(pieces.start[rows], start), np.minimum(pieces.end[rows], end)
        held = self.texts.count(self.judgments.documents[number], low, high)
        return held[held > 0]

    def _read(self, mine: Looked, pair: int) -> tuple[tuple[int, int, int], ...]:
        """Start, end and rank of the results of a judged document that were read."""
        joined, topic = mine.joined, int(self.judgments.pair_topic[pair])
        first = int(joined.first[topic])
        rows = first + np.flatnonzero(joined.pair[first : first + int(mine.reach.results[topic])] == pair)
        return tuple((int(joined.start[row]), int(joined.end[row]), row - first + 1) for row in rows.tolist())

    def _instead(self, mine: Looked, topic: int, rank: int) -> Instead:
        joined = mine.joined
        row = int(joined.first[topic]) + rank - 1
        name = joined.placed.document_name(row)
        if joined.run.kind != "documents" and not joined.run.known[row]:
            return Instead(rank, name, None, None, 0, "")
        start, end = int(joined.start[row]), int(joined.end[row])
        text = (self.texts.read(name) or "")[start:end]
        shown = text if len(text) <= _BEGINNING else text[:_BEGINNING] + "…"
        return Instead(rank, name, start, end, int(joined.relevant[row]), shown)
