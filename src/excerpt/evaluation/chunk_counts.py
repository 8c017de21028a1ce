"""What chunks hold of the relevant text, without any retriever: counted for all questions together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans, keys
from excerpt.model.texts import Texts


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """Chunks beside judgments; `home` is the document of each chunk, as the judgments number them.

    A chunk that stands nowhere, or in a document that nobody judged, is not among them.
    """

    judgments: Judgments
    texts: Texts | None
    home: IntArray
    start: IntArray
    end: IntArray

    def ceiling(self) -> FloatArray:
        """Recall if every chunk were returned: the share of the topic's relevant characters in any chunk.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 0, 30)), ("1", Span("B", 0, 10))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 10]), np.array([15, 25]))
        >>> chunks.ceiling().tolist()
        [0.625]
        """
        judgments, spans = self.judgments, self.judgments.spans
        covered = KeyedSpans.union(self.home, self.start, self.end)
        found = self._by_topic(covered.overlap(self._document, spans.start, spans.end))
        return self._share(found, judgments.relevant_by_topic)

    def cut(self) -> FloatArray:
        """The share of the topic's relevant passages that no single chunk holds, white space not counted.

        A passage of white space only is left out.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 20, 30))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 15]), np.array([12, 29]))
        >>> chunks.cut().tolist()
        [0.5]
        """
        spans = self.judgments.spans
        low, high = spans.start, spans.end
        if self.texts is not None:
            low, high = self.texts.trimmed(self.judgments.documents, self._document, low, high)
        # Of the chunks that start at a passage's start or before, the one that reaches farthest.
        starts, reach, _ = self._sorted
        before = np.searchsorted(starts, keys(self._document, low), side="right")
        held = np.append(-1, reach)[before] >= keys(self._document, high)
        there = high > low
        return self._share(self._by_topic(there & ~held), self._by_topic(there))

    def omega(self, *, legacy: bool = False) -> FloatArray:
        """Precision of all chunks that hold relevant text of the topic, together: each character once.

        Relevant text that is in no chunk counts as read, too, so that what was lost is no gain. With `legacy`
        chunks that only touch relevant text are among them, as in chunking_evaluation's precision omega.

        >>> from excerpt.model import Judgments, Span
        >>> gold = Judgments.of([("1", Span("A", 10, 20))])
        >>> chunks = ChunkCounts(gold, None, np.array([0, 0]), np.array([0, 8]), np.array([10, 28]))
        >>> chunks.omega().tolist(), chunks.omega(legacy=True).round(4).tolist()
        ([0.5], [0.3571])
        """
        spans = self.judgments.spans
        passage, chunk = self._meeting(legacy=legacy)
        shown = KeyedSpans.union(spans.group[passage], self.start[chunk], self.end[chunk])
        found = self._by_topic(shown.overlap(spans.group, spans.start, spans.end))
        read = self._by_pair(shown.totals(len(self.judgments)))
        return self._share(found, read + self.judgments.relevant_by_topic - found)

    def _meeting(self, *, legacy: bool) -> tuple[IntArray, IntArray]:
        """Every passage with every chunk that shares a character with it, or with `legacy` a border.

        Chunks that end before a passage may be among them where they lie inside of one that does not.
        """
        spans = self.judgments.spans
        starts, reach, order = self._sorted
        low_key, high_key = keys(self._document, spans.start), keys(self._document, spans.end)
        low = np.searchsorted(reach, low_key, side="left" if legacy else "right")
        high = np.searchsorted(starts, high_key, side="right" if legacy else "left")
        count = np.maximum(high - low, 0)
        passage = np.repeat(np.arange(len(spans)), count)
        chunk = order[np.arange(len(passage)) - np.repeat(np.cumsum(count) - count, count) + low[passage]]
        return passage, chunk

    @cached_property
    def _document(self) -> IntArray:
        """The document of each passage."""
        return self.judgments.pair_document[self.judgments.spans.group]

    @cached_property
    def _sorted(self) -> tuple[IntArray, IntArray, IntArray]:
        """Chunks by document and start: the starts, how far all up to each one reach, and their order."""
        starts = keys(self.home, self.start)
        order = np.argsort(starts, kind="stable")
        return starts[order], np.maximum.accumulate(keys(self.home, self.end)[order]), order

    def _by_topic(self, amount: IntArray | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
        """Sums over the passages of each topic."""
        total = np.zeros(len(self.judgments), np.int64)
        np.add.at(total, self.judgments.spans.group, amount)
        return self._by_pair(total)

    def _by_pair(self, amount: IntArray) -> IntArray:
        """Sums over the judged documents of each topic."""
        total = np.zeros(len(self.judgments.topics), np.int64)
        np.add.at(total, self.judgments.pair_topic, amount)
        return total

    @staticmethod
    def _share(part: IntArray, whole: IntArray) -> FloatArray:
        """Quotients, undefined where there is nothing."""
        return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
