"""What a budget of judgments buys: many topics judged shallowly, or few deeply."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, Unpack

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, MissingData, UnknownName, short
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.evaluation.scoring import Scoring
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import EFFORT_STRATEGIES
from excerpt.experiments.study import (
    Evaluating,
    Study,
    generator,
    passages_of,
    report_warnings,
    sample_means,
    summarise,
)
from excerpt.files import is_folder, keep_content, read_bytes
from excerpt.model.join import Joined, limits_of
from excerpt.model.samples import unit_pairs
from excerpt.model.spans import BoolArray, FloatArray, IntArray, exact_means
from excerpt.notices import Notices
from excerpt.pooling import PoolItem
from excerpt.pooling.adaptive import MOVE_TO_FRONT, simulated_order
from excerpt.stats import check_test
from excerpt.stats.correlation import kendall_many, tau_ap

#: Depths of pools that are tried.
_DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100)
#: Level at which differences are significant.
_ALPHA = 0.05
_SECONDS = "seconds="
_HOUR = 3600


class _Returned(NamedTuple):
    """Documents of the first results of a run; -1 is no judged pair, or an unknown length."""

    topic: IntArray
    names: list[str]
    rank: IntArray
    pair: IntArray
    length: IntArray


def _returned(scoring: Scoring, joined: Joined, _: Notices) -> _Returned:
    rank = np.arange(len(joined)) - joined.first[joined.topic] + 1
    rows = joined.placed.opens[rank[joined.placed.opens] <= _DEPTHS[-1]]
    judgments, pair = scoring.judgments, joined.pair[rows]
    document = np.append(judgments.pair_document, -1)[pair]
    length = limits_of(joined.run.take(rows), judgments, document)
    names = [joined.placed.document_name(row) for row in rows.tolist()]
    return _Returned(joined.topic[rows], names, rank[rows], pair, length)


@dataclass(frozen=True)
class _Document:
    """A document of a topic's pool: its best rank, the rank in each run, judged pair and cost."""

    name: str
    ranks: dict[int, int]
    pair: int
    length: int

    @property
    def best(self) -> int:
        return min(self.ranks.values())


@dataclass(frozen=True, eq=False)
class _Pools:
    """Pools of each topic by depth or in an adaptive order, and what they cost."""

    study: Study
    topics: IntArray
    documents: list[list[_Document]]
    #: Cost of a document: 1, or its length.
    by_length: bool
    #: What a unit costs: seconds of a document, or 1.
    price: Fraction
    seed: int

    def cost(self, document: _Document) -> Fraction:
        """What judging a document costs."""
        return self.price * (document.length if self.by_length else 1)

    def mean_cost(self, depth: int) -> Fraction:
        """Mean cost of the pool of a topic."""
        costs = (self.cost(one) for own in self.documents for one in own if one.best <= depth)
        return sum(costs, Fraction(0)) / len(self.documents)

    def pairs(self, budget: Fraction) -> Iterator[tuple[int, int, Fraction]]:
        """Numbers of topics and depths that spend a budget, with what they cost: shallow pools first.

        Of depths that are affordable on all topics only the deepest spends it.
        """
        last: tuple[int, int, Fraction] | None = None
        means = {depth: self.mean_cost(depth) for depth in _DEPTHS}
        different = {mean: depth for depth, mean in reversed(means.items())}  # deeper pools may be the same
        for mean, depth in sorted(different.items()):
            count = min(int(budget // mean), len(self.documents)) if mean else 0
            if last is not None and count < len(self.documents):
                yield last
                last = None
            if count == len(self.documents):
                last = count, depth, count * mean
            elif count:
                yield count, depth, count * mean
        if last is not None:
            yield last

    def mask(self, chosen: Mapping[int, bool]) -> BoolArray:
        """Mask of the passages (or elements) of judged pairs."""
        judgments = self.study.judgments
        kept = np.zeros(len(judgments) + 1, np.bool_)
        kept[[pair for pair, inside in chosen.items() if inside]] = True
        kept[-1] = False
        return np.asarray(kept[unit_pairs(judgments, self.study.unit)])

    def within(self, depth: int) -> BoolArray:
        """Mask of the passages in a pool of a depth."""
        return self.mask({one.pair: one.best <= depth for own in self.documents for one in own})

    @cached_property
    def orders(self) -> list[list[_Document]]:
        """Documents of each topic in the order of move-to-front, which knows the judgments so far."""
        relevant = np.append(self.study.judgments.relevant_by_pair > 0, False)
        orders = []
        for topic, own in zip(self.topics.tolist(), self.documents, strict=True):
            items = [
                PoolItem(
                    str(topic),
                    one.name,
                    number,
                    "depth",
                    None,
                    tuple(map(str, one.ranks)),
                    tuple(((rank, -1, -1),) for rank in one.ranks.values()),
                )
                for number, one in enumerate(own, start=1)
            ]
            judged = {one.name: bool(relevant[one.pair]) for one in own}
            by_name = {one.name: one for one in own}
            order = simulated_order(MOVE_TO_FRONT, items, judged, self.seed)
            orders.append([by_name[name] for name in order])
        return orders

    def adaptive(self, quota: Fraction) -> BoolArray:
        """Mask of the passages that are judged if each topic gets a quota of the budget."""
        chosen: dict[int, bool] = {}
        for order in self.orders:
            costs = accumulate(map(self.cost, order))
            chosen |= {one.pair: total <= quota for one, total in zip(order, costs, strict=True)}
        return self.mask(chosen)


def effort(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    budget: Sequence[float] | None = None,
    cost: str = "documents",
    strategies: Sequence[str] = EFFORT_STRATEGIES,
    samples: int = 100,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Compare what a budget of judgments buys: numbers of topics, and depths of their pools, that spend it.

    For each depth the number of topics is the `budget` divided by the mean cost of a topic's pool, rounded
    down. The recall base is what was judged. Over `samples` of so many topics, rows have the means of
    Kendall's tau-b and tau-AP of the ranking with that by the full judgments, the standard error of tau, and
    `error_rate`, the proportion of pairs of runs about which a t test (alpha 0.05) concludes otherwise than
    by the full judgments. `best` marks the highest tau of a budget. The strategy `adaptive` gives as many
    topics an equal part of the budget each, spent in the order of move-to-front.

    `cost` counts documents, or characters of documents, or with `seconds=FILE` or `seconds=CAMPAIGN` working
    time by the log of a campaign, or by lines of `topic document seconds` or `procedure seconds`: then rows
    also have the procedure and `conclusions_per_hour`, significant differences per hour of judging. Without a
    budget it is what a pool of depth 1 costs on all topics.
    """
    check_test("t")
    for unknown in [name for name in strategies if name not in EFFORT_STRATEGIES]:
        raise UnknownName("strategy", unknown, EFFORT_STRATEGIES)
    prices, by_length = _prices(cost)
    study, notices = Study.of(judgments, runs, measures, **how), Notices()
    study = replace(study, runs=tuple(map(keep_content, study.runs)))  # each is read twice
    topics = np.flatnonzero(passages_of(study.judgments, study.unit)[1] > 0)
    if not len(topics):
        raise ExcerptError("the judgments have no relevant text", path=study.judgments.source or None)
    documents = _documents(study, topics)
    if by_length and any(one.length < 0 for own in documents for one in own):
        message = "cost=characters needs the lengths of all returned documents"
        raise MissingData(message, hint="give ⟨corpus⟩ or ⟨index⟩")
    plans: list[_Plan] = []
    for procedure, price in prices.items():
        pools = _Pools(study, topics, documents, by_length, price, seed)
        budgets = [len(topics) * pools.mean_cost(1)] if budget is None else list(map(_exact, budget))
        for amount in budgets:
            plans += _plans(pools, amount, procedure, strategies)
    masks = [np.ones(len(unit_pairs(study.judgments, study.unit)), np.bool_), *(plan.mask for plan in plans)]
    names, scores = study.scores(np.array(masks))
    rows = list(_rows(plans, np.nan_to_num(scores[:, :, topics]), study.measures, samples, seed))
    return Outcome(
        tuple(rows),
        record or Record("stability effort", seed),
        report_warnings(notices, how, study.notices),
        {"runs": names},
    )


@dataclass(frozen=True, eq=False)
class _Plan:
    """A way to spend a budget."""

    procedure: str
    budget: Fraction
    strategy: str
    topics: int
    depth: int | None
    cost: Fraction
    mask: BoolArray


def _exact(amount: float) -> Fraction:
    return Fraction(repr(amount)) if isinstance(amount, float) else Fraction(amount)


def _plans(pools: _Pools, budget: Fraction, procedure: str, strategies: Sequence[str]) -> Iterator[_Plan]:
    """Ways to spend a budget; raise if it is below the cheapest one."""
    found = list(pools.pairs(budget))
    if not found:
        least = pools.mean_cost(_DEPTHS[0])
        message = f"found budget {_number(budget)}, below the cheapest pair: one topic at depth 1"
        raise ExcerptError(f"{message} costs {float(least):.4g}", hint=f"give at least {math.ceil(least)}")
    if "depth" in strategies:
        for topics, depth, cost in found:
            yield _Plan(procedure, budget, "depth", topics, depth, cost, pools.within(depth))
    if "adaptive" in strategies:
        for topics in dict.fromkeys(topics for topics, _, _ in found):
            yield _Plan(procedure, budget, "adaptive", topics, None, budget, pools.adaptive(budget / topics))


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _documents(study: Study, topics: IntArray) -> list[list[_Document]]:
    """Documents of each topic in the first results of any run, by their best rank."""
    parts = list(study.scoring.map(_returned, study.runs, study.engine, study.progress))
    found: dict[int, dict[str, _Document]] = {topic: {} for topic in topics.tolist()}
    for number, part in enumerate(parts):
        own = part.value
        columns = (own.topic.tolist(), own.names, own.rank.tolist(), own.pair.tolist(), own.length.tolist())
        for topic, name, rank, pair, length in zip(*columns, strict=True):
            if topic in found:
                one = found[topic].setdefault(name, _Document(name, {}, pair, length))
                one.ranks[number] = rank
    return [sorted(own.values(), key=lambda one: one.best) for own in found.values()]


def _rows(
    plans: Sequence[_Plan], scores: FloatArray, measures: Sequence[str], samples: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Rows of every measure, by budget and strategy."""
    drawn: dict[int, list[IntArray]] = {}
    for plan in plans:
        if plan.topics not in drawn:
            every = range(samples)
            orders = [generator(seed, plan.topics, number).permutation(scores.shape[2]) for number in every]
            drawn[plan.topics] = [np.sort(order[: plan.topics]) for order in orders]
    for place, measure in enumerate(measures):
        full = scores[0, :, :, place]
        reference, expected = exact_means(full), _conclusions(full, [np.arange(full.shape[1])])[0]
        rows = []
        for plan, own in zip(plans, scores[1:, :, :, place], strict=True):
            means = sample_means(own, drawn[plan.topics])
            concluded = _conclusions(own, drawn[plan.topics])
            tau = summarise(kendall_many(means, reference))
            seen = summarise(np.array([tau_ap(reference, row) for row in means]))
            wrong = None if plan.topics < 2 else float((concluded != expected).mean())
            row = {
                **({"procedure": plan.procedure} if plan.procedure else {}),
                "budget": _number(plan.budget),
                "strategy": plan.strategy,
                "measure": measure,
                "topics": plan.topics,
                "depth": plan.depth,
                "cost": _number(plan.cost),
                "tau": tau["mean"],
                "tau_ap": seen["mean"],
                "error_rate": wrong,
                "standard_error": tau["standard_error"],
                "best": False,
            }
            if plan.procedure:
                found = float((concluded != 0).sum(axis=1).mean())
                row["conclusions_per_hour"] = found / (float(plan.cost) / _HOUR)
            rows.append(row)
        _mark_best(rows)
        yield from rows


def _mark_best(rows: Sequence[dict[str, Any]]) -> None:
    """Mark the highest tau of each budget and strategy; of equal ones the first."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["tau"] is not None:
            key = row.get("procedure"), row["budget"], row["strategy"]
            groups.setdefault(key, []).append(row)
    for own in groups.values():
        max(own, key=lambda row: row["tau"])["best"] = True


def _conclusions(scores: FloatArray, drawn: Sequence[IntArray]) -> IntArray:
    """Which run of each pair is significantly better by a t test in each sample: 1, -1, or 0 for none."""
    from scipy.special import stdtrit

    one, other = np.triu_indices(len(scores), 1)
    found = np.zeros((len(drawn), len(one)), np.int64)
    for number, chosen in enumerate(drawn):
        if len(chosen) < 2:
            continue
        own = scores[:, chosen]
        differences = own[one] - own[other]
        mean, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / math.sqrt(len(chosen))
        limit = float(stdtrit(len(chosen) - 1.0, 1 - _ALPHA / 2))
        found[number] = np.where(np.abs(mean) > limit * error + 1e-12, np.sign(mean), 0)
    return found


def _prices(cost: str) -> tuple[dict[str, Fraction], bool]:
    """What a document costs, by procedure (empty without seconds); and whether characters are counted."""
    if cost in {"documents", "characters"}:
        return {"": Fraction(1)}, cost == "characters"
    if not cost.startswith(_SECONDS) or cost == _SECONDS:
        expected = "documents, characters, seconds=FILE or seconds=CAMPAIGN"
        raise ExcerptError(f"found cost {short(repr(cost))}, expected {expected}")
    path = cost.removeprefix(_SECONDS)
    times = offered("working_times")(path) if is_folder(path) else _read_times(path)
    means = {name: sum(own, Fraction(0)) / len(own) for name, own in times.items() if own}
    if not means or not all(means.values()):
        raise ExcerptError("found no working times, expected seconds of finished documents", path=path)
    return means, False


def _read_times(path: str) -> dict[str, list[Fraction]]:
    """Working times by procedure, of lines `topic document seconds` or `procedure seconds`."""
    times: dict[str, list[Fraction]] = {}
    for number, line in enumerate(read_bytes(path).decode("utf-8", "replace").splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            seconds = Fraction(words[-1])
        except (ValueError, ZeroDivisionError):
            seconds = Fraction(-1)
        if len(words) not in (2, 3) or seconds < 0:
            expected = "expected topic, document, seconds, or procedure, seconds"
            raise ExcerptError(f"found {short(repr(line))}, {expected}", path=path, line=number)
        times.setdefault(words[0] if len(words) == 2 else "judging", []).append(seconds)
    return times
