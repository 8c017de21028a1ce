"""Effects of the factors by which runs differ, such as chunker, size and retriever."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.experiments.design import Design, Factors
from excerpt.experiments.factorial import factor_variance, interaction_test, level_effects
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import complete_scores, generator
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.significance import correct

_ALPHA = 0.05  # level at which the sentences of an analysis of variance say that levels differ


@dataclass(frozen=True)
class FactorOutcome(Outcome):
    """Outcome of an experiment on factors, whose rows are levels or sources of variance."""

    def shown_as(self) -> tuple[str, ...]:
        return ("Outcome",) if self.rows else ()

    def drawn_as(self) -> str:
        return f"{self.record.experiment} factors"


@dataclass(frozen=True)
class EffectTest:
    """How effects are tested: significance level, correction, random permutations and seed."""

    alpha: float = 0.05
    correction: str = "by"
    samples: int = 10_000
    seed: int = 1

    @property
    def in_words(self) -> str:
        """The test in one sentence."""
        from excerpt.stats import CORRECTIONS_IN_WORDS

        return (
            "p by permutation of the levels within a topic, two-sided; a factor is a family of tests, "
            f"{CORRECTIONS_IN_WORDS[self.correction]}, alpha {self.alpha:g}; {100 * (1 - self.alpha):g} % "
            "intervals by the bootstrap over topics"
        )


def compare_factors(
    table: ScoreTable,
    factors: Factors,
    *,
    test: EffectTest,
    baseline: str | None,
    record: Record,
    notices: Notices,
) -> FactorOutcome:
    """One row per factor and level: its effect, interval, p, and whether it is significant."""
    design = Design.of(factors, table, notices)
    against, rows, notes = design.baselines(baseline), list[dict[str, Any]](), list[str]()
    if design.missing:
        notices.add(design.missing_in_words)
        notes.append(design.missing_in_words)
    several = len(table.measures) > 1
    for measure in table.measures:
        lead = f"{measure}: " if several else ""
        cells = design.cells(_scores(table, design, measure, notices))
        for place, (name, levels) in enumerate(design.levels.items()):
            means, why = _level_means(cells, place + 1)
            notes += [f"{lead}{name} {why}"] if why else []
            own = {"measure": measure} if several else {}
            rows += [{**own, "factor": name, **row} for row in _rows(levels, means, against.get(name), test)]
        notes += [lead + said for said in _interactions(design, cells, test)]
    notes.append(_against_in_words(design, against))
    notes.append(test.in_words)
    details = {"notes": tuple(notes), "baselines": against, "alpha": test.alpha}
    return FactorOutcome(tuple(rows), record, tuple(notices), details)


def analyse_factors(
    table: ScoreTable, factors: Factors, *, record: Record, notices: Notices
) -> FactorOutcome:
    """Analysis of variance by factors: sums of squares of factors, of pairs of them, and with topics."""
    design = Design.of(factors, table, notices)
    if design.missing:
        hint = "leave out the levels that are not complete, or use ⟨command=compare⟩"
        message = f"{design.missing_in_words}, expected a run for each in an analysis of variance"
        raise ExcerptError(message, hint=hint)
    rows, notes = list[dict[str, Any]](), list[str]()
    for measure in table.measures:
        cells = design.cells(_scores(table, design, measure, notices))
        found = factor_variance(cells, list(design.levels))
        rows += [{"measure": measure, **row} for row in found]
        lead = f"{measure}: " if len(table.measures) > 1 else ""
        errors = {row["source"]: row for row in found}
        notes += [
            lead + _explained(row, errors[f"{row['source']}:topic"]) for row in found if row["f"] is not None
        ]
    notes.append("the error of each source is its interaction with topics")
    return FactorOutcome(tuple(rows), record, tuple(notices), {"notes": tuple(notes)})


def _explained(row: dict[str, Any], error: dict[str, Any]) -> str:
    differ = "significant" if row["p"] < _ALPHA else "not significant"
    p = f"= {row['p']:.4f}" if row["p"] >= 0.00005 else "< 0.0001"
    return (
        f"{row['source']} explains {100 * row['eta2']:.0f} % of the variance, {differ}: "
        f"F({row['degrees']}, {error['degrees']}) = {row['f']:.3g}, p {p}"
    )


def _scores(table: ScoreTable, design: Design, measure: str, notices: Notices) -> FloatArray:
    """Scores of the runs of the design on complete topics, in the places that the design knows."""
    places = sorted(itertools.chain.from_iterable(design.runs.values()))
    scores = complete_scores(table.of_runs(places), notices, [measure])[:, :, 0]
    values = np.full((len(table.runs), scores.shape[1]), np.nan)
    values[places] = scores
    return values


def _level_means(cells: FloatArray, axis: int) -> tuple[FloatArray, str]:
    """Means of each level on every topic over the other factors, and what is left out of them."""
    by_level = np.moveaxis(cells, axis, 0).reshape(cells.shape[axis], cells.shape[0], -1)
    complete = ~np.isnan(by_level[:, 0]).any(axis=0)
    if complete.all():
        return by_level.mean(axis=2), ""
    if complete.any():
        of = f"{int(complete.sum())} of {complete.size} combinations of the other factors"
        return by_level[:, :, complete].mean(axis=2), f"is compared on {of}, which have a run at every level"
    return np.nanmean(by_level, axis=2), (
        "is compared on means over different levels of the other factors, since no combination of them has a "
        "run at every level"
    )


def _rows(
    levels: tuple[str, ...], means: FloatArray, baseline: int | None, test: EffectTest
) -> list[dict[str, Any]]:
    found = level_effects(
        means,
        baseline,
        alpha=test.alpha,
        samples=test.samples,
        rng=generator(test.seed),
        seed=test.seed,
    )
    tested = [place for place in range(len(levels)) if place != baseline]
    # The two levels of a factor differ from its mean by the same amount: one hypothesis, not two.
    family = tested[:1] if baseline is None and len(levels) == 2 else tested
    corrected = correct(found.p[family], test.correction, test.alpha)
    return [
        {
            "level": levels[place],
            "effect": float(found.effect[place]),
            "low": float(found.low[place]),
            "high": float(found.high[place]),
            "p": float(found.p[place]),
            "adjusted": float(corrected.adjusted[min(number, len(family) - 1)]),
            "significant": bool(corrected.rejected[min(number, len(family) - 1)]),
        }
        for number, place in enumerate(tested)
    ]


def _interactions(design: Design, cells: FloatArray, test: EffectTest) -> list[str]:
    """Significant interactions of two factors, each in a sentence; one family per measure."""
    pairs, found, left = list(itertools.combinations(range(len(design.levels)), 2)), [], []
    names = list(design.levels)
    for one, two in pairs:
        both = np.moveaxis(cells, (one + 1, two + 1), (0, 1))
        both = both.reshape(*both.shape[:3], -1)
        complete = ~np.isnan(both[:, :, 0]).any(axis=(0, 1))
        if complete.any():
            means = both[..., complete].mean(axis=3)
            found.append(((one, two), interaction_test(means, test.samples, generator(test.seed))))
        else:
            left.append(f"{names[one]}:{names[two]}")
    said = [f"the interaction of {each} is not tested, since combinations have no run" for each in left]
    p = np.array([tested.p for _, tested in found])
    corrected = correct(p, test.correction, test.alpha)
    for ((one, two), tested), adjusted, significant in zip(found, *corrected[::-1], strict=True):
        if significant:
            row, column = divmod(int(np.abs(tested.beyond).argmax()), tested.beyond.shape[1])
            levels = [design.levels[names[one]][row], design.levels[names[two]][column]]
            more = float(tested.beyond[row, column])
            who = f"{names[one]} and {names[two]} interact (adjusted p {adjusted:.4f})"
            said.append(
                f"{who}: {' with '.join(levels)} is {abs(more):.4f} "
                f"{'above' if more > 0 else 'below'} what the effects of both add up to"
            )
    if found and not corrected.rejected.any():
        said.append(f"no interaction of two factors is significant ({plural(len(found), 'pair')} tested)")
    return said


def _against_in_words(design: Design, against: dict[str, int]) -> str:
    parts = [f"of {name} from {design.levels[name][place]}" for name, place in against.items()]
    if len(parts) < len(design.levels):
        parts.append(
            "of levels from the mean of their factor" if not parts else "of the others from the mean"
        )
    return f"effects {', '.join(parts)}"
