"""What a pool really was, beside judgments: how early each of its runs reached each relevant passage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.errors import ExcerptError, short_list
from excerpt.experiments.study import NEVER, Pooled
from excerpt.files import Input, display_name
from excerpt.model.judgments import Judgments
from excerpt.model.samples import touched
from excerpt.model.spans import MAX_OFFSET, BoolArray, IntArray
from excerpt.notices import Notices
from excerpt.pooling import Pool, read_pool
from excerpt.pooling.pools import SAMPLE


@dataclass(frozen=True)
class Reach:
    """The runs that made a pool; the best rank at which each brings each passage into it."""

    runs: tuple[str, ...]
    ranks: IntArray
    #: Passages that are in the pool whatever the runs are: of sampled items, and of items without runs.
    anyway: BoolArray

    def within(self, depth: int | None, without: BoolArray | None = None) -> BoolArray:
        """The passages that some runs reach within a depth, None for any."""
        ranks = self.ranks if without is None else self.ranks[~without]
        return np.asarray((ranks <= (NEVER - 1 if depth is None else depth)).any(axis=0))


def read_reach(given: Pool | Input, judgments: Judgments, unit: Pooled, notices: Notices) -> Reach:
    """The reach of the runs in a pool, or in a pool file."""
    pool = given if isinstance(given, Pool) else read_pool(given)
    pair = _pairs(pool, judgments)
    if not (pair >= 0).any():
        raise ExcerptError(
            "found no document that is judged, expected the pool of these judgments",
            path=None if isinstance(given, Pool) else display_name(given),
        )
    if pool.unit == "passage" and unit == "document":
        notices.add("pool is of passages, but counts here with all text of their documents")
    sampled = np.array([name == SAMPLE for name in pool.strata], np.bool_)[pool.stratum]
    alone = np.ones(len(pool), np.bool_)
    alone[pool.item] = False
    own = ~sampled[pool.item]
    ranks = np.full((len(pool.inputs), len(judgments.spans)), NEVER, np.int64)
    row, span = _touched(pool, judgments, pair, unit, np.flatnonzero(own))
    np.minimum.at(ranks, (pool.run[row], span), pool.rank[row])
    anyway = np.zeros(len(judgments.spans), np.bool_)
    anyway[_touched(pool, judgments, pair, unit, np.flatnonzero(~own))[1]] = True
    whole = np.zeros(len(judgments) + 1, np.bool_)
    whole[pair[alone]] = True  # whose passages nobody knows
    whole[-1] = False
    anyway |= whole[judgments.spans.group]
    return Reach(tuple(one.name for one in pool.inputs), ranks, anyway)


def _pairs(pool: Pool, judgments: Judgments) -> IntArray:
    """The judged pair of each item, -1 where there is none."""
    topics = np.array([judgments.topic_codes.get(name, -1) for name in pool.topics], np.int64)
    documents = np.array([judgments.document_codes.get(name, -1) for name in pool.documents], np.int64)
    topic, document = topics[pool.topic], documents[pool.document]
    return judgments.pairs(topic, np.where(topic < 0, -1, document))


def _touched(
    pool: Pool, judgments: Judgments, pair: IntArray, unit: Pooled, rows: IntArray
) -> tuple[IntArray, IntArray]:
    """Each of these results with each passage that it brings: those of its document, or that it overlaps."""
    rows = rows[pair[pool.item[rows]] >= 0]
    whole = np.full(len(rows), unit == "document") | (pool.start[rows] < 0)
    start = np.where(whole, 0, pool.start[rows])
    end = np.where(whole, 2 * MAX_OFFSET + 1, pool.end[rows])
    owner, span = touched(judgments.spans, pair[pool.item[rows]], start, end)
    return rows[owner], span


def notice_strangers(names: tuple[str, ...], reach: Reach, notices: Notices) -> None:
    """Say which of the evaluated runs did not make the pool."""
    strangers = [name for name in names if name not in reach.runs]
    notices.add(
        "run is not in the pool and brings nothing to it", len(strangers), where=short_list(strangers, 3)
    )
