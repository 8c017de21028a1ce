"""The rules that choose what enters a pool, for all topics at once.

Each gives the items in the order of the pool, by topic, and how deep each topic was looked at: the results
up to that rank are what put the items there.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from excerpt.model.spans import BoolArray, IntArray, first_rows
from excerpt.notices import Notices
from excerpt.pooling.fusing import best_of, fused, near_the_best
from excerpt.pooling.pools import DEPTH, FLOOR, ROUND_ROBIN, TAKE
from excerpt.pooling.returned import Returned

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
        others = others[near_the_best(sums[others], wanted)]
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
