"""Budgets that results do not use up: warnings with numbers, wherever scores rest on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import Case, cases

from excerpt import (
    ExcerptError,
    ExcerptWarning,
    Judgments,
    Notices,
    Run,
    ScoreTable,
    compare,
    evaluate,
    gate,
    load_scores,
    report,
    save_scores,
)
from excerpt.model.judgments import Question

GOLD = Judgments.of([(str(topic), f"D{topic}", 0, 100) for topic in range(10)])


def _run(name: str, short: int) -> Run:
    """A run with 250 characters on the first topics, and 500 on the others."""
    return Run.of(
        name,
        [
            (str(topic), f"D{topic}", start, start + 250)
            for topic in range(10)
            for start in ((0,) if topic < short else (0, 250))
        ],
    )


NAME = "recall(budget=400)"
SMALL, LARGE = _run("small", 8), _run("large", 1)
SAID = "results end before the budget in 8 of 10 questions (250 of 400 characters on average); retrieve more"
NOTE = (
    "results of small (80 % of questions) end before the budget, those of large fill it: "
    "large reads more text"
)


@given(cases(), st.integers(1, 60), st.sampled_from([None, 1, 2, 3]))
def test_shares_by_the_definition(case: Case, budget: int, top: int | None) -> None:
    """Topics with relevant text whose results, if not cut off, have fewer characters (18 each if unknown)."""
    name = f"charR(budget={budget})" + (f"@{top}" if top else "")
    notices = Notices()
    table = evaluate(case.judgments(), case.run(), name, notices=notices)
    counted = {topic for topic, _, start, end in case.highlights if end > start}
    lengths = {
        topic: [18 if row[2] < 0 else row[3] - row[2] for row in case.results if row[0] == topic]
        for topic in counted
    }
    short = {
        topic: sum(own)
        for topic, own in lengths.items()
        if sum(own) < budget and not (top and len(own) >= top)
    }
    assert table.short_of_budget == {"run": len(short) / max(len(counted), 1)}
    said = [text for text in notices if text.startswith("results end before the budget")]
    if not short:
        assert said == []
        return
    mean = f"{sum(short.values()) / len(short):,.0f} of {budget:,} characters on average"
    of = f"{len(short)} of {len(counted)} questions"
    assert said == [f"results end before the budget in {of} ({mean}); retrieve more"]


def test_evaluate() -> None:
    """One line for a budget, whatever the measures and runs; none for a run that fills it."""
    with pytest.warns(ExcerptWarning) as caught:
        table = evaluate(GOLD, SMALL, [NAME, "precision(budget=400)", "charR"])
    assert ([str(warning.message) for warning in caught], table.warnings) == ([SAID], (SAID,))
    assert table.to_dict()["short_of_budget"] == {"small": 0.8}
    both = evaluate(GOLD, [SMALL, LARGE], [NAME, "iou(budget=400)"], notices=Notices())
    of_both = (
        "in 9 of 20 questions of 2 runs (250 of 400 characters on average); retrieve more (run small, large)"
    )
    assert both.warnings == (f"results end before the budget {of_both}",)
    filled = evaluate(GOLD, LARGE, ["recall(budget=250)", "charR"])
    assert (filled.warnings, filled.short_of_budget) == ((), {"large": 0.0})
    assert "short_of_budget" not in evaluate(GOLD, SMALL, "charR").to_dict()


def test_default_measures() -> None:
    """The set rag, which questions choose, has a budget of 4,000 characters."""
    run = Run.of("r", [("1", "D1", 0, 50), ("1", "D1", 20, 70)])
    gold = replace(GOLD, questions={"1": Question("1", "What?")})
    table = evaluate(gold, run, notices=Notices())
    assert table.short_of_budget == {"r": 1.0}
    said = "10 of 10 questions (10 of 4,000 characters on average); retrieve more"
    assert f"results end before the budget in {said}" in table.warnings


def test_workers_and_saved_scores(tmp_path: Path) -> None:
    """Shares come back from other processes and from files, and follow runs, measures and names."""
    wanted = {"small": 0.8, "large": 0.1}
    table = evaluate(GOLD, [SMALL, LARGE], [NAME, "charR"], workers=2, notices=Notices())
    assert table.short_of_budget == wanted
    save_scores(table, tmp_path / "scores.json")
    assert json.loads((tmp_path / "scores.json").read_text())["short_of_budget"] == wanted
    saved = load_scores(tmp_path / "scores.json")
    assert saved.short_of_budget == wanted
    assert saved.select(["charR"]).short_of_budget == {}
    assert saved.rename({"small": "s"}).of_runs([0]).short_of_budget == {"s": 0.8}
    assert (saved.of_runs([0]) + saved.of_runs([1])).short_of_budget == wanted
    damaged = saved.to_json().replace(
        '"short_by_measure": {"small": {', '"short_by_measure": {"small": {"x": "y", '
    )
    with pytest.raises(ExcerptError, match="not a table of scores"):
        ScoreTable.from_json(damaged)


def test_verdicts() -> None:
    """A note beside the verdict if only one of two runs uses up the budget, with its measure."""
    table = evaluate(GOLD, [SMALL, LARGE], [NAME, "charR"], notices=Notices())
    outcome = compare(table)
    assert outcome.notes() == (f"{NAME}: {NOTE}",)
    assert NOTE in " ".join(str(outcome).split())
    assert NOTE in outcome.to_markdown().replace("\\", "")
    printed = outcome.to_dict()
    assert (printed["short_of_budget"], printed["notes"]) == (table.short_of_budget, [f"{NAME}: {NOTE}"])
    verdict = gate(table.of_runs([0]), table.of_runs([1]))
    assert f"{NAME}: {NOTE}" in verdict.notes()
    assert verdict.to_dict()["short_of_budget"] == {"small": 0.8, "large": 0.1}
    assert NOTE in str(verdict)
    renamed = gate(table.of_runs([1]).rename({"large": "main"}), table.of_runs([0]).rename({"small": "main"}))
    assert NOTE.replace("small", "after").replace("large", "before") in str(renamed)
    assert renamed.to_dict()["short_of_budget"] == {"before": 0.1, "main": 0.8}


def test_printed_scores(tmp_path: Path) -> None:
    """Scores that evaluate prints with those of every topic can be compared like saved ones."""
    table = evaluate(GOLD, [SMALL, LARGE], [NAME, "charR"], notices=Notices())
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(table.to_dict(per_topic=True)))
    assert load_scores(path).short_of_budget == table.short_of_budget
    assert compare(load_scores(path)).notes() == (f"{NAME}: {NOTE}",)


@pytest.mark.parametrize("other", [1, 8, 0])
def test_alike_runs_have_no_note(other: int) -> None:
    """Runs that both fill the budget on nine tenths of the questions, or both do not."""
    runs = [_run("one", 1 if other < 2 else 7), _run("two", other)]
    table = evaluate(GOLD, runs, NAME, notices=Notices())
    assert compare(table).notes() == ()
    assert not any("budget," in note for note in gate(table.of_runs([0]), table.of_runs([1])).notes())


def test_report() -> None:
    """A report has the warning."""
    page = report(GOLD, SMALL, NAME, text=False, notices=Notices())
    assert SAID in page.world.overview()["warnings"]
