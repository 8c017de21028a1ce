"""Alternatives: places of which one is enough for a need of a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from excerpt.model.spans import IntArray, KeyedSpans, Span, sums

if TYPE_CHECKING:
    from excerpt.model.judgments import Judgments

#: The disjoint parts of an alternative, the alternatives of a need, and the needs of topics.
Parts: TypeAlias = tuple[Span, ...]
EvidenceNeed: TypeAlias = tuple[Parts, ...]
TopicNeeds: TypeAlias = dict[str, tuple[EvidenceNeed, ...]]


def arrange(needs: Mapping[str, Iterable[Iterable[Parts]]]) -> TopicNeeds:
    """Leave out empty and equal alternatives; the shortest of each need is the first.

    >>> arrange({"1": [[(Span("A", 0, 50),), (Span("B", 0, 9),), ()]], "2": [[()]]})["1"][0][0]
    (Span(document='B', start=0, end=9),)
    """
    arranged = {
        topic: tuple(
            tuple(sorted(full, key=lambda parts: sum(part.length for part in parts)))
            for need in several
            if (full := dict.fromkeys(filter(None, need)))
        )
        for topic, several in needs.items()
    }
    return {topic: several for topic, several in arranged.items() if several}


def gather(rows: Iterable[tuple[str, Span, int, int]]) -> TopicNeeds:
    """Return the needs of topics with alternatives, from topic, span, number of need and of alternative."""
    given: dict[str, dict[int, dict[int, list[Span]]]] = {}
    for topic, span, need, alternative in rows:
        given.setdefault(topic, {}).setdefault(need, {}).setdefault(alternative, []).append(span)
    needs: dict[str, list[Iterable[Parts]]] = {}
    for topic, by_need in given.items():
        # Text that has no alternative, or need -1, is joined if it overlaps: each such passage is a need.
        rest = [span for spans in by_need.pop(-1, {}).values() for span in spans]
        joined = (dict.fromkeys(map(_joined, several.values())) for several in by_need.values())
        found = [list(filter(None, several)) for several in joined]
        rest += [span for several in found if len(several) == 1 for parts in several for span in parts]
        if chosen := [several for several in found if len(several) > 1]:
            needs[topic] = [*chosen, *([(span,)] for span in _joined(rest))]
    return arrange(needs)


def _joined(spans: list[Span]) -> Parts:
    names = sorted({span.document for span in spans})
    groups = [names.index(span.document) for span in spans]
    joined = KeyedSpans.union(groups, [span.start for span in spans], [span.end for span in spans])
    columns = zip(joined.group.tolist(), joined.start.tolist(), joined.end.tolist(), strict=True)
    return tuple(Span(names[group], start, end) for group, start, end in columns)


class Needs:
    """Needs of judgments as columns; each counts by itself, also if it overlaps others."""

    def __init__(self, judgments: Judgments) -> None:
        needs = [(topic, need) for topic, several in judgments.alternatives.items() for need in several]
        #: Topic, first alternative and number of alternatives of each need.
        self.topic = np.array([judgments.topic_codes[topic] for topic, _ in needs], np.int64)
        self.count = np.array([len(need) for _, need in needs], np.int64)
        self.first = np.cumsum(self.count) - self.count
        parts = [
            (self.topic[row], *part) for row, (_, need) in enumerate(needs) for some in need for part in some
        ]
        topic, document, start, end = zip(*parts, strict=True)
        codes = np.array([judgments.document_codes[name] for name in document], np.int64)
        #: Judged pair, document, start and end of each part; its alternative, and the length of each.
        self.pair, self.document = judgments.pairs(np.array(topic, np.int64), codes), codes
        self.start, self.end = np.array(start, np.int64), np.array(end, np.int64)
        sizes = [len(some) for _, need in needs for some in need]
        self.alternative = np.repeat(np.arange(len(sizes)), sizes)
        self.length = self.total(self.end - self.start)

    def total(self, amount: IntArray) -> IntArray:
        """Sum of an amount of the parts over each alternative."""
        return sums(self.alternative, amount, int(self.count.sum()))

    def recalled(self, inside: IntArray, found: IntArray, total: IntArray) -> tuple[IntArray, IntArray]:
        """Characters found, and length, of the best alternative of each need, by topic.

        `inside` are characters found of the parts. Topics without alternatives keep `found` and `total`.
        """
        best = self.best(inside)
        found, total = found.copy(), total.copy()
        found[self.topic] = total[self.topic] = 0
        np.add.at(found, self.topic, self.total(inside)[best])
        np.add.at(total, self.topic, self.length[best])
        return found, total

    def best(self, inside: IntArray) -> IntArray:
        """Alternative of each need of which most is found, if so many characters of the parts are found.

        Shares are compared exactly; of equal ones the shorter alternative counts.
        """
        inside, length, best = self.total(inside), self.length, self.first.copy()
        for place in range(1, int(self.count.max())):
            rows = np.flatnonzero(self.count > place)
            one, other = best[rows], self.first[rows] + place
            best[rows] = np.where(inside[other] * length[one] > inside[one] * length[other], other, one)
        return best
