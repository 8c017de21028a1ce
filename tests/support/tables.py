"""Tables of scores of one measure, from lists."""

from __future__ import annotations

import numpy as np

from excerpt import ScoreTable


def score_table(values: list[list[float]]) -> ScoreTable:
    """One measure: a row of topic scores per run."""
    scores = np.array(values)[:, :, None]
    runs, topics = (
        tuple(f"{axis}{i}" for i in range(size)) for axis, size in zip("rt", scores.shape, strict=False)
    )
    return ScoreTable(runs, runs, topics, ("m",), scores)
