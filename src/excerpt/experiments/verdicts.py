"""Is a run worse than before by one measure? A test on the same questions, and what it can see."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, plural, short_list
from excerpt.experiments.comparison import p_and_intervals
from excerpt.experiments.samples import generator
from excerpt.model.judgments import Question
from excerpt.model.score_views import Estimate
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.stats.resampling import ENOUGH, Power, falls_below, mean_difference, power_of

#: More questions than this are no advice.
_MANY = 10**9


@dataclass(frozen=True)
class Rule:
    """When a run is worse: its mean fell by more than `max_drop`, and a one-sided test gives p < alpha."""

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
    """What became of one question."""

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
        """The change as JSON has it."""
        return {**asdict(self), "difference": self.difference}


@dataclass(frozen=True)
class Verdict:
    """What is said of one measure."""

    measure: str
    topics: int
    before: float
    after: float
    difference: Estimate
    p: float
    worse: bool
    #: None where no question changed, or all by the same.
    power: Power | None
    #: All questions that lost, those that lost most first; and all that won.
    lost: tuple[Change, ...]
    won: tuple[Change, ...]

    @property
    def said(self) -> str:
        """The verdict in words."""
        return "worse" if self.worse else "not worse"

    def too_few(self, rule: Rule) -> bool:
        """Whether a drop of the size that counts would often not be seen."""
        return rule.max_drop > 0 and self.power is not None and self.power.power < ENOUGH

    def note(self, rule: Rule) -> str:
        """What is to be known of a verdict that found nothing."""
        if self.worse:
            return ""
        if not self.lost and not self.won:
            return (
                f"no question changed, so what a drop would look like in "
                f"{plural(self.topics, 'question')} is not known"
            )
        if self.power is None or not self.too_few(rule):
            return ""
        few = (
            f"{plural(self.topics, 'question')} are too few to see a drop of "
            f"{rule.max_drop:g}: it would be seen {self.power.power:.0%} of the time; a drop of "
            f"{self.power.visible:.2g} would be {ENOUGH:.0%} of the time"
        )
        needed = self.power.needed(self.topics, rule.max_drop)
        if needed > _MANY:
            return few
        return f"{few}, as would one of {rule.max_drop:g} with about {needed} questions"

    def to_dict(self, rule: Rule) -> dict[str, Any]:
        """The verdict as JSON has it."""
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
    """What is to be said of a run before and after, each alone in its table, by a measure with two names."""
    measure = names[0]
    topics, old, new = _paired(_scores(before, measure), _scores(after, names[1]), measure)
    scores = np.array([old, new])
    p, limits = p_and_intervals(
        scores, rule.test, rule.alpha, rule.samples, generator(rule.seed), plus_one=False
    )
    difference = Estimate(mean_difference(old, new), float(limits.low[1, 0]), float(limits.high[1, 0]))
    chance = float(p[0, 1])  # of a run before that is not better than after
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
    )


def _size(change: Change) -> float:
    """Larger changes first, by what people see of them; equal ones stay in the order of the topics."""
    return -round(abs(change.difference), 12)


def _paired(
    before: dict[str, float], after: dict[str, float], measure: str
) -> tuple[tuple[str, ...], list[float], list[float]]:
    """The topics with a score, and both scores of each; the sides must have the same topics."""
    for one, other, where in ((before, after, "before"), (after, before, "after")):
        only = [topic for topic in one if topic not in other]
        if only:
            raise ExcerptError(
                f"found {plural(len(only), 'topic')} with a score by {measure} only {where} "
                f"({short_list(only, 3)}), expected the same topics on both sides"
            )
    if len(after) < 2:
        raise ExcerptError(
            f"found {plural(len(after), 'topic')} with a score by {measure}, expected at least 2"
        )
    return tuple(after), [before[topic] for topic in after], list(after.values())


def _scores(table: ScoreTable, measure: str) -> dict[str, float]:
    """The defined scores of the one run of a table by topic."""
    scores = table.values[0, :, table.place("measure", measure)].tolist()
    return {topic: score for topic, score in zip(table.topics, scores, strict=True) if not math.isnan(score)}
