"""Error rates of significance tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.conclusions import Procedure, f1, ratio
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import JudgingOptions
from excerpt.experiments.study import Evaluating, complete_scores, generator, table_of, tell
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.stats.resampling import Units

#: The tests that Ogilvie & Lalmas compare.
COMPARED = ("bootstrap", "t", "wilcoxon", "sign")


def judge_tests(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    tests: Sequence[str] | str = COMPARED,
    splits: int = 50,
    correction: str = "by",
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Error rate of each test over random splits of the topics, by each measure.

    A pair (A better than B) that is rejected on the first half is an error where the mean of A on the other
    half is not above that of B. Counts are pooled over splits; the first half is the smaller one. `share` is
    of all pairs of runs, `agreement` is F1 between the decisions on the two halves.

    >>> values = np.array([[0.9, 0.8, 0.7, 0.9, 0.8, 0.9], [0.1, 0.2, 0.1, 0.3, 0.1, 0.2]])[:, :, None]
    >>> table = ScoreTable(("a", "b"), ("a", "b"), tuple("123456"), ("MAiP",), values)
    >>> outcome = judge_tests(table, tests=["bootstrap"], splits=3, samples=100)
    >>> row = outcome.rows[0]
    >>> row["rejected"], row["errors"], row["error_rate"], row["share"], row["agreement"]
    (3, 0, 0.0, 1.0, 1.0)
    """
    asked = JudgingOptions.of({"tests": tests, "splits": splits, "samples": samples, "seed": seed})
    procedures = {name: Procedure(name, correction, alpha, samples) for name in asked.tests}
    progress = how.get("progress")
    table = table_of(scores, runs, measures, how)
    rows, doubts = [], Notices()
    for place, measure in enumerate(table.measures):
        values = complete_scores(table, doubts, [measure], least=4)
        tallies: dict[str, Counter[str]] = {name: Counter() for name in procedures}
        for number in range(splits):
            halves = split_in_halves(values.shape[1], generator(seed, number))
            for name, procedure in procedures.items():
                tallies[name].update(_judge(procedure, values[:, :, 0], halves, (seed, number)))
            if progress is not None:
                progress(place * splits + number + 1, len(table.measures) * splits)
        pairs = splits * len(values) * (len(values) - 1) // 2
        rows += [
            {"measure": measure, "test": name, "splits": splits, **_row(counts, pairs)}
            for name, counts in tallies.items()
        ]
    warnings = (*table.warnings, *tell(doubts, how))
    return Outcome(tuple(rows), record or Record("testerror", seed), warnings)


def split_in_halves(topics: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Two halves of the topics at random, in order; of an odd number the smaller half comes first.

    >>> [len(half) for half in split_in_halves(7, np.random.default_rng(1))]
    [3, 4]
    """
    order = rng.permutation(topics)
    return np.sort(order[: topics // 2]), np.sort(order[topics // 2 :])


def _judge(
    procedure: Procedure, paired: FloatArray, halves: tuple[IntArray, IntArray], seeds: tuple[int, int]
) -> dict[str, int]:
    """One split; resamples depend on seed, split and half only, not on which other tests are made."""
    first, other = (
        procedure.rejected(paired[:, half], generator(*seeds, place)) for place, half in enumerate(halves, 1)
    )
    return tally(first, other, not_better(paired[:, halves[1]]))


def tally(first: BoolArray, other: BoolArray, not_better: BoolArray) -> dict[str, int]:
    """Ordered pairs of runs: rejected on the first half, of these in error, on the other half, on both."""
    counted = {
        "rejected": first,
        "errors": first & not_better,
        "rejected_other": other,
        "both": first & other,
    }
    return {name: int(pairs.sum()) for name, pairs in counted.items()}


def not_better(scores: FloatArray) -> BoolArray:
    """Is the mean of the run of the row at most that of the column? Noise of the last bits counts as equal.

    >>> not_better(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3], [0.1, 0.1, 0.2]]))[0].tolist()
    [True, True, True]
    """
    units = Units.of(scores)
    totals = units.values.sum(axis=1)
    return np.asarray(totals[:, None] - totals <= units.tolerance)


def _row(counts: Counter[str], pairs: int) -> dict[str, Any]:
    return {
        "pairs": pairs,
        "rejected": counts["rejected"],
        "errors": counts["errors"],
        "error_rate": ratio(counts["errors"], counts["rejected"]),
        "share": ratio(counts["rejected"], pairs),
        "rejected_other": counts["rejected_other"],
        "both": counts["both"],
        "share_both": ratio(counts["both"], pairs),
        "agreement": f1(counts["both"], counts["rejected"], counts["rejected_other"]),
    }
