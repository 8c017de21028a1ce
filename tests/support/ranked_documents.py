"""Documents of one topic by rank, as the figures of trec_eval see them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from excerpt.model.rankings import OUTSIDE
from excerpt.official.trec.ranked_run import RankedRun, TrecEvalOptions

GRADES = st.lists(st.integers(-2, 3), max_size=12)


def ranking(grades: list[int], unseen: list[int], level: int = 1) -> RankedRun:
    """One topic: grades by rank (-1: outside the pool, -2: unjudged), and of documents not returned."""
    judged = [grade for grade in grades if grade != OUTSIDE] + unseen
    return RankedRun(
        topics=("1",),
        topic=np.zeros(len(grades), np.int64),
        grade=np.array(grades, np.int64),
        first=np.array([0, len(grades)]),
        judged_topic=np.zeros(len(judged), np.int64),
        judged_grade=np.array(judged, np.int64),
        level=level,
        run_id="run",
        missing=np.zeros(1, np.bool_),
        options=TrecEvalOptions(level=level),
    )
