"""Which runs are better than which, and how sure is that? All pairs by one measure, corrected for number.

P. Ogilvie, M. Lalmas: "Investigating the Exhaustivity Dimension in Content-Oriented XML Element Retrieval
Evaluation", CIKM 2006, sections 3.1 to 3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from excerpt.errors import UnknownName
from excerpt.experiments.outcome import Outcome, Record
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray
from excerpt.stats.corrections import Corrected, check_correction, correct_pairs
from excerpt.stats.effects import Intervals, bootstrap_intervals, cohens_d, mean_differences, t_intervals
from excerpt.stats.resampling import Units, resampled_sums
from excerpt.stats.significance import check_scores, p_of_sums, p_values


def compare(
    table: ScoreTable,
    measure: str,
    *,
    test: str = "bootstrap",
    correction: str = "by",
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 1,
    plus_one: bool = False,
    record: Record | None = None,
) -> Outcome:
    """One row per pair of runs, the one with the higher mean first, over the topics where all have a score.

    `p` is one-sided: how likely is such a difference if the better run is not better? `adjusted` is corrected
    for all ordered pairs, both directions of each. `effect` is Cohen's d of the paired differences (None
    where they are constant). `low` and `high` limit the difference with confidence 1 - alpha, each pair by
    itself, by the bootstrap's percentiles or, for the other tests, by Student's t. `plus_one` keeps a
    bootstrap's p above 0. The details have a `summary` and, with runs in order of their means,
    the matrices `p`, `adjusted`, `rejected` and `difference`.

    >>> scores = {(f"r{run}", str(t), "P"): run * 0.1 + t / 50 for run in (1, 2) for t in range(9)}
    >>> row = compare(ScoreTable.from_scores(scores), "P", test="sign").rows[0]
    >>> row["run"], row["other"], round(row["difference"], 4), row["p"], row["significant"]
    ('r2', 'r1', 0.1, 0.001953125, True)
    """
    scores, topics = _complete(table, measure)
    check_scores(scores)
    check_correction(correction, alpha)
    means = np.array([math.fsum(row) / len(row) for row in scores.tolist()])
    order = np.argsort(-means, kind="stable")
    scores = scores[order]
    p, intervals = _tested(scores, test, alpha, samples, np.random.default_rng(seed), plus_one=plus_one)
    pairs = _Pairs(
        runs=tuple(table.runs[i] for i in order),
        difference=mean_differences(scores),
        effect=cohens_d(scores),
        p=p,
        intervals=intervals,
        corrected=correct_pairs(p, correction, alpha),
    )
    summary = pairs.summary() | {"measure": measure, "test": test, "correction": correction, "alpha": alpha}
    details = {
        "summary": summary | {"topics": scores.shape[1]},
        "runs": pairs.runs,
        "means": means[order],
        "p": p,
        "adjusted": pairs.corrected.adjusted,
        "rejected": pairs.corrected.rejected,
        "difference": pairs.difference,
    }
    warnings = table.warnings + _left_out(topics, measure)
    return Outcome(pairs.rows(), record or Record("compare", seed=seed), warnings, details)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """What is known of all ordered pairs, runs in order of their means."""

    runs: tuple[str, ...]
    difference: FloatArray
    effect: FloatArray
    p: FloatArray
    intervals: Intervals
    corrected: Corrected

    def rows(self) -> tuple[dict[str, Any], ...]:
        """One row per unordered pair, the better run first."""
        size = len(self.runs)
        return tuple(self._row(i, j) for i in range(size) for j in range(i + 1, size))

    def _row(self, i: int, j: int) -> dict[str, Any]:
        effect = float(self.effect[i, j])
        return {
            "run": self.runs[i],
            "other": self.runs[j],
            "difference": float(self.difference[i, j]),
            "effect": None if math.isnan(effect) else effect,
            "low": float(self.intervals.low[i, j]),
            "high": float(self.intervals.high[i, j]),
            "p": float(self.p[i, j]),
            "adjusted": float(self.corrected.adjusted[i, j]),
            "significant": bool(self.corrected.rejected[i, j]),
        }

    def summary(self) -> dict[str, Any]:
        """How many pairs differ; a pair counts in whichever direction it does."""
        rejected = self.corrected.rejected
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        significant = int(np.triu(rejected | rejected.T, 1).sum())
        return {
            "runs": len(self.runs),
            "tests": 2 * pairs,
            "pairs": pairs,
            "significant": significant,
            "share": significant / pairs,
            "share_ordered": int(rejected.sum()) / (2 * pairs),
        }


def _complete(table: ScoreTable, measure: str) -> tuple[FloatArray, int]:
    """Scores by a measure on the topics where every run has one, and how many topics only some runs have."""
    if measure not in table.measures:
        raise UnknownName("measure", measure, table.measures)
    scores = table.values[:, :, table.measures.index(measure)]
    missing = np.isnan(scores)
    partly = missing.any(axis=0) & ~missing.all(axis=0)
    return scores[:, ~missing.any(axis=0)], int(partly.sum())


def _left_out(topics: int, measure: str) -> tuple[str, ...]:
    if not topics:
        return ()
    times = f" ({topics} times)" if topics > 1 else ""
    return (f"topic without a {measure} of some run was left out{times}",)


def _tested(
    scores: FloatArray, test: str, alpha: float, samples: int, rng: np.random.Generator, *, plus_one: bool
) -> tuple[FloatArray, Intervals]:
    """p-values and intervals; the bootstrap takes both from the same resamples."""
    if test != "bootstrap":
        return p_values(scores, test, samples=samples, rng=rng), t_intervals(scores, 1 - alpha)
    units = Units.of(scores)
    sums = resampled_sums(units, samples, rng)
    return p_of_sums(units, sums, plus_one=plus_one), bootstrap_intervals(units, sums, 1 - alpha)
