"""Significance tests between runs, and verdicts in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from excerpt.errors import plural
from excerpt.evaluation.scoring import Progress
from excerpt.experiments.comparison import Comparison, compare
from excerpt.experiments.ranking_verdict import NAMED, RankingVerdict, in_words, ranks_in_words, whole
from excerpt.experiments.study import generator
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.resampling import ScoreUnits, resampled_sums

SEED = 1
SAMPLES = 10_000
ALPHA = 0.05
TEST, CORRECTION = "bootstrap", "by"

#: Most steps of the search for sets; after that, only sets of consecutive runs are found.
_MOST_STEPS = 20_000


def compare_runs(table: ScoreTable, place: int, progress: Progress | None = None) -> Comparison | None:
    """Comparison of all pairs of runs by one measure; None for fewer than two runs or topics."""
    complete = ~np.isnan(table.values[:, :, place]).any(axis=0)
    if len(table.runs) < 2 or int(complete.sum()) < 2:
        return None
    how: dict[str, Any] = {"test": TEST, "correction": CORRECTION, "alpha": ALPHA, "samples": SAMPLES}
    how |= {"seed": SEED, "notices": Notices(), "progress": progress}
    comparison: Comparison = compare(table, [table.measures[place]], **how).details["comparisons"][0]
    return comparison


def comparison_by(table: ScoreTable, place: int, progress: Progress | None = None) -> dict[str, Any]:
    """Intervals of the means, comparison of all pairs and verdict by one measure."""
    comparison = compare_runs(table, place, progress)
    compared, words = comparison_data(comparison, table), verdict(table, place, comparison)
    return {"intervals": mean_intervals(table, place), "comparisons": compared, "verdicts": words}


def verdict_on(table: ScoreTable) -> RankingVerdict:
    """Verdict on the runs of a table by the measure that decides."""
    return RankingVerdict.of(table, table.headline, compare_runs(table, 0))


def comparison_data(comparison: Comparison | None, table: ScoreTable) -> dict[str, Any] | None:
    """Data of all pairs of runs as columns, the run with the higher mean first."""
    if comparison is None:
        return None
    order = [table.runs.index(run) for run in comparison.runs]
    above, below = np.triu_indices(len(order), 1)
    rejected = comparison.corrected.rejected
    either = (rejected | rejected.T)[above, below]
    effect = comparison.effects["effect"][above, below].tolist()
    numbers = np.array(order)
    return {
        "order": order,
        "alike": [[order[place] for place in places] for places in maximal_sets(~(rejected | rejected.T))],
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
        "tests": comparison.summary()["tests"],
        "sides": comparison.procedure["sides"],
        "count": len(above),
        "significant": int(either.sum()),
        "test": TEST,
        "correction": CORRECTION,
        "alpha": ALPHA,
        "samples": SAMPLES,
        "topics": comparison.procedure["topics"],
    }


def maximal_sets(together: BoolArray) -> list[list[int]]:
    """Maximal sets of two or more runs (by index) of which no pair differs, sorted by their first runs.

    >>> maximal_sets(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    [[0, 1], [1, 2]]
    """
    neighbours = [
        sum(1 << other for other in np.flatnonzero(row).tolist() if other != place)
        for place, row in enumerate(together)
    ]
    sets = _cliques(neighbours)
    return sorted(_neighbouring(together) if sets is None else sets)


def _cliques(neighbours: Sequence[int]) -> list[list[int]] | None:
    """All maximal cliques of two or more (Bron and Kerbosch with a pivot); None if there are too many."""
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
    """Maximal sets of consecutive runs of which no pair differs."""
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
    """95 % bootstrap interval of the mean of each run; None for fewer than two topics."""
    values = table.values[:, :, place]
    defined = ~np.isnan(values)
    if len(values) and (defined == defined[0]).all():
        return _intervals(values[:, defined[0]])
    return [_intervals(row[mask][None])[0] for row, mask in zip(values, defined, strict=True)]


def _intervals(scores: FloatArray) -> list[list[float] | None]:
    if scores.shape[1] < 2:
        return [None] * len(scores)
    units = ScoreUnits.of(scores)
    sums = resampled_sums(units, SAMPLES, generator(SEED))
    limits = np.quantile(sums, (ALPHA / 2, 1 - ALPHA / 2), axis=1) * (units.unit / scores.shape[1])
    return [[float(low), float(high)] for low, high in limits.T]


Lead = list[tuple[str, int]]


def verdict(table: ScoreTable, place: int, comparison: Comparison | None) -> dict[str, Any]:
    """Data of a verdict: headline, lead (texts, strong or not), test procedure, and all in one sentence."""
    said = RankingVerdict.of(table, table.measures[place], comparison)
    return {
        "headline": said.title,
        "lead": [list(part) for part in lead_of(said)],
        "how": _how(said, comparison),
        "sentence": said.sentence,
    }


def lead_of(said: RankingVerdict) -> Lead:
    """What else is to be said of the runs."""
    if said.means and said.means[0] is None:
        return []
    if len(said.runs) == 1:
        return [("There is no other run to compare it with.", 0)]
    if said.differs is None:
        return [("Fewer than two topics have a score for every run.", 0)]
    differs = np.array(said.differs)
    pairs, different = len(differs) * (len(differs) - 1) // 2, int(np.triu(differs, 1).sum())
    differ = _differ(pairs, different)
    if said.equal:
        return [(f"Their means are equal. {differ}", 0)]
    if not said.similar:
        return [*_next_set(said, differs), (differ, 0)] if pairs > 1 else []
    better = _better_than_the_rest(len(said.runs) - 1 - len(said.similar))
    return [(f"{better}{differ}" if pairs > 1 else "The difference may be due to chance.", 0)]


def _how(said: RankingVerdict, comparison: Comparison | None) -> str:
    """Measure and reason, and the test."""
    by = f"By {said.measure}, since {said.why}." if said.measure == said.headline else said.reason
    if comparison is None:
        return f"{by} {plural(said.topics, 'topic')}."
    return (
        f"{by} Paired bootstrap, {whole(SAMPLES)} samples, Benjamini\u2013Yekutieli over "
        f"{whole(comparison.summary()['tests'])} two-sided tests, \u03b1 {ALPHA}, "
        f"{plural(said.topics, 'topic')}."
    )


def _differ(pairs: int, different: int) -> str:
    if pairs == 1:
        return f"The two runs {'differ' if different else 'do not differ'} significantly."
    if different == pairs:
        return f"All {whole(pairs)} pairs of runs differ significantly."
    count = whole(different) if different else "None"
    return f"{count} of {whole(pairs)} pairs of runs differ significantly."


def _better_than_the_rest(rest: int) -> str:
    if rest == 0:
        return ""
    if rest == 1:
        return "It is significantly better than the remaining run. "
    return f"It is significantly better than each of the {in_words(rest)} remaining runs. "


def _next_set(said: RankingVerdict, differs: BoolArray) -> Lead:
    """Sentence on the first set of runs that do not differ significantly."""
    sets = maximal_sets(~differs)
    if not sets:
        return []
    members = sets[0]
    ranks, end = ranks_in_words(members), "do not differ significantly from each other. "
    # Some runs between the first and the last rank may not be members.
    some = "between" in ranks
    runs = f"{in_words(len(members)).capitalize()} runs at {ranks}" if some else f"The runs at {ranks}"
    if len(members) > NAMED:
        return [(f"{runs} {end}", 0)]
    *before, last = [said.runs[place] for place in members]
    named: Lead = [(", ".join(before), 1), (" and ", 0), (last, 1)]
    return [(f"{runs}, ", 0), *named, (f", {end}", 0)]
