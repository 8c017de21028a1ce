"""Recall bases and gains of assessed elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from excerpt import quantise
from excerpt.measures.base import COUNT, QUANTISATION, Measure, Need, parameter
from excerpt.model.elements import GradedElements
from excerpt.model.exact import RunningSums
from excerpt.model.join import Joined, cached
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Different fractions with smaller denominators (and small values) are different doubles.
_EXACT_IN_DOUBLES = 1 << 24


@dataclass(frozen=True, eq=False)
class RecallBase:
    """Gains of all assessed elements, and the elements of each topic with a gain, best first."""

    numerator: IntArray
    denominator: IntArray
    #: Elements with a gain by topic, then by descending gain; first of each topic, and their number.
    ideal: IntArray
    first: IntArray

    @staticmethod
    @cached
    def of(judgments: Judgments, quantisation: str | None, too_small: int | None = None) -> RecallBase:
        """Make the recall base of judgments under a quantisation; elements `too_small` have no gain."""
        elements = judgments.elements
        assert elements is not None, "measures of elements declare that they need them"
        numerator, denominator = quantise.gains(
            quantise.find(quantisation, judgments.scale, judgments.quantisations), elements
        )
        numerator = numerator * large_enough(elements, too_small)
        gaining = np.flatnonzero(numerator > 0)
        topic = judgments.pair_topic[elements.pair[gaining]]
        order = np.lexsort((_descending(numerator[gaining], denominator[gaining]), topic))
        first = np.searchsorted(topic[order], np.arange(len(judgments.topics) + 1)).astype(np.int64)
        return RecallBase(numerator, denominator, gaining[order], first)

    @property
    def values(self) -> FloatArray:
        """Gain of every assessed element as a double."""
        return np.asarray(self.numerator / self.denominator)

    @cached_property
    def _with_none(self) -> tuple[IntArray, IntArray]:
        """Numerators and denominators, and a last gain of 0."""
        return np.append(self.numerator, 0), np.append(self.denominator, 1)

    def sums(self, elements: IntArray) -> RunningSums:
        """Running sums of the gains of elements; -1 has no gain."""
        over, under = self._with_none
        return RunningSums(over[elements], under[elements])


def large_enough(elements: GradedElements, too_small: int | None) -> BoolArray:
    """Mask of the elements that have at least `too_small` characters."""
    return elements.size >= (too_small or 0)


def _descending(numerator: IntArray, denominator: IntArray) -> IntArray | FloatArray:
    """Keys that sort fractions by descending value, without rounding."""
    if int(denominator.max(initial=1)) < _EXACT_IN_DOUBLES:
        return -(numerator / denominator)
    fractions = list(map(Fraction, numerator.tolist(), denominator.tolist()))
    places = {value: place for place, value in enumerate(sorted(set(fractions), reverse=True))}
    return np.array([places[value] for value in fractions], np.int64)


class TopicGains(NamedTuple):
    """Cumulated gain of the run and of an ideal ranking for one topic."""

    topic: int
    elements: IntArray  # assessed element of each result, -1 if it has no gain
    run: RunningSums
    ideal: RunningSums


def by_topic(joined: Joined, quantisation: str | None, too_small: int | None = None) -> Iterator[TopicGains]:
    """Yield the gains of each topic that has an element with a gain."""
    base = RecallBase.of(joined.judgments, quantisation, too_small)
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
    too_small: int | None = parameter(COUNT, None)

    @property
    def needs(self) -> frozenset[Need]:
        needs: frozenset[Need] = frozenset({"element paths", "graded elements"})
        return needs if self.too_small is None else needs | {"element sizes"}

    def each_topic(self, joined: Joined, score: Callable[[TopicGains], float]) -> FloatArray:
        """Scores by topic; NaN if the topic has no element with a gain."""
        scores = np.full(joined.topics, np.nan)
        for gains in by_topic(joined, self.quantisation, self.too_small):
            scores[gains.topic] = score(gains)
        return scores


def recall_levels(at: Fraction | None) -> tuple[IntArray, int]:
    """Numerators and common denominator of one recall level, or of 0.01, 0.02, …, 1.00."""
    if at is None:
        return np.arange(1, 101), 100
    return np.array([at.numerator]), at.denominator


@dataclass(frozen=True, eq=False)
class IdealElements:
    """Ideal elements, which do not overlap, and the ideal element at or above each assessed element."""

    gains: FloatArray  # gain of every assessed element
    parents: IntArray
    above: IntArray  # the ideal element that an element is or lies in, -1 if there is none
    chosen: IntArray
    topic: IntArray

    def gains_of(self, topic: int) -> FloatArray:
        """Gains of the ideal elements of a topic, best first."""
        return np.asarray(np.sort(self.gains[self.chosen[self.topic[self.chosen] == topic]])[::-1])

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """Ideal elements inside each element that contains some."""
        inside: dict[int, list[int]] = {}
        for ideal in self.chosen.tolist():
            up = int(self.parents[ideal])
            while up >= 0:
                inside.setdefault(up, []).append(ideal)
                up = int(self.parents[up])
        return inside

    def overlapping(self, element: int) -> list[int]:
        """List the ideal elements that overlap an element."""
        ideal = int(self.above[element])
        return [ideal] if ideal >= 0 else self.below.get(element, [])


@cached
def ideal_elements(
    judgments: Judgments, quantisation: str | None, too_small: int | None = None
) -> IdealElements:
    """Choose the ideal elements of every document."""
    base, elements = RecallBase.of(judgments, quantisation, too_small), judgments.elements
    assert elements is not None
    gaining = base.numerator > 0
    parents = _gaining_parents(elements.parents, gaining)
    best = np.arange(len(elements))
    leaf = gaining.copy()
    leaf[parents[(parents >= 0) & gaining]] = False
    levels = _levels(parents)
    for level in levels[1:]:
        # On the way down, the best element so far is replaced only by one with a strictly higher gain.
        top = best[parents[level]]
        mine, other = (
            base.numerator[level] * base.denominator[top],
            base.numerator[top] * base.denominator[level],
        )
        best[level] = np.where(mine > other, level, top)
    winner = np.zeros(len(elements), np.bool_)
    winner[best[leaf]] = True
    winner &= gaining
    above = np.where(winner, np.arange(len(elements)), -1)
    for level in levels[1:]:
        inherited = above[parents[level]]
        above[level] = np.where(inherited >= 0, inherited, above[level])
    chosen = np.flatnonzero(above == np.arange(len(elements)))
    topic = judgments.pair_topic[elements.pair]
    return IdealElements(base.values, parents, above, chosen, topic)


def _gaining_parents(parents: IntArray, gaining: BoolArray) -> IntArray:
    """Nearest ancestor with a gain of each element; elements between them may have none."""
    up = parents.copy()
    while len(bad := np.flatnonzero((up >= 0) & ~gaining[up])):
        up[bad] = parents[up[bad]]
    return up


def _levels(parents: IntArray) -> list[IntArray]:
    """Elements by depth, those without a parent first."""
    depth = np.where(parents < 0, 0, -1)
    levels = [np.flatnonzero(depth == 0)]
    while len(levels[-1]):
        here = (depth < 0) & (depth[parents] == len(levels) - 1)
        depth[here] = len(levels)
        levels.append(np.flatnonzero(here))
    return levels[:-1] or levels


def focused_gains(
    judgments: Judgments, quantisation: str | None, elements: IntArray, too_small: int | None = None
) -> FloatArray:
    """Gain of each result, limited by what earlier results left of the ideal elements it overlaps (eq. 8)."""
    ideal = ideal_elements(judgments, quantisation, too_small)
    rest: dict[int, float] = {}
    gains = np.zeros(len(elements))
    for rank in np.flatnonzero(elements >= 0).tolist():
        element = int(elements[rank])
        targets = ideal.overlapping(element)
        left = max((rest.setdefault(target, float(ideal.gains[target])) for target in targets), default=0.0)
        gains[rank] = max(0.0, min(float(ideal.gains[element]), left))
        for target in targets:
            rest[target] -= gains[rank]
    return gains


def remaining_value(
    gain: float, size: int, children: Sequence[tuple[float, int]], alpha: float, *, seen: str
) -> float:
    """Value of an element of which nothing, a part or all was seen.

    `children` are the remaining values and sizes of its assessed children, used if a part was seen.

    >>> remaining_value(0.5, 100, [(0.0, 40), (0.25, 60)], 1, seen="part")
    0.15
    """
    if seen == "nothing":
        return gain
    rest = sum(value * length for value, length in children) / size if seen == "part" and size else 0.0
    return alpha * rest + (1 - alpha) * gain


def remaining_gains(judgments: Judgments, gains: FloatArray, elements: IntArray, alpha: float) -> FloatArray:
    """Gain of each result, given the results before it."""
    graded = judgments.elements
    assert graded is not None
    children = _children(graded)
    seen: set[int] = set()
    touched: set[int] = set()
    remaining = np.zeros(len(elements))

    def value(element: int) -> float:
        state = "all" if element in seen else "part" if element in touched else "nothing"
        parts = children.get(element, ()) if state == "part" else ()
        below = [(value(child), int(graded.size[child])) for child in parts]
        return remaining_value(float(gains[element]), int(graded.size[element]), below, alpha, seen=state)

    for rank in np.flatnonzero(elements >= 0).tolist():
        element = int(elements[rank])
        remaining[rank] = value(element)
        _mark(element, graded.parents, children, seen, touched)
    return remaining


@cached
def _children(elements: GradedElements) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for child in np.flatnonzero(elements.parents >= 0).tolist():
        children.setdefault(int(elements.parents[child]), []).append(child)
    return children


def _mark(
    element: int, parents: IntArray, children: Mapping[int, Sequence[int]], seen: set[int], touched: set[int]
) -> None:
    """Mark an element and its descendants as seen, and its ancestors as partly seen."""
    waiting = [element]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting.extend(children.get(here, ()))
    up = int(parents[element])
    while up >= 0:
        touched.add(up)
        up = int(parents[up])
