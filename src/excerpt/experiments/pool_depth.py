"""Simulated pools: rankings by pool depth, and with runs left out of the pool."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.groups import Grouping
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import (
    NEVER,
    Evaluating,
    Group,
    Pooled,
    Study,
    Within,
    passages_of,
    report_warnings,
    warn_tied_runs,
)
from excerpt.files import Input, display_name, keep_content
from excerpt.model.judgments import Judgments
from excerpt.model.samples import touched, unit_pairs
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray, KeyedSpans, exact_means
from excerpt.notices import Notices
from excerpt.pooling import Pool, read_pool
from excerpt.pooling.returned import read_groups
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.correlation import kendall


@dataclass(frozen=True)
class ContributionRanks:
    """Contributions to a pool: the best rank at which each run contributes each passage (or element)."""

    runs: tuple[str, ...]
    ranks: IntArray
    anyway: BoolArray  # passages contributed by no run: of sampled items, and of items without runs

    def within(self, depth: int | None, without: BoolArray | None = None) -> BoolArray:
        """Mask of the passages that runs contribute within a depth (None: any), `without` some runs."""
        ranks = self.ranks if without is None else self.ranks[~without]
        return np.asarray((ranks <= (NEVER - 1 if depth is None else depth)).any(axis=0))


def read_reach(
    given: Pool | Input, judgments: Judgments, unit: Pooled, notices: Notices
) -> ContributionRanks:
    """Read the contributions of the runs from a pool or a pool file."""
    pool = given if isinstance(given, Pool) else read_pool(given)
    pair = _pairs(pool, judgments)
    if not (pair >= 0).any():
        raise ExcerptError(
            "no document of the pool is judged, expected the pool of these judgments",
            path=None if isinstance(given, Pool) else display_name(given),
        )
    if pool.unit == "passage" and unit == "document":
        notices.add("the pool is of passages, but all text of their documents counts (unit document)")
    alone = np.ones(len(pool), np.bool_)
    alone[pool.item] = False
    own = ~pool.sampled[pool.item]
    ranks = np.full((len(pool.inputs), len(judgments.spans)), NEVER, np.int64)
    row, span = _touched(pool, judgments, pair, unit, np.flatnonzero(own))
    np.minimum.at(ranks, (pool.run[row], span), pool.rank[row])
    anyway = np.zeros(len(judgments.spans), np.bool_)
    anyway[_touched(pool, judgments, pair, unit, np.flatnonzero(~own))[1]] = True
    complete = np.zeros(len(judgments) + 1, np.bool_)
    complete[pair[alone]] = True  # their passages are unknown
    complete[-1] = False
    anyway |= complete[judgments.spans.group]
    return ContributionRanks(tuple(one.name for one in pool.inputs), ranks, anyway)


def _pairs(pool: Pool, judgments: Judgments) -> IntArray:
    """Judged pair of each item, -1 if it is not judged."""
    topics = np.array([judgments.topic_codes.get(name, -1) for name in pool.topics], np.int64)
    documents = np.array([judgments.document_codes.get(name, -1) for name in pool.documents], np.int64)
    topic, document = topics[pool.topic], documents[pool.document]
    return judgments.pairs(topic, np.where(topic < 0, -1, document))


def _touched(
    pool: Pool, judgments: Judgments, pair: IntArray, unit: Pooled, rows: IntArray
) -> tuple[IntArray, IntArray]:
    """Each result with each passage that it contributes: those of its document, or those it overlaps."""
    rows = rows[pair[pool.item[rows]] >= 0]
    whole = np.full(len(rows), unit == "document") | (pool.start[rows] < 0)
    start = np.where(whole, 0, pool.start[rows])
    end = np.where(whole, 2 * MAX_OFFSET + 1, pool.end[rows])
    owner, span = touched(judgments.spans, pair[pool.item[rows]], start, end)
    return rows[owner], span


def warn_unpooled_runs(names: tuple[str, ...], reach: ContributionRanks, notices: Notices) -> None:
    """Warn about evaluated runs that are not in the pool."""
    absent = "not in the pool and"
    one, many = f"run is {absent} contributes nothing", f"runs are {absent} contribute nothing"
    for name in names:
        notices.add(one, many, int(name not in reach.runs), where=name)


def depth(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    depths: Sequence[int] = (1, 5, 10, 20, 50, 100),
    unit: Pooled = "document",
    pool: Pool | Input | None = None,
    within: Within | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Correlate rankings of the runs by pools of the top n results of every run with the full ranking.

    With a `pool` or a pool file, all runs in it contribute what it records, evaluated or not. Sampled items
    are contributed by no run and are in no such pool. If measures use graded elements, results contribute
    elements instead of passages: those of their document, or (`unit` passage) the one that they return.
    `within` ranks the runs in each group of runs or on each group of topics, from the same pools (see
    `topics`).
    """
    grouping = None if within is None else Grouping.of(within, how)
    study, notices = _study(judgments, runs, measures, how), Notices()
    reach = _reach(study, pool, unit, notices)
    masks = np.array([np.ones(len(reach.anyway), np.bool_), *map(reach.within, depths)])
    scored = _PoolScores.of(study, masks)
    warn_unpooled_runs(scored.runs, reach, notices)
    whole, groups = scored.means(Group()), scored.groups(grouping, notices)
    own = [scored.means(group) for group in groups]
    rows = []
    for index, measure in enumerate(study.measures):
        warn_tied_runs(scored.runs, whole[0, :, index], measure, notices)
        for group, means in zip(groups, own, strict=True):
            for number, n in enumerate(depths, start=1):
                tau = kendall(means[number, :, index], means[0, :, index])
                row: dict[str, Any] = {"measure": measure, **group.column, "depth": n}
                row |= {f"{study.unit}s": int(masks[number].sum()), "share": float(masks[number].mean())}
                rows.append({**row, "tau_b": None if math.isnan(tau) else tau})
    return Outcome(
        tuple(rows),
        record or Record("stability depth"),
        report_warnings(notices, how, study.notices),
        {"runs": scored.runs, "means": whole},
    )


@dataclass(frozen=True, eq=False)
class _PoolScores:
    """Scores by pool (the first is the full one), run, topic with relevant passages, and measure."""

    study: Study
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: FloatArray

    @classmethod
    def of(cls, study: Study, masks: BoolArray) -> _PoolScores:
        """Score the runs on pools, each a mask of the passages."""
        names, scores = study.scores(masks)
        some = passages_of(study.judgments, study.unit)[1] > 0
        topics = tuple(study.judgments.topics[place] for place in np.flatnonzero(some).tolist())
        return cls(study, names, topics, scores[:, :, some])

    def groups(self, grouping: Grouping | None, notices: Notices) -> list[Group]:
        """Groups of the runs or topics; one of all without a rule."""
        if grouping is None:
            return [Group()]
        table = ScoreTable(self.runs, self.runs, self.topics, self.study.measures, self.values[0])
        return grouping.groups(table, self.study.judgments.topics, notices)

    def means(self, group: Group) -> FloatArray:
        """Means by pool, run of the group and measure, over its topics."""
        return exact_means(np.moveaxis(self.values[:, group.runs][:, :, group.topics], -2, -1))


def _study(judgments: Judged, runs: Runs, measures: Measures | None, how: Evaluating) -> Study:
    study = Study.of(judgments, runs, measures, **how)
    return replace(study, runs=tuple(map(keep_content, study.runs)))  # each is read twice


def _reach(study: Study, pool: Pool | Input | None, unit: Pooled, notices: Notices) -> ContributionRanks:
    """Contributions of the runs of a pool, or else of all evaluated runs."""
    if pool is not None and study.unit == "passage":
        return read_reach(pool, study.judgments, unit, notices)
    if pool is not None:
        if unit == "passage":
            raise ExcerptError(
                "a pool file cannot be combined with unit=passage and graded elements, which have no offsets",
                hint="try ⟨unit=document⟩",
            )
        pair, pairs = unit_pairs(study.judgments, study.unit), np.arange(len(study.judgments))
        whole = KeyedSpans(pairs, np.zeros_like(pairs), np.ones_like(pairs))
        reach = read_reach(pool, replace(study.judgments, spans=whole), unit, notices)
        return ContributionRanks(reach.runs, reach.ranks[:, pair], reach.anyway[pair])
    names, ranks = study.reach(unit)
    return ContributionRanks(names, ranks, np.zeros(ranks.shape[1], np.bool_))


def unpooled(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    depth: int | None = None,
    unit: Pooled = "document",
    pool: Pool | Input | None = None,
    groups: Mapping[str, str] | Input | None = None,
    within: Within | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Effect on each run of leaving its own results, or those of its group, out of the pool.

    The pool has what the top `depth` (by default 100) of all runs contribute; for each run it is built again
    without the run and the others of its group (`groups` maps runs to groups, or is a file of such lines).
    Rows have score and rank of the run with and without its contribution. With a `pool` or a pool file, all
    runs in it contribute what it records (down to `depth`, if given), evaluated or not. Sampled items stay in
    every pool. `within` ranks the runs in each group of runs or on each group of topics, which is then named
    in the column `within` (see `topics`); the pools stay the same.
    """
    grouping = None if within is None else Grouping.of(within, how)
    group_of = groups if isinstance(groups, Mapping) else read_groups(groups) if groups is not None else {}
    study, notices = _study(judgments, runs, measures, how), Notices()
    reach = _reach(study, pool, unit, notices)
    depth = 100 if depth is None and pool is None else depth
    by_group = [group_of.get(name, name) for name in reach.runs]
    path = None if groups is None or isinstance(groups, Mapping) else display_name(groups)
    _check_groups(group_of, by_group, reach.runs if pool is None else None, path)
    own_groups = list(dict.fromkeys(by_group))
    masks = [reach.within(depth)]
    masks += [reach.within(depth, np.array([other == name for other in by_group])) for name in own_groups]
    scored = _PoolScores.of(study, np.array(masks) | reach.anyway)
    names = scored.runs
    _check_groups(group_of, by_group, (*names, *reach.runs), path)
    warn_unpooled_runs(names, reach, notices)
    group = [group_of.get(name, name) for name in names]
    without = [own_groups.index(name) + 1 if name in own_groups else 0 for name in group]
    parts = []
    for one in scored.groups(grouping, notices):
        places = np.arange(len(names))[one.runs]
        chosen = scored.means(one)[[0, *(without[place] for place in places.tolist())]]
        column = {"within": one.column["group"]} if one.column else {}
        parts.append((column, places.tolist(), chosen))
    for index, measure in enumerate(study.measures):
        warn_tied_runs(names, scored.means(Group())[0, :, index], measure, notices, so="so they share a rank")
    rows = tuple(
        {"measure": measure, **column, "depth": depth, "run": names[place], "group": group[place], **row}
        for index, measure in enumerate(study.measures)
        for column, places, chosen in parts
        for place, row in zip(places, _rows(chosen[..., index]), strict=True)
    )
    return Outcome(rows, record or Record("stability unpooled"), report_warnings(notices, how, study.notices))


def _check_groups(
    groups: Mapping[str, str], of_runs: list[str], names: tuple[str, ...] | None, path: str | None
) -> None:
    """Raise an error if groups name an unknown run (`names` are the known ones), or leave no other group."""
    for unknown in sorted(set(groups) - set(groups if names is None else names)):
        raise UnknownName("run in the groups", unknown, set(names or ()), path=path)
    if len(set(of_runs)) < 2:
        message = "found a single run or group, expected at least two: the others make the pool"
        raise ExcerptError(message, path=path)


def _rows(means: FloatArray) -> Iterator[dict[str, Any]]:
    """Score and rank of each run with the full pool (first row of means) and without its contribution."""
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
