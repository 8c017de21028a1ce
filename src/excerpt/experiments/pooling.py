"""stability depth and stability unpooled: pools made again from the top results of the runs.

How deep must a pool be for the ranking to be that of the full judgments? And what does a run lose that did
not enter the pool it is judged by?
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, FormatError, UnknownName, plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import Evaluating, Pooled, Study, tell
from excerpt.files import Input, display_name, keep_content, read_bytes
from excerpt.model.scores import exact_means
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall


def depth(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    depths: Sequence[int] = (1, 5, 10, 20, 50, 100),
    unit: Pooled = "document",
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Rank the runs with pools of the top n results of every run, against the full judgments."""
    study = _study(judgments, runs, measures, how)
    names, ranks = study.reach(unit)
    reach = ranks.min(axis=0)
    masks = np.array([np.ones(len(reach), np.bool_), *(reach <= n for n in depths)])
    means = _means(study, masks)
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
        tell(Notices(), how, study.notices),
        {"runs": names, "means": means},
    )


def _study(judgments: Judged, runs: Runs, measures: Measures | None, how: Evaluating) -> Study:
    study = Study.of(judgments, runs, measures, **how)
    return replace(study, runs=tuple(map(keep_content, study.runs)))  # each is read twice


def _means(study: Study, masks: BoolArray) -> FloatArray:
    """Mean scores by pool, run and measure."""
    _, scores = study.scores(masks)
    return exact_means(np.moveaxis(scores[:, :, study.judgments.has_relevant], -2, -1))


def _tau(one: FloatArray, other: FloatArray) -> float | None:
    tau = kendall(one, other)
    return None if math.isnan(tau) else tau


def unpooled(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    depth: int = 100,
    unit: Pooled = "document",
    groups: Mapping[str, str] | Input | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """What a run loses when its own results, or those of its group, did not enter the pool.

    The pool has what the top `depth` of all runs reach; for each run it is built again without the run and
    the others of its group (`groups` maps runs to groups, or is a file of such lines). Rows have score and
    rank of the run with and without its contribution.
    """
    belongs = groups if isinstance(groups, Mapping) else read_groups(groups) if groups is not None else {}
    study = _study(judgments, runs, measures, how)
    names, reach = study.reach(unit)
    try:
        group = _group_of_each(names, belongs)
    except ExcerptError as error:
        error.path = None if groups is None or isinstance(groups, Mapping) else display_name(groups)
        raise
    whole = (reach <= depth).any(axis=0)
    masks = [whole] + [(reach[[other != own for other in group]] <= depth).any(axis=0) for own in group]
    means = _means(study, np.array(masks))
    rows = tuple(
        {"measure": measure, "depth": depth, "run": names[number], "group": group[number], **row}
        for place, measure in enumerate(study.measures)
        for number, row in enumerate(_rows(means[..., place]))
    )
    return Outcome(rows, record or Record("stability unpooled"), tell(Notices(), how, study.notices))


def read_groups(given: Input) -> dict[str, str]:
    """The group of each run from lines of two columns; blank lines are nothing."""
    found: dict[str, str] = {}
    text = read_bytes(given).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), start=1):
        columns = line.split()
        if not columns:
            continue
        fault = ""
        if len(columns) != 2:
            fault = f"found {plural(len(columns), 'column')}, expected run and group"
        elif columns[0] in found:
            fault = f"found run {columns[0]} again, expected it once"
        if fault:
            raise FormatError(
                fault, path=display_name(given), line=number, hint="each line names a run and its group"
            )
        found[columns[0]] = columns[1]
    return found


def _group_of_each(names: tuple[str, ...], groups: Mapping[str, str]) -> list[str]:
    """The group of every run; one that is in no group is alone."""
    unknown = sorted(set(groups) - set(names))
    if unknown:
        raise UnknownName("run in the groups", unknown[0], names)
    found = [groups.get(name, name) for name in names]
    if len(set(found)) < 2:
        raise ExcerptError("found a single run or group, expected two or more: the others make the pool")
    return found


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
