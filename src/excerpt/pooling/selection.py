"""Selection of what is to be judged: the rules that choose items from runs."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.evaluation.reading import Reading, Runs, list_runs
from excerpt.evaluation.scoring import Progress
from excerpt.files import Input
from excerpt.formats.source import Index
from excerpt.model.run import encode
from excerpt.model.spans import BoolArray, FloatArray, IntArray, first_rows
from excerpt.model.topic_choice import TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.pooling.adaptive import KINDS, next_order
from excerpt.pooling.pools import ADAPTIVE, DEPTH, FLOOR, ROUND_ROBIN, SAMPLE, TAKE, UNITS, Pool, Unit
from excerpt.pooling.returned import Returned, Wanted, gather
from excerpt.pooling.statistics import USUAL_DEPTH, PoolInfo, describe, own_depth

#: What is added to ranks (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion. SIGIR 2009).
ADDED = 60
#: Sums whose doubles are closer than this share of them are compared as fractions.
_NEAR = 1e-9


def fused(item: IntArray, run: IntArray, rank: IntArray, items: int) -> tuple[IntArray, IntArray, FloatArray]:
    """The first results of items in runs (item and rank of each), by item and rank; and the sum of each item.

    The rows ascend by rank within an item and run. Terms are added by rank, so equal ranks give equal sums.
    """
    rows = np.flatnonzero(first_rows(item, run.astype(np.int64)) == np.arange(len(item)))
    rows = rows[np.lexsort((rank[rows], item[rows]))]
    item, rank = item[rows], rank[rows]
    sums: FloatArray = np.bincount(item, 1.0 / (ADDED + rank), items)  # type: ignore[assignment]
    return item, rank, sums


def top_candidates(sums: FloatArray, wanted: int) -> IntArray:
    """The places of all sums that may be among so many highest, whatever was lost in rounding."""
    if not wanted or len(sums) <= wanted:
        return np.arange(len(sums) if wanted else 0)
    least = np.partition(sums, len(sums) - wanted)[len(sums) - wanted]
    return np.flatnonzero(sums >= least * (1 - _NEAR))


def best_of(sums: FloatArray, ranks: Sequence[tuple[int, ...]], wanted: int) -> list[int]:
    """The places of so many highest sums, descending; ties in the order given.

    `ranks` are those behind each sum, ascending.

    >>> best_of(np.array([1 / 70, 1 / 61, 1 / 70 + 1 / 61]), [(10,), (1,), (1, 10)], 2)
    [2, 1]
    """
    order = np.argsort(-sums, kind="stable")
    falling = sums[order]
    apart = np.flatnonzero(falling[1:] < falling[:-1] * (1 - _NEAR)) + 1
    found: list[int] = []
    for places in np.split(order, apart):
        if len(found) >= wanted:
            break
        found += _exactly(places.tolist(), ranks)
    return found[:wanted]


def _exactly(places: list[int], ranks: Sequence[tuple[int, ...]]) -> list[int]:
    """Places by their exact sums, descending; ties in the order given."""
    values = {ranks[place]: Fraction(0) for place in places}
    if len(values) > 1:
        values = {terms: sum_of(terms) for terms in values}
    return sorted(places, key=lambda place: (-values[ranks[place]], place))


def sum_of(ranks: Sequence[int]) -> Fraction:
    """The sum of 1/(60 + rank).

    >>> sum_of([1, 1, 40])
    Fraction(261, 6100)
    """
    terms = (Fraction(len(list(same)), ADDED + rank) for rank, same in groupby(ranks))
    return sum(terms, Fraction(0))


#: As deep as runs go.
WHOLE = np.iinfo(np.int64).max


class Chosen(NamedTuple):
    """Items in their order, topic by topic, with their strata."""

    item: IntArray
    strata: tuple[str, ...]
    #: For each item its place among the strata.
    stratum: IntArray
    #: By topic, the rank up to which results put items here.
    depth: IntArray


def choose_depth(returned: Returned, depth: int) -> Chosen:
    """Items among the first `depth` results of any run."""
    return _up_to(returned, np.full(len(returned.topics), depth, np.int64), DEPTH)


def choose_round_robin(returned: Returned, documents: int) -> Chosen:
    """Items of as many whole rounds as give so many documents; a round has a result of each run."""
    rows = returned.first
    pairs = returned.topic[rows].astype(np.int64) * len(returned.documents) + returned.document[rows]
    rows = rows[first_rows(pairs) == np.arange(len(pairs))]  # where each document is first returned
    topic, rank = returned.topic[rows], returned.rank[rows]
    bounds = np.searchsorted(topic, np.arange(len(returned.topics) + 1))
    last = np.minimum(bounds[:-1] + documents, bounds[1:]) - 1
    enough = bounds[:-1] + documents <= bounds[1:]
    deepest = returned.results.max(axis=1)
    return _up_to(returned, np.where(enough, rank[last], deepest), ROUND_ROBIN)


def _up_to(returned: Returned, depth: IntArray, stratum: str) -> Chosen:
    items = np.flatnonzero(returned.best <= depth[returned.topic_of])
    return Chosen(items, (stratum,), np.zeros(len(items), np.int64), depth)


def choose_fused(returned: Returned, take: int, floor: int, notices: Notices) -> Chosen:
    """The first `floor` results of every run, then by reciprocal rank fusion until there are `take` items."""
    count = len(returned.first)
    item, rank, sums = fused(returned.item, returned.run, returned.rank, count)
    terms = np.searchsorted(item, np.arange(count + 1))
    bounds = np.searchsorted(returned.topic_of, np.arange(len(returned.topics) + 1)).tolist()
    low = returned.best <= floor
    found, beyond = [], np.zeros(len(returned.topics), np.bool_)
    for topic, (begin, end) in enumerate(pairwise(bounds)):
        floors, others = (np.flatnonzero(mask) + begin for mask in (low[begin:end], ~low[begin:end]))
        beyond[topic] = len(floors) > take
        wanted = max(take - len(floors), 0)
        others = others[top_candidates(sums[others], wanted)]
        ranks = [tuple(rank[terms[code] : terms[code + 1]].tolist()) for code in others.tolist()]
        found += [floors, others[best_of(sums[others], ranks, wanted)]]
    notices.add_marked(
        f"topic has more than {take} items in the floors of its runs; all of them are in the pool",
        beyond,
        lambda topic: f"topic {returned.topics[topic]}",
    )
    items = np.concatenate(found)
    strata = np.where(low[items], 0, 1)
    return Chosen(items, (FLOOR, TAKE), strata, np.full(len(returned.topics), WHOLE, np.int64))


class Sample(NamedTuple):
    """Items drawn from what is left of each topic; the numbers drawn and left, by topic."""

    item: IntArray
    drawn: IntArray
    left: IntArray


def draw_sample(returned: Returned, chosen: BoolArray, share: Fraction, seed: int) -> Sample:
    """Of the items of each topic that are not chosen, a share (rounded up), uniformly at random.

    A topic's draw does not depend on the other topics: its numbers come from the seed and its name.
    """
    bounds = np.searchsorted(returned.topic_of, np.arange(len(returned.topics) + 1)).tolist()
    found, drawn, left = [np.zeros(0, np.int64)], [], []
    for name, begin, end in zip(returned.topics, bounds, bounds[1:], strict=False):
        rest = np.flatnonzero(~chosen[begin:end]) + begin
        wanted = math.ceil(share * len(rest))
        draw = random.Random(f"{seed} {name}").random  # noqa: S311 - no secret; the same in every Python
        keys = np.array([draw() for _ in range(len(rest))])
        found.append(rest[np.argsort(keys, kind="stable")[:wanted]])
        drawn.append(wanted)
        left.append(len(rest))
    return Sample(np.concatenate(found), np.array(drawn, np.int64), np.array(left, np.int64))


_NEVER = -1


def assemble(
    returned: Returned, chosen: Chosen, sample: Sample, *, unit: Unit, settings: Mapping[str, str]
) -> Pool:
    """The pool of what was chosen, then of the sample, topic by topic.

    Behind a chosen item stand the results that put it there, down to the depth of its topic; behind a
    sampled one all that returned it.
    """
    items = np.concatenate((chosen.item, sample.item))
    sampled = np.arange(len(items)) >= len(chosen.item)
    by_topic = np.argsort(returned.topic_of[items], kind="stable")
    items, sampled = items[by_topic], sampled[by_topic]
    topic = returned.topic_of[items]
    stratum = np.concatenate((chosen.stratum, np.full(len(sample.item), len(chosen.strata))))[by_topic]
    probabilities, probability = _probabilities(sample, topic, sampled)
    place = np.full(len(returned.first), _NEVER, np.int64)
    place[items] = np.arange(len(items))
    rows = _behind(returned, place, sampled, chosen.depth)
    used, document = np.unique(returned.document[returned.first[items]], return_inverse=True)
    return Pool(
        inputs=returned.inputs,
        topics=returned.topics,
        documents=tuple(returned.documents[code] for code in used.tolist()),
        strata=(*chosen.strata, SAMPLE),
        probabilities=probabilities,
        topic=topic.astype(np.int64),
        document=document.astype(np.int64),
        order=np.arange(1, len(items) + 1) - np.searchsorted(topic, topic),
        stratum=stratum,
        probability=probability,
        item=place[returned.item[rows]],
        run=returned.run[rows].astype(np.int64),
        rank=returned.rank[rows].astype(np.int64),
        start=returned.start[rows].astype(np.int64),
        end=returned.end[rows].astype(np.int64),
        unit=unit,
        settings=settings,
        results=returned.results,
    )


def _probabilities(
    sample: Sample, topic: IntArray, sampled: BoolArray
) -> tuple[tuple[Fraction | None, ...], IntArray]:
    """The distinct probabilities, and the code of each item's: 1 for what was chosen."""
    by_topic = [
        Fraction(drawn, left) if drawn else Fraction(1)
        for drawn, left in zip(sample.drawn.tolist(), sample.left.tolist(), strict=True)
    ]
    found = tuple(dict.fromkeys((Fraction(1), *by_topic)))
    codes = np.array([found.index(value) for value in by_topic], np.int64)
    return found, np.where(sampled, codes[topic], 0)


def _behind(returned: Returned, place: IntArray, sampled: BoolArray, depth: IntArray) -> IntArray:
    """The results behind the items, by item, run and rank; `place` is that of each item in the pool."""
    own = place[returned.item]
    inside = own >= 0
    if not (inside.all() and (returned.rank <= depth[returned.topic]).all()):
        inside &= (returned.rank <= depth[returned.topic]) | sampled[own]
    rows = np.flatnonzero(inside)
    # Results of an item and run are in the order of their ranks already, and the sort is stable.
    return rows[np.argsort(own[rows] * len(returned.inputs) + returned.run[rows], kind="stable")]


def rearrange(pool: Pool, kind: str, seed: int) -> Pool:
    """The pool in the adaptive order that it has before anything is judged; no item has a probability."""
    order = np.empty(len(pool), np.int64)
    bounds = np.searchsorted(pool.topic, np.arange(len(pool.topics) + 1)).tolist()
    for begin, end in pairwise(bounds):
        items = pool.items[begin:end]
        place = {name: number for number, name in enumerate(next_order(kind, items, {}, seed))}
        by_place = sorted(range(begin, end), key=lambda number: place[pool.items[number].document])
        order[by_place] = np.arange(1, end - begin + 1)
    strata, stratum = encode([name if name == SAMPLE else ADAPTIVE for name in pool.strata])
    nothing = np.zeros(len(pool), np.int64)
    unsure = replace(pool, strata=strata, stratum=stratum[pool.stratum], probabilities=(None,))
    return replace(unsure, probability=nothing).arranged(order)


ORDERS = ("pool", *KINDS)


@dataclass(frozen=True)
class Rule:
    """What enters a pool; one of depth, documents and take is given, by default a depth of 100.

    >>> Rule.of(take=300, floor=20).settings
    {'take': '300', 'floor': '20', 'sample': '0', 'order': 'pool', 'seed': '1'}
    """

    depth: int | None = None
    documents: int | None = None
    take: int | None = None
    floor: int = 0
    sample: Fraction = Fraction(0)
    unit: Unit = "document"
    order: str = "pool"
    seed: int = 1

    @classmethod
    def of(cls, **given: Any) -> Rule:
        """A rule from what a caller gave, each part of it checked."""
        rules = [name for name in ("depth", "documents", "take") if given.get(name) is not None]
        if len(rules) > 1:
            raise ExcerptError(f"found {rules[0]} and {rules[1]}, expected one of depth, documents and take")
        for name, least in (("depth", 1), ("documents", 1), ("take", 1), ("floor", 0), ("seed", 0)):
            _check_whole(name, given.get(name), least)
        if given.get("floor") and given.get("take") is None:
            raise ExcerptError("found a floor without take, expected both", hint="try ⟨take=300⟩")
        for name, known in (("unit", UNITS), ("order", ORDERS)):
            if given.get(name, known[0]) not in known:
                raise UnknownName(name, str(given[name]), known)
        given["sample"] = _share(given.get("sample", 0))
        return cls(**given) if rules else cls(**{**given, "depth": USUAL_DEPTH})

    @property
    def settings(self) -> dict[str, str]:
        """As the head of a pool file has it."""
        without = {"unit", *(() if self.take else ("floor",))}
        found = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in without}
        decimal = repr(float(self.sample))
        if self.sample.denominator > 1 and Fraction(decimal) == self.sample:
            found["sample"] = decimal
        return {name: str(value) for name, value in found.items() if value is not None}

    @property
    def top(self) -> int | None:
        """How many results of a topic must be known, None where all of them."""
        return None if self.sample else self.depth

    def choose(self, returned: Returned, notices: Notices) -> Chosen:
        """What enters the pool, but for the sample."""
        if self.take is not None:
            return choose_fused(returned, self.take, self.floor, notices)
        if self.documents is not None:
            return choose_round_robin(returned, self.documents)
        return choose_depth(returned, self.depth or USUAL_DEPTH)

    def make(self, returned: Returned, notices: Notices) -> Pool:
        """The pool."""
        chosen = self.choose(returned, notices)
        rest = np.ones(len(returned.first), np.bool_)
        rest[chosen.item] = False
        sample = draw_sample(returned, ~rest, self.sample, self.seed)
        pool = assemble(returned, chosen, sample, unit=self.unit, settings=self.settings)
        return pool if self.order == "pool" else rearrange(pool, self.order, self.seed)


def pool(
    runs: Runs,
    *,
    depth: int | None = None,
    documents: int | None = None,
    take: int | None = None,
    floor: int = 0,
    sample: float | Fraction | str = 0,
    unit: Unit = "document",
    order: str = "pool",
    seed: int = 1,
    task: str | Iterable[str] | None = None,
    tasks: Mapping[str, str] | Input | None = None,
    only_runs: str | Iterable[str] | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    index: Index | None = None,
    run_format: str | None = None,
    notices: Notices | None = None,
    progress: Progress | None = None,
) -> Pool:
    """What is to be judged: the documents, or passages, that runs returned, chosen by a rule.

    One of: the first `depth` results of every run; whole rounds through the runs until there are so many
    `documents`; or `take` items by reciprocal rank fusion after the first `floor` results of every run. All
    of it per topic. `sample` adds a share of everything else that was returned, at random. An adaptive
    `order` (`move-to-front`, `max-mean`) is how a campaign begins; then no item has a probability.
    `only_runs` names the runs that count, `task` their tasks: those of `tasks` (a mapping, or a file with a
    run and its task on each line), else what submissions say themselves. `only` and `exclude` choose topics.

    >>> from excerpt import Result, Run
    >>> a = Run.of("a", [Result("1", "A", 0, 50), Result("1", "B", 10, 30), Result("1", "C", 0, 9)])
    >>> b = Run.of("b", [Result("1", "B", 20, 40), Result("1", "D", 0, 9)])
    >>> made = pool([a, b], depth=1, sample=0.5)
    >>> [(item.document, item.stratum, str(item.probability)) for item in made.items]
    [('A', 'depth', '1'), ('B', 'depth', '1'), ('C', 'sample', '1/2')]
    >>> made.items[1].runs, made.items[1].passages
    (('b',), (((1, 20, 40),),))
    """
    rule = Rule.of(
        depth=depth,
        documents=documents,
        take=take,
        floor=floor,
        sample=sample,
        unit=unit,
        order=order,
        seed=seed,
    )
    reading = Reading.of(index=index, run_format=run_format, only=only, exclude=exclude)
    wanted = Wanted.of(only_runs, task, tasks)
    with Gathering(notices) as gathered:
        return make(runs, rule, reading, wanted, notices=gathered, progress=progress)[0]


def make(
    runs: Runs,
    rule: Rule,
    reading: Reading,
    wanted: Wanted,
    *,
    notices: Notices,
    progress: Progress | None = None,
) -> tuple[Pool, Returned]:
    """The pool, and what it was made from."""
    returned = gather(
        list_runs(runs),
        reading,
        unit=rule.unit,
        top=rule.top,
        wanted=wanted,
        notices=notices,
        progress=progress,
    )
    made = rule.make(returned, notices)
    return replace(made, warnings=tuple(notices)), returned


def inspect(
    pool: Pool,
    runs: Runs | None = None,
    *,
    depth: int | None = None,
    index: Index | None = None,
    run_format: str | None = None,
    notices: Notices | None = None,
    progress: Progress | None = None,
) -> PoolInfo:
    """The numbers of a pool, and of how much of runs is in it."""
    _check_whole("depth", depth, 1)
    if runs is None:
        return describe(pool, depth=depth)
    with Gathering(notices) as gathered:
        returned = gather(
            list_runs(runs),
            Reading.of(index=index, run_format=run_format),
            unit=pool.unit,
            top=depth or own_depth(pool) or USUAL_DEPTH,
            wanted=Wanted(),
            notices=gathered,
            progress=progress,
        )
        info = describe(pool, returned, depth)
        return replace(info, warnings=(*gathered, *info.warnings))


def _check_whole(name: str, value: object, least: int) -> None:
    good = isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= value
    if value is not None and not good:
        raise ExcerptError(
            f"found {short(repr(value))} as {name}, expected a whole number of at least {least}"
        )


def _share(value: Any) -> Fraction:
    """A share as it is written: 0.05 is a twentieth, and not the double next to it."""
    try:
        share = Fraction(repr(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if isinstance(value, bool) or not 0 <= share <= 1:
        raise ExcerptError(f"found {short(repr(value))} as sample, expected a share from 0 to 1")
    return share
