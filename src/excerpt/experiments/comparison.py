"""Comparison of runs by significance tests, effect sizes and differences per topic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.design import Factors
from excerpt.experiments.factors import EffectTest, compare_factors
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.ranking_verdict import RankingVerdict
from excerpt.experiments.study import (
    OfScores,
    complete_scores,
    generator,
    report_warnings,
    table_of,
)
from excerpt.model.spans import BoolArray, FloatArray, exact_means
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats import ALL_TESTS, FAMILIES_IN_WORDS, check_test
from excerpt.stats.intervals import (
    EFFECTS,
    Counts,
    Intervals,
    bootstrap_intervals,
    clean_differences,
    mean_differences,
    t_intervals,
    win_counts,
)
from excerpt.stats.resampling import ScoreUnits, resampled_sums
from excerpt.stats.significance import (
    FAMILIES,
    Corrected,
    check_correction,
    correct_pairs,
    p_of_sums,
    p_values,
    two_sided,
    two_sided_permutation,
)

#: Outcomes of a topic for the first of two runs, with their plurals.
OUTCOMES = {"win": "wins", "tie": "ties", "loss": "losses"}
#: Share of the questions from which on results that end before a budget make runs incomparable.
_MANY_SHORT = 0.1


@dataclass(frozen=True)
class TopicDifferences:
    """A pair of runs by one measure: its row of the comparison, and a row per topic, wins first."""

    pair: Mapping[str, Any]
    topics: tuple[dict[str, Any], ...]

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of wins, ties and losses."""
        outcomes = Counter(row["outcome"] for row in self.topics)
        return {name: outcomes[outcome] for outcome, name in OUTCOMES.items()}

    @property
    def in_words(self) -> str:
        """The counts, such as `3 wins, 1 tie, 2 losses`."""
        return ", ".join(
            f"{number} {outcome if number == 1 else name}"
            for (outcome, name), number in zip(OUTCOMES.items(), self.counts.values(), strict=True)
        )


def topic_differences(table: ScoreTable, pairs: Iterable[Mapping[str, Any]]) -> tuple[TopicDifferences, ...]:
    """Topics of each row of a comparison that every run has a score on, largest wins of the first run first.

    >>> scores = {("a", "1", "P"): 0.5, ("b", "1", "P"): 0.3, ("a", "2", "P"): 0.1, ("b", "2", "P"): 0.2}
    >>> (pair,) = topic_differences(
    ...     ScoreTable.from_scores(scores), [{"measure": "P", "run": "a", "other": "b"}]
    ... )
    >>> [(row["topic"], round(row["difference"], 4), row["outcome"]) for row in pair.topics]
    [('1', 0.2, 'win'), ('2', -0.1, 'loss')]
    """
    return tuple(TopicDifferences(pair, _rows(table, pair)) for pair in pairs)


def _rows(table: ScoreTable, pair: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    values = table.values[:, :, table.place("measure", pair["measure"])]
    scored = np.flatnonzero(~np.isnan(values).any(axis=0))
    one, two = (table.place("run", pair[name]) for name in ("run", "other"))
    # Scores that differ by noise are tied, as in `win_counts`.
    tied = clean_differences(values[:, scored], one)[two] == 0
    differences = np.where(tied, 0.0, values[one, scored] - values[two, scored])
    order = np.argsort(-differences, kind="stable")
    titles = dict.fromkeys(table.topics, "")
    titles |= {topic: question.title or question.text for topic, question in table.questions.items()}
    return tuple(
        {
            "measure": pair["measure"],
            "run": pair["run"],
            "other": pair["other"],
            "topic": table.topics[number],
            "title": titles[table.topics[number]],
            "score": float(values[one, number]),
            "other_score": float(values[two, number]),
            "difference": difference,
            "outcome": "win" if difference > 0 else "loss" if difference < 0 else "tie",
        }
        for number, difference in zip(scored[order].tolist(), differences[order].tolist(), strict=True)
    )


def budget_note(runs: Iterable[tuple[str, float | None]]) -> str:
    """Note on runs (with their shares of questions short of the budget) of which only some fill a budget.

    >>> print(budget_note([("a", 0.97), ("b", 0.0)]))
    results of a (97 % of questions) end before the budget, those of b fill it: b reads more text
    >>> budget_note([("a", 0.97), ("b", None)])
    ''
    """
    known = [(run, share) for run, share in runs if share is not None]
    short = [f"{run} ({100 * share:.0f} % of questions)" for run, share in known if share > _MANY_SHORT]
    full = [run for run, share in known if share <= _MANY_SHORT]
    if not short or not full:
        return ""
    ended, filled = short_list(short, 3), short_list(full, 3)
    reads = "reads" if len(full) == 1 else "read"
    return f"results of {ended} end before the budget, those of {filled} fill it: {filled} {reads} more text"


def compare(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    test: str = "bootstrap",
    sides: int = 2,
    correction: str | None = None,
    alpha: float = 0.05,
    samples: int = 10_000,
    plus_one: bool = False,
    seed: int = 1,
    baseline: str | Sequence[str] | None = None,
    factors: Factors | None = None,
    per_topic: bool = False,
    record: Record | None = None,
    **how: Unpack[OfScores],
) -> Outcome:
    """Compare runs: one row per measure and pair of runs, the run with the higher mean first.

    With a `baseline`, the name of a run or its file, each other run is compared with it and comes first in
    its row, better or not, and fewer tests are corrected for. With several baselines all pairs with one of
    them are tested, as one family.

    `scores` is a table of scores, or judgments with which `runs` are evaluated. Without measures the one
    that decides is compared, `ScoreTable.headline`. Topics count if all runs have a score.

    `p` is two-sided: twice the smaller probability of the two directions, of the permutation test the
    proportion of sums as far from 0. `adjusted` is corrected for all
    pairs, each once, by default by Benjamini-Yekutieli. With `sides=1`, `p` is the probability of such a
    difference if the better run is not better, and `adjusted` is corrected for both directions of every
    pair, as Ogilvie and Lalmas (2006) do. `tukey` and `anova` test all pairs together: their `p` is two-sided
    and needs no correction. `low` and `high` limit the difference with confidence 1 - alpha, for each pair by
    itself (by Student's t with the `t` test, else by bootstrap percentiles) or, with `tukey` and `anova`, for
    all pairs together. `plus_one` keeps a bootstrap's p above 0. The details have a `Comparison` per measure
    and the `verdict`.

    `effect` is Cohen's d of the paired differences, `hedges_g` the same corrected for small samples,
    `glass_delta` is in standard deviations of the other run's scores, `effect_residual` in residual standard
    deviations of an analysis of variance; None if the deviation is 0. `wins`, `ties` and `losses` count
    topics. With `per_topic` a row is a topic of a pair, with both scores and the outcome.

    Of sampled judgments `p` is the larger one of the test, whose topics scatter, and of a normal test of the
    difference by its `error_design`, so a pair differs only beyond both errors; `low` and `high` hold both.
    Rows then have `error_design`, the standard error of the difference from the sample, and `error_topics`.

    With `factors` (a table of runs and their levels, as a file or a mapping, or a pattern of their names such
    as `{chunker}-{size}`) a row is a level of a factor: its effect from the mean of the factor, or from the
    `baseline` level, its interval, and p by permutation of the levels within a topic on its means over the
    other factors. Each factor is a family of tests. The notes name significant interactions of two factors.

    >>> scores = {(f"r{run}", str(t), "P"): run * 0.1 + t / 50 for run in (1, 2) for t in range(9)}
    >>> row = compare(ScoreTable.from_scores(scores), test="sign").rows[0]
    >>> row["run"], row["other"], round(row["difference"], 4), row["p"], row["significant"]
    ('r2', 'r1', 0.1, 0.00390625, True)
    """
    check_test(test, ALL_TESTS)
    if factors is not None:
        _check_of_factors(test, sides, plus_one=plus_one, per_topic=per_topic)
    correction = _correction_for(test, correction)
    if plus_one and test != "bootstrap":
        raise ExcerptError(f"⟨plus_one⟩ needs ⟨test=bootstrap⟩, found {test}")
    if sides not in (1, 2):
        raise ExcerptError(f"found {short(str(sides))} as sides, expected 1 or 2")
    if sides == 1 and test in FAMILIES:
        raise ExcerptError(f"⟨sides=1⟩ and ⟨test={test}⟩ cannot be combined: {test} is two-sided")
    check_correction(correction, alpha)
    table = table_of(scores, runs, measures, how)
    baselines = [] if baseline is None else [baseline] if isinstance(baseline, str) else [*baseline]
    if factors is not None:
        notices = Notices()
        of_factors = compare_factors(
            table,
            factors,
            test=EffectTest(alpha, correction, samples, seed),
            baseline=",".join(baselines) if baselines else None,
            record=record or Record("compare", seed),
            notices=notices,
        )
        return replace(of_factors, warnings=(*table.warnings, *report_warnings(notices, how)))
    bases = list(dict.fromkeys(run_index(table, name) for name in baselines))
    notices, comparisons = Notices(), []
    names = table.decisive
    for measure in names:
        values = complete_scores(table, notices, [measure])
        means = exact_means(values[:, :, 0])
        order = np.argsort(-means, kind="stable")
        ordered, base_ranks = values[order, :, 0], [order.tolist().index(base) for base in bases]
        rng, told = generator(seed), how.get("progress")
        p, intervals = p_and_intervals(ordered, test, alpha, samples, rng, plus_one=plus_one, progress=told)
        # A test of ranks or signs may prefer the run with the lower mean.
        better = None if sides == 1 else (p < p.T) | np.triu(p == p.T, 1)
        if better is not None:
            p = _both_directions(p, ordered, test, samples, seed)
        sampled = PairErrors.of(table, measure, [table.runs[i] for i in order], ordered, notices)
        p, intervals = sampled.widened(p, intervals, alpha, sides) if sampled else (p, intervals)
        comparison = Comparison(
            measure=measure,
            runs=tuple(table.runs[i] for i in order),
            means=means[order],
            difference=mean_differences(ordered),
            effects={name: effect(ordered) for name, effect in EFFECTS.items()},
            counts=win_counts(ordered),
            p=p,
            intervals=intervals,
            corrected=correct_pairs(p, correction, alpha, of=base_ranks, better=better),
            baselines=tuple(table.runs[base] for base in bases),
            sampled=sampled,
            procedure={
                "test": test,
                "sides": sides,
                "correction": correction,
                "alpha": alpha,
                "topics": values.shape[1],
            },
        )
        comparisons.append(comparison)
    rows = tuple(row for comparison in comparisons for row in comparison.rows())
    warnings = (*table.warnings, *report_warnings(notices, how))
    details: dict[str, Any] = {"comparisons": tuple(comparisons), "decided": table.decided()}
    details["verdict"] = RankingVerdict.of(table, table.headline, comparisons[0])
    if table.short_of_budget:
        found = {
            name: budget_note((run, table.short.get(run, {}).get(name)) for run in table.runs)
            for name in names
        }
        details["short_of_budget"] = table.short_of_budget
        details["notes"] = tuple(f"{name}: {note}" for name, note in found.items() if note)
    if per_topic:
        details["topics"] = topic_differences(table, rows)
        rows = tuple(row for pair in details["topics"] for row in pair.topics)
    return Outcome(rows, record or Record("compare", seed), warnings, details)


@dataclass(frozen=True, eq=False)
class PairErrors:
    """Standard errors of the differences of all pairs of runs: of the sample, and over topics."""

    difference: FloatArray
    design: FloatArray
    topics: FloatArray

    @classmethod
    def of(
        cls, table: ScoreTable, measure: str, runs: list[str], scores: FloatArray, notices: Notices
    ) -> PairErrors | None:
        """Errors of the means on the topics with a score of every run; None without sampled judgments."""
        if table.sampling is None or measure not in table.sampling.left:
            return None
        values = table.values[:, :, table.place("measure", measure)]
        counted: BoolArray = np.asarray(~np.isnan(values).any(axis=0), np.bool_)
        names = [topic for topic, kept in zip(table.topics, counted.tolist(), strict=True) if kept]
        mask, size = table.sampling.kept(tuple(names)), len(runs)
        design = np.zeros((size, size))
        for i in range(size):
            for j in range(i + 1, size):
                design[i, j] = design[j, i] = table.sampling.error(measure, runs[i], mask, runs[j])
        one = "a stratum has one drawn document, so differences are tested over topics alone"
        notices.add(one, "", int(bool(np.isnan(design).any())))
        between = (scores[:, None] - scores[None]).std(axis=2, ddof=1) / math.sqrt(scores.shape[1])
        return cls(mean_differences(scores), design, between)

    def widened(
        self, p: FloatArray, intervals: Intervals, alpha: float, sides: int
    ) -> tuple[FloatArray, Intervals]:
        """The larger p of the test over topics and of the sample's normal error; the wider interval."""
        normal, error = NormalDist(), np.nan_to_num(self.design)
        z = np.divide(self.difference, error, out=np.full_like(error, np.inf), where=error > 0)
        chance = np.vectorize(normal.cdf, otypes=[np.float64])(-np.abs(z) if sides == 2 else -z)
        chance = np.where(error > 0, np.minimum(sides * chance, 1.0), 0.0)
        half = normal.inv_cdf(1 - alpha / 2) * error
        low, high = self.difference - half, self.difference + half
        wider = Intervals(np.minimum(intervals.low, low), np.maximum(intervals.high, high))
        return np.maximum(p, chance), wider

    def row(self, i: int, j: int) -> dict[str, float | None]:
        """The errors of a pair, as in rows."""
        design = float(self.design[i, j])
        known = None if math.isnan(design) else design
        return {"error_design": known, "error_topics": float(self.topics[i, j])}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of all pairs of runs by one measure, runs in order of their means."""

    measure: str
    runs: tuple[str, ...]
    means: FloatArray
    difference: FloatArray
    effects: dict[str, FloatArray]  # effect sizes by their names in rows
    counts: Counts
    p: FloatArray
    intervals: Intervals
    corrected: Corrected
    procedure: dict[str, Any]  # test, its sides, correction, alpha and the number of topics
    baselines: tuple[str, ...] = ()  # runs with which all others are compared; none if all pairs are
    sampled: PairErrors | None = None  # errors of the differences, if the judgments are a sample

    def prefers(self, run: str, other: str) -> bool:
        """Return whether the test prefers a run, significantly, to another one."""
        return bool(self.corrected.rejected[self.runs.index(run), self.runs.index(other)])

    @property
    def baseline(self) -> str | None:
        """The only baseline; None without one, or with several."""
        return self.baselines[0] if len(self.baselines) == 1 else None

    def beside_each(self) -> tuple[Comparison, ...]:
        """The same comparison with each baseline alone, after the correction for all pairs."""
        return tuple(replace(self, baselines=(baseline,)) for baseline in self.baselines)

    def rows(self) -> tuple[dict[str, Any], ...]:
        """One row per unordered pair, the better run first; with a baseline, one per other run."""
        size, bases = len(self.runs), [self.runs.index(baseline) for baseline in self.baselines]
        if bases:
            return tuple(
                self._row(i, base)
                for place, base in enumerate(bases)
                for i in range(size)
                if i not in (base, *bases[:place])
            )
        return tuple(self._row(i, j) for i in range(size) for j in range(i + 1, size))

    def _row(self, i: int, j: int) -> dict[str, Any]:
        effects = {name: float(effect[i, j]) for name, effect in self.effects.items()}
        defined = {name: None if math.isnan(effect) else effect for name, effect in effects.items()}
        better = (i, j) if i < j else (j, i)  # runs are in order of their means
        rejected, sides = self.corrected.rejected, self.procedure["sides"]
        return {
            "measure": self.measure,
            "run": self.runs[i],
            "other": self.runs[j],
            "difference": float(self.difference[i, j]),
            "effect": defined.pop("effect"),
            "low": float(self.intervals.low[i, j]),
            "high": float(self.intervals.high[i, j]),
            "p": float(self.p[better]),
            "adjusted": float(self.corrected.adjusted[better]),
            "significant": bool(rejected[better] or (sides == 2 and rejected[better[::-1]])),
            "sides": sides,
            **{name: int(count[i, j]) for name, count in self.counts._asdict().items()},
            **defined,
            **({} if self.sampled is None else self.sampled.row(i, j)),
        }

    def summary(self) -> dict[str, Any]:
        """Numbers of pairs and of significantly different pairs, in either direction, with the procedure."""
        rejected, size = self.corrected.rejected, len(self.runs)
        free = (
            size - len(self.baselines) if self.baselines else 0
        )  # runs that are not compared with each other
        pairs = (size * (size - 1) - free * (free - 1)) // 2
        significant = int(np.triu(rejected | rejected.T, 1).sum())
        tests = pairs if self.procedure["sides"] == 2 else 2 * pairs
        return {
            "runs": len(self.runs),
            "tests": tests,
            "pairs": pairs,
            "significant": significant,
            "share": significant / pairs,
            "share_ordered": int(rejected.sum()) / tests,
            **self.procedure,
        }


def run_index(table: ScoreTable, run: str) -> int:
    """Index of a run that is given by its name, or else by its file."""
    by_file = run not in table.runs and table.files.count(run) == 1
    return table.files.index(run) if by_file else table.place("run", run)


def p_and_intervals(
    scores: FloatArray,
    test: str,
    alpha: float,
    samples: int,
    rng: np.random.Generator,
    *,
    plus_one: bool,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[FloatArray, Intervals]:
    """p-values and intervals; bootstrap p-values and intervals share their resamples."""
    if test in FAMILIES:
        family, difference = FAMILIES[test](scores, alpha, samples, rng), mean_differences(scores)
        half = np.where(np.eye(len(scores), dtype=np.bool_), 0.0, family.least)  # one width for all
        p = np.where(difference > 0, family.p, 1.0)  # in the direction of the difference
        return p, Intervals(difference - half, difference + half)
    if test == "t":
        return p_values(scores, test), t_intervals(scores, 1 - alpha)
    units = ScoreUnits.of(scores)
    sums = resampled_sums(units, samples, deepcopy(rng))
    intervals = bootstrap_intervals(units, sums, 1 - alpha, progress)
    if test == "bootstrap":
        return p_of_sums(units, sums, plus_one=plus_one), intervals
    return p_values(scores, test, samples=samples, rng=rng), intervals


def _both_directions(p: FloatArray, scores: FloatArray, test: str, samples: int, seed: int) -> FloatArray:
    """Two-sided p-values from one-sided ones; a permutation test counts the same choices of signs again."""
    if test in FAMILIES:
        return np.minimum(p, p.T)
    return two_sided_permutation(scores, samples, generator(seed)) if test == "permutation" else two_sided(p)


def _correction_for(test: str, correction: str | None) -> str:
    """The given or the default correction; none for a test of all pairs together."""
    if test not in FAMILIES_IN_WORDS:
        return "by" if correction is None else correction
    if correction not in (None, "none"):
        raise ExcerptError(
            f"⟨correction={correction}⟩ and ⟨test={test}⟩ cannot be combined: {test} tests all pairs together"
        )
    return "none"


def _check_of_factors(test: str, sides: int, *, plus_one: bool, per_topic: bool) -> None:
    """Raise an error for options that a comparison of factors does not have."""
    if test not in {"bootstrap", "permutation"}:
        raise ExcerptError(f"⟨test={test}⟩ and ⟨factors⟩ cannot be combined: levels are permuted")
    others = {"sides=1": sides == 1, "plus_one": plus_one, "per_topic": per_topic}
    for name in [name for name, given in others.items() if given]:
        raise ExcerptError(f"⟨{name}⟩ and ⟨factors⟩ cannot be combined")
