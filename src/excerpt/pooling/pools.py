"""Judgment pools: documents or passages to judge for each topic, and the results that contributed them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from excerpt.errors import UnknownName, plural
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

if TYPE_CHECKING:
    from excerpt.evaluation.reading import Runs
    from excerpt.formats.source import Index
    from excerpt.notices import Notices
    from excerpt.pooling.statistics import PoolInfo

#: Unit of a pool: an item is a document, or a passage that was returned.
PoolUnit: TypeAlias = Literal["document", "passage"]
UNITS = ("document", "passage")
#: Strata: the rule that put an item into the pool. Sampled items are contributed by no run.
DEPTH, ROUND_ROBIN, TAKE, FLOOR = "depth", "round-robin", "take", "floor"
SAMPLE, ADAPTIVE = "sample", "adaptive"
#: Stratum of the items of a file without strata.
GIVEN = "given"

#: Rank, start and end of a result; start and end are -1 if the result has no offsets.
Passage: TypeAlias = tuple[int, int, int]


class PoolItem(NamedTuple):
    """A document, or a passage of a document, to judge for a topic."""

    topic: str
    document: str
    #: Its number in the order of the topic, from 1.
    order: int
    stratum: str
    #: Probability of entering the pool; None if unknown, as with adaptive orders.
    probability: Fraction | None
    #: The runs that contributed it, and for each of them the results, by rank.
    runs: tuple[str, ...]
    passages: tuple[tuple[Passage, ...], ...]


class PoolInput(NamedTuple):
    """A run that went into a pool: its name, its file's name and the digest of its content."""

    name: str
    path: str = ""
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class Pool:
    """Items by topic and order, and the results behind them, as columns; `items` has them as records.

    >>> pool = Pool.of([PoolItem("1", "A", 1, "depth", Fraction(1), ("r",), (((1, 0, 50),),))])
    >>> pool.items[0].document, pool.items[0].passages, pool
    ('A', (((1, 0, 50),),), <Pool: 1 document on 1 topic from 1 run>)
    """

    inputs: tuple[PoolInput, ...]
    topics: tuple[str, ...]
    #: Names behind the codes in the columns below.
    documents: tuple[str, ...]
    strata: tuple[str, ...]
    probabilities: tuple[Fraction | None, ...]
    #: A row per item.
    topic: IntArray
    document: IntArray
    order: IntArray
    stratum: IntArray
    probability: IntArray
    #: A row per result, by item, run and rank; rank 0 if only the run is known.
    item: IntArray
    run: IntArray
    rank: IntArray
    start: IntArray
    end: IntArray
    unit: PoolUnit = "document"
    #: Settings of the selection, as in the head of its file.
    settings: Mapping[str, str] = field(default_factory=dict)
    #: Number of results by topic and run; -1 if unknown.
    results: IntArray | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        items: Iterable[PoolItem],
        *,
        unit: PoolUnit = "document",
        inputs: Iterable[PoolInput] = (),
        settings: Mapping[str, str] | None = None,
    ) -> Pool:
        """Make a pool from items; runs without an input have only a name."""
        if unit not in UNITS:
            raise UnknownName("unit", str(unit), UNITS)
        rows = list(items)
        topics, topic = encode([row.topic for row in rows])
        order = np.array([row.order for row in rows], np.int64)
        by_topic = np.lexsort((order, topic))
        rows = [rows[number] for number in by_topic.tolist()]
        documents, document = encode([row.document for row in rows])
        strata, stratum = encode([row.stratum for row in rows])
        probabilities = tuple(dict.fromkeys(row.probability for row in rows))
        by_name = {given.name: given for given in inputs}
        by_name |= {name: PoolInput(name) for row in rows for name in row.runs if name not in by_name}
        return cls(
            inputs=tuple(by_name.values()),
            topics=topics,
            documents=documents,
            strata=strata,
            probabilities=probabilities,
            topic=topic[by_topic],
            document=document,
            order=order[by_topic],
            stratum=stratum,
            probability=np.array([probabilities.index(row.probability) for row in rows], np.int64),
            unit=unit,
            settings=dict(settings or {}),
            **_results(rows, list(by_name)),
        )

    def arranged(self, order: IntArray) -> Pool:
        """The same items in another order within topics, with their results by item, run and rank."""
        by_order = np.lexsort((order, self.topic))
        moved = np.empty_like(by_order)
        moved[by_order] = np.arange(len(by_order))
        item = moved[self.item]
        by_item = np.lexsort((self.rank, self.run, item))
        items = {
            name: getattr(self, name)[by_order] for name in ("topic", "document", "stratum", "probability")
        }
        results = {name: getattr(self, name)[by_item] for name in ("run", "rank", "start", "end")}
        return replace(self, **items, **results, order=order[by_order], item=item[by_item])

    @property
    def sampled(self) -> BoolArray:
        """Mask of the sampled items."""
        return np.array([name == SAMPLE for name in self.strata], np.bool_)[self.stratum]

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        items, topics = plural(len(self), self.unit), plural(len(self.topics), "topic")
        return f"<Pool: {items} on {topics} from {plural(len(self.inputs), 'run')}>"

    @cached_property
    def items(self) -> tuple[PoolItem, ...]:
        """All items, by topic and order."""
        names = [given.name for given in self.inputs]
        columns = zip(
            (self.topics[code] for code in self.topic.tolist()),
            (self.documents[code] for code in self.document.tolist()),
            self.order.tolist(),
            (self.strata[code] for code in self.stratum.tolist()),
            (self.probabilities[code] for code in self.probability.tolist()),
            strict=True,
        )
        results = list(
            zip(*(column.tolist() for column in (self.run, self.rank, self.start, self.end)), strict=True)
        )
        bounds = np.searchsorted(self.item, np.arange(len(self) + 1)).tolist()
        items = []
        for number, columns_of_item in enumerate(columns):
            by_run: dict[int, list[Passage]] = {}
            for run, *passage in results[bounds[number] : bounds[number + 1]]:
                group = by_run.setdefault(run, [])
                if passage[0]:  # at rank 0 only the run is known
                    group.append(cast("Passage", tuple(passage)))
            runs = tuple(names[run] for run in by_run)
            items.append(PoolItem(*columns_of_item, runs, tuple(map(tuple, by_run.values()))))
        return tuple(items)

    @cached_property
    def by_topic(self) -> dict[str, tuple[PoolItem, ...]]:
        """Items of each topic, one per document: passages of a document are joined at the first one.

        A document with a passage of probability 1 has probability 1. That of other documents is unknown,
        since it depends on passages that were not drawn and are in no pool.

        >>> item = PoolItem("1", "A", 1, "depth", Fraction(1), ("r",), (((1, 0, 50),),))
        >>> other = item._replace(order=2, passages=(((2, 60, 80),),))
        >>> Pool.of([item, other], unit="passage").by_topic["1"][0].passages
        (((1, 0, 50), (2, 60, 80)),)
        """
        by_document: dict[str, dict[str, PoolItem]] = {topic: {} for topic in self.topics}
        for one in self.items:
            unknown = self.unit == "passage" and one.probability != 1
            item = one._replace(probability=None) if unknown else one
            joined = by_document[item.topic].get(item.document)
            by_document[item.topic][item.document] = item if joined is None else _join_items(joined, item)
        return {topic: tuple(items.values()) for topic, items in by_document.items()}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the pool as a text file; `-` is standard output."""
        from excerpt.pooling.pool_file import write_pool  # it imports this module

        write_pool(self, path)

    def info(
        self,
        runs: Runs | None = None,
        *,
        depth: int | None = None,
        index: Index | None = None,
        run_format: str | None = None,
        notices: Notices | None = None,
    ) -> PoolInfo:
        """Statistics of the pool: items by topic, overlap and unique items of the runs, proportion judged.

        The proportion judged is of a run's first `depth` results, by default the depth of the pool. With
        `runs` it is also computed for runs that are not in the pool, and at any depth.
        """
        from excerpt.pooling.selection import inspect  # it imports this module

        return inspect(self, runs, depth=depth, index=index, run_format=run_format, notices=notices)


def _join_items(one: PoolItem, other: PoolItem) -> PoolItem:
    passages = {name: list(group) for name, group in zip(one.runs, one.passages, strict=True)}
    for name, group in zip(other.runs, other.passages, strict=True):
        passages[name] = sorted([*passages.get(name, []), *group])
    probability = other.probability if one.probability is None else one.probability
    return one._replace(
        probability=probability, runs=tuple(passages), passages=tuple(map(tuple, passages.values()))
    )


def _results(rows: list[PoolItem], names: list[str]) -> dict[str, Any]:
    numbers = {name: number for number, name in enumerate(names)}
    results = [
        (number, numbers[name], *passage)
        for number, row in enumerate(rows)
        for name, group in zip(row.runs, row.passages, strict=True)
        for passage in (group or ((0, UNKNOWN, UNKNOWN),))
    ]
    table = np.array(results, np.int64).reshape(-1, 5)
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    return dict(zip(("item", "run", "rank", "start", "end"), np.ascontiguousarray(table.T), strict=True))
