"""charP, charR, charF and IoU against worked examples, their definition and what must always hold."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Asked, IntervalTopic, Topic, assert_agreement, score
from strategies import Case, cases, character_measures, policies

from excerpt import Judgments, Policy, Result, Run, Span, evaluate

WHOLE_LIST = ["charP", "charR", "charF", "charF(beta=0.5)", "IoU"]


def test_worked_example_e9a() -> None:
    """Example E9 (a) of the specification: each score is exactly the double nearest to the fraction."""
    judgments = Judgments.of([("1", Span("A", 0, 40)), ("1", Span("C", 0, 60))])
    run = Run.of("run", [Result("1", "A", 0, 50), Result("1", "B", 0, 30), Result("1", "C", 40, 80)])
    exact = {"charP[1]": "4/5", "charP[2]": "1/2", "charP[3]": "1/2", "charR[3]": "3/5", "charF[3]": "6/11"}
    table = evaluate(judgments, [run], exact)
    assert table.means().tolist() == [[float(Fraction(value)) for value in exact.values()]]


@pytest.mark.parametrize("spans", [((0, 100), (0, 40)), ((0, 40), (0, 100))])
def test_worked_example_e9bc(spans: tuple[tuple[int, int], ...]) -> None:
    """Examples E9 (b), full penalty, and (c), exact form: section and paragraph in either order."""
    judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    run = Run.of("run", [Result("1", "A", start, end) for start, end in spans])
    table = evaluate(judgments, [run], ["charP[2]", "charR[2]", "charP", "charR", "IoU"])
    assert table.means().tolist() == [[3 / 7, 3 / 4, 3 / 7, 3 / 4, 60 / 160]]


def test_character_precision_of_e6() -> None:
    """The char_prec of example E6 is 8/17 and 1/4."""
    judgments = Judgments.of(
        [
            ("1", Span("A", 10, 50)),
            ("1", Span("A", 100, 120)),
            ("1", Span("B", 0, 40)),
            ("2", Span("D", 400, 500)),
        ]
    )
    rows = [("1", "A", 0, 50), ("1", "C", 0, 30), ("1", "B", 20, 60), ("1", "A", 100, 150)]
    rows += [("2", "D", 350, 450), ("2", "E", 0, 100)]
    table = evaluate(judgments, [Run.of("run", [Result(*row) for row in rows])], ["charP"])
    assert [table["run", topic, "charP"] for topic in "12"] == [8 / 17, 1 / 4]


@settings(max_examples=150)
@given(cases(), character_measures(), policies())
def test_agrees_with_the_definition(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Scores and means are the exact ones under every policy; overlap is never refused."""
    judgments, run, topics = case.judgments(), case.run(), case.topics(Topic)
    for policy in rules:
        assert_agreement(judgments, run, topics, asked, policy)


@settings(max_examples=150)
@given(cases(), character_measures())
def test_the_two_oracles_agree(case: Case, asked: list[Asked]) -> None:
    """Counting with spans gives the very fractions that counting with characters gives."""
    sets, intervals = case.topics(Topic), case.topics(IntervalTopic)
    for name in sets:
        for measure in asked:
            assert score(measure, sets[name], Policy()) == score(measure, intervals[name], Policy())


@settings(max_examples=150)
@given(st.data(), cases())
def test_splitting_a_result_changes_nothing(data: st.DataObject, case: Case) -> None:
    """Two touching results in place of one leave every measure of the whole list as it was."""
    rows: list[tuple[str, str, int, int]] = []
    for topic, document, start, end in case.results:
        at = data.draw(st.integers(start, end))
        halves = [(topic, document, start, at), (topic, document, at, end)]
        rows += halves if start >= 0 else [(topic, document, start, end)]
    split = Case(case.highlights, tuple(rows), case.irrelevant)
    before = evaluate(case.judgments(), [case.run()], WHOLE_LIST).values
    after = evaluate(split.judgments(), [split.run()], WHOLE_LIST).values
    assert str(before.tolist()) == str(after.tolist())


@settings(max_examples=150)
@given(st.data(), cases(), st.integers(0, 30))
def test_irrelevant_text_never_helps(data: st.DataObject, case: Case, length: int) -> None:
    """An irrelevant result anywhere in the list raises no measure of the whole list, and lowers no recall."""
    rows = list(case.results)
    for topic in case.topics(Topic):
        rows.insert(data.draw(st.integers(0, len(rows))), (topic, "nowhere", 5, 5 + length))
    longer = Case(case.highlights, tuple(rows), case.irrelevant)
    before = evaluate(case.judgments(), [case.run()], WHOLE_LIST)
    after = evaluate(longer.judgments(), [longer.run()], WHOLE_LIST)
    for (_, topic, measure, old), (_, _, _, new) in zip(before, after, strict=True):
        assert not new > old, (topic, measure)
        assert measure != "charR" or not new < old


@settings(max_examples=150)
@given(cases(), character_measures(), policies())
def test_scores_lie_between_0_and_1(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Every score is in [0, 1], also where results overlap."""
    for policy in rules:
        values = evaluate(case.judgments(), [case.run()], map(str, asked), policy=policy).values
        assert all(not score < 0 and not score > 1 for score in values.ravel().tolist())


@pytest.mark.parametrize(
    "beta", ["0.123456", "0.1234567", "0.3333333333333333", "1.4142135623730951", "1e9", "1e-9"]
)
def test_beta_with_many_digits_is_exact(beta: str) -> None:
    """Any β that a float prints gives F within 1e-12, however long the integers behind it."""
    judgments = Judgments.of([("1", Span("A", 0, 90_000_000))])
    run = Run.of("run", [Result("1", "A", 30_000_000, 130_000_000)])
    topic = IntervalTopic([("A", 30_000_000, 130_000_000)], {"A": [(0, 90_000_000)]})
    for name in ("charF", "AgP"):
        asked = Asked(name, None, (("beta", beta),))
        assert_agreement(judgments, run, {"1": topic}, [asked], Policy())
