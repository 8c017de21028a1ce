"""articleP, articleR, articleF and articleAP against their definition."""

from __future__ import annotations

from hypothesis import given, settings
from oracle import Asked, IntervalTopic, Topic, assert_agreement, score
from strategies import Case, article_measures, cases, policies

from excerpt import Judgments, Policy, Result, Run, Span, evaluate

NAMES = ["articleP", "articleR", "articleF", "articleAP"]


def test_by_hand() -> None:
    """Documents b, x, a, y with a, b, c relevant: P 2/4, R 2/3, F 4/7, AP (1/1 + 2/3)/3."""
    judgments = Judgments.of([("1", Span(document, 0, 9)) for document in "abc"], irrelevant=[("1", "x")])
    rows = ["b", "x", "b", "a", "y", "b"]
    run = Run.of("run", [Result("1", document, 50, 60) for document in rows])
    expected = [1 / 2, 2 / 3, 4 / 7, (1 + 2 / 3) / 3]
    assert evaluate(judgments, [run], NAMES).means().tolist() == [expected]


@settings(max_examples=75)
@given(cases(), article_measures(), policies())
def test_agrees_with_the_definition(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Scores and means are the exact ones under every policy; overlap is never refused."""
    judgments, run, topics = case.judgments(), case.run(), case.topics(Topic)
    for policy in rules:
        assert_agreement(judgments, run, topics, asked, policy)


@settings(max_examples=75)
@given(cases(), article_measures())
def test_the_two_oracles_agree(case: Case, asked: list[Asked]) -> None:
    """Counting with spans gives the very fractions that counting with characters gives."""
    sets, intervals = case.topics(Topic), case.topics(IntervalTopic)
    for name in sets:
        for measure in asked:
            assert score(measure, sets[name], Policy()) == score(measure, intervals[name], Policy())


@settings(max_examples=75)
@given(cases())
def test_only_the_documents_matter(case: Case) -> None:
    """Which text of a document was returned plays no role."""
    rows = tuple((topic, document, 0, 0) for topic, document, _, _ in case.results)
    empty = Case(case.highlights, rows, case.irrelevant)
    before = evaluate(case.judgments(), [case.run()], NAMES).values
    after = evaluate(empty.judgments(), [empty.run()], NAMES).values
    assert str(before.tolist()) == str(after.tolist())
