"""Pools made again from runs: depth, unpooled runs, ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short_list
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import NEVER, Evaluating, Pooled, Study, tell
from excerpt.files import Input, display_name, keep_content
from excerpt.model.judgments import Judgments
from excerpt.model.samples import touched
from excerpt.model.scores import exact_means
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.pooling import Pool, read_pool
from excerpt.pooling.returned import read_groups
from excerpt.stats.correlation import kendall


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
    alone = np.ones(len(pool), np.bool_)
    alone[pool.item] = False
    own = ~pool.sampled[pool.item]
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


def warn_unpooled_runs(names: tuple[str, ...], reach: Reach, notices: Notices) -> None:
    """Say which of the evaluated runs did not make the pool."""
    strangers = [name for name in names if name not in reach.runs]
    message = "run is not in the pool and brings nothing to it"
    notices.add(message, len(strangers), where=short_list(strangers, 3))


def depth(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    depths: Sequence[int] = (1, 5, 10, 20, 50, 100),
    unit: Pooled = "document",
    pool: Pool | Input | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Rank the runs with pools of the top n results of every run, against the full judgments.

    With a `pool`, or the file of one, its runs count with what they brought to it, whether they are evaluated
    or not; what was sampled is no run's and in no such pool.
    """
    study, doubts = _study(judgments, runs, measures, how), Notices()
    reach = _reach(study, pool, unit, doubts)
    masks = np.array([np.ones(len(reach.anyway), np.bool_), *map(reach.within, depths)])
    names, means = _means(study, masks)
    warn_unpooled_runs(names, reach, doubts)
    rows = [
        {
            "measure": measure,
            "depth": n,
            "passages": int(masks[number].sum()),
            "share": float(masks[number].mean()),
            "tau_b": _tau(means[number, :, place], means[0, :, place]),
        }
        for place, measure in enumerate(study.measures)
        for number, n in enumerate(depths, start=1)
    ]
    return Outcome(
        tuple(rows),
        record or Record("stability depth"),
        tell(doubts, how, study.notices),
        {"runs": names, "means": means},
    )


def _study(judgments: Judged, runs: Runs, measures: Measures | None, how: Evaluating) -> Study:
    study = Study.of(judgments, runs, measures, **how)
    return replace(study, runs=tuple(map(keep_content, study.runs)))  # each is read twice


def _reach(study: Study, pool: Pool | Input | None, unit: Pooled, doubts: Notices) -> Reach:
    """What the runs reach: those of a pool as it was, else all that are evaluated."""
    if pool is not None:
        return read_reach(pool, study.judgments, unit, doubts)
    names, ranks = study.reach(unit)
    return Reach(names, ranks, np.zeros(ranks.shape[1], np.bool_))


def _means(study: Study, masks: BoolArray) -> tuple[tuple[str, ...], FloatArray]:
    """Names of the runs, and mean scores by pool, run and measure."""
    names, scores = study.scores(masks)
    return names, exact_means(np.moveaxis(scores[:, :, study.judgments.has_relevant], -2, -1))


def _tau(one: FloatArray, other: FloatArray) -> float | None:
    tau = kendall(one, other)
    return None if math.isnan(tau) else tau


def unpooled(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    depth: int | None = None,
    unit: Pooled = "document",
    pool: Pool | Input | None = None,
    groups: Mapping[str, str] | Input | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """What a run loses when its own results, or those of its group, did not enter the pool.

    The pool has what the top `depth` (by default 100) of all runs reach; for each run it is built again
    without the run and the others of its group (`groups` maps runs to groups, or is a file of such lines).
    Rows have score and rank of the run with and without its contribution. With a `pool`, or the file of one,
    its runs count with what they brought to it (all of it, unless a `depth` is given), whether they are
    evaluated or not; what was sampled stays in every pool.
    """
    belongs = groups if isinstance(groups, Mapping) else read_groups(groups) if groups is not None else {}
    study, doubts = _study(judgments, runs, measures, how), Notices()
    reach = _reach(study, pool, unit, doubts)
    depth = 100 if depth is None and pool is None else depth
    by_group = [belongs.get(name, name) for name in reach.runs]
    path = None if groups is None or isinstance(groups, Mapping) else display_name(groups)
    _check_groups(belongs, by_group, reach.runs if pool is None else None, path)
    own = list(dict.fromkeys(by_group))
    masks = [reach.within(depth)]
    masks += [reach.within(depth, np.array([other == name for other in by_group])) for name in own]
    names, means = _means(study, np.array(masks) | reach.anyway)
    _check_groups(belongs, by_group, (*names, *reach.runs), path)
    warn_unpooled_runs(names, reach, doubts)
    group = [belongs.get(name, name) for name in names]
    chosen = means[[0, *(own.index(name) + 1 if name in own else 0 for name in group)]]
    rows = tuple(
        {"measure": measure, "depth": depth, "run": names[number], "group": group[number], **row}
        for place, measure in enumerate(study.measures)
        for number, row in enumerate(_rows(chosen[..., place]))
    )
    return Outcome(rows, record or Record("stability unpooled"), tell(doubts, how, study.notices))


def _check_groups(
    groups: Mapping[str, str], of_runs: list[str], names: tuple[str, ...] | None, path: str | None
) -> None:
    """An error where groups name a run that is not there (where that is known), or leave nobody else."""
    for unknown in sorted(set(groups) - set(groups if names is None else names)):
        error = UnknownName("run in the groups", unknown, set(names or ()))
        error.path = path
        raise error
    if len(set(of_runs)) < 2:
        message = "found a single run or group, expected two or more: the others make the pool"
        raise ExcerptError(message, path=path)


def _rows(means: FloatArray) -> Iterator[dict[str, Any]]:
    """Of each run, score and rank with the whole pool (the first row of means) and without its own part."""
    before = means[0]
    for number, after in enumerate(means[1:]):
        rank, new = (int((column > column[number]).sum()) + 1 for column in (before, after))
        yield {
            "score": float(before[number]),
            "unpooled_score": float(after[number]),
            "change": float(after[number] - before[number]),
            "rank": rank,
            "unpooled_rank": new,
            "rank_change": new - rank,
        }
