"""What measures of assessed elements share: the recall base of each topic, and what a run gains from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt import quantise
from excerpt.measures.base import QUANTISATION, Measure, Need, parameter
from excerpt.model.exact import RunningSums
from excerpt.model.join import Joined, remember
from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray, IntArray

#: Different fractions with smaller denominators, and values of a few units, are different doubles.
_TOLD_APART = 1 << 24


@dataclass(frozen=True, eq=False)
class RecallBase:
    """All assessed elements with their gains, and those of each topic that have any, best first."""

    numerator: IntArray
    denominator: IntArray
    #: Gaining elements by topic, then by falling gain; and where each topic's begin (one more at the end).
    ideal: IntArray
    first: IntArray

    @staticmethod
    @remember
    def of(judgments: Judgments, quantisation: str | None) -> RecallBase:
        """The recall base of judgments under a quantisation."""
        elements = judgments.elements
        assert elements is not None, "measures of elements declare that they need them"
        found = quantise.gains(
            quantise.find(quantisation, judgments.scale, judgments.quantisations), elements
        )
        gaining = np.flatnonzero(found.numerator > 0)
        topic = judgments.pair_topic[elements.pair[gaining]]
        order = np.lexsort((_falling(found.numerator[gaining], found.denominator[gaining]), topic))
        first = np.searchsorted(topic[order], np.arange(len(judgments.topics) + 1)).astype(np.int64)
        return RecallBase(found.numerator, found.denominator, gaining[order], first)

    @property
    def values(self) -> FloatArray:
        """The gain of every assessed element as a double."""
        return np.asarray(self.numerator / self.denominator)

    def sums(self, elements: IntArray) -> RunningSums:
        """Running sums of the gains of elements; -1 gains nothing."""
        over, under = np.append(self.numerator, 0), np.append(self.denominator, 1)
        return RunningSums(over[elements], under[elements])


def _falling(numerator: IntArray, denominator: IntArray) -> IntArray | FloatArray:
    """Keys that sort fractions by falling value, without any rounding."""
    if int(denominator.max(initial=1)) < _TOLD_APART:
        return -(numerator / denominator)
    fractions = list(map(Fraction, numerator.tolist(), denominator.tolist()))
    places = {value: place for place, value in enumerate(sorted(set(fractions), reverse=True))}
    return np.array([places[value] for value in fractions], np.int64)


class TopicGains(NamedTuple):
    """One topic: what the run gains rank by rank, and what an ideal ranking would."""

    topic: int
    #: Assessed element of each result, -1 where it gains nothing.
    elements: IntArray
    run: RunningSums
    ideal: RunningSums


def by_topic(joined: Joined, quantisation: str | None) -> Iterator[TopicGains]:
    """The topics that have anything to gain."""
    base = RecallBase.of(joined.judgments, quantisation)
    for topic in range(joined.topics):
        best = base.ideal[base.first[topic] : base.first[topic + 1]]
        if len(best):
            rows = slice(int(joined.first[topic]), int(joined.first[topic + 1]))
            elements = joined.elements[rows]
            yield TopicGains(topic, elements, base.sums(elements), base.sums(best))


@dataclass(frozen=True)
class ElementMeasure(Measure):
    """A measure of assessed elements, by a quantisation of their grades."""

    quantisation: str | None = parameter(QUANTISATION, None)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"element paths", "graded elements"})

    def each_topic(self, joined: Joined, score: Callable[[TopicGains], float]) -> FloatArray:
        """One score per topic; undefined where there is nothing to gain."""
        scores = np.full(joined.topics, np.nan)
        for gains in by_topic(joined, self.quantisation):
            scores[gains.topic] = score(gains)
        return scores


def recall_levels(at: Fraction | None) -> tuple[IntArray, int]:
    """A recall level, or 0.01, 0.02, …, 1.00, as numerators and their common denominator."""
    if at is None:
        return np.arange(1, 101), 100
    return np.array([at.numerator]), at.denominator
