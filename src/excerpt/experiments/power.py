"""Power of a comparison of runs, and analysis of variance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.comparison import run_index
from excerpt.experiments.design import Factors
from excerpt.experiments.factors import analyse_factors
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import DIFFERENCES, PowerOptions, VarianceOptions
from excerpt.experiments.plan import Plan
from excerpt.experiments.study import OfScores, complete_scores, report_warnings, table_of
from excerpt.model.spans import FloatArray, exact_means
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.variance import Variance

_POINTS = 33  # number of points of a power curve
_ALPHA = 0.05  # level at which the sentence of an analysis of variance says that runs differ


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
    **how: Unpack[OfScores],
) -> Outcome:
    """Power of a paired t test, and the number of topics it needs: one row per measure and difference.

    `deviation` is the standard deviation of the differences of two runs on a topic, that of all pairs of
    runs together (from twice the residual variance of an analysis of variance). `power` is the probability
    that `topics` topics (those with scores, or `size`) detect a difference of that size; `needed` is the
    number of topics that detect it with the requested power (None: more than a million); `visible` is the
    smallest difference that `topics` topics detect with that power.

    With a `baseline` there is a row for each other run, with the deviation of that pair and by default the
    observed difference. Needs scipy.

    >>> scores = {(r, str(t), "P"): 7 * t * n % 10 / 10 for n, r in ((1, "a"), (3, "b")) for t in range(9)}
    >>> row = power(ScoreTable.from_scores(scores), difference=0.1).rows[0]
    >>> round(row["deviation"], 4), round(row["power"], 4), row["needed"], round(row["visible"], 4)
    (0.3162, 0.1337, 81, 0.3374)
    """
    options = PowerOptions.of({"difference": difference, "size": size, "power": power, "alpha": alpha})
    plan = Plan(options.power, options.alpha, one_sided)
    table = table_of(scores, runs, measures, how)
    base = None if baseline is None else run_index(table, baseline)
    notices, rows, curves = Notices(), list[dict[str, Any]](), list[dict[str, Any]]()
    for measure in table.measures:
        values = complete_scores(table, notices, [measure])[:, :, 0]
        topics = options.size or values.shape[1]
        measured = [
            {"measure": measure, **pair, **_row(plan, target, deviation, topics)}
            for pair, deviation, observed in _pairs(table, values, base)
            for target in options.difference or ((observed,) if base is not None else DIFFERENCES)
        ]
        rows += measured
        curves += _curves(plan, measured)
    warnings = (*table.warnings, *report_warnings(notices, how))
    details = {"curves": tuple(curves), "plan": plan, "notes": plan.notes()}
    return Outcome(tuple(rows), record or Record("power"), warnings, details)


def _pairs(
    table: ScoreTable, values: FloatArray, base: int | None
) -> Iterable[tuple[dict[str, Any], float, float]]:
    """Names of compared runs, the standard deviation of their differences, and the observed difference."""
    if base is None:
        pairs = len(values) * (len(values) - 1) // 2
        yield {"pairs": pairs}, math.sqrt(2 * Variance.of(values).residual), 0.0
        return
    means = exact_means(values)
    for number in np.argsort(-means, kind="stable").tolist():
        if number != base:
            deviation = math.sqrt(2 * Variance.of(values[[number, base]]).residual)
            yield (
                {"run": table.runs[number], "other": table.runs[base]},
                deviation,
                abs(float(means[number] - means[base])),
            )


def _row(plan: Plan, difference: float, deviation: float, topics: int) -> dict[str, Any]:
    """One row; without a deviation (runs differ equally on all topics) power and topics are None."""
    varies = deviation > 0
    effect = difference / deviation if varies else 0.0
    return {
        "difference": difference,
        "deviation": deviation,
        "topics": topics,
        "power": float(plan.chance(effect, topics)) if varies else None,
        "needed": plan.needed(effect) if varies else None,
        "visible": plan.visible(topics) * deviation if varies else None,
    }


def _curves(plan: Plan, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Power of the rows of a measure over numbers of topics, to somewhat beyond the number needed."""
    topics = rows[0]["topics"]
    most = max(2 * topics, min(2 * max(row["needed"] or 0 for row in rows), 20 * topics))
    numbers = np.unique(np.rint(np.geomspace(2, most, _POINTS)).astype(np.int64)).tolist()
    curves = []
    for row in rows:
        effect = row["difference"] / row["deviation"] if row["deviation"] else None
        chances = [] if effect is None else [float(plan.chance(effect, number)) for number in numbers]
        curves.append({**row, "numbers": numbers, "chances": chances})
    return curves


def anova(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    factors: Factors | None = None,
    record: Record | None = None,
    **how: Unpack[OfScores],
) -> Outcome:
    """Analysis of variance: three rows per measure, for runs, topics and the residual.

    Topics count if all runs have a score. `f` and `p` test the hypothesis that all runs, or all topics, have
    equal means. `eta2` is the proportion of the total sum of squares, `eta2_partial` that of the source and
    the residual; `omega2` and `omega2_partial` are the same corrected for chance, and may be below 0. Values
    that need a residual are None without one. Needs scipy. `compare` with `anova` tests pairs of runs.

    With `factors`, as in `compare`, the rows are topics, factors and pairs of factors, each with its
    interaction with topics, which is its error. Every combination of levels needs a run.

    >>> scores = {(run, t, "P"): len(run) / 9 + int(t) ** len(run) / 90 for run in ("a", "bb") for t in "123"}
    >>> for row in anova(ScoreTable.from_scores(scores)).rows:
    ...     print(row["source"], row["degrees"], row["f"] and round(row["f"], 4), round(row["eta2"], 4))
    run 1 51.5714 0.8741
    topic 2 2.7143 0.092
    residual 2 None 0.0339
    """
    VarianceOptions()  # raises an error without scipy
    table = table_of(scores, runs, measures, how)
    notices = Notices()
    if factors is not None:
        found = analyse_factors(table, factors, record=record or Record("anova"), notices=notices)
        return replace(found, warnings=(*table.warnings, *report_warnings(notices, how)))
    parts = {
        measure: Variance.of(complete_scores(table, notices, [measure])[:, :, 0]).rows()
        for measure in table.measures
    }
    rows = tuple({"measure": measure, **row} for measure, some in parts.items() for row in some)
    warnings = (*table.warnings, *report_warnings(notices, how))
    lead = len(parts) > 1
    notes = tuple((f"{measure}: " if lead else "") + _in_words(*some) for measure, some in parts.items())
    return Outcome(rows, record or Record("anova"), warnings, {"notes": notes})


def _in_words(run: dict[str, Any], topic: dict[str, Any], residual: dict[str, Any]) -> str:
    """Proportions of the variance that runs and topics explain, and whether the runs differ."""
    if run["f"] is None or run["eta2"] is None:
        return "no residual: every difference between runs is the same on all topics"
    differ = "differ" if run["p"] < _ALPHA else "do not differ significantly"
    p = f"= {run['p']:.4f}" if run["p"] >= 0.00005 else "< 0.0001"
    return (
        f"runs explain {100 * run['eta2']:.0f} %, topics {100 * topic['eta2']:.0f} % of the variance; runs "
        f"{differ}: F({run['degrees']}, {residual['degrees']}) = {run['f']:.3g}, p {p}"
    )
