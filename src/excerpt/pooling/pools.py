"""A pool: the documents or passages of each topic that are to be judged, and which results put them there."""

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

#: What an item of a pool is: a document, or a passage that was returned.
Unit: TypeAlias = Literal["document", "passage"]
UNITS = ("document", "passage")
#: Strata: what put an item into the pool. Sampled items are no run's doing.
DEPTH, ROUND_ROBIN, TAKE, FLOOR = "depth", "round-robin", "take", "floor"
SAMPLE, ADAPTIVE = "sample", "adaptive"
#: The stratum of an item of a file that does not say what put it there.
GIVEN = "given"

#: Rank, start and end of a result; start and end are -1 where the result has no offsets.
Passage: TypeAlias = tuple[int, int, int]


class PoolItem(NamedTuple):
    """A document of a topic, or a passage of one, that is to be judged."""

    topic: str
    document: str
    #: Its place in the topic, from 1.
    order: int
    stratum: str
    #: How likely it was to enter the pool; None where nobody can say, as with adaptive orders.
    probability: Fraction | None
    #: The runs that returned it, and for each of them the results that did, by rank.
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
    #: Names that the codes in the columns below stand for.
    documents: tuple[str, ...]
    strata: tuple[str, ...]
    probabilities: tuple[Fraction | None, ...]
    #: A row per item.
    topic: IntArray
    document: IntArray
    order: IntArray
    stratum: IntArray
    probability: IntArray
    #: A row per result, by item, run and rank; rank 0 where only the run is known.
    item: IntArray
    run: IntArray
    rank: IntArray
    start: IntArray
    end: IntArray
    unit: Unit = "document"
    #: How it was made, as the head of its file says it.
    settings: Mapping[str, str] = field(default_factory=dict)
    #: How many results each run has, by topic and run; -1 where that is not known.
    results: IntArray | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        items: Iterable[PoolItem],
        *,
        unit: Unit = "document",
        inputs: Iterable[PoolInput] = (),
        settings: Mapping[str, str] | None = None,
    ) -> Pool:
        """A pool from its items; runs without an input are known by name only."""
        if unit not in UNITS:
            raise UnknownName("unit", str(unit), UNITS)
        rows = list(items)
        topics, topic = encode([row.topic for row in rows])
        order = np.array([row.order for row in rows], np.int64)
        places = np.lexsort((order, topic))
        rows = [rows[place] for place in places.tolist()]
        documents, document = encode([row.document for row in rows])
        strata, stratum = encode([row.stratum for row in rows])
        probabilities = tuple(dict.fromkeys(row.probability for row in rows))
        known = {given.name: given for given in inputs}
        known |= {name: PoolInput(name) for row in rows for name in row.runs if name not in known}
        return cls(
            inputs=tuple(known.values()),
            topics=topics,
            documents=documents,
            strata=strata,
            probabilities=probabilities,
            topic=topic[places],
            document=document,
            order=order[places],
            stratum=stratum,
            probability=np.array([probabilities.index(row.probability) for row in rows], np.int64),
            unit=unit,
            settings=dict(settings or {}),
            **_results(rows, list(known)),
        )

    def arranged(self, order: IntArray) -> Pool:
        """The same items by topic and another order, with their results by item, run and rank."""
        places = np.lexsort((order, self.topic))
        moved = np.empty_like(places)
        moved[places] = np.arange(len(places))
        item = moved[self.item]
        by_item = np.lexsort((self.rank, self.run, item))
        own = {name: getattr(self, name)[places] for name in ("topic", "document", "stratum", "probability")}
        behind = {name: getattr(self, name)[by_item] for name in ("run", "rank", "start", "end")}
        return replace(self, **own, **behind, order=order[places], item=item[by_item])

    @property
    def sampled(self) -> BoolArray:
        """Which items are of the sample."""
        return np.array([name == SAMPLE for name in self.strata], np.bool_)[self.stratum]

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        items, topics = plural(len(self), self.unit), plural(len(self.topics), "topic")
        return f"<Pool: {items} on {topics} from {plural(len(self.inputs), 'run')}>"

    @cached_property
    def items(self) -> tuple[PoolItem, ...]:
        """Every item, topic by topic in its order."""
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
        found = []
        for number, columns_of_item in enumerate(columns):
            by_run: dict[int, list[Passage]] = {}
            for run, *passage in results[bounds[number] : bounds[number + 1]]:
                group = by_run.setdefault(run, [])
                if passage[0]:  # else nothing but the run is known
                    group.append(cast("Passage", tuple(passage)))
            runs = tuple(names[run] for run in by_run)
            found.append(PoolItem(*columns_of_item, runs, tuple(map(tuple, by_run.values()))))
        return tuple(found)

    @cached_property
    def by_topic(self) -> dict[str, tuple[PoolItem, ...]]:
        """The items of each topic, one per document: passages of one are joined at the place of the first.

        A document with a passage that was certain to be there was so, too. How likely others were depends on
        passages that were not drawn, and which no pool holds: nobody can say.

        >>> item = PoolItem("1", "A", 1, "depth", Fraction(1), ("r",), (((1, 0, 50),),))
        >>> other = item._replace(order=2, passages=(((2, 60, 80),),))
        >>> Pool.of([item, other], unit="passage").by_topic["1"][0].passages
        (((1, 0, 50), (2, 60, 80)),)
        """
        found: dict[str, dict[str, PoolItem]] = {topic: {} for topic in self.topics}
        for one in self.items:
            unsure = self.unit == "passage" and one.probability != 1
            item = one._replace(probability=None) if unsure else one
            whole = found[item.topic].get(item.document)
            found[item.topic][item.document] = item if whole is None else _together(whole, item)
        return {topic: tuple(items.values()) for topic, items in found.items()}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the pool as a text file; `-` is standard output."""
        from excerpt.pooling.pool_file import write_pool  # which makes pools itself

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
        """The pool in numbers: items by topic, what runs share and bring alone, how much of each is judged.

        The judged share is that of a run's first `depth` results, by default as many as the pool was made
        from. With `runs` it is also known of runs that are not in the pool, and at any depth.
        """
        from excerpt.pooling.selection import inspect  # which makes pools itself

        return inspect(self, runs, depth=depth, index=index, run_format=run_format, notices=notices)


def _together(one: PoolItem, other: PoolItem) -> PoolItem:
    """Two items of a document as one, with the results of both."""
    passages = {name: list(group) for name, group in zip(one.runs, one.passages, strict=True)}
    for name, group in zip(other.runs, other.passages, strict=True):
        passages[name] = sorted([*passages.get(name, []), *group])
    probability = other.probability if one.probability is None else one.probability
    return one._replace(
        probability=probability, runs=tuple(passages), passages=tuple(map(tuple, passages.values()))
    )


def _results(rows: list[PoolItem], names: list[str]) -> dict[str, Any]:
    """The columns of results behind items."""
    places = {name: number for number, name in enumerate(names)}
    found = [
        (number, places[name], *passage)
        for number, row in enumerate(rows)
        for name, group in zip(row.runs, row.passages, strict=True)
        for passage in (group or ((0, UNKNOWN, UNKNOWN),))
    ]
    table = np.array(found, np.int64).reshape(-1, 5)
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    return dict(zip(("item", "run", "rank", "start", "end"), np.ascontiguousarray(table.T), strict=True))
