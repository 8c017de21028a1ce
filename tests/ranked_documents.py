"""Documents of one topic by rank, as the figures of trec_eval see them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from excerpt.official.trec.rankings import OUTSIDE, Options, Rankings

GRADES = st.lists(st.integers(-2, 3), max_size=12)


def ranking(grades: list[int], unseen: list[int], level: int = 1) -> Rankings:
    """One topic: grades by rank (-1: outside the pool, -2: unjudged), and of documents not returned."""
    judged = [grade for grade in grades if grade != OUTSIDE] + unseen
    return Rankings(
        "run",
        ("1",),
        np.zeros(1, np.bool_),
        np.zeros(len(grades), np.int64),
        np.array(grades, np.int64),
        np.array([0, len(grades)]),
        np.zeros(len(judged), np.int64),
        np.array(judged, np.int64),
        Options(level=level),
    )
