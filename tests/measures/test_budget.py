"""Reading up to a budget: by hand, and what must always hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, cases

from excerpt import ExcerptError, Judgments, Result, Run, Span, evaluate, parse_measure

FAMILY = ("charP", "charR", "charF", "IoU")


def scores(judgments: Judgments, run: Run, budget: int, cutoff: str = "") -> list[float]:
    names = [f"{name}(budget={budget}){cutoff}" for name in FAMILY]
    return list(evaluate(judgments, [run], names).means()[0])


def test_the_result_that_crosses_the_budget_counts_with_its_first_characters() -> None:
    """Of 60 relevant characters, 20 in A and 40 in B; 50 of A are read, then B as far as the budget goes."""
    judgments = Judgments.of([("1", Span("A", 30, 50)), ("1", Span("B", 10, 50))])
    run = Run.of("r", [Result("1", "A", 0, 50), Result("1", "B", 0, 100)])
    assert scores(judgments, run, 40) == [10 / 40, 10 / 60, 20 / 100, 10 / 90]
    assert scores(judgments, run, 50) == [20 / 50, 20 / 60, 40 / 110, 20 / 90]
    assert scores(judgments, run, 60) == [20 / 60, 20 / 60, 40 / 120, 20 / 100]
    assert scores(judgments, run, 75) == [35 / 75, 35 / 60, 70 / 135, 35 / 100]
    assert scores(judgments, run, 10_000) == [60 / 150, 1, 120 / 210, 60 / 150]  # less was there to read
    assert scores(judgments, run, 75, "[1]") == [20 / 50, 20 / 60, 40 / 110, 20 / 90]  # both limits hold


def test_repeats_use_up_the_budget() -> None:
    """The same 30 characters three times leave 10 of 100 for what is new, and 5 of these are found."""
    judgments = Judgments.of([("1", Span("A", 0, 30)), ("1", Span("B", 5, 35))])
    rows = [Result("1", "A", 0, 30)] * 3 + [Result("1", "B", 0, 40)]
    found = scores(judgments, Run.of("r", rows), 100)
    assert found[:2] == [35 / 100, 35 / 60]
    # Cut in the middle of a repeat: its first characters bring nothing, those after them are not read.
    rows = [Result("1", "A", 10, 30), Result("1", "A", 0, 30)]
    assert scores(judgments, Run.of("r", rows), 25)[:2] == [25 / 25, 25 / 60]
    assert scores(judgments, Run.of("r", rows), 45)[:2] == [30 / 45, 30 / 60]


def test_what_stands_nowhere_uses_up_the_budget() -> None:
    """A lost chunk is read with its own length, a result of no place with the usual one."""
    judgments = Judgments.of([("1", Span("A", 0, 30))])
    run = Run.of("r", [Result("1", "A", -1, -1), Result("1", "A", -1, -1), Result("1", "A", 0, 30)])
    run = replace(run, lost=np.array([50, 0, 0]))
    assert scores(judgments, run, 70)[:2] == [2 / 70, 2 / 30]
    assert scores(judgments, run, 40)[:2] == [0, 0]


def test_topics_without_results_score_0() -> None:
    judgments = Judgments.of([("1", Span("A", 0, 30)), ("2", Span("A", 0, 30))])
    assert scores(judgments, Run.of("r", [Result("2", "A", 0, 30)]), 15) == [0.5, 0.25, 1 / 3, 0.25]


def test_whole_documents_are_read_from_their_start() -> None:
    judgments = Judgments.of([("1", Span("A", 10, 30))], sizes={"A": 100, "B": 50})
    rows = [Result("1", "B", -1, -1), Result("1", "A", -1, -1)]
    run = Run.of("r", rows, kind="documents")
    found = evaluate(judgments, [run], ["charP(budget=65)"], corpus={"A": 100 * "a", "B": 50 * "b"})
    assert found.means().tolist() == [[5 / 65]]


@settings(max_examples=60)
@given(cases(), st.integers(1, 40))
def test_a_larger_budget_never_finds_less_and_a_huge_one_is_none(case: Case, budget: int) -> None:
    names = [f"charR(budget={n})" for n in (budget, budget + 1, 10**9)] + ["charR"]
    for row in np.nan_to_num(evaluate(case.judgments(), [case.run()], names).values[0]).tolist():
        assert row[0] <= row[1] <= row[2] == row[3]


@pytest.mark.parametrize(
    "name", ["charR(budget=0)", "IoU(budget=1.5)", "charP(budget=x)", "charF(budget=-1)"]
)
def test_a_budget_is_a_whole_number(name: str) -> None:
    with pytest.raises(ExcerptError, match=r"as parameter budget of \w+, expected a whole number from 1"):
        parse_measure(name)


def test_the_published_weights_know_no_budget() -> None:
    with pytest.raises(
        ExcerptError, match="found budget=10 of charP with overlap=lambda, expected overlap=exact"
    ):
        parse_measure("charP(overlap=lambda, budget=10)")
