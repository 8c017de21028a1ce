"""A pool from what was chosen: items in their order, and the results behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from excerpt.model.run import encode
from excerpt.model.spans import IntArray
from excerpt.pooling.adaptive import next_order
from excerpt.pooling.choosing import Chosen, Sample
from excerpt.pooling.pools import ADAPTIVE, SAMPLE, Pool, Unit
from excerpt.pooling.returned import Returned

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
    sample: Sample, topic: IntArray, sampled: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[tuple[Fraction | None, ...], IntArray]:
    """The distinct probabilities, and the code of each item's: 1 for what was chosen."""
    by_topic = [
        Fraction(drawn, left) if drawn else Fraction(1)
        for drawn, left in zip(sample.drawn.tolist(), sample.left.tolist(), strict=True)
    ]
    found = tuple(dict.fromkeys((Fraction(1), *by_topic)))
    codes = np.array([found.index(value) for value in by_topic], np.int64)
    return found, np.where(sampled, codes[topic], 0)


def _behind(
    returned: Returned, place: IntArray, sampled: np.ndarray[tuple[int], np.dtype[np.bool_]], depth: IntArray
) -> IntArray:
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
    moved = np.lexsort((order, pool.topic))
    number = np.empty_like(moved)
    number[moved] = np.arange(len(moved))
    item = number[pool.item]
    by_item = np.argsort(item, kind="stable")
    strata, stratum = encode([name if name == SAMPLE else ADAPTIVE for name in pool.strata])
    return replace(
        pool,
        strata=strata,
        probabilities=(None,),
        topic=pool.topic[moved],
        document=pool.document[moved],
        order=order[moved],
        stratum=stratum[pool.stratum[moved]],
        probability=np.zeros(len(pool), np.int64),
        item=item[by_item],
        run=pool.run[by_item],
        rank=pool.rank[by_item],
        start=pool.start[by_item],
        end=pool.end[by_item],
    )
