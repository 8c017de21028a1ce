"""charP, charR, charF and IoU against worked examples, their definition and what must always hold."""

from __future__ import annotations

from fractions import Fraction

import pytest
from element_oracle import assert_agrees, hixeval
from element_strategies import RANKS
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Asked, IntervalTopic, Topic, assert_agreement, score
from strategies import Case, cases, character_measures, disjoint, policies

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, evaluate

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


@settings(max_examples=75)
@given(cases(), character_measures(), policies())
def test_agrees_with_the_definition(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Scores and means are the exact ones under every policy; overlap is never refused."""
    judgments, run, topics = case.judgments(), case.run(), case.topics(Topic)
    for policy in rules:
        assert_agreement(judgments, run, topics, asked, policy)


@settings(max_examples=75)
@given(cases(), character_measures())
def test_the_two_oracles_agree(case: Case, asked: list[Asked]) -> None:
    """Counting with spans gives the very fractions that counting with characters gives."""
    sets, intervals = case.topics(Topic), case.topics(IntervalTopic)
    for name in sets:
        for measure in asked:
            assert score(measure, sets[name], Policy()) == score(measure, intervals[name], Policy())


@settings(max_examples=75)
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


@settings(max_examples=75)
@given(st.data(), cases(), st.integers(0, 30))
def test_irrelevant_text_never_helps(data: st.DataObject, case: Case, length: int) -> None:
    """An irrelevant result anywhere in the list raises no measure of the whole list, and lowers no recall."""
    rows = list(case.results)
    for topic in case.topics(Topic) if case.results else ():  # a run of strangers only is refused
        rows.insert(data.draw(st.integers(0, len(rows))), (topic, "nowhere", 5, 5 + length))
    longer = Case(case.highlights, tuple(rows), case.irrelevant)
    before = evaluate(case.judgments(), [case.run()], WHOLE_LIST)
    after = evaluate(longer.judgments(), [longer.run()], WHOLE_LIST)
    for (_, topic, measure, old), (_, _, _, new) in zip(before, after, strict=True):
        assert not new > old, (topic, measure)
        assert measure != "charR" or not new < old


@settings(max_examples=75)
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


# ---- HiXEval as published

_SECTION, _PARAGRAPH = Result("1", "A", 0, 100), Result("1", "A", 0, 40)


def _check(judgments: Judgments, run: Run, expected: dict[str, str]) -> None:
    table = evaluate(judgments, [run], expected)
    for name, value in expected.items():
        assert table.mean("r", name) == pytest.approx(float(Fraction(value)), rel=1e-15, abs=0), name


def _judgments() -> Judgments:
    return Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])


def test_published_weights_on_example_e9a() -> None:
    """Without overlap all forms give the same."""
    judgments = Judgments.of([("1", Span("A", 0, 40)), ("1", Span("C", 0, 60))])
    run = Run.of("r", [Result("1", "A", 0, 50), Result("1", "B", 0, 30), Result("1", "C", 40, 80)])
    exact = {
        "charP{}[1]": "4/5",
        "charP{}[2]": "1/2",
        "charP{}[3]": "1/2",
        "charR{}[3]": "3/5",
        "charF{}[3]": "6/11",
    }
    for options in ("", "(overlap=lambda)", "(overlap=lambda, alpha=0)", "(overlap=exact)"):
        _check(judgments, run, {name.format(options): value for name, value in exact.items()})


def test_published_weights_on_example_e9b() -> None:
    expected = {
        "charP(overlap=lambda)[2]": "3/7",
        "charR(overlap=lambda)[2]": "3/4",
        "charP(overlap=lambda, alpha=1)": "3/7",
        "charP(overlap=lambda, alpha=0)[2]": "5/7",
        "charR(overlap=lambda, alpha=0)[2]": "5/4",
        "charP": "3/7",
        "charR": "3/4",
    }
    _check(_judgments(), Run.of("r", [_SECTION, _PARAGRAPH]), expected)


def test_published_weights_on_example_e9c() -> None:
    expected = {
        "charP(overlap=lambda)[2]": "19/35",
        "charR(overlap=lambda)[2]": "19/20",
        "charP(overlap=lambda, alpha=1/2)[2]": "22/35",
        "charR(overlap=lambda, alpha=0.5)[2]": "11/10",
        "charP(overlap=exact)[2]": "3/7",
        "charR(overlap=exact)[2]": "3/4",
    }
    _check(_judgments(), Run.of("r", [_PARAGRAPH, _SECTION]), expected)


def test_alpha_is_a_share() -> None:
    """The weight of text seen before lies between 0 and 1."""
    for alpha in ("2", "-1", "x"):
        with pytest.raises(ExcerptError, match="alpha"):
            evaluate(_judgments(), [Run.of("r", [_SECTION])], [f"charP(overlap=lambda, alpha={alpha})"])


#: Spans that touch, overlap, nest, repeat or are empty; -1 starts nowhere. Document z was not judged.
_SPAN = st.tuples(st.sampled_from("aabz"), st.integers(-1, 20), st.integers(0, 12))
_WEIGHTS = st.tuples(
    st.sampled_from(("0.5", "1/3", "0.9", "1/7")), st.sampled_from(("0", "0.25", "0.5", "2", "1/3", "3.17"))
)


def _asked(weights: tuple[str, str], rank: str) -> list[Asked]:
    asked = []
    for alpha in ("1", "0", weights[0]):
        options = (("overlap", "lambda"), ("alpha", alpha))
        for cutoff in (None, rank):
            asked += [Asked(name, cutoff, options) for name in ("charP", "charR", "charF")]
        asked.append(Asked("charF", rank, (*options, ("beta", weights[1]))))
    return asked


@settings(max_examples=150)
@given(
    st.lists(_SPAN, max_size=5),
    st.lists(_SPAN, max_size=10),
    st.builds(_asked, _WEIGHTS, RANKS),
    st.sampled_from((Policy(), Policy(overlap="allow"))),
)
def test_published_weights_agree_with_the_definition(
    highlights: list[tuple[str, int, int]],
    returned: list[tuple[str, int, int]],
    asked: list[Asked],
    policy: Policy,
) -> None:
    """Topic 1 is drawn, topic 2 has other relevant text, topic 3 none."""
    passages: dict[str, dict[str, list[tuple[int, int]]]] = {"1": {}, "2": {"b": [(3, 10)]}, "3": {}}
    for document, start, length in highlights:
        if start >= 0:
            passages["1"].setdefault(document, []).append((start, start + length))
    rows = [(document, start, start + length if start >= 0 else -1) for document, start, length in returned]
    judgments = Judgments.of(
        [
            (topic, Span(document, *span))
            for topic, documents in passages.items()
            for document, spans in documents.items()
            for span in spans
        ],
        irrelevant=[("1", "a"), ("3", "a"), *(("3", row[0]) for row in rows[:1])],
    )
    run = Run.of("run", [Result(topic, *row) for topic in "123" for row in rows])
    assert_agrees(judgments, run, asked, lambda topic, one: hixeval(rows, passages[topic], one), policy)


@settings(max_examples=100)
@given(cases())
def test_without_overlap_the_two_forms_are_one(case: Case) -> None:
    """Where no text is shown twice, counting and weighting agree to the last digit."""
    run = Run.of("run", [Result(*row) for row in disjoint(case.results)])
    for name in ("charP", "charR", "charF", "charP[3]"):
        at = name.partition("[")
        published = f"{at[0]}(overlap=lambda){at[1]}{at[2]}"
        table = evaluate(case.judgments(), [run], [name, published])
        assert [repr(value) for value in table.values[..., 0].ravel()] == [
            repr(value) for value in table.values[..., 1].ravel()
        ]
