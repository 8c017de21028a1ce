"""excerpt.gate and assert_not_worse: sides, measures, mistakes."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import excerpt
from excerpt import (
    ExcerptError,
    ExcerptWarning,
    Judgments,
    Result,
    Run,
    ScoreTable,
    Span,
    assert_not_worse,
    evaluate,
    gate,
    save_scores,
)
from excerpt.experiments.gate import GateRule, Side, Verdict, decide
from excerpt.experiments.study import generator
from excerpt.measures import charR
from excerpt.model.judgments import Question
from excerpt.render.tables import show
from excerpt.stats import TEST_NAMES
from excerpt.stats.significance import p_values

JUDGMENTS = replace(
    Judgments.of([(str(topic), Span(f"D{topic}", 100, 200)) for topic in range(30)]),
    questions={str(topic): Question(str(topic), f"Who signed {topic}?") for topic in range(30)},
)


def shifted(name: str, most: int) -> Run:
    """A run that misses up to so many characters of each topic."""
    draw = random.Random(1)
    starts = [100 + draw.randint(0, most) for _ in range(30)]
    return Run.of(name, [Result(str(topic), f"D{topic}", at, at + 100) for topic, at in enumerate(starts)])


GOOD, BAD = shifted("good", 10), shifted("bad", 80)
TABLE = evaluate(JUDGMENTS, [GOOD, BAD], ["charR@5", "charP"])


def test_runs_tables_and_files(tmp_path: Path) -> None:
    """Whatever the sides are, the verdict is the same."""
    saved = {name: tmp_path / f"{name}.{end}" for name, end in (("good", "json"), ("bad", "csv"))}
    for run in (GOOD, BAD):
        save_scores(evaluate(JUDGMENTS, run, ["charR[5]", "charP"]), saved[run.name])
    wanted = gate(GOOD, BAD, "charR@5", qrels=JUDGMENTS).to_dict()
    assert wanted["worse"] is True
    sides: list[tuple[Side, Side]] = [
        *((saved["good"], BAD), (GOOD, saved["bad"]), (TABLE, saved["bad"]), (saved["good"], saved["bad"]))
    ]
    for one, two in sides:
        name = "good" if one is TABLE else None
        found = gate(one, two, "charR@5", qrels=JUDGMENTS, baseline_name=name).to_dict()
        for row in found["measures"] + wanted["measures"]:
            row["measure"] = str(charR @ 5)
        found["reasons"] = wanted["reasons"]
        for change in found["lost"] + found["won"] + wanted["lost"] + wanted["won"]:
            change["measure"] = ""
        assert found.pop("warnings") == []  # CSV says its judgments, too
        assert found == {name: value for name, value in wanted.items() if name != "warnings"}
    assert not gate(BAD, GOOD, "charR@5", qrels=JUDGMENTS).worse


def test_rows_and_named_runs() -> None:
    """Whatever `evaluate` takes as a run is one side; of several runs one is named."""
    rows = [tuple(result)[:4] for result in BAD]
    plain = gate(TABLE, rows, "charR@5", qrels=JUDGMENTS, baseline_name="good")
    named = gate({"old": GOOD}, {"new": rows, "same": GOOD}, "charR@5", qrels=JUDGMENTS, run_name="new")
    assert plain.to_dict()["measures"] == named.to_dict()["measures"]
    assert (named.baseline, named.run) == ("old", "new")


def test_measures() -> None:
    """By default those of the tables; worse by any is worse; spellings do not matter."""
    assert [verdict.measure for verdict in gate(TABLE, TABLE.rename({}), run_name="bad").verdicts] == [
        "charR@5",
        "charP",
    ]
    before, after = evaluate(JUDGMENTS, GOOD, "charR@5"), evaluate(JUDGMENTS, BAD, ["charP", "charR[5]"])
    assert [verdict.measure for verdict in gate(before, after).verdicts] == ["charR@5"]
    assert [verdict.measure for verdict in gate(before, after, charR @ 5).verdicts] == ["charR@5"]
    mixed = replace(after, values=after.values * [1.0, 0.0]) + evaluate(JUDGMENTS, BAD, "charP")
    assert gate(evaluate(JUDGMENTS, BAD, ["charP", "charR[5]"]), mixed).worse


def test_which_run() -> None:
    """The one of the same name, or the one that is named."""
    assert gate(TABLE, evaluate(JUDGMENTS, BAD, "charP"), "charP").baseline == "bad"
    assert gate(TABLE, BAD, "charP", qrels=JUDGMENTS, baseline_name="good").worse
    assert gate(TABLE, TABLE, baseline_name="good", run_name="bad").worse
    for name, said in (
        (None, r"found 2 runs \(good, bad\), expected one; choose one with baseline_name=\"NAME\""),
        ("god", "unknown run 'god'; did you mean 'good'"),
    ):
        with pytest.raises(ExcerptError, match=said):
            gate(TABLE, TABLE, baseline_name=name)


SCORES = {("r", str(topic), "charR"): 0.5 for topic in range(4)}
SMALL = ScoreTable.from_scores(SCORES)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_drop": -0.1}, "found -0.1 as max_drop, expected a number from 0 to 1"),
        ({"max_drop": 5}, "found 5 as max_drop, expected a number from 0 to 1"),
        ({"max_missing": 2}, "found 2 as max_missing, expected a number from 0 to 1"),
        ({"if_unsure": "maybe"}, "unknown answer of if_unsure 'maybe'"),
        ({"max_drop": float("nan")}, "found nan as max_drop"),
        ({"max_drop": "0.1"}, "found '0.1' as max_drop"),
        ({"alpha": 0}, "found 0 as alpha, expected a number between 0 and 1"),
        ({"alpha": "x"}, "found 'x' as alpha"),
        ({"test": "chi"}, "unknown test 'chi'"),
        ({"samples": 0}, "found 0 as samples"),
        ({"seed": -1}, "found -1 as seed"),
        ({"questions": -1}, "found -1 as questions"),
        ({"tie": -1}, "found -1 as tie, expected a number of at least 0"),
        ({"tie": True}, "found True as tie"),
        ({"min": "charR"}, "found 'charR' as min, expected MEASURE=NUMBER from 0 to 1, such as"),
        ({"min": "charR=high"}, "found 'charR=high' as min"),
        ({"min": ["charR=0.1", "=0.5"]}, "found '=0.5' as min"),
        ({"min": "charR=80"}, "found 'charR=80' as min"),
        ({"min": {"charR": None}}, "found 'charR=None' as min"),
        ({"min": {"charR": True}}, "found 'charR=True' as min"),
        ({"min": "charR(budget=400)"}, r"found 'charR\(budget=400\)' as min"),
        ({"min": "charP=0.5"}, "unknown measure 'charP'"),
        ({"min": "read@5=0.5"}, "read@5 cannot be gated"),
        ({"min": "rag=0.5"}, "found rag as a measure of min, expected one"),
        ({"must": "9"}, "unknown topic '9'"),
        ({"must": "1,x"}, "unknown topic 'x'"),
        ({"must": []}, "no topic given"),
        ({"must": Path("none.txt")}, "none.txt: cannot be read: no such file"),
        ({"max_dorp": 1}, "unknown keyword argument 'max_dorp'; did you mean 'max_drop'"),
        ({"measures": "charP"}, "unknown measure 'charP'"),
        ({"measures": []}, "no measure given"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], said: str) -> None:
    """Each error is one sentence."""
    with pytest.raises(ExcerptError, match=said):
        gate(SMALL, SMALL, **options)


def test_sides_that_do_not_fit() -> None:
    """Runs without judgments; tables without a common measure; no common topics."""
    with pytest.raises(ExcerptError, match="scoring a run needs judgments; give qrels="):
        gate(SMALL, GOOD)
    assert [one.measure for one in gate(GOOD, BAD, qrels=JUDGMENTS).verdicts] == ["recall(budget=4000)"]
    other = replace(SMALL, measures=("charP",))
    with pytest.raises(ExcerptError, match="found charR before and charP after, expected a common measure"):
        gate(SMALL, other)
    with pytest.raises(ExcerptError, match="unknown measure of the run 'charR'"):
        gate(SMALL, other, "charR")
    with pytest.raises(ExcerptError, match="found 2 topics with a score by charR only in the baseline"):
        gate(SMALL, SMALL.of_topics([0, 1]))
    alias = replace(SMALL, measures=("recall@5",), aliases={"recall@5": "charR@5"})
    with pytest.raises(ExcerptError, match="found recall@5 for two measures"):
        gate(alias, replace(alias, aliases={"recall@5": "charF@5"}))


@pytest.mark.parametrize("name", ["read@5", "read", "read(cost=words)@3", "xCG@5", "xCI(ideal=focused)[10]"])
def test_measures_that_are_no_proportions_are_rejected(name: str) -> None:
    """Reading more is neither better nor worse, and gains have no limit; also in saved scores."""
    table = replace(SMALL, measures=(name,))
    said = re.escape(f"{name} cannot be gated: it is not a score from 0 to 1")
    sides: list[tuple[Side, Side]] = [(GOOD, BAD), (table, table)]
    for one, two in sides:
        with pytest.raises(ExcerptError, match=said):
            gate(one, two, name, qrels=JUDGMENTS)


def test_shares_of_a_set() -> None:
    """Measures of a set or table that are no proportions are left out, with a warning."""
    corpus = {f"D{topic}": 300 * "x" for topic in range(30)}
    with pytest.warns(ExcerptWarning, match="read@5 is left out: it is not a score from 0 to 1"):
        found = gate(GOOD, BAD, "rag", qrels=JUDGMENTS, corpus=corpus)
    assert len(found.verdicts) == 7
    assert found.warnings[1:] == ("read@5 is left out: it is not a score from 0 to 1",)
    assert "recall@5 = charR@5, precision@5 = charP@5, " in found.notes()[0]
    table = evaluate(JUDGMENTS, GOOD, "rag", corpus=corpus)
    with pytest.warns(ExcerptWarning, match="read@5 is left out: it is not a score from 0 to 1"):
        assert not gate(table, GOOD, qrels=JUDGMENTS, corpus=corpus).worse


def test_abstaining_is_of_the_set() -> None:
    """A run that returns text for a question without an answer is worse by `rag`."""
    rows = [
        {"question": "When?", "document": "A", "quote": "in May"},
        {"question": "Who?", "answerable": False},
    ]
    runs = [Run.of(name, [("1", "A", 0, 6)]) for name in ("before", "same")]
    runs += [Run.of("after", [("1", "A", 0, 6), ("2", "A", 0, 6)])]
    how: dict[str, Any] = {
        "qrels": rows,
        "corpus": {"A": "in May"},
        "test": "none",
        "notices": excerpt.Notices(),
    }
    found = gate(runs[0], runs[2], "rag", min="recall@5=1", **how)
    assert [one.measure for one in found.verdicts if one.worse] == ["abstained"]
    assert not gate(runs[0], runs[1], "rag", **how).worse
    saved = evaluate(rows, runs[0], "rag", corpus=how["corpus"], notices=excerpt.Notices())
    assert [one.measure for one in gate(saved, runs[2], "rag", **how).verdicts][-1] == "abstained"
    how["qrels"] = rows[:1]
    assert "abstained" not in [one.measure for one in gate(runs[0], runs[1], "rag", **how).verdicts]


def test_numbers_of_numpy() -> None:
    """Numbers of numpy are accepted; tiny limits need too many questions to print."""
    found = gate(SMALL, SMALL, max_drop=np.float64(0.5), alpha=np.float64(0.1), samples=np.int64(50))  # type: ignore[arg-type]
    assert json.loads(json.dumps(found.to_dict()))["samples"] == 50
    tiny = gate(TABLE, TABLE, "charR@5", baseline_name="bad", run_name="good", max_drop=5e-324)
    assert tiny.notes()[0].endswith("add min=… or must=… (docs/gate.md)")


def test_assert_not_worse() -> None:
    """Silent where nothing is worse; else the message of the test is the whole verdict."""
    assert not assert_not_worse(SMALL, SMALL).worse
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(TABLE, TABLE, "charR@5", baseline_name="good", run_name="bad")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("bad is worse by charR@5 than good")
    assert sum("  Who signed " in line for line in lines) == 9
    with pytest.raises(ExcerptError):
        assert_not_worse(TABLE, SMALL)


def test_runs_that_are_not_compared_are_named() -> None:
    """A warning names the run of a table that the gate does not compare."""
    gold = excerpt.Judgments.of([(str(topic), "A", 0, 10) for topic in range(3)])
    runs = [
        excerpt.Run.of(name, [(str(topic), "A", 0, end) for topic in range(3)])
        for name, end in (("a", 9), ("b", 1))
    ]
    both = excerpt.evaluate(gold, runs, "recall@5")
    found = excerpt.gate(excerpt.evaluate(gold, runs[0], "recall@5"), both)
    assert found.warnings == ("only a is compared out of 2 runs, not b",)
    assert excerpt.gate(excerpt.evaluate(gold, runs[0], "recall@5"), both, run_name="b").worse


BEFORE = ScoreTable.from_scores({("main", str(topic), "AiP"): 0.5 for topic in range(12)})
AFTER = ScoreTable.from_scores({("new", str(topic), "AiP"): topic / 40 for topic in range(12)})


def test_json() -> None:
    """The rule, each measure, and the questions that lost and won most."""
    found = gate(BEFORE, AFTER, questions=2, samples=500, seed=7).to_dict()
    json.dumps(found, allow_nan=False)
    assert [found[name] for name in ("verdict", "worse", "baseline", "run")] == [
        "failed",
        True,
        "main",
        "new",
    ]
    settings = {"max_drop": 0.01, "alpha": 0.05, "test": "bootstrap", "samples": 500, "seed": 7}
    assert {name: found[name] for name in settings} == settings
    (row,) = found["measures"]
    assert (row["measure"], row["before"], row["verdict"], row["topics"]) == ("AiP", 0.5, "worse", 12)
    assert row["interval"][0] < row["difference"] < row["interval"][1] < 0
    assert [change["topic"] for change in found["lost"]] == ["0", "1"]
    assert found["won"] == []


def test_rows_for_programs() -> None:
    """CSV has a row per measure, and a column per number."""
    lines = show(gate(BEFORE, AFTER), "csv").splitlines()
    assert lines[0] == "measure,before,after,difference,difference low,difference high,p,verdict"
    assert len(lines) == 2


def test_one_note_for_all_measures_that_share_it() -> None:
    """A note that several measures share is printed once."""
    same = {
        ("main", str(topic), name): 0.5 for topic in range(5) for name in ("AiP", "charR", "charP", "hit")
    }
    (note,) = gate(ScoreTable.from_scores(same), ScoreTable.from_scores(same)).notes()
    assert note.startswith("AiP, charR, charP and 1 more: no question changed, ")


def test_one_line() -> None:
    """The summary names both runs and the measures; `said`, its older name, is the same."""
    worse = gate(BEFORE, AFTER, alpha=0.01, test="sign")
    told = "a drop of more than 0.01, one-sided sign test, alpha 0.01"
    assert worse.summary == f"new is worse by AiP than main ({told})"
    assert worse.said == worse.summary
    assert gate(BEFORE, BEFORE).summary.startswith("main is not worse than before (")
    assert repr(gate(BEFORE, AFTER)) == "<Gate: failed by 1 measure>"


NAMES = ("AiP", "AiP")


def one(scores: list[float], run: str = "r") -> ScoreTable:
    """The table of one run."""
    topics = tuple(map(str, range(len(scores))))
    return ScoreTable((run,), ("",), topics, ("AiP",), np.array(scores).reshape(1, -1, 1))


def verdict(before: list[float], after: list[float], **rule: float) -> Verdict:
    """Verdict on two lists of scores."""
    return decide(one(before), one(after), NAMES, replace(GateRule(samples=200), **rule))  # type: ignore[arg-type]


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
    """Topics without any score are left out; a score on one side only is an error."""
    nan = math.nan
    assert verdict([0.1, nan, 0.2], [0.1, nan, 0.2]).topics == 2
    assert decide(one([0.1, 0.2, nan]), one([0.1, 0.2]), NAMES, GateRule()).topics == 2
    for before, after, said in (
        ([0.1, 0.2, 0.3], [0.1, nan, 0.3], r"found 1 topic with a score by AiP only in the baseline \(1\)"),
        ([0.1, 0.2], [0.1, 0.2, 0.3, 0.4], r"found 2 topics with a score by AiP only in the run \(2, 3\)"),
        ([0.1], [0.2], "found 1 topic with a score by AiP, expected at least 2"),
        ([nan], [nan], "found 0 topics with a score by AiP, expected at least 2"),
    ):
        with pytest.raises(ExcerptError, match=said):
            verdict(before, after)


def test_order_of_topics_plays_no_role() -> None:
    """Topics are joined by name."""
    before, after = one([0.1, 0.9, 0.5]), one([0.9, 0.1, 0.4])
    turned = before.of_topics([2, 0, 1])
    assert (
        decide(turned, after, NAMES, GateRule()).difference
        == decide(before, after, NAMES, GateRule()).difference
    )


def test_questions_that_lost_and_won() -> None:
    """Largest changes first, with their text; unchanged questions are left out."""
    asked = {"0": Question("0", "Who?"), "2": Question("2", "Why?")}
    before = replace(one([0.5, 0.5, 0.5, 0.5, 0.5]), questions=asked)
    found = decide(before, one([0.25, 0.5, 0.0, 1.0, 0.75]), NAMES, GateRule())
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
    """A note appears only if such a drop would rarely be detected, and was not."""
    rng = np.random.default_rng(1)
    before = rng.random(20)
    noisy = verdict(before.tolist(), rng.permutation(before).tolist())
    assert noisy.too_few(GateRule())
    assert noisy.note(GateRule()).startswith("20 questions are too few to detect a drop of 0.01; with these ")
    assert noisy.to_dict(GateRule())["too_few"] is True
    steady = verdict([0.5, 0.51] * 200, [0.51, 0.5] * 200)
    assert not steady.too_few(GateRule())
    assert steady.note(GateRule()) == ""
    assert verdict([0.9] * 30, [0.1] * 29 + [0.2]).note(GateRule()) == ""
    same = verdict([0.5] * 4, [0.5] * 4)
    assert same.note(GateRule()).startswith("no question changed")
    assert same.to_dict(GateRule())["power"] is None
    assert not noisy.too_few(GateRule(max_drop=0))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(HUNDREDTHS, HUNDREDTHS), min_size=1, max_size=15),
    st.sampled_from([0.0, 0.01, 0.05, 0.25]),
    st.sampled_from([0.0, 0.01, 0.1, 1.0]),
    st.integers(0, 100),
    st.sets(st.integers(0, 14)),
)
def test_the_rule_without_a_test(
    pairs: list[tuple[int, int]], max_drop: float, tie: float, least: int, must: set[int]
) -> None:
    """Drop, minimum, ties and questions that must not fall are decided by exact fractions."""
    before, after = ([pair[side] / 100 for pair in pairs] for side in (0, 1))
    kept = sorted(number for number in must if number < len(pairs))
    asked: dict[str, Any] = {"must": [str(number) for number in kept]} if kept else {}
    minimum = {"AiP": least / 100}
    found = gate(one(before), one(after), test="none", max_drop=max_drop, tie=tie, min=minimum, **asked)
    drop = Fraction(sum(new - old for old, new in pairs), 100 * len(pairs)) < -Fraction(str(max_drop))
    below = Fraction(sum(new for _, new in pairs), len(pairs)) < least
    fell = {str(number) for number in kept if pairs[number][1] < pairs[number][0]}
    (verdict,), (floor,) = found.verdicts, found.floors
    assert (verdict.worse, floor.below) == (drop, below)
    assert {change.topic for change in verdict.fell} == fell
    assert found.worse == (drop or below or bool(fell))
    limit = Fraction(str(tie)) * 100
    for changes, sign in ((verdict.lost, -1), (verdict.won, 1)):
        wanted = {
            str(number)
            for number, (old, new) in enumerate(pairs)
            if sign * (new - old) > 0 and sign * (new - old) >= limit
        }
        assert {change.topic for change in changes} == wanted
    row = found.to_dict()["measures"][0]
    assert (row["p"], row["interval"], row["power"]) == (None, None, None)
    assert (row["losses"], row["wins"]) == (len(verdict.lost), len(verdict.won))


def test_no_test() -> None:
    """The drop alone decides, of a single question as well; no p, no interval, no note on power."""
    found = gate(one([0.5]), one([0.48]), test="none")
    assert found.worse
    assert found.summary == "r is worse by AiP than before (a drop of more than 0.01, no test)"
    assert found.notes() == ()
    assert str(found).splitlines()[2].split() == ["AiP", "0.5000", "0.4800", "-0.0200", "-", "worse"]
    assert not gate(one([0.5]), one([0.49]), test="none").worse
    with pytest.raises(ExcerptError, match="found 1 topic with a score by AiP, expected at least 2"):
        gate(one([0.5]), one([0.48]))


def test_minimums() -> None:
    """A mean equal to its minimum passes; measures with a minimum only are not compared."""
    table = evaluate(JUDGMENTS, GOOD, ["charR@5", "charP"])
    mean = Fraction(repr(table.mean("good", "charR@5")))
    for least, passes in ((mean, True), (mean + Fraction(1, 1000), False)):
        found = gate(GOOD, GOOD, "charP", qrels=JUDGMENTS, min={"recall@5": float(least)})
        assert (not found.worse, [floor.below for floor in found.floors]) == (passes, [not passes])
        assert [verdict.measure for verdict in found.verdicts] == ["charP"]
    lines = show(found, "csv").splitlines()
    assert lines[0].startswith("measure,before,after,minimum,difference,")
    assert [line.split(",")[-1] for line in lines[1:]] == ["not worse", "below the minimum"]
    passed = gate(table, table, min=["charR[5]=0.1", "charR[5]=0.2"])
    assert [(floor.measure, floor.least) for floor in passed.floors] == [("charR@5", 0.2)]
    both = gate(TABLE, TABLE, baseline_name="good", run_name="bad", min="charP=0.99", must="0-29")
    assert "| worse, below the minimum |" in both.to_markdown()
    assert "; charP is below its minimum of 0.99; " in both.summary
    fell = int((TABLE.values[1, :, 1] < TABLE.values[0, :, 1]).sum())
    assert both.summary.endswith(f"; {fell} of 30 protected questions fell (0, 1, 2 and {fell - 3} more)")
    assert f"charP: protected questions that fell ({fell} of 30)" in both.to_markdown()
    with pytest.raises(AssertionError, match=r"charP is below its minimum of 0\.99"):
        assert_not_worse(table, table, min={"charP": 0.99})
    runs = gate(GOOD, BAD, qrels=JUDGMENTS, min="charP=0.1")
    assert [verdict.measure for verdict in runs.verdicts] == ["charP"]


def test_questions_that_must_not_fall(tmp_path: Path) -> None:
    """Any fall fails, also one that counts as a tie; ids come from a list, a text or a file."""
    before, after = one([0.5, 0.5, 0.5]), one([0.5, 0.499, 0.9])
    assert not gate(before, after).worse
    file = tmp_path / "must.txt"
    file.write_text("0\n1\n\n")
    ways: list[Any] = ["1", [1], ["0", "1"], "0-2", file, str(file)]
    for must in ways:
        found = gate(before, after, must=must)
        assert found.worse
        assert [change["topic"] for change in found.to_dict()["fell"]] == ["1"]
        assert found.verdicts[0].lost == ()
    asked = {"1": Question("1", "Who, and when?")}
    named = gate(replace(before, questions=asked), replace(after, questions=asked), must="Who, and when?")
    assert [change["topic"] for change in named.to_dict()["fell"]] == ["1"]
    assert not gate(before, after, must="0,2").worse
    found = gate(before, after, must="0,2", min="AiP=0.5")
    assert not found.worse
    assert found.to_dict()["must"] == ["0", "2"]
