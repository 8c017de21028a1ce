"""Statistics of a pool: sizes, overlap and unique items of runs, proportion judged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from excerpt.errors import plural
from excerpt.model.display import Showable
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray, distinct, exact_means
from excerpt.notices import Notices
from excerpt.pooling.pools import Pool
from excerpt.pooling.returned import Returned

#: Default depth of a pool, and of its statistics if the pool has no depth.
USUAL_DEPTH = 100
#: Unlimited depth.
_EVERYTHING = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class PoolInfo(Showable):
    """Statistics of a pool; `judged` is the mean over topics of the proportion of first results in it."""

    unit: str
    settings: Mapping[str, str]
    topics: tuple[str, ...]
    strata: tuple[str, ...]
    #: Items by topic and stratum.
    sizes: IntArray
    runs: tuple[str, ...]
    #: Items that both runs of a pair contributed; on the diagonal those of a run.
    overlap: IntArray
    #: Unique items by run: contributed by that run only.
    unique: IntArray
    depth: int
    #: NaN if unknown.
    judged: FloatArray
    warnings: tuple[str, ...] = ()
    #: Titles of topics by id, if known.
    titles: Mapping[str, str] = field(default_factory=dict)
    #: Documents of the passages, by topic; None for a pool of documents.
    documents: tuple[int, ...] | None = None

    @property
    def items(self) -> int:
        return int(self.sizes.sum())

    def __repr__(self) -> str:
        return f"<PoolInfo: {plural(self.items, self.unit)} on {plural(len(self.topics), 'topic')}>"

    def to_dict(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "settings": dict(self.settings),
            "items": self.items,
            **({} if self.documents is None else {"documents": sum(self.documents)}),
            "topics": [
                {
                    "topic": topic,
                    **({"title": self.titles[topic]} if topic in self.titles else {}),
                    "items": sum(counts),
                    **({} if self.documents is None else {"documents": self.documents[number]}),
                    **dict(zip(self.strata, counts, strict=True)),
                }
                for number, (topic, counts) in enumerate(zip(self.topics, self.sizes.tolist(), strict=True))
            ],
            "depth": self.depth,
            "runs": [
                {"run": run, "items": items, "unique": unique, "judged": judged}
                for run, items, unique, judged in self.rows()
            ],
            "overlap": self.overlap.tolist(),
            "warnings": list(self.warnings),
        }

    def rows(self) -> list[tuple[str, int, int, float | None]]:
        """Each run with its number of items, of unique items, and its proportion judged."""
        judged = [None if math.isnan(proportion) else proportion for proportion in self.judged.tolist()]
        return list(zip(self.runs, np.diag(self.overlap).tolist(), self.unique.tolist(), judged, strict=True))

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Rows in long form: statistic, topic or run, stratum or other run, value."""
        rows: list[tuple[Any, ...]] = []
        for topic, counts in zip(self.topics, self.sizes.tolist(), strict=True):
            rows += [("size", topic, name, count) for name, count in zip(self.strata, counts, strict=True)]
        if self.documents is not None:
            of = zip(self.topics, self.documents, strict=True)
            rows += [("documents", topic, "", count) for topic, count in of]
        for run, items, unique, judged in self.rows():
            rows += [("items", run, "", items), ("unique", run, "", unique)]
            rows.append((f"judged@{self.depth}", run, "", judged))
        for run, counts in zip(self.runs, self.overlap.tolist(), strict=True):
            rows += [("overlap", run, other, n) for other, n in zip(self.runs, counts, strict=True)]
        return ("what", "name", "other", "value"), rows


def describe(pool: Pool, returned: Returned | None = None, depth: int | None = None) -> PoolInfo:
    """Compute the statistics of a pool; with `returned` also for runs that are not in it, at any depth."""
    names = tuple(given.name for given in pool.inputs)
    given = () if returned is None else tuple(one.name for one in returned.inputs)
    runs = (*names, *(name for name in given if name not in names))
    used = np.unique(pool.stratum).tolist()
    per_topic = np.bincount(pool.topic[distinct(pool.topic, pool.document).rows], minlength=len(pool.topics))
    sizes = np.zeros((len(pool.topics), len(pool.strata)), np.int64)
    np.add.at(sizes, (pool.topic, pool.stratum), 1)
    overlap, unique = _shared(pool, len(runs))
    notices = Notices()
    if returned is None:
        complete = int(_known_depth(pool).min(initial=_EVERYTHING))
        depth = depth or (complete if 0 < complete < _EVERYTHING else USUAL_DEPTH)
        judged = _judged_by_file(pool, depth, notices)
    else:
        depth = depth or own_depth(pool) or USUAL_DEPTH
        judged = np.full(len(runs), np.nan)
        judged[: len(names)] = _judged_by_file(pool, depth, Notices())  # from the file alone
        judged[[runs.index(name) for name in given]] = _judged(pool, returned, depth)
    return PoolInfo(
        unit=pool.unit,
        settings=pool.settings,
        topics=pool.topics,
        strata=tuple(pool.strata[code] for code in used),
        sizes=sizes[:, used],
        runs=runs,
        overlap=overlap,
        unique=unique,
        depth=depth,
        judged=judged,
        warnings=(*pool.warnings, *notices),
        documents=tuple(per_topic.tolist()) if pool.unit == "passage" else None,
    )


def _shared(pool: Pool, runs: int) -> tuple[IntArray, IntArray]:
    """Items of each pair of runs, and unique items of each run; sampled items are contributed by no run."""
    own = ~pool.sampled[pool.item]
    pairs = np.unique(pool.item[own] * runs + pool.run[own])
    item, run = np.divmod(pairs, max(runs, 1))
    overlap = np.zeros((runs, runs), np.int64)
    counts = np.bincount(item, minlength=len(pool))
    unique = np.bincount(run[counts[item] == 1], minlength=runs)
    # All pairs of runs of an item, by their distance in the list of runs of that item.
    for distance in range(int(counts.max(initial=0))):
        first = np.arange(len(item) - distance)
        first = first[item[first] == item[first + distance]]
        np.add.at(overlap, (run[first], run[first + distance]), 1)
    return overlap + np.triu(overlap, 1).T, unique


def _judged(pool: Pool, returned: Returned, depth: int) -> FloatArray:
    """By run, the mean over its topics of the proportion of its first results in the pool."""
    inside = _inside(pool, returned)[returned.item] & (returned.rank <= depth)
    judged = np.zeros(returned.results.shape, np.int64)
    np.add.at(judged, (returned.topic[inside], returned.run[inside]), 1)
    return _mean_proportions(judged, np.minimum(returned.results, depth))


def _inside(pool: Pool, returned: Returned) -> BoolArray:
    """Mask of the returned items that are in the pool."""
    topics = {name: code for code, name in enumerate(pool.topics)}
    documents = {name: code for code, name in enumerate(pool.documents)}
    topic = np.array([topics.get(name, -1) for name in returned.topics], np.int64)
    document = np.array([documents.get(name, -1) for name in returned.documents], np.int64)
    rows = returned.first
    columns = [(pool.topic, topic[returned.topic[rows]]), (pool.document, document[returned.document[rows]])]
    if pool.unit == "passage":
        start, end = np.full((2, len(pool)), UNKNOWN, np.int64)
        start[pool.item], end[pool.item] = pool.start, pool.end  # all results of a passage have its offsets
        columns += [(start, returned.start[rows]), (end, returned.end[rows])]
    keys = [np.concatenate((one, other)).astype(np.int64) for one, other in columns]
    codes = distinct(*keys).codes
    return np.isin(codes[len(pool) :], codes[: len(pool)])


def _mean_proportions(judged: IntArray, of: IntArray) -> FloatArray:
    """Means by run over the topics on which it has results; NaN without any."""
    return exact_means(np.where(of > 0, judged / np.maximum(of, 1), np.nan).T)


def _known_depth(pool: Pool) -> IntArray:
    """By topic, the rank down to which a pool file lists every result that is in the pool."""
    topics = len(pool.topics)
    if "take" in pool.settings:
        return np.full(topics, _EVERYTHING)
    deepest = np.zeros(topics, np.int64)
    own = ~pool.sampled[pool.item]
    if "documents" in pool.settings or "depth" in pool.settings:
        np.maximum.at(deepest, pool.topic[pool.item[own]], pool.rank[own])
    depth = own_depth(pool)
    return np.full(topics, depth) if depth else deepest


def own_depth(pool: Pool) -> int:
    """Depth that a pool was made with, 0 if it was made by another rule."""
    text = pool.settings.get("depth", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _judged_by_file(pool: Pool, depth: int, notices: Notices) -> FloatArray:
    """The same as `_judged`, from the ranks in the file and the numbers of results in its head."""
    results = pool.results
    if results is None or (results < 0).any() or (_known_depth(pool) < depth).any() or not len(pool.inputs):
        notices.add(f"the pool file does not contain the proportion judged at depth {depth}; give the runs")
        return np.full(len(pool.inputs), np.nan)
    within = (pool.rank > 0) & (pool.rank <= depth)
    judged = np.zeros(results.shape, np.int64)
    np.add.at(judged, (pool.topic[pool.item[within]], pool.run[within]), 1)
    return _mean_proportions(judged, np.minimum(results, depth))
