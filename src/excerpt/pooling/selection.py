"""Selection of pool items from runs: depth, round robin, reciprocal rank fusion, random samples."""

from __future__ import annotations

import hashlib
import math
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.evaluation.reading import Reading, Runs
from excerpt.evaluation.scoring import Progress
from excerpt.files import Input, is_folder, keep_content, read_bytes
from excerpt.formats import read_judgments
from excerpt.formats.source import Index
from excerpt.model.ids import Sides, propose
from excerpt.model.judgments import Judgments
from excerpt.model.run import encode
from excerpt.model.spans import BoolArray, FloatArray, IntArray, first_rows
from excerpt.model.topic_choice import TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.pooling.adaptive import KINDS, next_order
from excerpt.pooling.pool_file import require_plain_names, write_pool
from excerpt.pooling.pools import ADAPTIVE, DEPTH, FLOOR, ROUND_ROBIN, SAMPLE, TAKE, UNITS, Pool, PoolUnit
from excerpt.pooling.returned import Gathered, Returned, RunFilter, gather
from excerpt.pooling.statistics import USUAL_DEPTH, PoolInfo, describe, own_depth

#: Constant added to ranks (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion. SIGIR 2009).
ADDED = 60
#: Sums with a relative difference below this are compared as fractions.
_NEAR = 1e-9


def fused(item: IntArray, run: IntArray, rank: IntArray, items: int) -> tuple[IntArray, IntArray, FloatArray]:
    """First results of items in runs (item and rank), by item and rank; and the fused sum of each item.

    The rows ascend by rank within an item and run. Terms are added by rank, so equal ranks give equal sums.
    """
    rows = np.flatnonzero(first_rows(item, run.astype(np.int64)) == np.arange(len(item)))
    rows = rows[np.lexsort((rank[rows], item[rows]))]
    item, rank = item[rows], rank[rows]
    sums: FloatArray = np.bincount(item, 1.0 / (ADDED + rank), items)  # type: ignore[assignment]
    return item, rank, sums


def top_candidates(sums: FloatArray, count: int) -> IntArray:
    """Indices of all sums that may be among the `count` highest, despite rounding."""
    if not count or len(sums) <= count:
        return np.arange(len(sums) if count else 0)
    least = np.partition(sums, len(sums) - count)[len(sums) - count]
    return np.flatnonzero(sums >= least * (1 - _NEAR))


def best_of(sums: FloatArray, ranks: Sequence[tuple[int, ...]], count: int) -> list[int]:
    """Indices of the `count` highest sums, descending; ties in the order given.

    `ranks` are the ranks of each sum, ascending.

    >>> best_of(np.array([1 / 70, 1 / 61, 1 / 70 + 1 / 61]), [(10,), (1,), (1, 10)], 2)
    [2, 1]
    """
    order = np.argsort(-sums, kind="stable")
    falling = sums[order]
    apart = np.flatnonzero(falling[1:] < falling[:-1] * (1 - _NEAR)) + 1
    best: list[int] = []
    for indices in np.split(order, apart):
        if len(best) >= count:
            break
        same = {ranks[index] for index in indices.tolist()}
        values = {terms: sum_of(terms) if len(same) > 1 else 0 for terms in same}
        best += sorted(indices.tolist(), key=lambda index: (-values[ranks[index]], index))
    return best[:count]


def sum_of(ranks: Sequence[int]) -> Fraction:
    """Exact sum of 1/(60 + rank).

    >>> sum_of([1, 1, 40])
    Fraction(261, 6100)
    """
    terms = (Fraction(len(list(same)), ADDED + rank) for rank, same in groupby(ranks))
    return sum(terms, Fraction(0))


#: Unlimited depth.
WHOLE = np.iinfo(np.int64).max


class SelectedItems(NamedTuple):
    """Chosen items by topic and order, with their strata."""

    item: IntArray
    strata: tuple[str, ...]
    #: Index of the stratum of each item.
    stratum: IntArray
    #: By topic, the rank down to which results contribute items.
    depth: IntArray


def choose_round_robin(returned: Returned, documents: int) -> SelectedItems:
    """Choose items by round robin, in as many complete rounds through the runs as give so many documents."""
    rows = returned.first
    pairs = returned.topic[rows].astype(np.int64) * len(returned.documents) + returned.document[rows]
    rows = rows[first_rows(pairs) == np.arange(len(pairs))]  # the first result of each document
    topic, rank = returned.topic[rows], returned.rank[rows]
    bounds = np.searchsorted(topic, np.arange(len(returned.topics) + 1))
    last = np.minimum(bounds[:-1] + documents, bounds[1:]) - 1
    enough = bounds[:-1] + documents <= bounds[1:]
    deepest = returned.results.max(axis=1)
    return _up_to(returned, np.where(enough, rank[last], deepest), ROUND_ROBIN)


def _up_to(returned: Returned, depth: IntArray, stratum: str) -> SelectedItems:
    items = np.flatnonzero(returned.best <= depth[returned.topic_of])
    return SelectedItems(items, (stratum,), np.zeros(len(items), np.int64), depth)


def choose_fused(returned: Returned, take: int, floor: int, notices: Notices) -> SelectedItems:
    """Choose the first `floor` results of every run, then items by reciprocal rank fusion up to `take`."""
    count = len(returned.first)
    item, rank, sums = fused(returned.item, returned.run, returned.rank, count)
    terms = np.searchsorted(item, np.arange(count + 1))
    bounds = np.searchsorted(returned.topic_of, np.arange(len(returned.topics) + 1)).tolist()
    low = returned.best <= floor
    chosen, exceeds = [], np.zeros(len(returned.topics), np.bool_)
    for topic, (begin, end) in enumerate(pairwise(bounds)):
        floors, others = (np.flatnonzero(mask) + begin for mask in (low[begin:end], ~low[begin:end]))
        exceeds[topic] = len(floors) > take
        missing = max(take - len(floors), 0)
        others = others[top_candidates(sums[others], missing)]
        ranks = [tuple(rank[terms[code] : terms[code + 1]].tolist()) for code in others.tolist()]
        chosen += [floors, others[best_of(sums[others], ranks, missing)]]
    notices.add_marked(
        f"topic has more floor items than the {take} to take; all of them are in the pool",
        f"topics have more floor items than the {take} to take; all of them are in the pool",
        exceeds,
        lambda topic: f"topic {returned.topics[topic]}",
    )
    items = np.concatenate(chosen)
    strata = np.where(low[items], 0, 1)
    return SelectedItems(items, (FLOOR, TAKE), strata, np.full(len(returned.topics), WHOLE, np.int64))


class DrawnItems(NamedTuple):
    """Items drawn from the rest of each topic, and the numbers of drawn and remaining items by topic."""

    item: IntArray
    drawn: IntArray
    rest: IntArray


def draw_sample(returned: Returned, chosen: BoolArray, proportion: Fraction, seed: int) -> DrawnItems:
    """Draw a proportion (rounded up) of the items of each topic that are not chosen, uniformly at random.

    A topic's draw does not depend on the other topics: its random numbers depend on the seed and its name.
    """
    bounds = np.searchsorted(returned.topic_of, np.arange(len(returned.topics) + 1)).tolist()
    items, drawn, sizes = [np.zeros(0, np.int64)], [], []
    for name, begin, end in zip(returned.topics, bounds, bounds[1:], strict=False):
        rest = np.flatnonzero(~chosen[begin:end]) + begin
        size = math.ceil(proportion * len(rest))
        draw = random.Random(f"{seed} {name}").random  # noqa: S311 - no secret; the same in every Python
        keys = np.array([draw() for _ in range(len(rest))])
        items.append(rest[np.argsort(keys, kind="stable")[:size]])
        drawn.append(size)
        sizes.append(len(rest))
    return DrawnItems(np.concatenate(items), np.array(drawn, np.int64), np.array(sizes, np.int64))


_NEVER = -1


def assemble(
    returned: Returned,
    chosen: SelectedItems,
    sample: DrawnItems,
    *,
    unit: PoolUnit,
    settings: Mapping[str, str],
) -> Pool:
    """Assemble the pool of some topics from the chosen items, then the sampled ones, topic by topic.

    A chosen item has the results that contributed it, down to the depth of its topic; a sampled item has all
    results that returned it.
    """
    items = np.concatenate((chosen.item, sample.item))
    sampled = np.arange(len(items)) >= len(chosen.item)
    by_topic = np.argsort(returned.topic_of[items], kind="stable")
    items, sampled = items[by_topic], sampled[by_topic]
    topic = returned.topic_of[items]
    stratum = np.concatenate((chosen.stratum, np.full(len(sample.item), len(chosen.strata))))[by_topic]
    probabilities, probability = _probabilities(sample, topic, sampled)
    number = np.full(len(returned.first), _NEVER, np.int64)
    number[items] = np.arange(len(items))
    rows = _results_of(returned, number, sampled, chosen.depth)
    return Pool(
        inputs=returned.inputs,
        topics=returned.topics,
        documents=returned.documents,
        strata=(*chosen.strata, SAMPLE),
        probabilities=probabilities,
        topic=topic,
        document=returned.document[returned.first[items]].astype(np.int64),
        order=np.arange(1, len(items) + 1) - np.searchsorted(topic, topic),
        stratum=stratum,
        probability=probability,
        item=number[returned.item[rows]],
        run=returned.run[rows],
        rank=returned.rank[rows],
        start=returned.start[rows].astype(np.int64),
        end=returned.end[rows].astype(np.int64),
        unit=unit,
        settings=settings,
        results=returned.results,
    )


def _probabilities(
    sample: DrawnItems, topic: IntArray, sampled: BoolArray
) -> tuple[tuple[Fraction | None, ...], IntArray]:
    """Distinct probabilities, and the code of each item's; that of chosen items is 1."""
    by_topic = [
        Fraction(drawn, rest) if drawn else Fraction(1)
        for drawn, rest in zip(sample.drawn.tolist(), sample.rest.tolist(), strict=True)
    ]
    distinct = tuple(dict.fromkeys((Fraction(1), *by_topic)))
    codes = np.array([distinct.index(value) for value in by_topic], np.int64)
    return distinct, np.where(sampled, codes[topic], 0)


def _results_of(returned: Returned, number: IntArray, sampled: BoolArray, depth: IntArray) -> IntArray:
    """Rows of the results of pool items, by item, run and rank; `number` is that of each item in the pool."""
    own = number[returned.item]
    inside = own >= 0
    if not (inside.all() and (returned.rank <= depth[returned.topic]).all()):
        inside &= (returned.rank <= depth[returned.topic]) | sampled[own]
    rows = np.flatnonzero(inside)
    # Results of an item and run are in the order of their ranks already, and the sort is stable.
    return rows[np.argsort(own[rows] * len(returned.inputs) + returned.run[rows], kind="stable")]


def rearrange(pool: Pool, kind: str, seed: int) -> Pool:
    """Put the pool into an adaptive order, as before any judgment; no item has a probability."""
    order = np.empty(len(pool), np.int64)
    bounds = np.searchsorted(pool.topic, np.arange(len(pool.topics) + 1)).tolist()
    for begin, end in pairwise(bounds):
        items = pool.items[begin:end]
        position = {name: number for number, name in enumerate(next_order(kind, items, {}, seed))}
        by_position = sorted(range(begin, end), key=lambda number: position[pool.items[number].document])
        order[by_position] = np.arange(1, end - begin + 1)
    strata, stratum = encode([name if name == SAMPLE else ADAPTIVE for name in pool.strata])
    zeros = np.zeros(len(pool), np.int64)
    unordered = replace(pool, strata=strata, stratum=stratum[pool.stratum], probabilities=(None,))
    return replace(unordered, probability=zeros).arranged(order)


class JudgedPairs:
    """Judged pairs, which a pool leaves out; `count` has the items that were left out so far."""

    def __init__(self, given: Input | Judgments, notices: Notices) -> None:
        kept = given if isinstance(given, Judgments) else keep_content(given)
        self._judgments = kept if isinstance(kept, Judgments) else read_judgments(kept, notices=notices)
        codes = zip(self._judgments.pair_topic.tolist(), self._judgments.pair_document.tolist(), strict=True)
        topics, documents = self._judgments.topics, self._judgments.documents
        self._pairs = {(topics[topic], documents[document]) for topic, document in codes}
        #: The hash of the file, for the head of the pool.
        self.sha256 = ""
        if not isinstance(kept, Judgments) and not is_folder(kept):
            self.sha256 = hashlib.sha256(read_bytes(kept)).hexdigest()
        self.count = 0

    def check_ids(self, documents: Sequence[str]) -> None:
        """Raise if the judged documents would match those of the runs by a rule, and count as unjudged."""
        folding = propose(Sides.of(documents, self._judgments.document_codes))
        if folding is not None:
            raise ExcerptError(
                f"{folding.found('document', ' of runs')}, expected the ids of the judgments",
                path=self._judgments.source or None,
                hint="rename the documents of one side",
            )

    def left_out_of(self, pool: Pool) -> Pool:
        """Return a pool without the judged pairs, and count them; the probabilities of others stay."""
        pairs = zip(pool.topic.tolist(), pool.document.tolist(), strict=True)
        names = ((pool.topics[topic], pool.documents[document]) for topic, document in pairs)
        kept = np.array([pair not in self._pairs for pair in names], np.bool_)
        self.count += int(len(kept) - kept.sum())
        rows = kept[pool.item]
        columns = {
            name: getattr(pool, name)[kept] for name in ("topic", "document", "stratum", "probability")
        }
        results = {name: getattr(pool, name)[rows] for name in ("run", "rank", "start", "end")}
        topic = columns["topic"]
        order = np.arange(1, len(topic) + 1) - np.searchsorted(topic, topic)
        return replace(pool, **columns, **results, order=order, item=(np.cumsum(kept) - 1)[pool.item[rows]])


ORDERS = ("pool", *KINDS)


@dataclass(frozen=True)
class SelectionRule:
    """Rule of selection: depth, documents or take (default: depth 100), with floor, sample and order.

    >>> SelectionRule.of(take=300, floor=20).settings
    {'take': '300', 'floor': '20', 'sample': '0', 'order': 'pool', 'seed': '1'}
    """

    depth: int | None = None
    documents: int | None = None
    take: int | None = None
    floor: int = 0
    sample: Fraction = Fraction(0)
    unit: PoolUnit = "document"
    order: str = "pool"
    seed: int = 1

    @classmethod
    def of(cls, **given: Any) -> SelectionRule:
        """Make a rule from the arguments of `pool`; raise an error for an invalid one."""
        rules = [name for name in ("depth", "documents", "take") if given.get(name) is not None]
        if len(rules) > 1:
            raise ExcerptError(f"⟨{rules[0]}⟩ and ⟨{rules[1]}⟩ cannot be combined")
        for name, least in (("depth", 1), ("documents", 1), ("take", 1), ("floor", 0), ("seed", 0)):
            _check_whole(name, given.get(name), least)
        if given.get("floor") and given.get("take") is None:
            raise ExcerptError("⟨floor⟩ needs ⟨take⟩", hint="try ⟨take=300⟩")
        for name, known in (("unit", UNITS), ("order", ORDERS)):
            if given.get(name, known[0]) not in known:
                raise UnknownName(name, str(given[name]), known)
        given["sample"] = _proportion(given.get("sample", 0))
        return cls(**given) if rules else cls(**{**given, "depth": USUAL_DEPTH})

    @property
    def settings(self) -> dict[str, str]:
        """Settings as in the head of a pool file."""
        left_out = {"unit", *(() if self.take else ("floor",))}
        settings = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in left_out}
        decimal = repr(float(self.sample))
        if self.sample.denominator > 1 and Fraction(decimal) == self.sample:
            settings["sample"] = decimal
        return {name: str(value) for name, value in settings.items() if value is not None}

    @property
    def top(self) -> int | None:
        """Number of results to read per topic; None for all of them."""
        return None if self.sample else self.depth

    def choose(self, returned: Returned, notices: Notices) -> SelectedItems:
        """Choose the items of the pool, except the sample."""
        if self.take is not None:
            return choose_fused(returned, self.take, self.floor, notices)
        if self.documents is not None:
            return choose_round_robin(returned, self.documents)
        depth = np.full(len(returned.topics), self.depth or USUAL_DEPTH, np.int64)
        return _up_to(returned, depth, DEPTH)

    def make(
        self, gathered: Gathered, notices: Notices, judged: JudgedPairs | None = None
    ) -> tuple[Pool, Returned]:
        """Make the pool, without what was `judged`; also return the results that it was made from."""
        if judged is not None:
            judged.check_ids(gathered.documents)
        returned = gathered.whole
        pool = self.make_block(returned, notices, judged)
        used, document = np.unique(pool.document, return_inverse=True)
        documents = tuple(pool.documents[code] for code in used.tolist())
        return replace(pool, documents=documents, document=document, warnings=tuple(notices)), returned

    def write(
        self,
        gathered: Gathered,
        notices: Notices,
        target: str | os.PathLike[str],
        judged: JudgedPairs | None = None,
    ) -> int:
        """Make the pool of some topics after the other, and write them; return the number of items."""
        try:
            require_plain_names((*gathered.topics, *gathered.documents), "name")
        except ExcerptError:  # such a document may not be in the pool
            return write_pool(self.make(gathered, notices, judged)[0], target)
        if judged is not None:
            judged.check_ids(gathered.documents)
        blocks = (self.make_block(returned, notices, judged) for returned in gathered.blocks())
        settings = self._with(judged)
        whole = Pool.of((), unit=self.unit, inputs=gathered.inputs, settings=settings)
        return write_pool(replace(whole, topics=gathered.topics, results=gathered.results), target, blocks)

    def _with(self, judged: JudgedPairs | None) -> dict[str, str]:
        return self.settings if judged is None else {**self.settings, "judged": judged.sha256 or "-"}

    def make_block(self, returned: Returned, notices: Notices, judged: JudgedPairs | None = None) -> Pool:
        """Make the pool of some topics; it lists the names of all documents."""
        chosen = self.choose(returned, notices)
        rest = np.ones(len(returned.first), np.bool_)
        rest[chosen.item] = False
        sample = draw_sample(returned, ~rest, self.sample, self.seed)
        pool = assemble(returned, chosen, sample, unit=self.unit, settings=self._with(judged))
        pool = pool if self.order == "pool" else rearrange(pool, self.order, self.seed)
        return pool if judged is None else judged.left_out_of(pool)


def pool(
    runs: Runs,
    *,
    depth: int | None = None,
    documents: int | None = None,
    take: int | None = None,
    floor: int = 0,
    sample: float | Fraction | str = 0,
    unit: PoolUnit = "document",
    order: str = "pool",
    seed: int = 1,
    task: str | Iterable[str] | None = None,
    tasks: Mapping[str, str] | Input | None = None,
    only_runs: str | Iterable[str] | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    judged: Input | Judgments | None = None,
    index: Index | None = None,
    run_format: str | None = None,
    ids: Literal["exact"] | None = None,
    notices: Notices | None = None,
    progress: Progress | None = None,
) -> Pool:
    """Build a judgment pool: documents, or passages, that runs returned, chosen by a rule.

    The rule chooses, per topic, the first `depth` results of every run; or the results of complete rounds of
    a round robin that reach so many `documents`; or `take` items by reciprocal rank fusion after the first
    `floor` results of every run. `sample` adds a random proportion of the other items. An adaptive `order`
    (`move-to-front`, `max-mean`) is that in which a campaign begins; then no item has a probability.
    `only_runs` names the runs to pool, `task` their tasks: those of `tasks` (a mapping, or a file with a run
    and its task on each line), else those in the submissions. `only` and `exclude` choose topics. Pairs that
    are `judged` already are left out after the choice. Two runs that name a document by two ids, such as
    `D01` and `D01.txt`, are an error unless `ids` is `exact`.

    >>> from excerpt import Result, Run
    >>> a = Run.of("a", [Result("1", "A", 0, 50), Result("1", "B", 10, 30), Result("1", "C", 0, 9)])
    >>> b = Run.of("b", [Result("1", "B", 20, 40), Result("1", "D", 0, 9)])
    >>> made = pool([a, b], depth=1, sample=0.5)
    >>> [(item.document, item.stratum, str(item.probability)) for item in made.items]
    [('A', 'depth', '1'), ('B', 'depth', '1'), ('C', 'sample', '1/2')]
    >>> made.items[1].runs, made.items[1].passages
    (('b',), (((1, 20, 40),),))
    """
    chosen_by = {"depth": depth, "documents": documents, "take": take, "floor": floor, "sample": sample}
    rule = SelectionRule.of(**chosen_by, unit=unit, order=order, seed=seed)
    reading = Reading.of(index=index, run_format=run_format, only=only, exclude=exclude, ids=ids)
    run_filter = RunFilter.of(only_runs, task, tasks)
    with Gathering(notices) as gathered:
        results = gather(runs, reading, run_filter, unit, rule.top, notices=gathered, progress=progress)
        return rule.make(results, gathered, None if judged is None else JudgedPairs(judged, gathered))[0]


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
    """Statistics of a pool, and the proportion judged of further runs."""
    _check_whole("depth", depth, 1)
    if runs is None:
        return describe(pool, depth=depth)
    with Gathering(notices) as gathered:
        results = gather(
            *(runs, Reading.of(index=index, run_format=run_format, ids="exact"), RunFilter()),
            *(pool.unit, depth or own_depth(pool) or USUAL_DEPTH),
            notices=gathered,
            progress=progress,
        )
        info = describe(pool, results.whole, depth)
        return replace(info, warnings=(*gathered, *info.warnings))


def _check_whole(name: str, value: object, least: int) -> None:
    valid = isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= value
    if value is not None and not valid:
        message = f"found {short(repr(value))} as {name}, expected a whole number of at least {least}"
        raise ExcerptError(message)


def _proportion(value: Any) -> Fraction:
    """Exact proportion as it is written: 0.05 is 1/20, not the double next to it."""
    try:
        proportion = Fraction(repr(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, ZeroDivisionError):
        proportion = Fraction(-1)
    if isinstance(value, bool) or not 0 <= proportion <= 1:
        raise ExcerptError(f"found {short(repr(value))} as sample, expected a number from 0 to 1")
    return proportion
