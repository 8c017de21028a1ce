"""Which runs differ: every pair tested, intervals of the means, and sets of runs that no test separates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from excerpt.experiments.comparison import Comparison, compare
from excerpt.experiments.study import generator
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.notices import Notices
from excerpt.stats.resampling import Units, resampled_sums

SEED = 1
SAMPLES = 10_000
ALPHA = 0.05
TEST, CORRECTION = "bootstrap", "by"

#: Steps of the search for sets; beyond it sets of neighbours are taken, as runs are ordered by means.
_MOST_STEPS = 20_000


def comparisons(table: ScoreTable) -> list[Comparison | None]:
    """By measure, what `compare` says of all pairs; None where there are not two runs and two topics."""
    found: list[Comparison | None] = []
    for place, measure in enumerate(table.measures):
        complete = ~np.isnan(table.values[:, :, place]).any(axis=0)
        if len(table.runs) < 2 or int(complete.sum()) < 2:
            found.append(None)
            continue
        outcome = compare(
            table,
            [measure],
            test=TEST,
            correction=CORRECTION,
            alpha=ALPHA,
            samples=SAMPLES,
            seed=SEED,
            notices=Notices(),
        )
        found.append(outcome.details["comparisons"][0])
    return found


def comparison_data(comparison: Comparison | None, table: ScoreTable) -> dict[str, Any] | None:
    """All pairs of a measure as columns, the run with the higher mean first."""
    if comparison is None:
        return None
    order = [table.runs.index(run) for run in comparison.runs]
    above, below = np.triu_indices(len(order), 1)
    rejected = comparison.corrected.rejected
    either = (rejected | rejected.T)[above, below]
    effect = comparison.effect[above, below].tolist()
    numbers = np.array(order)
    return {
        "order": order,
        "alike": [[order[place] for place in places] for places in alike(~(rejected | rejected.T))],
        "pairs": {
            "first": numbers[above].tolist(),
            "second": numbers[below].tolist(),
            "difference": comparison.difference[above, below].tolist(),
            "low": comparison.intervals.low[above, below].tolist(),
            "high": comparison.intervals.high[above, below].tolist(),
            "p": comparison.p[above, below].tolist(),
            "adjusted": comparison.corrected.adjusted[above, below].tolist(),
            "effect": [None if math.isnan(value) else value for value in effect],
            "significant": either.astype(np.int64).tolist(),
        },
        "tests": 2 * len(above),
        "count": len(above),
        "significant": int(either.sum()),
        "test": TEST,
        "correction": CORRECTION,
        "alpha": ALPHA,
        "samples": SAMPLES,
        "topics": comparison.procedure["topics"],
    }


def alike(together: BoolArray) -> list[list[int]]:
    """Maximal sets of at least two places that are pairwise together, by their first places.

    >>> alike(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    [[0, 1], [1, 2]]
    """
    neighbours = [
        sum(1 << other for other in np.flatnonzero(row).tolist() if other != place)
        for place, row in enumerate(together)
    ]
    sets = _cliques(neighbours)
    return sorted(_neighbouring(together) if sets is None else sets)


def _cliques(neighbours: Sequence[int]) -> list[list[int]] | None:
    """All maximal cliques of two or more (Bron and Kerbosch with a pivot); None where there are too many."""
    found: list[list[int]] = []
    waiting = [(0, (1 << len(neighbours)) - 1, 0)]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return found
        chosen, candidates, done = waiting.pop()
        if not candidates:
            if not done and chosen.bit_count() > 1:
                found.append(_bits(chosen))
            continue
        pivot = max(_bits(candidates | done), key=lambda place: (neighbours[place] & candidates).bit_count())
        for place in _bits(candidates & ~neighbours[pivot]):
            near = neighbours[place]
            waiting.append((chosen | 1 << place, candidates & near, done & near))
            candidates &= ~(1 << place)
            done |= 1 << place
    return None


def _bits(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _neighbouring(together: BoolArray) -> list[list[int]]:
    """Maximal sets of neighbouring places that are pairwise together."""
    sets: list[list[int]] = []
    reached = 0
    for low in range(len(together)):
        high = low + 1
        while high < len(together) and together[low:high, high].all():
            high += 1
        if high - low > 1 and high > reached:
            sets.append(list(range(low, high)))
            reached = high
    return sets


def mean_intervals(table: ScoreTable, place: int) -> list[list[float] | None]:
    """By run, the middle 95 % of the means over resampled topics; None under two topics."""
    values = table.values[:, :, place]
    defined = ~np.isnan(values)
    if len(values) and (defined == defined[0]).all():
        return _intervals(values[:, defined[0]])
    return [_intervals(row[known][None])[0] for row, known in zip(values, defined, strict=True)]


def _intervals(scores: FloatArray) -> list[list[float] | None]:
    if scores.shape[1] < 2:
        return [None] * len(scores)
    units = Units.of(scores)
    sums = resampled_sums(units, SAMPLES, generator(SEED))
    limits = np.quantile(sums, (ALPHA / 2, 1 - ALPHA / 2), axis=1) * (units.unit / scores.shape[1])
    return [[float(low), float(high)] for low, high in limits.T]
