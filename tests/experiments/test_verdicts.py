"""One measure, before and after: the rule, the sides, the questions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt import ExcerptError, ScoreTable
from excerpt.experiments.samples import generator
from excerpt.experiments.verdicts import Rule, Verdict, decide
from excerpt.model.judgments import Question
from excerpt.stats import TEST_NAMES
from excerpt.stats.significance import p_values

NAMES = ("AiP", "AiP")


def one(scores: list[float], run: str = "r") -> ScoreTable:
    """The table of one run."""
    topics = tuple(map(str, range(len(scores))))
    return ScoreTable((run,), ("",), topics, ("AiP",), np.array(scores).reshape(1, -1, 1))


def verdict(before: list[float], after: list[float], **rule: float) -> Verdict:
    """What is said of two lists of scores."""
    return decide(one(before), one(after), NAMES, replace(Rule(samples=200), **rule))  # type: ignore[arg-type]


HUNDREDTHS = st.integers(0, 100)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(HUNDREDTHS, HUNDREDTHS), min_size=2, max_size=15),
    st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.25]),
    st.sampled_from([0.01, 0.05, 0.3, 0.7]),
    st.sampled_from(TEST_NAMES),
)
def test_the_rule(pairs: list[tuple[int, int]], max_drop: float, alpha: float, test: str) -> None:
    """Worse if and only if the mean fell by more than the limit, exactly, and p is below alpha."""
    before, after = ([pair[side] / 100 for pair in pairs] for side in (0, 1))
    found = verdict(before, after, max_drop=max_drop, alpha=alpha, test=test)  # type: ignore[arg-type]
    exact = Fraction(sum(new - old for old, new in pairs), 100 * len(pairs))
    p = p_values(np.array([before, after]), test, samples=200, rng=generator(1))[0, 1]
    assert found.p == p
    assert found.worse == (exact < -Fraction(str(max_drop)) and p < alpha)
    assert found.difference.value == pytest.approx(float(exact), abs=1e-15)
    assert found.difference.low <= found.difference.high
    assert (found.before, found.after) == (one(before).mean("r", "AiP"), one(after).mean("r", "AiP"))


def test_better_is_never_worse() -> None:
    """The test looks one way only."""
    assert verdict([0.1] * 30, [0.9] * 30).p == 1.0
    assert not verdict([0.1] * 30, [0.9] * 30).worse
    assert verdict([0.9] * 30, [0.1] * 30).worse
    assert not verdict([0.9] * 30, [0.1] * 30, max_drop=0.8).worse


def test_topics_must_be_the_same() -> None:
    """What has no score on both sides is no topic; what has one on one side only is a mistake."""
    nan = math.nan
    assert verdict([0.1, nan, 0.2], [0.1, nan, 0.2]).topics == 2
    assert decide(one([0.1, 0.2, nan]), one([0.1, 0.2]), NAMES, Rule()).topics == 2
    for before, after, said in (
        ([0.1, 0.2, 0.3], [0.1, nan, 0.3], r"found 1 topic with a score by AiP only before \(1\)"),
        ([0.1, 0.2], [0.1, 0.2, 0.3, 0.4], r"found 2 topics with a score by AiP only after \(2, 3\)"),
        ([0.1], [0.2], "found 1 topic with a score by AiP, expected at least 2"),
        ([nan], [nan], "found 0 topics with a score by AiP, expected at least 2"),
    ):
        with pytest.raises(ExcerptError, match=said):
            verdict(before, after)


def test_order_of_topics_plays_no_role() -> None:
    """Topics are joined by name."""
    before, after = one([0.1, 0.9, 0.5]), one([0.9, 0.1, 0.4])
    turned = before.of_topics([2, 0, 1])
    assert decide(turned, after, NAMES, Rule()).difference == decide(before, after, NAMES, Rule()).difference


def test_questions_that_lost_and_won() -> None:
    """Those that changed most first, with their text; those that did not change are not among them."""
    asked = {"0": Question("0", "Who?"), "2": Question("2", "Why?")}
    before = replace(one([0.5, 0.5, 0.5, 0.5, 0.5]), questions=asked)
    found = decide(before, one([0.25, 0.5, 0.0, 1.0, 0.75]), NAMES, Rule())
    assert [(change.topic, change.question, change.difference) for change in found.lost] == [
        ("2", "Why?", -0.5),
        ("0", "Who?", -0.25),
    ]
    assert [change.topic for change in found.won] == ["3", "4"]
    assert found.lost[0].to_dict() == {
        "measure": "AiP",
        "topic": "2",
        "question": "Why?",
        "before": 0.5,
        "after": 0.0,
        "difference": -0.5,
    }


def test_equal_changes_stay_in_order() -> None:
    """Noise of doubles does not shuffle questions that lost the same."""
    before = [0.3, 0.93, 0.41, 0.77, 0.5]
    found = verdict(before, [score - 0.1 for score in before])
    assert [change.topic for change in found.lost] == ["0", "1", "2", "3", "4"]
    assert [change.topic for change in verdict([0.1, 0.1], [0.3, 0.3]).won] == ["0", "1"]


def test_too_few_questions() -> None:
    """It is said where such a drop would rarely be seen, and not where it would, or was."""
    rng = np.random.default_rng(1)
    before = rng.random(20)
    noisy = verdict(before.tolist(), rng.permutation(before).tolist())
    assert noisy.too_few(Rule())
    assert noisy.note(Rule()).startswith("20 questions are too few to see a drop of 0.01: it would be seen")
    assert noisy.to_dict(Rule())["too_few"] is True
    steady = verdict([0.5, 0.51] * 200, [0.51, 0.5] * 200)
    assert not steady.too_few(Rule())
    assert steady.note(Rule()) == ""
    assert verdict([0.9] * 30, [0.1] * 29 + [0.2]).note(Rule()) == ""
    same = verdict([0.5] * 4, [0.5] * 4)
    assert same.note(Rule()).startswith("no question changed")
    assert same.to_dict(Rule())["power"] is None
    assert not noisy.too_few(Rule(max_drop=0))
