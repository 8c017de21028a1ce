"""Agreement of measures on significant differences, and error rates of significance tests.

P. Ogilvie, M. Lalmas: "Investigating the Exhaustivity Dimension in Content-Oriented XML Element Retrieval
Evaluation", CIKM 2006: sections 3.2 to 3.4, tables 3 and 4, figure 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import JudgingOptions
from excerpt.experiments.study import OfScores, complete_scores, generator, report_warnings, table_of
from excerpt.model.spans import BoolArray, FloatArray, IntArray, exact_means
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats import CORRECTIONS_IN_WORDS, TEST_NAMES, check_test
from excerpt.stats.resampling import ScoreUnits
from excerpt.stats.significance import check_correction, correct_pairs, p_values

#: Classes of a pair of runs, if the first measure predicts the second: significant by both, only by the
#: first, only by the second, by none; by both, in opposite directions.
CLASSES = ("hit", "false alarm", "miss", "not significant", "opposed")
HIT, FALSE_ALARM, MISS, NONE, OPPOSED = range(5)
_FEW = 10  # fewer topics give a warning
_NOISE = 1e-12  # differences of means that are smaller by this part of the largest mean are equal


@dataclass(frozen=True)
class DecisionProcedure:
    """Procedure that decides on significance: a one-sided test of every ordered pair, then a correction."""

    test: str = "bootstrap"
    correction: str = "by"
    alpha: float = 0.05
    samples: int = 10_000

    def __post_init__(self) -> None:
        check_test(self.test)
        check_correction(self.correction, self.alpha)

    def rejected(self, scores: FloatArray, rng: np.random.Generator) -> BoolArray:
        """Mask of ordered pairs of runs (rows of scores) in which the first is significantly better."""
        p = p_values(scores, self.test, samples=self.samples, rng=rng)
        return correct_pairs(p, self.correction, self.alpha).rejected

    @property
    def in_words(self) -> str:
        """Sides, correction and alpha of the tests."""
        correction = CORRECTIONS_IN_WORDS[self.correction]
        return f"one-sided tests of every ordered pair of runs, {correction}, alpha {self.alpha:g}"


@dataclass(frozen=True, eq=False)
class Decision:
    """Decisions by one measure: mean scores of the runs, and the ordered pairs that are rejected."""

    measure: str
    topics: int
    means: FloatArray
    rejected: BoolArray

    @property
    def pairs(self) -> int:
        """Number of unordered pairs of runs."""
        return len(self.means) * (len(self.means) - 1) // 2

    @property
    def significant(self) -> int:
        """Number of unordered pairs that are rejected, in either direction."""
        return int(np.triu(self.rejected | self.rejected.T, 1).sum())


def agreement(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    test: str = "bootstrap",
    correction: str = "by",
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 1,
    common_topics: bool = False,
    min_difference: float = 0.0,
    all_pairs: bool = False,
    record: Record | None = None,
    **how: Unpack[OfScores],
) -> Outcome:
    """Agreement of each pair of measures: how well pairs of runs rejected by one predict those of the other.

    `scores` is a table of scores, or judgments with which `runs` are evaluated. Pairs of runs are ordered
    (A better than B). Ratios that an empty set of rejected pairs leaves undefined are None.
    `share` is of unordered pairs as in tables 3 and 4, `share_ordered` of all tests. Every measure is tested
    on the topics where all runs have a score by it, or by every measure with `common_topics`, with the same
    resamples if the topics are as many. A pair is rejected by a measure only if its means differ by at least
    `min_difference`. The decisions are in `details["decisions"]`; the figure shows the pairs that a measure
    rejects, or `all_pairs`.

    >>> values = np.array([[[0.9, 0.5], [0.8, 0.6], [0.7, 0.4]], [[0.1, 0.1], [0.2, 0.7], [0.1, 0.5]]])
    >>> table = ScoreTable(("a", "b"), ("a", "b"), ("1", "2", "3"), ("MAiP", "iP[0.01]"), values)
    >>> for row in agreement(table, samples=100).rows:
    ...     print(row["measure"], row["other"], row["recall"], row["precision"], row["share"])
    MAiP iP[0.01] None 0.0 1.0
    iP[0.01] MAiP 0.0 None 0.0
    """
    procedure = DecisionProcedure(test, correction, alpha, samples)
    progress = how.get("progress")
    table = table_of(scores, runs, measures, how)
    if len(table.measures) < 2:
        raise ExcerptError(f"found {plural(len(table.measures), 'measure')}, expected at least 2 to compare")
    decisions, notices = [], Notices()
    common = complete_scores(table, notices) if common_topics else None
    for number, measure in enumerate(table.measures):
        paired = (
            complete_scores(table, notices, [measure])[:, :, 0] if common is None else common[:, :, number]
        )
        rejected, means = procedure.rejected(paired, generator(seed)), exact_means(paired)
        if min_difference:  # a test of signs may find a run better that has the lower mean
            rejected &= means[:, None] - means >= min_difference - _NOISE * np.abs(means).max()
        decisions.append(Decision(measure, paired.shape[1], means, rejected))
        if paired.shape[1] < _FEW:
            text = f"scores by {measure}; tests on fewer than {_FEW} topics are unreliable"
            notices.add(f"topic has {text}", f"topics have {text}", paired.shape[1])
        if progress is not None:
            progress(number + 1, len(table.measures))
    rows = tuple(_row(first, second) for first, second in permutations(decisions, 2))
    warnings = (*table.warnings, *report_warnings(notices, how))
    described = {**asdict(procedure), "min_difference": min_difference}
    details = {"decisions": tuple(decisions), "procedure": described, "all_pairs": all_pairs}
    details["notes"] = (procedure.in_words,)
    return Outcome(rows, record or Record("agreement", seed), warnings, details)


def _row(first: Decision, second: Decision) -> dict[str, Any]:
    """One row: how well the pairs that the first measure rejects predict those of the second."""
    both = int((first.rejected & second.rejected).sum())
    rejected, rejected_other = int(first.rejected.sum()), int(second.rejected.sum())
    return {
        "measure": first.measure,
        "other": second.measure,
        "recall": ratio(both, rejected_other),
        "precision": ratio(both, rejected),
        "f1": f1(both, rejected, rejected_other),
        "both": both,
        "rejected": rejected,
        "rejected_other": rejected_other,
        "opposed": int((first.rejected & second.rejected.T).sum()),
        "share": ratio(first.significant, first.pairs),
        "share_other": ratio(second.significant, second.pairs),
        "share_ordered": ratio(rejected, 2 * first.pairs),
        "topics": first.topics,
        "sides": 1,
    }


def ratio(part: int, whole: int) -> float | None:
    """Proportion, or None if the whole is 0."""
    return part / whole if whole else None


def f1(both: int, first: int, second: int) -> float | None:
    """Harmonic mean of recall and precision (eq. 14) from counts; None if one of them is undefined.

    >>> f1(3, 4, 6), f1(0, 4, 6), f1(0, 4, 0)
    (0.6, 0.0, None)
    """
    return 2 * both / (first + second) if first and second else None


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of means of pairs by two measures (by the first never negative), and their classes."""

    measure: str
    other: str
    first: FloatArray
    second: FloatArray
    kind: IntArray

    @classmethod
    def between(cls, first: Decision, second: Decision) -> Differences:
        """The differences behind figure 1."""
        i, j = np.triu_indices(len(first.means), 1)
        x, y = first.means[i] - first.means[j], second.means[i] - second.means[j]
        turned = (x < 0) | ((x == 0) & (y < 0))
        sign = np.where(turned, -1.0, 1.0)
        same = (first.rejected & second.rejected)[i, j] | (first.rejected & second.rejected)[j, i]
        one, two = (rejected[i, j] | rejected[j, i] for rejected in (first.rejected, second.rejected))
        kind = np.select([same, one & two, one, two], [HIT, OPPOSED, FALSE_ALARM, MISS], NONE)
        return cls(first.measure, second.measure, x * sign, y * sign, kind.astype(np.int64))

    def significant(self) -> Differences:
        """The pairs that at least one measure rejects."""
        kept = self.kind != NONE
        return replace(self, first=self.first[kept], second=self.second[kept], kind=self.kind[kept])


def judge_tests(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    tests: Sequence[str] | str = TEST_NAMES[:4],
    splits: int = 50,
    correction: str = "by",
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[OfScores],
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
    options = JudgingOptions.of({"tests": tests, "splits": splits, "samples": samples, "seed": seed})
    procedures = {name: DecisionProcedure(name, correction, alpha, samples) for name in options.tests}
    progress = how.get("progress")
    table = table_of(scores, runs, measures, how)
    rows, notices = [], Notices()
    for index, measure in enumerate(table.measures):
        values = complete_scores(table, notices, [measure], least=4)
        tallies: dict[str, Counter[str]] = {name: Counter() for name in procedures}
        for number in range(splits):
            halves = split_in_halves(values.shape[1], generator(seed, number))
            for name, procedure in procedures.items():
                tallies[name].update(_judge(procedure, values[:, :, 0], halves, (seed, number)))
            if progress is not None:
                progress(index * splits + number + 1, len(table.measures) * splits)
        pairs = splits * len(values) * (len(values) - 1) // 2
        rows += [
            {"measure": measure, "test": name, "splits": splits, **_error_row(counts, pairs), "sides": 1}
            for name, counts in tallies.items()
        ]
    warnings = (*table.warnings, *report_warnings(notices, how))
    details = {"notes": (procedures[options.tests[0]].in_words,)}
    return Outcome(tuple(rows), record or Record("testerror", seed), warnings, details)


def split_in_halves(topics: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Two halves of the topics at random, in order; of an odd number the smaller half comes first.

    >>> [len(half) for half in split_in_halves(7, np.random.default_rng(1))]
    [3, 4]
    """
    order = rng.permutation(topics)
    return np.sort(order[: topics // 2]), np.sort(order[topics // 2 :])


def _judge(
    procedure: DecisionProcedure,
    paired: FloatArray,
    halves: tuple[IntArray, IntArray],
    seeds: tuple[int, int],
) -> dict[str, int]:
    """Judge one split; resamples depend only on seed, split and half, not on the other tests."""
    first, other = (
        procedure.rejected(paired[:, half], generator(*seeds, side)) for side, half in enumerate(halves, 1)
    )
    return tally(first, other, not_better(paired[:, halves[1]]))


def tally(first: BoolArray, other: BoolArray, not_better: BoolArray) -> dict[str, int]:
    """Counts of ordered pairs: rejected on the first half, errors among these, on the other half, on both."""
    counted = {
        "rejected": first,
        "errors": first & not_better,
        "rejected_other": other,
        "both": first & other,
    }
    return {name: int(pairs.sum()) for name, pairs in counted.items()}


def not_better(scores: FloatArray) -> BoolArray:
    """Mask of ordered pairs in which the mean of the first run is not higher; noise counts as equal.

    >>> not_better(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3], [0.1, 0.1, 0.2]]))[0].tolist()
    [True, True, True]
    """
    units = ScoreUnits.of(scores)
    totals = units.values.sum(axis=1)
    return np.asarray(totals[:, None] - totals <= units.tolerance)


def _error_row(counts: Counter[str], pairs: int) -> dict[str, Any]:
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
