"""excerpt.gate and assert_not_worse: sides, measures, mistakes."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
from excerpt.experiments.gating import Side
from excerpt.measures import charR
from excerpt.model.judgments import Question

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
        for change in found["lost"] + found["won"] + wanted["lost"] + wanted["won"]:
            change["measure"] = ""
        assert found == wanted
    assert not gate(BAD, GOOD, "charR@5", qrels=JUDGMENTS).worse


def test_rows_and_named_runs() -> None:
    """Whatever `evaluate` takes as a run is one side; of several runs one is named."""
    rows = [tuple(result)[:4] for result in BAD]
    plain = gate(TABLE, rows, "charR@5", qrels=JUDGMENTS, baseline_name="good")
    named = gate({"old": GOOD}, {"new": rows, "same": GOOD}, "charR@5", qrels=JUDGMENTS, run_name="new")
    assert plain.to_dict()["measures"] == named.to_dict()["measures"]
    assert (named.baseline, named.run) == ("old", "new")


def test_measures() -> None:
    """Those of tables by default; any that is worse makes the run worse; however they are spelt."""
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
        (None, r"found 2 runs \(good, bad\), expected one; choose it by baseline_name=\"NAME\""),
        ("god", "unknown run 'god'; did you mean 'good'"),
    ):
        with pytest.raises(ExcerptError, match=said):
            gate(TABLE, TABLE, baseline_name=name)


SCORES = {("r", str(topic), "charR"): 0.5 for topic in range(4)}
SMALL = ScoreTable.from_scores(SCORES)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_drop": -0.1}, "found -0.1 as max_drop, expected a number of at least 0"),
        ({"max_drop": float("nan")}, "found nan as max_drop"),
        ({"max_drop": "0.1"}, "found '0.1' as max_drop"),
        ({"alpha": 0}, "found 0 as alpha, expected a number between 0 and 1"),
        ({"alpha": "x"}, "found 'x' as alpha"),
        ({"test": "chi"}, "unknown test 'chi'"),
        ({"samples": 0}, "found 0 as samples"),
        ({"seed": -1}, "found -1 as seed"),
        ({"questions": -1}, "found -1 as questions"),
        ({"max_dorp": 1}, "unknown keyword argument 'max_dorp'; did you mean 'max_drop'"),
        ({"measures": "charP"}, "unknown measure 'charP'"),
        ({"measures": []}, "found no measure, expected at least one"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], said: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError, match=said):
        gate(SMALL, SMALL, **options)


def test_sides_that_do_not_fit() -> None:
    """Runs without judgments, or without measures; tables without a common measure; other topics."""
    with pytest.raises(ExcerptError, match="found a run without judgments"):
        gate(SMALL, GOOD)
    with pytest.raises(ExcerptError, match="found no measure"):
        gate(GOOD, BAD, qrels=JUDGMENTS)
    other = replace(SMALL, measures=("charP",))
    with pytest.raises(ExcerptError, match="found charR before and charP after, expected a share"):
        gate(SMALL, other)
    with pytest.raises(ExcerptError, match="unknown measure of the run 'charR'"):
        gate(SMALL, other, "charR")
    with pytest.raises(ExcerptError, match="found 2 topics with a score by charR only before"):
        gate(SMALL, SMALL.of_topics([0, 1]))
    alias = replace(SMALL, measures=("recall@5",), aliases={"recall@5": "charR@5"})
    with pytest.raises(ExcerptError, match="found recall@5 for two measures"):
        gate(alias, replace(alias, aliases={"recall@5": "charF@5"}))


@pytest.mark.parametrize("name", ["read@5", "read", "read(cost=words)@3"])
def test_what_is_no_share_is_refused(name: str) -> None:
    """More to read is neither better nor worse, also where scores of it were saved."""
    table = replace(SMALL, measures=(name,))
    said = re.escape(f"found {name}, which is not a share, expected measures from 0 to 1")
    sides: list[tuple[Side, Side]] = [(GOOD, BAD), (table, table)]
    for one, two in sides:
        with pytest.raises(ExcerptError, match=said):
            gate(one, two, name, qrels=JUDGMENTS)


def test_shares_of_a_set() -> None:
    """Of a set, and of all measures of a table, what is no share is left out, with a warning."""
    corpus = {f"D{topic}": 300 * "x" for topic in range(30)}
    with pytest.warns(ExcerptWarning, match="read@5 is not a share and was left out"):
        found = gate(GOOD, BAD, "rag", qrels=JUDGMENTS, corpus=corpus)
    assert len(found.verdicts) == 7
    assert found.warnings == ("read@5 is not a share and was left out",)
    assert found.notes()[0] == "recall@5 = charR@5"
    table = evaluate(JUDGMENTS, GOOD, "rag", corpus=corpus)
    with pytest.warns(ExcerptWarning, match="read@5 is not a share and was left out"):
        assert not gate(table, GOOD, qrels=JUDGMENTS, corpus=corpus).worse


def test_numbers_of_numpy() -> None:
    """What numpy gives is a number; tiny limits need more questions than can be told."""
    found = gate(SMALL, SMALL, max_drop=np.float64(0.5), alpha=np.float64(0.1), samples=np.int64(50))  # type: ignore[arg-type]
    assert json.loads(json.dumps(found.to_dict()))["samples"] == 50
    tiny = gate(TABLE, TABLE, "charR@5", baseline_name="bad", run_name="good", max_drop=5e-324)
    assert tiny.notes()[0].endswith("would be 80% of the time")


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


def test_runs_beside_the_one_that_is_compared_are_told() -> None:
    """A table with two runs has one that the gate does not look at."""
    gold = excerpt.Judgments.of([(str(topic), "A", 0, 10) for topic in range(3)])
    runs = [
        excerpt.Run.of(name, [(str(topic), "A", 0, end) for topic in range(3)])
        for name, end in (("a", 9), ("b", 1))
    ]
    both = excerpt.evaluate(gold, runs, "recall@5")
    found = excerpt.gate(excerpt.evaluate(gold, runs[0], "recall@5"), both)
    assert found.warnings == ("of 2 runs a was taken, not b",)
    assert excerpt.gate(excerpt.evaluate(gold, runs[0], "recall@5"), both, run_name="b").worse
