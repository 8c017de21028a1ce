"""Gains that depend on what was seen before.

INEX 2006: ideal elements, and gains capped by them (equation 8). Lalmas et al.: "INEX 2006 Evaluation
Measures", LNCS 4518, 2007, section 5. INEX 2005: text that was seen before brings less. Kazai, Lalmas,
de Vries: "The Overlap Problem in Content-Oriented XML Retrieval Evaluation", SIGIR 2004.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.measures._elements import RecallBase
from excerpt.model.elements import GradedElements
from excerpt.model.join import remember
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class IdealElements:
    """For every assessed element the ideal element at or above it; and the ideal elements themselves."""

    #: Gain of every assessed element.
    gains: FloatArray
    parents: IntArray
    #: The ideal element that an element is or lies in, -1 where it lies in none.
    above: IntArray
    chosen: IntArray
    topic: IntArray

    def gains_of(self, topic: int) -> FloatArray:
        """Gains of the ideal elements of a topic, best first."""
        best: FloatArray = np.sort(self.gains[self.chosen[self.topic[self.chosen] == topic]])[::-1]
        return best

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """The ideal elements that lie in an element (which is not ideal, nor lies in one)."""
        found: dict[int, list[int]] = {}
        for ideal in self.chosen.tolist():
            up = int(self.parents[ideal])
            while up >= 0:
                found.setdefault(up, []).append(ideal)
                up = int(self.parents[up])
        return found

    def overlapping(self, element: int) -> list[int]:
        """The ideal elements that share text with an element."""
        ideal = int(self.above[element])
        return [ideal] if ideal >= 0 else self.below.get(element, [])


@remember
def ideal_elements(judgments: Judgments, quantisation: str | None) -> IdealElements:
    """Choose the ideal elements of every document."""
    base, elements = RecallBase.of(judgments, quantisation), judgments.elements
    assert elements is not None
    gaining = base.numerator > 0
    parents = _gaining_parents(elements.parents, gaining)
    best = np.arange(len(elements))
    leaf = gaining.copy()
    leaf[parents[(parents >= 0) & gaining]] = False
    levels = _levels(parents)
    for level in levels[1:]:
        # On the way down the best element so far is replaced only by one that gains strictly more.
        top = best[parents[level]]
        better = _greater(base, level, top)
        best[level] = np.where(better, level, top)
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
    """The nearest ancestor that gains something: a relevant path may lead through elements that do not."""
    up = parents.copy()
    while len(bad := np.flatnonzero((up >= 0) & ~gaining[up])):
        up[bad] = parents[up[bad]]
    return up


def _greater(base: RecallBase, one: IntArray, other: IntArray) -> BoolArray:
    """Whether one gain is greater than the other, by cross-multiplication."""
    return np.asarray(
        base.numerator[one] * base.denominator[other] > base.numerator[other] * base.denominator[one]
    )


def _levels(parents: IntArray) -> list[IntArray]:
    """Elements by depth: those without parent first."""
    depth = np.where(parents < 0, 0, -1)
    levels = [np.flatnonzero(depth == 0)]
    while len(levels[-1]):
        here = (depth < 0) & (depth[parents] == len(levels) - 1)
        depth[here] = len(levels)
        levels.append(np.flatnonzero(here))
    return levels[:-1] or levels


def focused_gains(judgments: Judgments, quantisation: str | None, elements: IntArray) -> FloatArray:
    """What each result gains when the ideal elements it overlaps have already been gained from (eq. 8).

    `max(0, min(gain, rest))`, where rest is the ideal element's gain less what earlier results took from it.
    """
    ideal = ideal_elements(judgments, quantisation)
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
    """The value of an element of which nothing, a part or all was seen.

    `children` are the remaining values and sizes of its assessed children: all that is left of a part.

    >>> remaining_value(0.5, 100, [(0.0, 40), (0.25, 60)], 1, seen="part")
    0.15
    """
    if seen == "nothing":
        return gain
    rest = sum(value * length for value, length in children) / size if seen == "part" and size else 0.0
    return alpha * rest + (1 - alpha) * gain


def remaining_gains(judgments: Judgments, gains: FloatArray, elements: IntArray, alpha: float) -> FloatArray:
    """What each result brings, given the results before it."""
    graded = judgments.elements
    assert graded is not None
    children = _children(graded)
    seen: set[int] = set()
    touched: set[int] = set()
    found = np.zeros(len(elements))

    def value(element: int) -> float:
        state = "all" if element in seen else "part" if element in touched else "nothing"
        below = (
            [(value(child), int(graded.size[child])) for child in children.get(element, ())]
            if state == "part"
            else []
        )
        return remaining_value(float(gains[element]), int(graded.size[element]), below, alpha, seen=state)

    for rank in np.flatnonzero(elements >= 0).tolist():
        element = int(elements[rank])
        found[rank] = value(element)
        _mark(element, graded.parents, children, seen, touched)
    return found


@remember
def _children(elements: GradedElements) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for child in np.flatnonzero(elements.parents >= 0).tolist():
        found.setdefault(int(elements.parents[child]), []).append(child)
    return found


def _mark(
    element: int, parents: IntArray, children: Mapping[int, Sequence[int]], seen: set[int], touched: set[int]
) -> None:
    """An element and all below it are seen; a part of all above it is."""
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
