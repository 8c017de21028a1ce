"""stability unpooled: what does a system lose that did not contribute to the pool it is judged by?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, FormatError, UnknownName, plural
from excerpt.evaluation import DEFAULT_MEASURES
from excerpt.experiments.given import Evaluating, Judged, Measures, Runs, tell
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import Pooled, Study
from excerpt.files import Input, display_name, read_bytes, require_files
from excerpt.model.run import Run
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices


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
    """What a system loses when its own results, or those of its group, did not enter the pool.

    The pool has what the top `depth` of all runs reach; for each run it is built again without the run and
    the others of its group (`groups` maps runs to groups, or is a file of such lines). Rows have score and
    rank of the run with and without its contribution.
    """
    belongs = groups if isinstance(groups, Mapping) else read_groups(groups) if groups is not None else {}
    study = Study.of(judgments, runs, measures or DEFAULT_MEASURES, **how)
    require_files(*(run for run in study.runs if not isinstance(run, Run)))  # each is read twice
    names, reach = study.reach(unit)
    try:
        group = _group_of_each(names, belongs)
    except ExcerptError as error:
        error.path = None if groups is None or isinstance(groups, Mapping) else display_name(groups)
        raise
    whole = (reach <= depth).any(axis=0)
    masks = [whole] + [(reach[[other != own for other in group]] <= depth).any(axis=0) for own in group]
    _, scores = study.scores(np.array(masks))
    means = exact_means(np.moveaxis(scores[:, :, study.judgments.has_relevant], -2, -1))
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
        if columns and len(columns) != 2:
            raise FormatError(
                f"found {plural(len(columns), 'column')}, expected run and group",
                path=display_name(given),
                line=number,
            )
        if columns and columns[0] in found:
            raise FormatError(
                f"found run {columns[0]} again, expected it once", path=display_name(given), line=number
            )
        if columns:
            found[columns[0]] = columns[1]
    return found


def _group_of_each(names: tuple[str, ...], groups: Mapping[str, str]) -> list[str]:
    """The group of every run; one that is in no group is alone."""
    unknown = sorted(set(groups) - set(names))
    if unknown:
        raise UnknownName("run in the groups", unknown[0], names)
    found = [groups.get(name, name) for name in names]
    if len(set(found)) < 2:
        raise ExcerptError("found one run or one group, expected two or more: who else would fill the pool?")
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
