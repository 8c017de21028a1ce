"""judged against examples and its definition."""

from __future__ import annotations

import math

from hypothesis import given, settings
from oracle import Asked, Topic, assert_agreement
from strategies import Case, cases, judged_measures, policies

from excerpt import Judgments, Policy, Result, Run, Span, evaluate
from excerpt.model import GradedElement

_JUDGMENTS = Judgments.of([("1", Span("A", 0, 60))], irrelevant=[("1", "B"), ("2", "A")])


@settings(max_examples=150)
@given(cases(), judged_measures(), policies())
def test_agrees_with_the_definition(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Every score is that of the oracle, whatever the policy; nothing is refused."""
    for policy in rules:
        assert_agreement(case.judgments(), case.run(), case.topics(Topic), asked, policy)


def test_judged_irrelevant_is_judged() -> None:
    """What was judged for another topic only counts as unjudged, and a short list by its own length."""
    run = Run.of("r", [Result("2", "B", 0, 9), Result("2", "A", 0, 9), Result("2", "A", 20, 29)])
    table = evaluate(_JUDGMENTS, [run], ["judged@1", "judged@2", "judged@5", "judged"])
    assert [table["r", "2", name] for name in table.measures] == [0, 1 / 2, 2 / 3, 2 / 3]


def test_a_topic_without_results_is_undefined() -> None:
    """Nothing was returned, so no share of it was judged: the topic stays out of the mean."""
    run = Run.of("r", [Result("2", "A", 0, 9)])
    for policy in (Policy(), Policy(include_empty=True)):
        table = evaluate(_JUDGMENTS, [run], ["judged@10"], policy=policy)
        assert math.isnan(table["r", "1", "judged@10"])
        assert table.mean("r", "judged@10") == 1


def test_documents_and_elements_are_judged_too() -> None:
    """Runs of whole documents and of elements ask for nothing that they lack."""
    run = Run.of("r", [Result("1", "A", -1, -1), Result("1", "C", -1, -1)], kind="documents")
    assert evaluate(_JUDGMENTS, [run], ["judged"]).mean("r", "judged") == 1 / 2
    graded = Judgments.graded([GradedElement("1", "A", "/a[1]", 0, 0)], scale="exhaustivity and specificity")
    run = Run.of("r", [Result("1", "A", -1, -1, path="/a[1]/p[1]")], kind="elements")
    assert evaluate(graded, [run], ["judged"]).mean("r", "judged") == 1


def test_a_grade_below_zero_says_that_nobody_judged() -> None:
    """As trec_eval has it: such documents are in the pool only."""
    table = evaluate(
        b"1 0 A 1\n1 0 B -1\n1 0 C 0\n", b"1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n1 Q0 D 3 1 r\n", ["judged@2"]
    )
    assert table.mean("r", "judged@2") == 1 / 2
