"""Means of runs by names that experiment trackers and monitors take."""

from __future__ import annotations

import math
import re

from excerpt.errors import ExcerptError, short_list
from excerpt.scores.score_table import ScoreTable


def metric_name(measure: str) -> str:
    """Name of a measure in letters, digits and underscores.

    >>> [metric_name(name) for name in ("recall@5", "recall(budget=4000)", "iP[0.01]", "F(beta=0.5)@10")]
    ['recall_at_5', 'recall_budget_4000', 'iP_0_01', 'F_beta_0_5_at_10']
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", measure.replace("@", "_at_")).strip("_")
    return f"_{name}" if name[:1].isdigit() else name


def metrics(table: ScoreTable, run: str | None = None) -> dict[str, float]:
    """Means of a run, or of the only one, by such names; measures without a mean are left out.

    >>> table = ScoreTable.from_scores({("mine", "1", "recall@5"): 0.5})
    >>> metrics(table)
    {'recall_at_5': 0.5}
    """
    if run is None:
        if len(table.runs) != 1:
            found = f"found {len(table.runs)} runs ({short_list(table.runs, 3)}), expected one"
            raise ExcerptError(found, hint="name the run: table.metrics(run)")
        run = table.runs[0]
    found_means: dict[str, float] = {}
    for measure, mean in table[run].items():
        if math.isnan(mean):
            continue
        name = base = metric_name(measure)
        number = 2
        while name in found_means:
            name, number = f"{base}_{number}", number + 1
        found_means[name] = mean
    return found_means
