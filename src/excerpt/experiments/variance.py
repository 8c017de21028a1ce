"""How much of the scores is due to the runs, how much to the topics? Two-way analysis of variance."""

from __future__ import annotations

from typing import Unpack

from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.options import VarianceOptions
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import Evaluating, complete_scores, table_of, tell
from excerpt.model.scores import ScoreTable
from excerpt.notices import Notices
from excerpt.stats.variance import Variance


def anova(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Three rows per measure: what is due to the runs, to the topics, and what is left.

    Topics count where all runs have a score. `f` and `p` belong to the hypothesis that all runs, or all
    topics, are alike. `eta2` is the share of all squares; `eta2_partial` beside what is left only; `omega2`
    and `omega2_partial` are the same without what chance adds, and may be below 0. What nothing is left to
    be measured by is None. Needs scipy. Which runs differ says `compare` with the test `anova`.

    >>> scores = {(run, t, "P"): len(run) / 9 + int(t) ** len(run) / 90 for run in ("a", "bb") for t in "123"}
    >>> for row in anova(ScoreTable.from_scores(scores)).rows:
    ...     print(row["source"], row["degrees"], row["f"] and round(row["f"], 4), round(row["eta2"], 4))
    run 1 51.5714 0.8741
    topic 2 2.7143 0.092
    residual 2 None 0.0339
    """
    VarianceOptions()  # which says whether it can be done
    table = table_of(scores, runs, measures, how)
    doubts = Notices()
    rows = tuple(
        {"measure": measure, **row}
        for measure in table.measures
        for row in Variance.of(complete_scores(table, doubts, [measure])[:, :, 0]).rows()
    )
    warnings = (*table.warnings, *tell(doubts, how))
    return Outcome(rows, record or Record("anova"), warnings)
