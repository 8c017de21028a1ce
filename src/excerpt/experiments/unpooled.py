"""stability unpooled: what does a system lose that did not contribute to the pool it is judged by?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.variants import Pooled, Study
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray


def unpooled(
    study: Study,
    *,
    depth: int = 100,
    unit: Pooled = "document",
    groups: Mapping[str, str] | None = None,
    record: Record | None = None,
) -> Outcome:
    """What a system loses when its own results, or those of its group, did not enter the pool.

    The pool has what the top `depth` of all runs reach; for each run it is built again without the run and
    the others of its group. Rows have score and rank of the run with and without its contribution.
    """
    names, reach = study.reach(unit)
    group = _groups(names, groups or {})
    whole = (reach <= depth).any(axis=0)
    masks = [whole] + [(reach[[other != own for other in group]] <= depth).any(axis=0) for own in group]
    _, scores = study.scores(np.array(masks))
    means = exact_means(np.moveaxis(scores[:, :, study.judgments.has_relevant], -2, -1))
    rows = tuple(
        {"measure": measure, "depth": depth, "run": names[number], "group": group[number], **row}
        for place, measure in enumerate(map(str, study.measures))
        for number, row in enumerate(_rows(means[..., place]))
    )
    return Outcome(rows, record or Record("stability unpooled"), tuple(study.notices))


def _groups(names: tuple[str, ...], groups: Mapping[str, str]) -> list[str]:
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
