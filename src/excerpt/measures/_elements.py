"""Recall bases and gains of assessed elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from excerpt import quantise
from excerpt.errors import ExcerptError
from excerpt.measures.base import COUNT, QUANTISATION, SHARE, Measure, Need, choice, parameter
from excerpt.model.elements import GradedElements, canonical, is_element
from excerpt.model.exact import FractionSums, RunningSums
from excerpt.model.join import Joined, cached
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Different fractions with smaller denominators (and small values) are different doubles.
_EXACT_IN_DOUBLES = 1 << 24
#: Gains as doubles, or exact where they decide.
Gain = TypeVar("Gain", float, Fraction)


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

    @cached_property
    def fractions(self) -> list[Fraction]:
        """Gain of every assessed element, exactly."""
        return list(map(Fraction, self.numerator.tolist(), self.denominator.tolist()))

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


class Credit(NamedTuple):
    """How results that overlap gain, and what an ideal run returns (see nxCG)."""

    ideal: str = "thorough"
    alpha: Fraction = Fraction(0)
    gain: str = "limited"

    @property
    def is_plain(self) -> bool:
        """Whether each result has the gain of its element."""
        return self.ideal == "thorough" and not self.alpha


class TopicGains(NamedTuple):
    """Cumulated gain of the run and of an ideal ranking for one topic."""

    topic: int
    elements: IntArray  # assessed element of each result, -1 if it has no gain
    run: RunningSums
    ideal: RunningSums


def by_topic(
    joined: Joined, quantisation: str | None, too_small: int | None = None, credit: Credit | None = None
) -> Iterator[TopicGains]:
    """Yield the gains of each topic that has an element with a gain."""
    base = RecallBase.of(joined.judgments, quantisation, too_small)
    credit = credit or Credit()
    for topic in range(joined.topics):
        best = base.ideal[base.first[topic] : base.first[topic + 1]]
        if not len(best):
            continue
        elements = joined.elements[int(joined.first[topic]) : int(joined.first[topic + 1])]
        own, highest = base.sums(elements), base.sums(best)
        if not credit.is_plain:
            own = FractionSums(credited_gains(joined, topic, quantisation, too_small, credit, base.fractions))
        if credit.ideal == "focused":
            ideal = ideal_elements(joined.judgments, quantisation, too_small)
            highest = base.sums(best[np.isin(best, ideal.chosen)])
        yield TopicGains(topic, elements, own, highest)


def credited_gains(
    joined: Joined,
    topic: int,
    quantisation: str | None,
    too_small: int | None,
    credit: Credit,
    gains: Sequence[Gain],
) -> list[Gain]:
    """Gain of each result of a topic, given the results before it; `gains` are those of all elements."""
    rows = slice(int(joined.first[topic]), int(joined.first[topic + 1]))
    elements = joined.elements[rows]
    if credit.ideal != "thorough":
        ideal = ideal_elements(joined.judgments, quantisation, too_small)
        return focused_gains(ideal, elements, gains, as_printed=credit.gain == "as_printed")
    graded = joined.judgments.elements
    assert graded is not None
    others = _unassessed(joined)
    first = int(joined.first[topic])
    around = {rank: others[first + rank] for rank in range(len(elements)) if first + rank in others}
    alpha = credit.alpha if isinstance(gains[0], Fraction) else float(credit.alpha)
    return remaining_gains(graded, gains, elements, alpha, around)


@dataclass(frozen=True)
class ElementMeasure(Measure):
    """A measure of assessed elements, by a quantisation of their grades."""

    quantisation: str | None = parameter(QUANTISATION, None)
    too_small: int | None = parameter(COUNT, None)

    @property
    def needs(self) -> frozenset[Need]:
        needs: frozenset[Need] = frozenset({"element paths", "graded elements"})
        return needs if self.too_small is None else needs | {"element sizes"}


@dataclass(frozen=True)
class OverlapMeasure(ElementMeasure):
    """A measure of assessed elements with settings of how results that overlap gain."""

    ideal: str = parameter(choice("thorough", "focused", "full"), "thorough")
    alpha: Fraction = parameter(SHARE, Fraction(0))
    gain: str = parameter(choice("limited", "as_printed"), "limited")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha and self.ideal != "thorough":
            raise ExcerptError(
                f"found alpha={self.alpha} of {self.name} with ideal={self.ideal}, expected ideal=thorough"
            )
        if self.gain != "limited" and self.ideal == "thorough":
            raise ExcerptError(
                f"found gain={self.gain} of {self.name} with ideal=thorough, expected ideal=focused or full"
            )

    @property
    def needs(self) -> frozenset[Need]:
        needs = super().needs
        return needs | {"element sizes"} if self.alpha else needs

    @property
    def credit(self) -> Credit:
        """How results that overlap gain."""
        return Credit(self.ideal, self.alpha, self.gain)

    def each_topic(self, joined: Joined, score: Callable[[TopicGains], float]) -> FloatArray:
        """Scores by topic; NaN if the topic has no element with a gain."""
        scores = np.full(joined.topics, np.nan)
        for gains in by_topic(joined, self.quantisation, self.too_small, self.credit):
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
    ideal: IdealElements, elements: IntArray, gains: Sequence[Gain], *, as_printed: bool = False
) -> list[Gain]:
    """Gain of each result, limited by what earlier results left of the ideal elements it overlaps (eq. 8).

    `as_printed` subtracts the whole gains of the earlier results from the smaller of both gains.
    """
    taken: dict[int, Gain] = {}
    none = gains[0] * 0
    found = [none] * len(elements)
    for rank in np.flatnonzero(elements >= 0).tolist():
        element = int(elements[rank])
        own = gains[element]
        targets = ideal.overlapping(element)
        for target in targets:
            left = gains[target] - taken.get(target, none)
            if as_printed:
                left = min(own, gains[target]) - taken.get(target, none)
            found[rank] = max(found[rank], min(own, left))
        for target in targets:
            taken[target] = taken.get(target, none) + (own if as_printed else found[rank])
    return found


def remaining_value(
    gain: Gain, size: int, children: Sequence[tuple[Gain, int]], alpha: Gain, *, seen: str
) -> Gain:
    """Value of an element of which nothing, a part or all was seen.

    `children` are the remaining values and sizes of its assessed children, used if a part was seen.

    >>> remaining_value(0.5, 100, [(0.0, 40), (0.25, 60)], 1, seen="part")
    0.15
    """
    if seen == "nothing":
        return gain
    whole = gain * 0
    if seen == "part" and size:
        for value, length in children:
            whole += value * length
        whole /= size
    return alpha * whole + (1 - alpha) * gain


class Around(NamedTuple):
    """Assessed elements around a result that was not assessed: those inside of it, and the nearest above."""

    inside: list[int]
    above: int  # -1 if there is none


def remaining_gains(
    graded: GradedElements,
    gains: Sequence[Gain],
    elements: IntArray,
    alpha: Gain,
    around: Mapping[int, Around],
) -> list[Gain]:
    """Gain of each result, given the results before it; `around` is about those that were not assessed."""
    children = _children(graded)
    seen: set[int] = set()
    touched: set[int] = set()
    found = [gains[0] * 0] * len(elements)

    def value(element: int) -> Gain:
        state = "all" if element in seen else "part" if element in touched else "nothing"
        parts = children.get(element, ()) if state == "part" else ()
        below = [(value(child), int(graded.size[child])) for child in parts]
        return remaining_value(gains[element], int(graded.size[element]), below, alpha, seen=state)

    for rank, element in enumerate(elements.tolist()):
        if element >= 0:
            found[rank] = value(element)
            _mark(element, graded.parents, children, seen, touched)
        elif rank in around:
            for inner in around[rank].inside:
                _mark(inner, graded.parents, children, seen, touched)
            _touch(around[rank].above, graded.parents, touched)
    return found


@cached
def _unassessed(joined: Joined) -> dict[int, Around]:
    """Assessed elements around each result that is an element, but has no assessed element of its own."""
    graded = joined.judgments.elements
    assert graded is not None
    rows = np.flatnonzero((joined.elements < 0) & (joined.pair >= 0))
    if not graded.paths:
        return _around_spans(joined, graded, rows)
    by_path = _ElementsByPath.of(graded)
    paths = [canonical(path) if is_element(path) else "" for path in joined.run.paths]
    names = joined.run.element[rows].tolist()
    named = zip(rows.tolist(), joined.pair[rows].tolist(), names, strict=True)
    return {row: by_path.around(pair, paths[name]) for row, pair, name in named if name >= 0 and paths[name]}


def _around_spans(joined: Joined, graded: GradedElements, rows: IntArray) -> dict[int, Around]:
    """Assessed elements around results by their places, for elements that are known by their places only."""
    if graded.start is None or joined.run.row is None:
        return {}
    order = np.argsort(graded.pair, kind="stable")
    first = np.searchsorted(graded.pair[order], np.arange(len(joined.judgments) + 1))
    start, size = graded.start, graded.size
    found = {}
    for row in rows[joined.run.row[rows] >= 0].tolist():
        low, high = int(joined.start[row]), int(joined.end[row])
        pair = int(joined.pair[row])
        near = order[first[pair] : first[pair + 1]]
        begin, length = start[near], size[near]
        inside = near[(begin >= low) & (begin + length <= high) & (length > 0)]
        over = near[(begin <= low) & (begin + length >= high) & (length > high - low)]
        above = int(over[np.argmin(size[over])]) if len(over) and high > low else -1
        found[row] = Around(inside.tolist(), above)
    return found


class _ElementsByPath(NamedTuple):
    """Assessed elements by pair and path, and those at or below each path."""

    at: dict[tuple[int, str], int]
    below: dict[tuple[int, str], list[int]]

    @staticmethod
    @cached
    def of(graded: GradedElements) -> _ElementsByPath:
        """Make both dictionaries."""
        at: dict[tuple[int, str], int] = {}
        below: dict[tuple[int, str], list[int]] = {}
        for element, (pair, code) in enumerate(zip(graded.pair.tolist(), graded.path.tolist(), strict=True)):
            path = graded.paths[code]
            at[pair, path] = element
            while path:
                below.setdefault((pair, path), []).append(element)
                path = path.rpartition("/")[0]
        return _ElementsByPath(at, below)

    def around(self, pair: int, path: str) -> Around:
        """Elements at or below a path, and the nearest one above it."""
        inside = self.below.get((pair, path), [])
        while path := path.rpartition("/")[0]:
            if (pair, path) in self.at:
                return Around(inside, self.at[pair, path])
        return Around(inside, -1)


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
    _touch(int(parents[element]), parents, touched)


def _touch(element: int, parents: IntArray, touched: set[int]) -> None:
    """Mark an element and its ancestors as partly seen."""
    while element >= 0:
        touched.add(element)
        element = int(parents[element])
