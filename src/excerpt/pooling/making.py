"""`excerpt.pool`: from runs to what is to be judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.evaluation.reading import Reading, Runs, list_runs
from excerpt.evaluation.scoring import Progress
from excerpt.files import Input
from excerpt.formats.source import Index
from excerpt.model.topic_choice import TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.pooling.adaptive import KINDS
from excerpt.pooling.assembling import assemble, rearrange
from excerpt.pooling.choosing import Chosen, choose_depth, choose_fused, choose_round_robin, draw_sample
from excerpt.pooling.describing import DEPTH, PoolInfo, describe, own_depth
from excerpt.pooling.groups import Wanted
from excerpt.pooling.pools import UNITS, Pool, Unit
from excerpt.pooling.returned import Returned, gather

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
        return cls(**given) if rules else cls(**{**given, "depth": DEPTH})

    @property
    def settings(self) -> dict[str, str]:
        """As the head of a pool file has it."""
        without = {"unit", *(() if self.take else ("floor",))}
        found = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in without}
        found["sample"] = _decimal(self.sample)
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
        return choose_depth(returned, self.depth or DEPTH)

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
            top=depth or own_depth(pool) or DEPTH,
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


def _decimal(share: Fraction) -> str:
    return (
        str(share) if share.denominator == 1 or Fraction(repr(float(share))) != share else repr(float(share))
    )
