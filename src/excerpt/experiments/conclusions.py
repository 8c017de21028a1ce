"""Do two measures draw the same conclusions? The pairs of runs that each finds significantly different.

P. Ogilvie, M. Lalmas: "Investigating the Exhaustivity Dimension in Content-Oriented XML Element Retrieval
Evaluation", CIKM 2006: sections 3.2 to 3.4, tables 3 and 4, figure 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import Evaluating, complete_scores, generator, table_of, tell
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.stats import check_test
from excerpt.stats.significance import check_correction, correct_pairs, p_values

#: What two measures may say of a pair of runs; `OPPOSED`: both find it significant, in opposite directions.
CLASSES = ("both", "only the first", "only the second", "none", "opposed")
BOTH, FIRST, SECOND, NONE, OPPOSED = range(5)


@dataclass(frozen=True)
class Procedure:
    """How a difference is declared significant: a one-sided test of every ordered pair, then a correction."""

    test: str = "bootstrap"
    correction: str = "by"
    alpha: float = 0.05
    samples: int = 10_000

    def __post_init__(self) -> None:
        check_test(self.test)
        check_correction(self.correction, self.alpha)

    def rejected(self, scores: FloatArray, rng: np.random.Generator) -> BoolArray:
        """Of scores, a row per run: is the run of the row significantly better than that of the column?"""
        p = p_values(scores, self.test, samples=self.samples, rng=rng)
        return correct_pairs(p, self.correction, self.alpha).rejected


@dataclass(frozen=True, eq=False)
class Decision:
    """What a measure says of the runs: their mean scores, and which ordered pairs are rejected."""

    measure: str
    topics: int
    means: FloatArray
    rejected: BoolArray

    @property
    def pairs(self) -> int:
        """How many unordered pairs of runs there are."""
        return len(self.means) * (len(self.means) - 1) // 2

    @property
    def significant(self) -> int:
        """How many unordered pairs are rejected, in whichever direction."""
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
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """How well the pairs that one measure rejects predict those of another, for all pairs of measures.

    What is tested is a table of scores, or judgments and runs that are evaluated first. Pairs of runs are
    ordered (A better than B). What an empty set of rejected pairs leaves undefined is None.
    `share` is of unordered pairs as in tables 3 and 4, `share_ordered` of all tests. Every measure is tested
    on the topics where all runs have a score by it, with the same resamples where the topics are as many.
    The decisions are in `details["decisions"]`.

    >>> values = np.array([[[0.9, 0.5], [0.8, 0.6], [0.7, 0.4]], [[0.1, 0.1], [0.2, 0.7], [0.1, 0.5]]])
    >>> table = ScoreTable(("a", "b"), ("a", "b"), ("1", "2", "3"), ("MAiP", "iP[0.01]"), values)
    >>> for row in agreement(table, samples=100).rows:
    ...     print(row["measure"], row["other"], row["recall"], row["precision"], row["share"])
    MAiP iP[0.01] None 0.0 1.0
    iP[0.01] MAiP 0.0 None 0.0
    """
    procedure = Procedure(test, correction, alpha, samples)
    progress = how.get("progress")
    table = table_of(scores, runs, measures, how)
    if len(table.measures) < 2:
        raise ExcerptError(f"found {plural(len(table.measures), 'measure')}, expected at least 2 to compare")
    decisions, doubts = [], Notices()
    for place, measure in enumerate(table.measures):
        values = complete_scores(table, doubts, [measure])
        paired = values[:, :, 0]
        rejected = procedure.rejected(paired, generator(seed))
        decisions.append(Decision(measure, paired.shape[1], exact_means(paired), rejected))
        if progress is not None:
            progress(place + 1, len(table.measures))
    rows = tuple(_row(first, second) for first, second in permutations(decisions, 2))
    warnings = (*table.warnings, *tell(doubts, how))
    details = {"decisions": tuple(decisions), "procedure": asdict(procedure)}
    return Outcome(rows, record or Record("agreement", seed), warnings, details)


def _row(first: Decision, second: Decision) -> dict[str, Any]:
    """How well the pairs that the first measure rejects predict those that the second rejects."""
    both = int((first.rejected & second.rejected).sum())
    rejected, wanted = int(first.rejected.sum()), int(second.rejected.sum())
    return {
        "measure": first.measure,
        "other": second.measure,
        "recall": ratio(both, wanted),
        "precision": ratio(both, rejected),
        "f1": f1(both, rejected, wanted),
        "both": both,
        "rejected": rejected,
        "rejected_other": wanted,
        "opposed": int((first.rejected & second.rejected.T).sum()),
        "share": ratio(first.significant, first.pairs),
        "share_other": ratio(second.significant, second.pairs),
        "share_ordered": ratio(rejected, 2 * first.pairs),
        "topics": first.topics,
    }


def ratio(part: int, whole: int) -> float | None:
    """A share, or None of nothing."""
    return part / whole if whole else None


def f1(both: int, first: int, second: int) -> float | None:
    """Harmonic mean of recall and precision (eq. 14) from counts; None where one of them is undefined.

    >>> f1(3, 4, 6), f1(0, 4, 6), f1(0, 4, 0)
    (0.6, 0.0, None)
    """
    return 2 * both / (first + second) if first and second else None


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of mean scores of all unordered pairs by two measures, and the class of each pair.

    A pair is turned so that its difference by the first measure is not negative.
    """

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
        kind = np.select([same, one & two, one, two], [BOTH, OPPOSED, FIRST, SECOND], NONE)
        return cls(first.measure, second.measure, x * sign, y * sign, kind.astype(np.int64))
