"""Gates: a test of whether a run is worse than a baseline."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, Unpack, cast

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, in_python, plural, short, short_list, spell
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import CorpusOptions, Judged, Measures, Reading, Runs, list_runs
from excerpt.experiments.comparison import budget_note, p_and_intervals
from excerpt.experiments.drops import ENOUGH, Power, falls_below, mean_difference, power_of, ratio
from excerpt.experiments.study import EvaluateOptions, generator, known_topics
from excerpt.files import STDIN, Input, display_name, is_input, read_bytes
from excerpt.measures import Measure, expand
from excerpt.model.display import Showable
from excerpt.model.judgments import Question
from excerpt.model.spans import FloatArray
from excerpt.model.texts import fold
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices
from excerpt.score_files.saved_scores import load_scores
from excerpt.score_files.score_rows import is_scores
from excerpt.scores.provenance import TopicChanges, reconcile
from excerpt.scores.score_table import ScoreTable, find_measure, is_share
from excerpt.scores.score_views import Estimate
from excerpt.stats import TEST_NAMES, check_test
from excerpt.stats.intervals import check_drawing

_FAR = 3  # times the allowed drop: if only larger drops can be seen, the gate cannot tell
#: A larger allowed drop is no guard.
_LARGE_DROP = 0.5
PASSED, FAILED, UNSURE = "passed", "failed", "cannot tell"
#: What counts if the gate cannot tell.
_IF_UNSURE = {"pass": PASSED, "fail": FAILED}
NO_TEST = "none"  # name of a gate that compares means without a significance test
#: Minimums of means: `{"recall@5": 0.8}`, or texts such as `recall@5=0.8`.
Floors: TypeAlias = Mapping[str, float] | str | Iterable[str]
#: One side of a gate: a table of scores, saved or not, or a run to evaluate.
Side: TypeAlias = ScoreTable | Runs


@dataclass(frozen=True)
class GateRule:
    """Rule by which a run is worse: a drop of the mean above `max_drop`, and p < alpha if there is a test."""

    max_drop: float = 0.01
    alpha: float = 0.05
    test: str = "bootstrap"
    samples: int = 10_000
    seed: int = 1
    tie: float = 0.01  # smallest change of a question that counts as a loss or a gain; smaller ones are ties
    max_missing: float = (
        0.0  # largest share of topics that a run lacks, or whose judgments are gone or changed
    )
    if_unsure: str | None = None  # what counts if the gate cannot tell: pass, fail, or its own answer (None)

    def said(self) -> str:
        """The rule in words."""
        test = "no test" if self.test == NO_TEST else f"one-sided {self.test} test, alpha {self.alpha:g}"
        return f"a drop of more than {self.max_drop:g}, {test}"


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
    p: float | None  # None without a test
    worse: bool
    power: Power | None  # None without a test, or if no question changed, or all changed equally
    #: Questions whose score fell, and those whose score rose, by at least `tie`; largest changes first.
    lost: tuple[Change, ...]
    won: tuple[Change, ...]
    budget: str = ""  # note on a budget that only one of the runs used up; empty if there is none
    fell: tuple[Change, ...] = ()  # questions that must not fall and did, by however little

    @property
    def said(self) -> str:
        """The verdict in words."""
        return "worse" if self.worse else "not worse"

    def too_few(self, rule: GateRule) -> bool:
        """Return whether there are too few questions to detect a drop of `max_drop`."""
        return rule.max_drop > 0 and self.power is not None and self.power.power < ENOUGH

    def note(self, rule: GateRule) -> str:
        """Note on the power of a verdict that is not worse; empty if the power is sufficient."""
        if self.worse or self.p is None:
            return ""
        if self.power is None and not self.difference.value:
            questions = plural(self.topics, "question")
            return f"no question changed, so the power of {questions} to detect a drop is unknown"
        if self.power is None or not self.too_few(rule):
            return ""
        return (
            f"{plural(self.topics, 'question')} are too few to detect a drop of {rule.max_drop:g}; with "
            f"these differences it sees drops from {self.power.visible:.2g} on; "
            "add ⟨min⟩ or ⟨must⟩ (docs/gate.md)"
        )

    def blind(self, rule: GateRule) -> str:
        """Why a drop of `max_drop` could by far not be seen; empty if it could, or if the run is worse."""
        if self.worse or not self.too_few(rule) or self.power is None:
            return ""
        if ratio(self.power.visible) <= _FAR * ratio(rule.max_drop):
            return ""
        return (
            f"{self.measure}: {plural(self.topics, 'question')} show drops from {self.power.visible:.2g} on, "
            f"more than three times the drop of {rule.max_drop:g} that ⟨max_drop⟩ allows"
        )

    def to_dict(self, rule: GateRule) -> dict[str, Any]:
        """The verdict as an object of JSON."""
        return {
            "measure": self.measure,
            "before": self.before,
            "after": self.after,
            "difference": self.difference.value,
            "interval": None if self.p is None else list(self.difference.limits),
            "p": self.p,
            "verdict": self.said,
            "worse": self.worse,
            "topics": self.topics,
            "losses": len(self.lost),
            "wins": len(self.won),
            "power": None if self.power is None else self.power.power,
            "visible_drop": None if self.power is None else self.power.visible,
            "too_few": self.too_few(rule),
        }


@dataclass(frozen=True)
class Floor:
    """Minimum of the mean of a run by one measure, and whether the mean is below it."""

    measure: str
    least: float
    after: float
    below: bool


def decide(
    before: ScoreTable, after: ScoreTable, names: tuple[str, str], rule: GateRule, must: Sequence[str] = ()
) -> Verdict:
    """Verdict by one measure, named on both sides, from two tables of one run each."""
    measure, tested = names[0], rule.test != NO_TEST
    topics, old, new = _paired(_scores(before, measure), _scores(after, names[1]), measure, 1 + tested)
    scores = np.array([old, new])
    difference = Estimate(mean_difference(old, new), math.nan, math.nan)
    chance, power = None, None
    if tested:
        rng, again = generator(rule.seed), generator(rule.seed)
        p, limits = p_and_intervals(scores, rule.test, rule.alpha, rule.samples, rng, plus_one=False)
        difference = replace(difference, low=float(limits.low[1, 0]), high=float(limits.high[1, 0]))
        chance = float(p[0, 1])  # if the baseline is not better than the run
        power = power_of(scores[1] - scores[0], rule.max_drop, rule.alpha, rule.samples, again)
    questions = {**before.questions, **after.questions}
    changes = [
        Change(measure, topic, questions.get(topic, Question(topic)).text, one, two)
        for topic, one, two in zip(topics, old, new, strict=True)
        if one != two
    ]
    tie = Fraction(repr(rule.tie))
    counted = [change for change in changes if abs(ratio(change.after) - ratio(change.before)) >= tie]
    counted.sort(key=lambda one: -round(abs(one.difference), 12))  # equal as displayed: in their order
    drops = falls_below(old, new, Fraction(repr(rule.max_drop)))
    return Verdict(
        measure,
        len(topics),
        *(before.mean(before.runs[0], measure), after.mean(after.runs[0], names[1]), difference, chance),
        worse=drops and (chance is None or chance < rule.alpha),
        power=power,
        lost=tuple(change for change in counted if change.difference < 0),
        won=tuple(change for change in counted if change.difference > 0),
        budget=_budget_note(before, after, names),
        fell=tuple(change for change in changes if change.difference < 0 and change.topic in must),
    )


def _budget_note(before: ScoreTable, after: ScoreTable, names: tuple[str, str]) -> str:
    """Note on a budget that only one of two runs used up."""
    runs = (before.runs[0], after.runs[0])
    both = zip((before, after), runs, names, strict=True)
    shares = [table.short.get(run, {}).get(name) for table, run, name in both]
    return budget_note(zip(runs if runs[0] != runs[1] else ("before", "after"), shares, strict=True))


def _paired(
    before: dict[str, float], after: dict[str, float], measure: str, least: int
) -> tuple[tuple[str, ...], list[float], list[float]]:
    """Topics with a score, and both scores of each; raise an error unless both sides have the same topics."""
    for one, other, where in ((before, after, "the baseline"), (after, before, "the run")):
        only = [topic for topic in one if topic not in other]
        if only:
            raise ExcerptError(
                f"found {plural(len(only), 'topic')} with a score by {measure} only in {where} "
                f"({short_list(only, 3)}), expected the same topics on both sides"
            )
    if len(after) < least:
        raise ExcerptError(
            f"found {plural(len(after), 'topic')} with a score by {measure}, expected at least {least}"
        )
    return tuple(after), [before[topic] for topic in after], list(after.values())


def _scores(table: ScoreTable, measure: str) -> dict[str, float]:
    """Defined scores of the only run of a table, by topic."""
    scores = table.values[0, :, table.place("measure", measure)].tolist()
    return {topic: score for topic, score in zip(table.topics, scores, strict=True) if not math.isnan(score)}


@dataclass(frozen=True, eq=False)
class Gate(Showable):
    """Verdicts on a run compared with a baseline, one per measure, and minimums; `worse` if any fails."""

    baseline: str
    run: str
    rule: GateRule
    verdicts: tuple[Verdict, ...]
    shown: int = 5  # number of questions that lost most, and that won most, to show for each measure
    aliases: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    #: Share of the questions in which results end before a budget, by run; `before` if both have one name.
    short_of_budget: Mapping[str, float] = field(default_factory=dict)
    floors: tuple[Floor, ...] = ()
    must: tuple[str, ...] = ()  # questions that must not fall
    doubts: tuple[str, ...] = ()  # reasons why a run that is not worse has not passed
    #: Questions that are compared, and those that are not since their judgments are new, gone or changed.
    topics: TopicChanges = TopicChanges()
    #: Texts of questions by topic, for notes.
    questions: Mapping[str, Question] = field(default_factory=dict)
    #: Settings of a project file and of variables that decide the scores, by name, each with its source.
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: How settings are written that texts name: as arguments in Python, or as options.
    write: Callable[[str, str], str] = in_python

    @property
    def worse(self) -> bool:
        """True if the gate fails: worse by a measure, below a minimum, or a fall where none is allowed."""
        return any(one.below for one in self.floors) or any(one.worse or one.fell for one in self.verdicts)

    @property
    def verdict(self) -> str:
        """One of `passed`, `failed`, `cannot tell`; what has failed has failed, whatever else is the case."""
        if self.worse:
            return FAILED
        return _IF_UNSURE.get(self.rule.if_unsure or "", UNSURE) if self.doubts else PASSED

    @property
    def status(self) -> int:
        """Exit status: 0 passed, 1 failed, 2 cannot tell."""
        return (PASSED, FAILED, UNSURE).index(self.verdict)

    @property
    def failures(self) -> tuple[str, ...]:
        """What has failed."""
        worse = [verdict.measure for verdict in self.verdicts if verdict.worse]
        said = [f"{short(self.run)} is worse by {short_list(worse)} than {self._than}"] if worse else []
        said += [f"{one.measure} is below its minimum of {one.least:g}" for one in self.floors if one.below]
        if fell := dict.fromkeys(change.topic for verdict in self.verdicts for change in verdict.fell):
            of = plural(len(self.must), "protected question")
            said.append(f"{len(fell)} of {of} fell ({short_list(fell, 3)})")
        return tuple(said)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons for the verdict: what has failed, then what the gate cannot tell."""
        return (*self.failures, *(spell(doubt, self.write) for doubt in self.doubts))

    @property
    def _than(self) -> str:
        return "before" if self.run == self.baseline else short(self.baseline)

    @property
    def summary(self) -> str:
        """The verdict in one line, with the rule."""
        worse = [verdict.measure for verdict in self.verdicts if verdict.worse]
        result = f"worse by {short_list(worse)}" if worse else "not worse"
        said = [f"{short(self.run)} is {result} than {self._than} ({self.rule.said()})"]
        said += self.failures[bool(worse) :]
        if self.doubts and not self.worse:
            decided = f" (⟨if_unsure={self.rule.if_unsure}⟩ decides)" if self.rule.if_unsure else ""
            said += [f"{doubt}{decided}" for doubt in self.doubts]
        return spell("; ".join(said), self.write)

    said = summary  # its older name

    def __repr__(self) -> str:
        return f"<Gate: {self.verdict} by {plural(len(self.verdicts), 'measure')}>"

    def changes(self) -> list[tuple[str, tuple[Change, ...]]]:
        """Questions that fell and must not, lost most and gained most by each measure, with a title."""
        tables = []
        tie = self.rule.tie
        for verdict in self.verdicts:
            if verdict.fell:
                of = f"{len(verdict.fell)} of {len(self.must)}"
                tables.append((f"{verdict.measure}: protected questions that fell ({of})", verdict.fell))
            for word, changes in (("lost", verdict.lost), ("gained", verdict.won)):
                if most := changes[: self.shown]:
                    of = f"{len(most)} of {len(changes)}" + (f" that {word} at least {tie:g}" if tie else "")
                    tables.append((f"{verdict.measure}: questions that {word} most ({of})", most))
        return tables

    def notes(self) -> tuple[str, ...]:
        """Measures behind aliases, budgets that one run does not use up, measures with too few questions."""
        measures: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            for note in filter(None, (verdict.budget, verdict.note(self.rule))):
                measures.setdefault(note, []).append(verdict.measure)
        doubts = (warning for warning in self.warnings if _DOUBT in warning)
        said = (f"{short_list(names, 3)}: {note}" for note, names in measures.items())
        notes = (*self.aliases, *_not_compared(self.topics, self.questions), *doubts, *said)
        if self.settings:
            settings = (f"{name} {each['value']} ({each['from']})" for name, each in self.settings.items())
            notes += (f"settings: {', '.join(settings)}",)
        return tuple(spell(note, self.write) for note in notes)

    def to_dict(self) -> dict[str, Any]:
        """The object that `excerpt gate --format json` prints."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "status": self.status,
            "worse": self.worse,
            "baseline": self.baseline,
            "run": self.run,
            **asdict(self.rule),
            "sides": 1,
            "measures": [verdict.to_dict(self.rule) for verdict in self.verdicts],
            "floors": [asdict(floor) for floor in self.floors],
            "must": list(self.must),
            "topics": {
                "compared": len(self.topics.same),
                **{name: list(getattr(self.topics, name)) for name in ("new", "gone", "changed")},
            },
            "settings": {name: dict(each) for name, each in self.settings.items()},
            "fell": [change.to_dict() for verdict in self.verdicts for change in verdict.fell],
            "lost": [change.to_dict() for verdict in self.verdicts for change in verdict.lost[: self.shown]],
            "won": [change.to_dict() for verdict in self.verdicts for change in verdict.won[: self.shown]],
            "notes": list(self.notes()),
            "warnings": list(self.warnings),
            **({"short_of_budget": dict(self.short_of_budget)} if self.short_of_budget else {}),
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row per measure; a column of minimums if there are any."""
        floors = {floor.measure: floor for floor in self.floors}
        verdicts = {one.measure: one for one in self.verdicts}
        rows: list[tuple[Any, ...]] = []
        for name in {**verdicts, **floors}:
            one, floor = verdicts.get(name), floors.get(name)
            said = [*([one.said] if one else []), *(["below the minimum"] if floor and floor.below else [])]
            scores = (one.before, one.after) if one else (None, floor and floor.after)
            difference = one and (one.difference.value if one.p is None else one.difference)
            least = [floor and floor.least] if floors else []
            rows.append((name, *scores, *least, difference, one and one.p, ", ".join(said) or "passed"))
        columns = ("measure", "before", "after", *["minimum"] * bool(floors), "difference", "p", "verdict")
        return columns, rows


#: Words of a warning that doubts the texts to which offsets belong.
_DOUBT = "offsets do not fit this text"
#: Questions that are named.
_NAMED = 10


def _not_compared(topics: TopicChanges, questions: Mapping[str, Question]) -> Iterator[str]:
    """Say which questions are not compared."""
    kinds = ((topics.new, "new {}, not compared"), (topics.gone, "{} gone"), (topics.changed, "{} changed"))
    for names, said in kinds:
        if names:
            noun = "question" if len(names) == 1 else "questions"
            yield f"{len(names)} {said.format(noun)}: {_named(names, questions)}"


def _named(names: Sequence[str], questions: Mapping[str, Question]) -> str:
    """Name questions by their ids and texts."""
    texts = {name: questions[name].text if name in questions else "" for name in names}
    return short_list(
        [f"{short(name)} ({short(text)})" if (text := texts[name]) else short(name) for name in names], _NAMED
    )


def _topics_of(before: ScoreTable, after: ScoreTable) -> TopicChanges | None:
    """Compare the judgments of two tables; None if one of them does not know its own."""
    one, other = before.made_with, after.made_with
    if not one or not other:
        return None
    return TopicChanges.of(one, other)


def _with_ids_of(before: ScoreTable, after: ScoreTable) -> ScoreTable:
    """Return the earlier table with the later ids of its questions, if these were numbered anew."""
    asked = [
        {name: fold(table.questions[name].text) if name in table.questions else "" for name in table.topics}
        for table in (before, after)
    ]
    numbered = all(
        list(table.topics) == [str(n + 1) for n in range(len(table.topics))] for table in (before, after)
    )
    unknown = any(not text for texts in asked for text in texts.values())
    if unknown or not numbered or all(asked[1].get(name, text) == text for name, text in asked[0].items()):
        return before
    counts = [Counter(texts.values()) for texts in asked]
    now = {text: name for name, text in asked[1].items() if text and counts[1][text] == 1}
    ids = {name: now[text] for name, text in asked[0].items() if text in now and counts[0][text] == 1}
    ids = {name: ids.get(name, f"{name} (before)") for name in before.topics}
    record = before.made_with or {}
    topics = {ids[name]: said for name, said in record.get("topics", {}).items()}
    questions = {ids.get(name, name): one for name, one in before.questions.items()}
    return replace(
        before,
        topics=tuple(ids.values()),
        questions=questions,
        single_documents={ids.get(name, name): one for name, one in before.single_documents.items()},
        origin={**record, "topics": topics} if record else before.origin,
    )


def _judged_otherwise(
    topics: TopicChanges, count: int, questions: Mapping[str, Question], rule: GateRule
) -> Iterator[str]:
    """Yield doubts about questions whose judgments are gone or changed; each share counts by itself."""
    for names, said in ((topics.gone, "gone"), (topics.changed, "changed")):
        if Fraction(len(names), max(count, 1)) > ratio(rule.max_missing):
            yield (
                f"the judgments of {len(names)} of {plural(count, 'question')} are {said} since the baseline "
                f"was saved ({_named(names, questions)})"
            )


def _of_same_topics(
    before: ScoreTable, after: ScoreTable, topics: TopicChanges
) -> tuple[ScoreTable, ScoreTable]:
    """Return both tables with the topics that are judged alike."""
    if len(topics.same) == len(before.topics) == len(after.topics):
        return before, after
    same = set(topics.same)
    if not same:
        raise ExcerptError("no topic has the same judgments on both sides", hint="save the baseline again")
    one, two = (
        table.of_topics([place for place, name in enumerate(table.topics) if name in same])
        for table in (before, after)
    )
    return one, two


def gate(
    baseline: Side,
    run: Side,
    measures: Measures | None = None,
    *,
    qrels: Judged | None = None,
    max_drop: float | None = None,
    alpha: float = 0.05,
    test: str = "bootstrap",
    samples: int = 10_000,
    seed: int = 1,
    questions: int = 5,
    baseline_name: str | None = None,
    run_name: str | None = None,
    changed_judgments: str = "error",
    tie: float = 0.01,
    min: Floors = (),  # noqa: A002 - as the option
    must: TopicIds | os.PathLike[str] = None,
    max_missing: float = 0.0,
    if_unsure: str | None = None,
    **how: Unpack[EvaluateOptions],
) -> Gate:
    """Test whether a run is worse than a baseline; each is a table of scores, a saved one, or a run.

    A run is worse by a measure if and only if the mean of after - before is below -max_drop (strictly, by
    exact sums) and the one-sided paired test of "the mean difference is at least 0" gives p < alpha. There is
    no correction for several measures: a run that is worse by any is worse. Both sides must have scores on
    the same topics. Runs need judgments (`qrels`). The default of `measures` is those of the tables. If there
    are several runs, `baseline_name` and `run_name` choose one; the default is the run that both sides have.
    Differences have intervals of confidence 1 - alpha. Both sides must be made with the same judgments,
    policy, limit and white-space rule. Judgments are the same if they say the same: words of passages that
    moved in their document are. Only questions that both sides judge alike are compared; more than
    `max_missing` (a share of the baseline's questions, each by itself) that are gone or changed, or that a
    run lacks, leave the gate in doubt: its `verdict` is then `cannot tell` instead of `passed`, unless
    `if_unsure` is `pass` or `fail`. `changed_judgments="allow"` leaves changed ones out.

    With `test="none"` a drop of more than `max_drop` is enough. The gate also fails if the mean of the run is
    below a minimum (`min={"recall@5": 0.8}`, compared exactly, over the compared questions), or if the score
    of a question of `must` (ids or texts, or a file with one per line) falls at all by any of the measures.
    Losses and gains of questions are those of at least `tie`.

    >>> before = ScoreTable.from_scores({("main", str(topic), "charR"): 0.5 for topic in range(50)})
    >>> after = ScoreTable.from_scores({("new", str(topic), "charR"): 0.45 for topic in range(50)})
    >>> print(gate(before, after).summary)
    new is worse by charR than main (a drop of more than 0.01, one-sided bootstrap test, alpha 0.05)
    """
    drop = 0.01 if max_drop is None else max_drop
    rule = _checked(GateRule(drop, alpha, test, samples, seed, tie, max_missing, if_unsure), questions)
    floors = _floors(min)
    known = {*EvaluateOptions.__annotations__, *(gate.__kwdefaults__ or ())}
    for name in how.keys() - known:
        raise UnknownName("keyword argument", name, known)
    asked = None if measures is None else _gated_measures(measures)
    with Gathering(how.pop("notices", None)) as notices:
        one, two = _tables([baseline, run], asked, floors, qrels, how, notices)
        before, after = _chosen((one, two), (baseline, run), (baseline_name, run_name), notices)
        if rule.max_drop > _LARGE_DROP:
            notices.add(f"a drop of {rule.max_drop:g} is allowed, which is more than half of all scores")
        names = _common_measures(before, after, baseline, asked, notices)
        notes = dict.fromkeys((*before.notes(), *after.notes()))
        all_questions = {**before.questions, **after.questions}
        protected, doubts = _protected(must, after), list[str]()
        before = _with_ids_of(before, after)
        all_topics = _topics_of(before, after)
        if changed_judgments == "error" and all_topics is not None:
            doubts += _judged_otherwise(all_topics, len(before.topics), all_questions, rule)
            before, after = _of_same_topics(before, after, all_topics)
        floored = after
        before, after = reconcile(
            [before.select(name for name, _ in names), after.select(name for _, name in names)],
            changed_judgments,
            notices,
        )
        floored = floored.of_topics([floored.topics.index(name) for name in after.topics])
        held = tuple(_held(floored, name, least, names) for name, least in floors.items())
    protected = tuple(name for name in protected if name in after.topics)
    topics = all_topics or TopicChanges(same=after.topics)
    verdicts = tuple(decide(before, after, name, rule, protected) for name in names)
    doubts += [*_missing(before, rule), *_missing(after, rule)]
    if max_drop is not None and rule.test != NO_TEST and not floors and must is None:
        doubts += filter(None, (verdict.blind(rule) for verdict in verdicts))
    return Gate(
        before.runs[0],
        after.runs[0],
        rule,
        verdicts,
        questions,
        tuple(notes),
        tuple(dict.fromkeys((*before.warnings, *after.warnings, *notices))),
        {"before" if name == after.runs[0] else name: share for name, share in before.short_of_budget.items()}
        | after.short_of_budget,
        held,
        protected,
        tuple(dict.fromkeys(doubts)),
        replace(topics, same=_scored(after, topics.same)),
        {**before.questions, **after.questions, **all_questions},
    )


def _scored(table: ScoreTable, topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics that have a score."""
    scores = np.moveaxis(table.values, 1, 0)
    kept = {name for name, some in zip(table.topics, scores, strict=True) if not np.isnan(some).all()}
    return tuple(name for name in topics if name in kept)


def _missing(table: ScoreTable, rule: GateRule) -> list[str]:
    """Doubt about a run that lacks more topics with relevant text than `max_missing` allows."""
    run = table.runs[0]
    missing = [topic for topic in table.missing.get(run, ()) if topic in set(table.topics)]
    asked = [topic for topic, scores in zip(table.topics, table.values[0], strict=True) if _counts(scores)]
    of = len({*asked, *missing})
    return _too_many(len(missing), of, f"with relevant text are missing in {short(run)}", missing, rule)


def _counts(scores: FloatArray) -> bool:
    return not bool(np.isnan(scores).all())


def _too_many(count: int, of: int, what: str, names: Sequence[str], rule: GateRule) -> list[str]:
    if Fraction(count, max(of, 1)) <= ratio(rule.max_missing):
        return []
    return [f"{count} of {plural(of, 'question')} {what} ({short_list(names, 3)})"]


def assert_not_worse(baseline: Side, table: Side, measures: Measures | None = None, **options: Any) -> Gate:
    """Raise an AssertionError with reasons and questions if a run fails by `gate`, or it cannot tell.

    >>> table = ScoreTable.from_scores({("main", str(topic), "charR"): 0.5 for topic in range(50)})
    >>> assert_not_worse(table, table, max_drop=0.02)
    <Gate: passed by 1 measure>
    """
    result = gate(baseline, table, measures, **options)
    if result.verdict != PASSED:
        said = f"{UNSURE}: " if result.verdict == UNSURE else ""
        raise AssertionError(f"{said}{result.summary}\n\n{result}")
    return result


def _gated_measures(measures: Measures) -> list[str]:
    """Names of measures and of sets; raise an error for a named measure that is no proportion."""
    names = list(map(str, [measures] if isinstance(measures, Measure | str) else measures))
    for name in names:
        if expand([name]) == [name] and not is_share(name):
            raise ExcerptError(
                f"{name} cannot be gated: it is not a score from 0 to 1",
                hint="give a measure from 0 to 1, such as recall@5",
            )
    if not names:
        raise ExcerptError("no measure given", hint="⟨command=measures⟩ lists the measures")
    return list(dict.fromkeys(names))


def _floors(given: Floors) -> dict[str, float]:
    """Minimums by measure; raise an error, before any work is done, for one that is not `MEASURE=NUMBER`."""
    texts = [given] if isinstance(given, str) else given
    if isinstance(texts, Mapping):
        texts = [f"{name}={least}" for name, least in texts.items()]
    floors: dict[str, float] = {}
    for text in map(str, texts):
        name, _, number = text.rpartition("=")
        try:
            least = float(number)
        except ValueError:
            least = math.nan
        if not name or not 0 <= least <= 1:
            raise ExcerptError(
                f"found {short(repr(text))} as min, expected MEASURE=NUMBER from 0 to 1, such as recall@5=0.8"
            )
        if len(expand(_gated_measures(name))) > 1:
            raise ExcerptError(f"found {short(name)} as a measure of min, expected one, such as recall@5")
        floors[name] = max(least, floors.get(name, 0.0))
    return floors


def _held(after: ScoreTable, name: str, least: float, names: Sequence[tuple[str, str]]) -> Floor:
    """Minimum of a measure, compared with the mean exactly; the measure is named as in the verdicts."""
    own = after.measures[after.place("measure", name)]
    scores = list(_scores(after, own).values())
    if not scores:
        raise ExcerptError(f"found 0 topics with a score by {name}, expected at least 1")
    mean = after.mean(after.runs[0], own)
    below = mean != least and falls_below([0.0] * len(scores), scores, -ratio(least))
    return Floor({other: before for before, other in names}.get(own, own), least, mean, below)


def _protected(must: TopicIds | os.PathLike[str], table: ScoreTable) -> tuple[str, ...]:
    """Topics that must not fall, by id or question; raise an error for an unknown one."""
    if must is None:
        return ()
    if isinstance(must, os.PathLike) or (isinstance(must, str) and os.path.isfile(must)):  # noqa: PTH113 - no errors
        must = read_bytes(must).decode("utf-8-sig", "replace").splitlines()
    ids = {question.text: topic for topic, question in table.questions.items()}
    given = [must] if isinstance(must, str | int) else must
    named = [ids.get(one.strip(), one) if isinstance(one, str) else one for one in given]
    return tuple(TopicChoice.of(named).kept(table.topics, known=True))


def _checked(rule: GateRule, questions: int) -> GateRule:
    """The rule with plain numbers; raise an error, before any work is done, for invalid values."""
    numbers = ("max_drop", "tie", "alpha", "max_missing")
    for name, value in ((name, getattr(rule, name)) for name in numbers):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        most = math.inf if name == "tie" else 1
        if not is_number or not (0 < value < 1 if name == "alpha" else 0 <= value <= most):
            expected = {"alpha": "between 0 and 1", "tie": "of at least 0"}.get(name, "from 0 to 1")
            raise ExcerptError(f"found {value!r} as {name}, expected a number {expected}")
    if rule.if_unsure is not None and rule.if_unsure not in _IF_UNSURE:
        raise UnknownName("answer of if_unsure", str(rule.if_unsure), _IF_UNSURE)
    check_test(rule.test, (*TEST_NAMES, NO_TEST))
    check_drawing(rule.samples, rule.seed)
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 0:
        raise ExcerptError(f"found {questions!r} as questions, expected a whole number of at least 0")
    drop, alpha, samples, seed = float(rule.max_drop), float(rule.alpha), int(rule.samples), int(rule.seed)
    most = float(rule.max_missing)  # instead of numpy's types
    return GateRule(drop, alpha, rule.test, samples, seed, float(rule.tie), most, rule.if_unsure)


def _tables(
    given: Sequence[Side],
    asked: list[str] | None,
    floors: Iterable[str],
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
    how["notices"] = notices
    several = [run for side in runs for run in side]
    if asked is None and not tables and not floors:
        table = evaluate(qrels, several, **how)  # the judgments decide
    else:
        names = asked if asked is not None else filter(is_share, tables[0].measures if tables else ())
        table = evaluate(qrels, several, dict.fromkeys((*names, *floors)), **how)
    if tables:
        return [known_topics(side, how) if isinstance(side, ScoreTable) else table for side in sides]
    first = len(runs[0])
    return [table.of_runs(range(first)), table.of_runs(range(first, len(table.runs)))]


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


@contextmanager
def _said_of(side: Side) -> Iterator[None]:
    """Add the file of a side to errors of names that it lacks, or of which it has several."""
    try:
        yield
    except ExcerptError as error:
        if error.path is None and isinstance(side, str | os.PathLike):
            error.path = display_name(side)
        raise


def _chosen(
    tables: tuple[ScoreTable, ScoreTable],
    sides: tuple[Side, Side],
    names: tuple[str | None, str | None],
    notices: Notices,
) -> tuple[ScoreTable, ScoreTable]:
    """Tables reduced to the compared runs; warn about other runs unless a run was chosen by name."""
    (before, after), (baseline, run) = tables, names
    common = [name for name in before.runs if name in after.runs]
    with _said_of(sides[0]):
        first = _pick(before, baseline, [run] if run in before.runs else common, "baseline_name")
    with _said_of(sides[1]):
        second = _pick(after, run, [first] if first in after.runs else common, "run_name")
    for asked, table, taken in ((baseline, before, first), (run, after, second)):
        if asked is None and len(table.runs) > 1:
            others = short_list([name for name in table.runs if name != taken], 3)
            notices.add(f"only {taken} is compared out of {plural(len(table.runs), 'run')}, not {others}")
    return before.of_runs([before.place("run", first)]), after.of_runs([after.place("run", second)])


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


def _common_measures(
    before: ScoreTable, after: ScoreTable, baseline: Side, asked: list[str] | None, notices: Notices
) -> list[tuple[str, str]]:
    """Measures that both sides have, each by its names on both sides."""
    common = {}
    added = {"abstained"} & {*before.measures} if "rag" in (asked or ()) else ()  # as in evaluate
    for name in before.decisive if asked is None else (*expand(asked), *added):
        if not is_share(before.aliases.get(name, name)):
            notices.add(f"{name} is left out: it is not a score from 0 to 1")
            continue
        with _said_of(baseline):
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
