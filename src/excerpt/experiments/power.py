"""Power of an experiment, and analysis of variance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.comparison import place_of
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import DIFFERENCES, PowerOptions, VarianceOptions
from excerpt.experiments.study import Evaluating, complete_scores, table_of, tell
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.stats.variance import Plan, Variance

#: Numbers of topics along a curve.
_POINTS = 33


def power(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    difference: float | Iterable[float] | str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    size: int | None = None,
    one_sided: bool = False,
    baseline: str | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """One row per measure and difference: how often a paired t test sees it, and how many topics it needs.

    `deviation` is the standard deviation of the differences of two runs on a topic, that of all pairs of
    runs together (twice the residual variance of an analysis of variance). `power` is how often `topics`
    topics (those at hand, or `size`) would show a difference of that size; `needed` is how many would show
    it with the power that was asked for (None: more than a million); `visible` is the difference that
    `topics` topics show with that power.

    With a `baseline` there is a row for each other run, with the deviation of that pair, and the difference
    is the one at hand where none is given. Needs scipy.

    >>> scores = {(r, str(t), "P"): 7 * t * n % 10 / 10 for n, r in ((1, "a"), (3, "b")) for t in range(9)}
    >>> row = power(ScoreTable.from_scores(scores), difference=0.1).rows[0]
    >>> round(row["deviation"], 4), round(row["power"], 4), row["needed"], round(row["visible"], 4)
    (0.3162, 0.1337, 81, 0.3374)
    """
    asked = PowerOptions.of({"difference": difference, "size": size, "power": power, "alpha": alpha})
    plan = Plan(asked.power, asked.alpha, one_sided)
    table = table_of(scores, runs, measures, how)
    base = None if baseline is None else place_of(table, baseline)
    doubts, rows, curves = Notices(), list[dict[str, Any]](), list[dict[str, Any]]()
    for measure in table.measures:
        values = complete_scores(table, doubts, [measure])[:, :, 0]
        topics = asked.size or values.shape[1]
        measured = [
            {"measure": measure, **named, **_row(plan, wanted, deviation, topics)}
            for named, deviation, found in _pairs(table, values, base)
            for wanted in asked.difference or ((found,) if base is not None else DIFFERENCES)
        ]
        rows += measured
        curves += _curves(plan, measured)
    warnings = (*table.warnings, *tell(doubts, how))
    details = {"curves": tuple(curves), "plan": plan, "notes": plan.notes()}
    return Outcome(tuple(rows), record or Record("power"), warnings, details)


def _pairs(
    table: ScoreTable, values: FloatArray, base: int | None
) -> Iterable[tuple[dict[str, Any], float, float]]:
    """What is compared, the standard deviation of its differences, and the mean difference at hand."""
    if base is None:
        pairs = len(values) * (len(values) - 1) // 2
        yield {"pairs": pairs}, math.sqrt(2 * Variance.of(values).residual), 0.0
        return
    means = exact_means(values)
    for place in np.argsort(-means, kind="stable").tolist():
        if place != base:
            spread = math.sqrt(2 * Variance.of(values[[place, base]]).residual)
            yield (
                {"run": table.runs[place], "other": table.runs[base]},
                spread,
                abs(float(means[place] - means[base])),
            )


def _row(plan: Plan, difference: float, deviation: float, topics: int) -> dict[str, Any]:
    """Runs that differ by the same on all topics say nothing of a spread: then all is None."""
    known = deviation > 0
    effect = difference / deviation if known else 0.0
    return {
        "difference": difference,
        "deviation": deviation,
        "topics": topics,
        "power": float(plan.chance(effect, topics)) if known else None,
        "needed": plan.needed(effect) if known else None,
        "visible": plan.visible(topics) * deviation if known else None,
    }


def _curves(plan: Plan, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The chances of the rows of a measure over numbers of topics, to somewhat beyond what is needed."""
    topics = rows[0]["topics"]
    most = max(2 * topics, min(2 * max(row["needed"] or 0 for row in rows), 20 * topics))
    numbers = np.unique(np.rint(np.geomspace(2, most, _POINTS)).astype(np.int64)).tolist()
    found = []
    for row in rows:
        effect = row["difference"] / row["deviation"] if row["deviation"] else None
        chances = [] if effect is None else [float(plan.chance(effect, number)) for number in numbers]
        found.append({**row, "numbers": numbers, "chances": chances})
    return found


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
