"""The topics that all runs have: systems are compared on these only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices


def complete_scores(
    table: ScoreTable, doubts: Notices, measures: Sequence[str] | None = None, *, least: int = 2
) -> FloatArray:
    """Scores by run, topic and measure of the topics that every run has by every measure.

    >>> scores = {("a", "1", "P"): 0.5, ("b", "1", "P"): 0.3, ("a", "2", "P"): 0.1, ("b", "2", "P"): 0.2}
    >>> doubts = Notices()
    >>> values = complete_scores(ScoreTable.from_scores({**scores, ("a", "3", "P"): 1.0}), doubts)
    >>> values[:, :, 0].tolist(), list(doubts)
    ([[0.5, 0.1], [0.3, 0.2]], ['topic without a score of every run by P was left out'])
    """
    names = table.measures if measures is None else tuple(measures)
    values = table.values[:, :, [table.place("measure", name) for name in names]]
    defined = ~np.isnan(values)
    known = defined.all(axis=(0, 2))
    if len(table.runs) < 2:
        raise ExcerptError(f"found {plural(len(table.runs), 'run')}, expected at least 2 to compare")
    by = " and ".join(names)
    if int(known.sum()) < least:
        raise ExcerptError(
            f"found {plural(int(known.sum()), 'topic')} with a score of every run by {by}, "
            f"expected at least {least}"
        )
    partly = int((defined.any(axis=(0, 2)) & ~known).sum())
    doubts.add(f"topic without a score of every run by {by} was left out", partly)
    return values[:, known]
