"""stability depth: how deep must a pool be for the ranking of systems to be that of the full judgments?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Unpack

import numpy as np

from excerpt.evaluation import DEFAULT_MEASURES
from excerpt.experiments.given import Evaluating, Judged, Measures, Runs, tell
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import Pooled, Study
from excerpt.files import require_files
from excerpt.model.run import Run
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray
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
    """Rank the systems with pools of the top n results of every run, against the full judgments."""
    study = Study.of(judgments, runs, measures or DEFAULT_MEASURES, **how)
    require_files(*(run for run in study.runs if not isinstance(run, Run)))  # each is read twice
    names, ranks = study.reach(unit)
    reach = ranks.min(axis=0)
    masks = np.array([np.ones(len(reach), np.bool_), *(reach <= n for n in depths)])
    _, scores = study.scores(masks)
    means = exact_means(np.moveaxis(scores[:, :, study.judgments.has_relevant], -2, -1))
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


def _tau(one: FloatArray, other: FloatArray) -> float | None:
    tau = kendall(one, other)
    return None if math.isnan(tau) else tau
