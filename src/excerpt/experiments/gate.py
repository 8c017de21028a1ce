"""Gates: a test of whether a run is worse than a baseline."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, Unpack, cast

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short, short_list
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import CorpusOptions, Judged, Measures, Reading, Runs, list_runs
from excerpt.experiments.comparison import budget_note, p_and_intervals
from excerpt.experiments.study import EvaluateOptions, generator, known_topics
from excerpt.files import STDIN, Input, is_input, is_scores, read_bytes
from excerpt.measures import Measure, expand
from excerpt.model.display import Showable
from excerpt.model.judgments import Question
from excerpt.model.provenance import reconcile
from excerpt.model.saved_scores import load_scores
from excerpt.model.score_views import Estimate
from excerpt.model.scores import ScoreTable, exact_means, find_measure, is_share
from excerpt.notices import Gathering, Notices
from excerpt.stats import check_test
from excerpt.stats.intervals import check_sampling
from excerpt.stats.resampling import ENOUGH, Power, falls_below, mean_difference, power_of
from excerpt.stats.significance import check_correction

#: Larger numbers of questions are not reported as needed.
_MANY = 10**9


@dataclass(frozen=True)
class Rule:
    """Rule by which a run is worse: a drop of the mean by more than `max_drop`, and a one-sided p < alpha."""

    max_drop: float = 0.01
    alpha: float = 0.05
    test: str = "bootstrap"
    samples: int = 10_000
    seed: int = 1

    def said(self) -> str:
        """The rule in words."""
        return f"a drop of more than {self.max_drop:g}, {self.test} test, alpha {self.alpha:g}"


@dataclass(frozen=True)
class Change:
    """Change of the score of one question."""

    measure: str
    topic: str
    question: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """After less before."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """The change as an object of JSON."""
        return {**asdict(self), "difference": self.difference}


@dataclass(frozen=True)
class Verdict:
    """Verdict by one measure."""

    measure: str
    topics: int
    before: float
    after: float
    difference: Estimate
    p: float
    worse: bool
    #: None if no question changed, or all changed equally.
    power: Power | None
    #: Questions whose score fell, and those whose score rose, largest changes first.
    lost: tuple[Change, ...]
    won: tuple[Change, ...]
    #: Note on a budget that only one of the runs used up; empty if there is none.
    budget: str = ""

    @property
    def said(self) -> str:
        """The verdict in words."""
        return "worse" if self.worse else "not worse"

    def too_few(self, rule: Rule) -> bool:
        """Return whether there are too few questions to detect a drop of `max_drop`."""
        return rule.max_drop > 0 and self.power is not None and self.power.power < ENOUGH

    def note(self, rule: Rule) -> str:
        """Note on the power of a verdict that is not worse; empty if the power is sufficient."""
        if self.worse:
            return ""
        if not self.lost and not self.won:
            questions = plural(self.topics, "question")
            return f"no question changed, so the power of {questions} to detect a drop is unknown"
        if self.power is None or not self.too_few(rule):
            return ""
        few = (
            f"{plural(self.topics, 'question')} are too few to detect a drop of "
            f"{rule.max_drop:g}: they detect it {100 * self.power.power:.0f} % of the time, and a drop of "
            f"{self.power.visible:.2g} {100 * ENOUGH:.0f} % of the time"
        )
        needed = self.power.needed(self.topics, rule.max_drop)
        if needed > _MANY:
            return few
        return f"{few}; about {needed} questions would be enough"

    def to_dict(self, rule: Rule) -> dict[str, Any]:
        """The verdict as an object of JSON."""
        return {
            "measure": self.measure,
            "before": self.before,
            "after": self.after,
            "difference": self.difference.value,
            "interval": list(self.difference.limits),
            "p": self.p,
            "verdict": self.said,
            "worse": self.worse,
            "topics": self.topics,
            "power": None if self.power is None else self.power.power,
            "visible_drop": None if self.power is None else self.power.visible,
            "too_few": self.too_few(rule),
        }


def decide(before: ScoreTable, after: ScoreTable, names: tuple[str, str], rule: Rule) -> Verdict:
    """Verdict by one measure, named on both sides, from two tables of one run each."""
    measure = names[0]
    topics, old, new = _paired(_scores(before, measure), _scores(after, names[1]), measure)
    scores = np.array([old, new])
    rng = generator(rule.seed)
    p, limits = p_and_intervals(scores, rule.test, rule.alpha, rule.samples, rng, plus_one=False)
    difference = Estimate(mean_difference(old, new), float(limits.low[1, 0]), float(limits.high[1, 0]))
    chance = float(p[0, 1])  # if the baseline is not better than the run
    questions = {**before.questions, **after.questions}
    changes = [
        Change(measure, topic, questions.get(topic, Question(topic)).text, one, two)
        for topic, one, two in zip(topics, old, new, strict=True)
        if one != two
    ]
    means = exact_means(scores)
    return Verdict(
        measure,
        len(topics),
        before=float(means[0]),
        after=float(means[1]),
        difference=difference,
        p=chance,
        worse=falls_below(old, new, Fraction(repr(rule.max_drop))) and chance < rule.alpha,
        power=power_of(scores[1] - scores[0], rule.max_drop, rule.alpha, rule.samples, generator(rule.seed)),
        lost=tuple(sorted((change for change in changes if change.difference < 0), key=_size)),
        won=tuple(sorted((change for change in changes if change.difference > 0), key=_size)),
        budget=_budget_note(before, after, names),
    )


def _budget_note(before: ScoreTable, after: ScoreTable, names: tuple[str, str]) -> str:
    """Note on a budget that only one of two runs used up."""
    runs = (before.runs[0], after.runs[0])
    shares = [
        table.short.get(run, {}).get(name)
        for table, run, name in zip((before, after), runs, names, strict=True)
    ]
    return budget_note(zip(runs if runs[0] != runs[1] else ("before", "after"), shares, strict=True))


def _short_before(table: ScoreTable, run: str) -> dict[str, float]:
    """Share of the questions in which the baseline is short of a budget; `before` has the name of the run."""
    return {"before" if name == run else name: share for name, share in table.short_of_budget.items()}


def _size(change: Change) -> float:
    """Sort key: larger changes first, as displayed; equal ones stay in the order of the topics."""
    return -round(abs(change.difference), 12)


def _paired(
    before: dict[str, float], after: dict[str, float], measure: str
) -> tuple[tuple[str, ...], list[float], list[float]]:
    """Topics with a score, and both scores of each; raise an error unless both sides have the same topics."""
    for one, other, where in ((before, after, "the baseline"), (after, before, "the run")):
        only = [topic for topic in one if topic not in other]
        if only:
            raise ExcerptError(
                f"found {plural(len(only), 'topic')} with a score by {measure} only in {where} "
                f"({short_list(only, 3)}), expected the same topics on both sides"
            )
    if len(after) < 2:
        raise ExcerptError(
            f"found {plural(len(after), 'topic')} with a score by {measure}, expected at least 2"
        )
    return tuple(after), [before[topic] for topic in after], list(after.values())


def _scores(table: ScoreTable, measure: str) -> dict[str, float]:
    """Defined scores of the only run of a table, by topic."""
    scores = table.values[0, :, table.place("measure", measure)].tolist()
    return {topic: score for topic, score in zip(table.topics, scores, strict=True) if not math.isnan(score)}


@dataclass(frozen=True, eq=False)
class Gate(Showable):
    """Verdicts on a run compared with a baseline, one per measure; `worse` if any of them is."""

    baseline: str
    run: str
    rule: Rule
    verdicts: tuple[Verdict, ...]
    #: Number of questions that lost most, and that won most, to show for each measure.
    shown: int = 5
    aliases: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    #: Share of the questions in which results end before a budget, by run; `before` if both have one name.
    short_of_budget: Mapping[str, float] = field(default_factory=dict)

    @property
    def worse(self) -> bool:
        """True if the run is worse by any measure."""
        return any(verdict.worse for verdict in self.verdicts)

    @property
    def summary(self) -> str:
        """The verdict in one line, with the rule."""
        worse = [verdict.measure for verdict in self.verdicts if verdict.worse]
        result = f"worse by {short_list(worse)}" if worse else "not worse"
        than = "before" if self.run == self.baseline else short(self.baseline)
        return f"{short(self.run)} is {result} than {than} ({self.rule.said()})"

    @property
    def said(self) -> str:
        """Older name of `summary`."""
        return self.summary

    def __repr__(self) -> str:
        return f"<Gate: {'worse' if self.worse else 'not worse'} by {plural(len(self.verdicts), 'measure')}>"

    def changes(self) -> list[tuple[str, tuple[Change, ...]]]:
        """Questions that lost most and gained most by each measure, with a title."""
        tables = []
        for verdict in self.verdicts:
            for word, changes in (("lost", verdict.lost), ("gained", verdict.won)):
                if most := changes[: self.shown]:
                    of = f"{len(most)} of {len(changes)}"
                    tables.append((f"{verdict.measure}: questions that {word} most ({of})", most))
        return tables

    def notes(self) -> tuple[str, ...]:
        """Measures behind aliases, budgets that one run does not use up, measures with too few questions."""
        measures: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            for note in filter(None, (verdict.budget, verdict.note(self.rule))):
                measures.setdefault(note, []).append(verdict.measure)
        return (*self.aliases, *(f"{short_list(names, 3)}: {note}" for note, names in measures.items()))

    def to_dict(self) -> dict[str, Any]:
        """The object that `excerpt gate --format json` prints."""
        return {
            "verdict": "worse" if self.worse else "not worse",
            "worse": self.worse,
            "baseline": self.baseline,
            "run": self.run,
            **asdict(self.rule),
            "measures": [verdict.to_dict(self.rule) for verdict in self.verdicts],
            "lost": [change.to_dict() for verdict in self.verdicts for change in verdict.lost[: self.shown]],
            "won": [change.to_dict() for verdict in self.verdicts for change in verdict.won[: self.shown]],
            "notes": list(self.notes()),
            "warnings": list(self.warnings),
            **({"short_of_budget": dict(self.short_of_budget)} if self.short_of_budget else {}),
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row per measure."""
        return ("measure", "before", "after", "difference", "p", "verdict"), [
            (one.measure, one.before, one.after, one.difference, one.p, one.said) for one in self.verdicts
        ]

    def page(self, format_: str) -> str | None:
        """Renderer of rows, verdict, notes and questions, for formats that people read."""
        renderers = {"table": "text", "markdown": "markdown", "html": "notebook"}
        return f"render.summaries:{renderers[format_]}" if format_ in renderers else None


#: Arguments of `gate` that `evaluate` does not have.
_OWN = (
    *("qrels", "max_drop", "alpha", "test", "samples", "seed", "questions", "baseline_name", "run_name"),
    "changed_judgments",
)
#: One side of a gate: a table of scores, saved or not, or a run to evaluate.
Side: TypeAlias = ScoreTable | Runs


def gate(
    baseline: Side,
    run: Side,
    measures: Measures | None = None,
    *,
    qrels: Judged | None = None,
    max_drop: float = 0.01,
    alpha: float = 0.05,
    test: str = "bootstrap",
    samples: int = 10_000,
    seed: int = 1,
    questions: int = 5,
    baseline_name: str | None = None,
    run_name: str | None = None,
    changed_judgments: str = "error",
    **how: Unpack[EvaluateOptions],
) -> Gate:
    """Test whether a run is worse than a baseline; each is a table of scores, a saved one, or a run.

    A run is worse by a measure if and only if the mean of after - before is below -max_drop (strictly, by
    exact sums) and the one-sided paired test of "the mean difference is at least 0" gives p < alpha. There is
    no correction for several measures: a run that is worse by any is worse. Both sides must have scores on
    the same topics. Runs need judgments (`qrels`). The default of `measures` is those of the tables. If there
    are several runs, `baseline_name` and `run_name` choose one; the default is the run that both sides have.
    Differences have intervals of confidence 1 - alpha. Both sides must be made with the same judgments,
    policy, limit and white-space rule; `changed_judgments="allow"` compares the topics whose judgments did
    not change.

    >>> before = ScoreTable.from_scores({("main", str(topic), "charR"): 0.5 for topic in range(50)})
    >>> after = ScoreTable.from_scores({("new", str(topic), "charR"): 0.45 for topic in range(50)})
    >>> print(gate(before, after).summary)
    new is worse by charR than main (a drop of more than 0.01, bootstrap test, alpha 0.05)
    """
    rule = _checked(Rule(max_drop, alpha, test, samples, seed), questions)
    for name in how:
        if name not in EvaluateOptions.__annotations__:
            raise UnknownName("keyword argument", name, {*EvaluateOptions.__annotations__, *_OWN})
    asked = None if measures is None else _gated_measures(measures)
    with Gathering(how.pop("notices", None)) as notices:
        one, two = _tables([baseline, run], asked, qrels, how, notices)
        before, after = _chosen(one, two, baseline_name, run_name, notices)
        names = _common_measures(before, after, asked, notices)
        notes = dict.fromkeys((*before.notes(), *after.notes()))
        before, after = reconcile(
            [before.select(name for name, _ in names), after.select(name for _, name in names)],
            changed_judgments,
            notices,
        )
    return Gate(
        before.runs[0],
        after.runs[0],
        rule,
        tuple(decide(before, after, name, rule) for name in names),
        questions,
        tuple(notes),
        tuple(dict.fromkeys((*before.warnings, *after.warnings, *notices))),
        {**_short_before(before, after.runs[0]), **after.short_of_budget},
    )


def assert_not_worse(baseline: Side, table: Side, measures: Measures | None = None, **options: Any) -> Gate:
    """Raise an AssertionError with the measures and questions if a run is worse by `gate`; for tests.

    >>> table = ScoreTable.from_scores({("main", str(topic), "charR"): 0.5 for topic in range(50)})
    >>> assert_not_worse(table, table, max_drop=0.02)
    <Gate: not worse by 1 measure>
    """
    result = gate(baseline, table, measures, **options)
    if result.worse:
        raise AssertionError(f"{result.summary}\n\n{result}")
    return result


def _gated_measures(measures: Measures) -> list[str]:
    """Names of measures, with sets expanded; raise an error for a named measure that is no proportion."""
    names = []
    for name in map(str, [measures] if isinstance(measures, Measure | str) else measures):
        expanded = expand([name])
        if expanded == [name] and not is_share(name):
            raise ExcerptError(
                f"{name} cannot be gated: it is not a score from 0 to 1",
                hint="give a measure from 0 to 1, such as recall@5",
            )
        names += expanded
    if not names:
        raise ExcerptError("no measure given", hint="⟨command=measures⟩ lists the measures")
    return list(dict.fromkeys(names))


def _checked(rule: Rule, questions: int) -> Rule:
    """The rule with plain numbers; raise an error, before any work is done, for invalid values."""
    drop = rule.max_drop
    if isinstance(drop, bool) or not isinstance(drop, int | float) or not 0 <= drop < float("inf"):
        raise ExcerptError(f"found {drop!r} as max_drop, expected a number of at least 0")
    if isinstance(rule.alpha, bool) or not isinstance(rule.alpha, int | float):
        raise ExcerptError(f"found {rule.alpha!r} as alpha, expected a number between 0 and 1")
    check_correction("none", rule.alpha)
    check_test(rule.test)
    check_sampling(0.5, rule.samples, rule.seed)
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 0:
        raise ExcerptError(f"found {questions!r} as questions, expected a whole number of at least 0")
    drop, alpha = float(drop), float(rule.alpha)  # instead of numpy's types
    return replace(rule, max_drop=drop, alpha=alpha, samples=int(rule.samples), seed=int(rule.seed))


def _tables(
    given: Sequence[Side],
    asked: list[str] | None,
    qrels: Judged | None,
    how: EvaluateOptions,
    notices: Notices,
) -> list[ScoreTable]:
    """Tables of both sides; runs are evaluated together."""
    sides = [load_scores(cast("Input", side)) if _is_saved(side) else side for side in given]
    tables = [side for side in sides if isinstance(side, ScoreTable)]
    runs = [list_runs(side) for side in sides if not isinstance(side, ScoreTable)]
    if not runs:
        options = EvaluateOptions(**{**how, "notices": notices})
        return [known_topics(_with_questions(table, qrels, how, notices), options) for table in tables]
    if qrels is None:
        raise ExcerptError("scoring a run needs judgments", hint="give ⟨qrels⟩")
    if asked is None and not tables:
        raise ExcerptError("no measure given", hint="⟨command=measures⟩ lists the measures")
    names = tables[0].measures if asked is None else asked
    proportions = [name for name in names if is_share(name)]
    how["notices"] = notices
    table = evaluate(qrels, [run for side in runs for run in side], proportions, **how)
    if tables:
        return [known_topics(side, how) if isinstance(side, ScoreTable) else table for side in sides]
    return [_select_runs(table, table.runs[: len(runs[0])]), _select_runs(table, table.runs[len(runs[0]) :])]


def _is_saved(side: Side) -> bool:
    if not is_input(side):
        return False
    if isinstance(side, str | os.PathLike) and os.fspath(side) != STDIN and not Path(side).exists():
        read_bytes(side)  # raises the error for a missing file first
    return is_scores(side)


def _with_questions(
    table: ScoreTable, qrels: Judged | None, how: EvaluateOptions, notices: Notices
) -> ScoreTable:
    """Add the questions of the judgments to a table without questions."""
    if qrels is None or table.questions:
        return table
    options = {name: how[name] for name in how if name in CorpusOptions.__annotations__}  # type: ignore[literal-required]
    judgments = Reading.of(**cast("CorpusOptions", options)).judgments(qrels, notices)
    return replace(table, questions=judgments.questions)


def _chosen(
    before: ScoreTable, after: ScoreTable, baseline: str | None, run: str | None, notices: Notices
) -> tuple[ScoreTable, ScoreTable]:
    """Tables reduced to the compared runs; warn about other runs unless a run was chosen by name."""
    common = [name for name in before.runs if name in after.runs]
    first = _pick(before, baseline, [run] if run in before.runs else common, "baseline_name")
    second = _pick(after, run, [first] if first in after.runs else common, "run_name")
    for asked, table, taken in ((baseline, before, first), (run, after, second)):
        if asked is None and len(table.runs) > 1:
            others = short_list([name for name in table.runs if name != taken], 3)
            notices.add(f"only {taken} is compared out of {plural(len(table.runs), 'run')}, not {others}")
    return _select_runs(before, [first]), _select_runs(after, [second])


def _pick(table: ScoreTable, asked: str | None, likely: Sequence[str | None], setting: str) -> str:
    if asked is not None:
        return table.runs[table.place("run", asked)]
    if len(table.runs) == 1:
        return table.runs[0]
    if len(likely) == 1 and likely[0] is not None:
        return likely[0]
    raise ExcerptError(
        f"found {plural(len(table.runs), 'run')} ({short_list(table.runs, 3)}), expected one",
        hint=f"choose one with ⟨{setting}=NAME⟩",
    )


def _select_runs(table: ScoreTable, runs: Sequence[str]) -> ScoreTable:
    """Table with only these runs."""
    rows = [table.place("run", run) for run in runs]
    files = tuple(table.files[row] for row in rows)
    return replace(table, runs=tuple(runs), files=files, values=table.values[rows])


def _common_measures(
    before: ScoreTable, after: ScoreTable, asked: Iterable[str] | None, notices: Notices
) -> list[tuple[str, str]]:
    """Measures that both sides have, each by its names on both sides."""
    common = {}
    for name in before.measures if asked is None else asked:
        if not is_share(before.aliases.get(name, name)):
            notices.add(f"{name} is left out: it is not a score from 0 to 1")
            continue
        own = before.measures[before.place("measure", name)]
        other = find_measure(own, after.measures, after.aliases, before.aliases)
        if other is not None:
            common[own] = other
        elif asked is not None:
            raise UnknownName("measure of the run", name, after.measures)
    if not common:
        raise ExcerptError(
            f"found {short_list(before.measures, 3)} before and {short_list(after.measures, 3)} after, "
            "expected a common measure with scores from 0 to 1"
        )
    return list(common.items())
