"""The best ranked list of given units, by measure: its results in order, and a bound that no list exceeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from excerpt.ceilings.element_choice import best_elements
from excerpt.ceilings.frontier import (
    HullStep,
    UnitItem,
    best_ratio,
    by_place,
    disjoint,
    maximal,
    nested,
    steps,
    taken,
)
from excerpt.ceilings.knapsack import NEVER, Apart, Beginning, filled, filled_trees, fits
from excerpt.ceilings.passage_choice import FoundMost, WantedPassage, most_found
from excerpt.errors import ExcerptError
from excerpt.measures import Measure
from excerpt.measures.evidence import counted_text, passage_sizes, shown_of_passages
from excerpt.model.join import Joined, cached
from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans
from excerpt.model.texts import Texts

_LEVELS = 101  # recall levels of MAiP
_FEW = 40  # units up to which the best list of a run within a budget is searched for
_TRIED = 12  # most points of a hull from which lists for MAiP are made


class TopicUnits(NamedTuple):
    """Units of one topic by judged pair, each list sorted by place; and the topic's relevant characters."""

    number: int
    by_pair: Mapping[int, list[UnitItem]]
    total: int

    @property
    def items(self) -> list[UnitItem]:
        """All units."""
        return [item for own in self.by_pair.values() for item in own]

    def path(self) -> list[HullStep]:
        """Steps of the hull over all documents."""
        found = [step for own in self.by_pair.values() for step in steps(_useful(own))]
        return sorted(found, key=lambda step: -step.slope)

    @property
    def nested(self) -> bool:
        """Whether any two units are disjoint or nested."""
        return all(nested(_useful(own)) for own in self.by_pair.values())


class BestList(NamedTuple):
    """Rows of the best list that was found, and the highest score that any list may have."""

    rows: list[int]
    upper: float


class Arrangement(NamedTuple):
    """Rows of a run in the best order that was found, and the bound of each topic."""

    rows: IntArray
    upper: FloatArray


_Arrange: TypeAlias = Callable[..., BestList]


def arrange(measure: Measure, joined: Joined, *, bounded: bool = True) -> Arrangement:
    """Order the results of every topic so that a measure is as high as possible; some are left out.

    Bounds that take longer than the order are not `bounded` as sharply as possible if nobody needs them.
    """
    if measure.name == GAIN:
        return Arrangement(*best_elements(measure, joined))
    by_topic, upper = _TASKS[measure.name].arrange, np.zeros(joined.topics)
    assert by_topic is not None, "measures of elements are arranged above"
    rows = list[int]()
    for units in topic_units(joined):
        best = by_topic(measure, units, joined, bounded=bounded)
        rows += best.rows
        upper[units.number] = best.upper
    return Arrangement(np.array(rows, np.int64), upper)


def check_measures(measures: Mapping[str, Measure], *, overlapping: bool) -> None:
    """Raise an error for a measure without a ceiling, or that forbids units that overlap."""
    for name, measure in measures.items():
        task = _TASKS.get(measure.name)
        if task is None or not task.takes(measure):
            known = ", ".join(dict.fromkeys(own.shown for own in _TASKS.values()))
            raise ExcerptError(f"{name} has no ceiling, expected one of: {known}")
        if overlapping and not task.overlap:
            hint = f"measures that allow it: {', '.join(own.shown for own in _TASKS.values() if own.overlap)}"
            raise ExcerptError(f"found units that overlap, which {name} forbids", hint=hint)


@cached
def topic_units(joined: Joined) -> list[TopicUnits]:
    """Results with relevant text, and one of each relevant document without; of the same span the first."""
    pairs, relevant, size = joined.pair, joined.relevant, joined.size
    total, of_pair = joined.judgments.relevant_by_topic, joined.judgments.relevant_by_pair
    found: dict[int, dict[int, dict[tuple[int, int], UnitItem]]] = {}
    rows = np.flatnonzero((pairs >= 0) & (np.append(of_pair, 0)[pairs] > 0))
    some = np.zeros(len(of_pair), np.bool_)  # of documents without a result that has relevant text, the first
    some[pairs[rows[relevant[rows] > 0]]] = True
    first = np.zeros(len(pairs), np.bool_)
    first[rows[np.unique(pairs[rows], return_index=True)[1]]] = True
    rows = rows[(relevant[rows] > 0) | (first[rows] & ~some[pairs[rows]])]
    columns = (joined.topic, pairs, joined.start, joined.end, relevant, size)
    for row, topic, pair, start, end, own, cost in zip(
        rows.tolist(), *(column[rows].tolist() for column in columns), strict=True
    ):
        items = found.setdefault(topic, {}).setdefault(pair, {})
        items.setdefault((start, end), UnitItem(row, start, end, own, max(cost, 1), pair))
    return [
        TopicUnits(
            topic,
            {pair: sorted(items.values(), key=by_place) for pair, items in by_pair.items()},
            int(total[topic]),
        )
        for topic, by_pair in sorted(found.items())
    ]


def _useful(items: Sequence[UnitItem]) -> list[UnitItem]:
    return [item for item in items if item.relevant]


def _numbers(items: Sequence[UnitItem]) -> list[int]:
    return [item.number for item in items]


def _character_f(measure: Any, units: TopicUnits, joined: Joined, *, bounded: bool) -> BestList:  # noqa: ARG001
    """Best F of all sets of units: a vertex of the hull, or of a chain of overlapping units."""
    weight = measure.beta**2
    if units.nested:
        path = units.path()
        items = taken(path[: best_ratio(path, weight, units.total)])
        found = sum(item.relevant for item in items)
    else:
        items, found = _best_chain(units, joined, weight)
    read = sum(item.cost for item in items)
    upper = float((1 + weight) * found / (weight * units.total + read)) if read else 0.0
    items = sorted(items, key=lambda item: -item.relevant / item.cost)
    if joined.judgments.needs is not None:
        upper = 1.0
    return BestList(_numbers(items)[: measure.top], upper)


def _best_chain(units: TopicUnits, joined: Joined, weight: Fraction) -> tuple[list[UnitItem], int]:
    """Best F of sets of units that may overlap, by Dinkelbach's iteration.

    No unit of a best set lies inside of the others, so that starts and ends both ascend, and what a unit adds
    depends on the one before it alone.
    """
    chains = [_Chain.of(pair, _useful(own), joined) for pair, own in units.by_pair.items()]
    over, under = 0, 1  # the quotient so far, found · denominator over the denominator of F
    best, best_found = list[UnitItem](), 0
    while True:
        parts = [chain.best(under * weight.denominator, over * weight.denominator) for chain in chains]
        items = [item for part, _ in parts for item in part]
        found, read = sum(own for _, own in parts), sum(item.cost for item in items)
        below = weight.numerator * units.total + weight.denominator * read
        if found * weight.denominator * under <= over * below:
            return best, best_found
        best, best_found, over, under = items, found, found * weight.denominator, below


class _Chain(NamedTuple):
    """Units of a document by start, and the relevant characters that each shares with each before it."""

    items: list[UnitItem]
    shared: IntArray
    before: IntArray

    @classmethod
    def of(cls, pair: int, items: list[UnitItem], joined: Joined) -> _Chain:
        start, end = (
            np.array([getattr(item, name) for item in items], np.int64) for name in ("start", "end")
        )
        high = np.maximum(np.minimum(end[:, None], end), start)
        shared = joined.judgments.spans.overlap(
            np.full(len(items) ** 2, pair), np.broadcast_to(start, high.shape).ravel(), high.ravel()
        ).reshape(high.shape)
        before = (start[:, None] < start) & (end[:, None] < end)
        return cls(items, shared, before.astype(np.int64))

    def best(self, gain: int, price: int) -> tuple[list[UnitItem], int]:
        """Units with the highest gain · (relevant characters) - price · (characters read), and the former."""
        values, previous = list[int](), list[int]()
        for place, item in enumerate(self.items):
            best, last = 0, -1
            for other in np.flatnonzero(self.before[:place, place]).tolist():
                value = values[other] - gain * int(self.shared[other, place])
                if value > best:
                    best, last = value, other
            values.append(best + gain * item.relevant - price * item.cost)
            previous.append(last)
        place = max(range(len(values)), key=values.__getitem__, default=-1)
        chosen, found = list[UnitItem](), 0
        while place >= 0 and (chosen or values[place] > 0):
            chosen.append(self.items[place])
            found += self.items[place].relevant
            if previous[place] >= 0:
                found -= int(self.shared[previous[place], place])
            place = previous[place]
        return chosen[::-1], found


def _apart(items: Sequence[UnitItem]) -> list[UnitItem]:
    """Units, without those that overlap one with more relevant text for its length."""
    kept: list[UnitItem] = []
    for item in sorted(items, key=lambda one: (-one.relevant / one.cost, one.start)):
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return sorted(kept, key=by_place)


def _generalised(measure: Any, units: TopicUnits, joined: Joined, *, bounded: bool) -> BestList:  # noqa: ARG001
    """Documents by their best F, then those without relevant text among their units, which count as well."""
    weight, of_pair, documents = measure.beta**2, joined.judgments.relevant_by_pair, []
    for pair, own in units.by_pair.items():
        useful = _useful(own)
        path = steps(useful if nested(useful) else _apart(useful))
        total = int(of_pair[pair])
        items = taken(path[: best_ratio(path, weight, total)])
        found, read = sum(item.relevant for item in items), sum(item.cost for item in items)
        over = (weight.numerator + weight.denominator) * found
        score = over / (weight.numerator * total + weight.denominator * read) if read else 0.0
        documents.append((-score, pair, items or own[:1]))
    documents.sort(key=lambda document: document[:2])
    relevant = int(joined.judgments.relevant_documents[units.number])
    scores = np.array([-score for score, _, _ in documents])
    precision = np.cumsum(scores) / np.arange(1, len(scores) + 1)
    rows = [number for *_, items in documents for number in _numbers(items)]
    return BestList(rows, float(precision.sum()) / max(relevant, 1))


def _interpolated(measure: Any, units: TopicUnits, _: Joined, *, bounded: bool) -> BestList:
    """Sets of units without overlap, densest units first; each level is bounded by its own best set."""
    useful = [_useful(own) for own in units.by_pair.values()]
    if not units.nested:
        useful = [_apart(own) for own in useful]
    path = sorted((step for own in useful for step in steps(own)), key=lambda step: -step.slope)
    if not path:
        return BestList([], 0.0)
    found = np.cumsum([0, *(step.relevant for step in path)])
    read = np.cumsum([0, *(step.cost for step in path)])
    at = getattr(measure, "at", None)
    levels = [Fraction(level, _LEVELS - 1) for level in range(_LEVELS)] if at is None else [at]
    needs = np.array([-(-level.numerator * units.total // level.denominator) for level in levels])
    reached = int(np.searchsorted(found, needs[-1])) if at is not None else len(path)
    ends = {min(max(reached, 1), len(path))}
    if not all(map(disjoint, useful)):
        ends |= set(np.linspace(1, len(path), min(len(path), _TRIED)).astype(int).tolist())
    sets = [taken(path[:end]) for end in sorted(ends)]
    bounds = _hull_precision(path, found, read, needs)
    apart = Apart.of(useful, units.total, by_cost=False) if bounded else None
    if apart is not None:
        least = apart.tables[-1]
        precision = np.where(least < NEVER, np.arange(len(least)) / np.maximum(least, 1), 0.0)
        best = np.maximum.accumulate(precision[::-1])[::-1]
        bounds = best[needs].tolist()
        some = np.unique(needs[np.linspace(0, len(needs) - 1, min(len(needs), _TRIED)).astype(int)])
        sets += [apart.chosen(int(need + precision[need:].argmax())) for need in some.tolist() if best[need]]
    lists = [sorted(items, key=lambda item: -item.relevant / item.cost) for items in sets]
    kept = max(lists, key=lambda items: _mean_precision(items, needs))
    return BestList(_numbers(kept), float(np.mean(bounds)))


def _hull_precision(
    path: Sequence[HullStep], found: IntArray, read: IntArray, needs: IntArray
) -> list[float]:
    """Precision on the hull where the relevant characters are found that each level needs; 0 if never."""
    bounds = []
    for need in needs.tolist():
        place = int(np.searchsorted(found, need))
        if place >= len(found):
            bounds.append(0.0)
        elif place <= 1:
            bounds.append(path[0].slope)
        else:
            least = int(read[place - 1]) + (need - int(found[place - 1])) / path[place - 1].slope
            bounds.append(need / least)
    return bounds


def _mean_precision(items: Sequence[UnitItem], needs: IntArray) -> float:
    """Mean over levels of the best precision at any rank from which the level is reached."""
    found = np.cumsum([item.relevant for item in items])
    precision = found / np.cumsum([item.cost for item in items])
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return float(best[np.searchsorted(found, needs)].mean())


def _discounted(measure: Any, units: TopicUnits, joined: Joined, *, bounded: bool) -> BestList:  # noqa: ARG001
    """Units that no other contains, by relevant characters; the first k show no more than the k best."""
    items = [item for own in units.by_pair.values() for item in maximal(_useful(own))]
    items.sort(key=lambda item: -item.relevant)
    gains = np.diff(np.minimum(np.cumsum([0, *(item.relevant for item in items)]), units.total))
    mine = joined.judgments.pair_topic == units.number
    ideal = np.sort(joined.judgments.relevant_by_pair[mine])[::-1]
    upper = _gain(gains, measure.top) / max(_gain(ideal, measure.top), 1e-300)
    if not all(disjoint(maximal(_useful(own))) for own in units.by_pair.values()):
        items = _by_new_text(units, joined)
    return BestList(_numbers(items)[: measure.top], min(upper, 1.0))


def _gain(gains: IntArray, top: int | None) -> float:
    some = gains[:top]
    return float((some / np.log2(np.arange(2, len(some) + 2))).sum())


def _by_new_text(units: TopicUnits, joined: Joined) -> list[UnitItem]:
    """Units one after the other by the relevant characters that those before them did not show."""
    left = {item: pair for pair, own in units.by_pair.items() for item in maximal(_useful(own))}
    new, order, shown = {item: item.relevant for item in left}, list[UnitItem](), dict[int, list[UnitItem]]()
    while left:
        item = max(left, key=lambda one: (new[one], -one.number))
        if not new[item]:
            break
        pair = left.pop(item)
        order.append(item)
        shown.setdefault(pair, []).append(item)
        for other in [one for one in left if left[one] == pair and one.start < item.end > one.start]:
            if other.end > item.start:
                new[other] = _fresh(other, shown[pair], pair, joined)
    return order


def _fresh(item: UnitItem, shown: Sequence[UnitItem], pair: int, joined: Joined) -> int:
    """Relevant characters of a unit that others do not show."""
    low, high = (
        np.clip([getattr(other, name) for other in shown], item.start, item.end) for name in ("start", "end")
    )
    union = KeyedSpans.union(np.zeros(len(shown), np.int64), low, np.maximum(low, high))
    seen = joined.judgments.spans.overlap(np.full(len(union), pair), union.start, union.end)
    return item.relevant - int(seen.sum())


def _recalled(measure: Any, units: TopicUnits, joined: Joined, *, bounded: bool) -> BestList:
    """All units, the k with most relevant text, or within a budget a knapsack."""
    apart = all(disjoint(maximal(_useful(own))) for own in units.by_pair.values())
    items = [item for own in units.by_pair.values() for item in maximal(_useful(own))]
    items = sorted(items, key=lambda item: -item.relevant) if apart else _by_new_text(units, joined)
    top = measure.top
    gains = sorted((item.relevant for own in units.by_pair.values() for item in own), reverse=True)[:top]
    covered = _covered(units, joined)
    upper = min(sum(gains), covered) / max(units.total, 1)
    rows = _numbers(items)[:top]
    if measure.budget is not None:
        rows, within = _within(measure, units, joined, bounded=bounded)
        rows, upper = rows[:top], min(upper, within / max(units.total, 1))
    return BestList(rows, 1.0 if joined.judgments.needs is not None else upper)


def _covered(units: TopicUnits, joined: Joined) -> int:
    """Relevant characters of a topic that some unit has."""
    kept = [item for own in units.by_pair.values() for item in maximal(_useful(own))]
    columns = np.array([(item.document, item.start, item.end) for item in kept], np.int64).reshape(-1, 3)
    union = KeyedSpans.union(*columns.T)
    return int(joined.judgments.spans.overlap(union.group, union.start, union.end).sum())


def _within(measure: Any, units: TopicUnits, joined: Joined, *, bounded: bool) -> tuple[list[int], int]:
    """Rows that show much relevant text within a budget, and how much any rows show at most."""
    budget, costs = measure.budget, measure.costs(joined)
    by_pair: dict[int, list[UnitItem]] = {}
    for pair, own in units.by_pair.items():
        if useful := _useful(own):
            by_pair[pair] = [item._replace(cost=max(int(costs[item.number]), 1)) for item in useful]
    items = [item for own in by_pair.values() for item in own]
    if not items:
        return [], 0
    whole = maximal(sorted(items, key=by_place))
    if sum(item.cost for item in whole) <= budget:
        order = sorted(whole, key=lambda item: -item.relevant / item.cost)
        return _numbers(order), _covered(units, joined)
    beginning = partial(_beginning, budget=budget, joined=joined)
    tried = None if bounded else _TRIED
    if fits(items, budget) and all(map(disjoint, by_pair.values())):
        places, found = filled(items, budget, beginning, tried)
        return [items[place].number for place in places], found
    apart = filled_trees(list(by_pair.values()), budget, beginning, tried)
    if apart is not None and units.nested:
        return apart
    kept = [item for own in by_pair.values() for item in _apart(own)]
    rows = _numbers(sorted(kept, key=lambda item: -item.relevant / item.cost))
    most = max(int(beginning(item).shown().max(initial=0)) for item in items) if bounded else 0
    return rows if apart is None else apart[0], _most_within(items, budget, most)


def _beginning(item: UnitItem, *, budget: int, joined: Joined) -> Beginning:
    spans, number = joined.judgments.spans, item.number
    size, lead = int(joined.read_size[number]), int(joined.lead[number])
    first, last = np.searchsorted(spans.group, (item.document, item.document + 1))
    relevant = np.zeros(min(item.end - item.start, budget + size) + 1, np.int64)
    inside = slice(
        first + int(np.searchsorted(spans.end[first:last], item.start, side="right")),
        first + int(np.searchsorted(spans.start[first:last], item.end)),
    )
    for start, end in zip(spans.start[inside].tolist(), spans.end[inside].tolist(), strict=True):
        relevant[max(start - item.start, 0) + 1 : end - item.start + 1] = 1
    read = np.arange(min(item.cost, budget + 1))
    length = read if (size, lead) == (item.cost, 0) else np.maximum(size * read // item.cost - lead, 0)
    return Beginning(np.cumsum(relevant), length)


def _most_within(items: Sequence[UnitItem], budget: int, most: int) -> int:
    """Bound of relevant characters within a budget: densest first, cut at the budget, and one beginning."""
    found, left = 0.0, budget
    for item in sorted(items, key=lambda one: -one.relevant / one.cost):
        part = min(item.cost, left)
        found, left = found + item.relevant * part / item.cost, left - part
        if not left:
            break
    return math.floor(found + 1e-9) + most


def _passages(measure: Any, units: TopicUnits, joined: Joined, *, bounded: bool) -> BestList:
    """Passages by what their units cost, cheapest first; within a budget the most that nested units find."""
    judgments, spans = joined.judgments, joined.judgments.spans
    sizes = passage_sizes(judgments, joined.texts)[0]
    mine = np.flatnonzero((judgments.pair_topic[spans.group] == units.number) & (sizes > 0))
    needed = measure.least(sizes[mine])
    possible = _shown(joined)[mine] >= needed
    number, all_ = int(possible.sum()), measure.name == "allfound"
    best = None
    if measure.budget is not None and units.nested and (bounded or len(units.items) <= _FEW):
        best = _most_passages(measure, units, joined, dict(zip(mine.tolist(), needed.tolist(), strict=True)))
    if best is None:
        rows, least = _cheapest(measure, units, joined, mine[possible], needed[possible])
        number = min(number, least)
    else:
        rows, number = best.rows, best.found
    upper = float(number == len(mine)) if all_ else number / max(len(mine), 1)
    return BestList(rows[: measure.top], 1.0 if judgments.needs is not None else upper)


def _most_passages(
    measure: Any, units: TopicUnits, joined: Joined, needed: Mapping[int, int]
) -> FoundMost | None:
    """Return the list that finds most of the passages, of which each needs so much."""
    judgments, spans, costs = joined.judgments, joined.judgments.spans, measure.costs(joined)
    passages: dict[int, list[WantedPassage]] = {}
    for place, least in needed.items():
        start, end, pair = int(spans.start[place]), int(spans.end[place]), int(spans.group[place])
        if pair in units.by_pair:
            counted = _counted(judgments, joined.texts, place)
            passages.setdefault(pair, []).append(WantedPassage(start, end, least, counted))

    def cost_of(item: UnitItem, length: int) -> int:
        size, lead = int(joined.read_size[item.number]), int(joined.lead[item.number])
        return -(-(length + lead) * item.cost // max(size, 1))

    documents = [
        ([item._replace(cost=max(int(costs[item.number]), 1)) for item in _useful(units.by_pair[pair])], own)
        for pair, own in passages.items()
    ]
    return most_found(documents, measure.budget, cost_of)


def _cheapest(
    measure: Any, units: TopicUnits, joined: Joined, possible: IntArray, needed: IntArray
) -> tuple[list[int], int]:
    """Rows that find passages, cheapest first, and how many passages any rows find at most."""
    costs, covers = measure.costs(joined).tolist(), _covers(possible, needed, units, joined)
    rows, spent, number = dict[int, None](), 0, len(possible)
    while covers:
        extra = [sum([costs[row] for row in cover if row not in rows]) for cover in covers]
        spent += min(extra)
        rows |= dict.fromkeys(covers.pop(extra.index(min(extra))))
        if measure.budget is not None and spent >= measure.budget:
            break
    if measure.budget is not None and measure.cost == "characters" and not joined.lead.any():
        number = int(np.searchsorted(np.cumsum(np.sort(needed)), measure.budget, side="right"))
    return list(rows), number


@cached
def _counted(judgments: Judgments, texts: Texts | None, place: int) -> IntArray:
    """Characters that count among the first 0, 1, … of a passage."""
    spans = judgments.spans
    pair, start, end = int(spans.group[place]), int(spans.start[place]), int(spans.end[place])
    high = np.arange(start, end + 1)
    return counted_text(judgments, texts, np.full(len(high), pair), np.full(len(high), start), high)


@cached
def _shown(joined: Joined) -> IntArray:
    """Characters that count of each relevant passage that some result shows."""
    spans = joined.judgments.spans
    return shown_of_passages(joined, joined.shown(None), spans.group, spans.start, spans.end)


def _covers(places: IntArray, needed: IntArray, units: TopicUnits, joined: Joined) -> list[list[int]]:
    """Rows of units that find each passage: the shortest that has enough of it, else all that touch it."""
    spans, touching = joined.judgments.spans, list[list[UnitItem]]()
    parts: list[tuple[int, int, int]] = []
    for start, end, pair in zip(
        *(column[places].tolist() for column in (spans.start, spans.end, spans.group)), strict=True
    ):
        own = [item for item in units.by_pair.get(pair, ()) if item.start < end and item.end > start]
        touching.append(sorted(own, key=lambda one: (one.cost, one.start)))
        parts += [(pair, max(item.start, start), min(item.end, end)) for item in touching[-1]]
    columns = np.array(parts, np.int64).reshape(-1, 3).T
    inside = counted_text(joined.judgments, joined.texts, *columns).tolist()
    covers, done = [], 0
    for items, least in zip(touching, needed.tolist(), strict=True):
        shown, done = inside[done : done + len(items)], done + len(items)
        enough = next((item for item, part in zip(items, shown, strict=True) if part >= least), None)
        some = maximal(sorted(items, key=by_place)) if enough is None else [enough]
        covers.append(_numbers(some))
    return covers


#: The measure of assessed elements, whose lists are arranged by elements.
GAIN = "nxCG"


class _Task(NamedTuple):
    """How lists are arranged for a measure, whether units may overlap, and which parameters it takes."""

    shown: str
    arrange: _Arrange | None
    overlap: bool
    takes: Callable[[Any], bool] = lambda _: True


_TASKS = {
    "charF": _Task("charF", _character_f, True, lambda one: one.budget is None and one.overlap == "exact"),
    "charR": _Task("recall", _recalled, True, lambda one: one.overlap == "exact"),
    "nDCG": _Task("nDCG", _discounted, True),
    "AgP": _Task("MAgP", _generalised, False, lambda one: one.score == "F"),
    "found": _Task("found", _passages, True),
    "allfound": _Task("allfound", _passages, True),
    "AiP": _Task("MAiP", _interpolated, False),
    "iP": _Task("iP[x]", _interpolated, False),
    GAIN: _Task(
        "nxCG(ideal=focused)[k]", None, False, lambda one: one.ideal == "focused" and one.gain == "limited"
    ),
}
