"""charP, charR, charF and IoU against worked examples, their definition and what must always hold."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.element_oracle import assert_agrees, hixeval
from support.element_strategies import RANKS
from support.oracle import Asked, IntervalTopic, Topic, assert_agreement, score
from support.strategies import Case, cases, character_measures, disjoint, judged_measures, policies

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, Span, evaluate, parse_measure
from excerpt.errors import MissingData
from excerpt.model import GradedElement

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
    assume(
        not rows or any(start != end or start < 0 for _, start, end in rows)
    )  # a run without text is refused
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
    """Counting and weighting agree to the last digit if no text is shown twice."""
    run = Run.of("run", [Result(*row) for row in disjoint(case.results)])
    for name in ("charP", "charR", "charF", "charP[3]"):
        at = name.partition("[")
        published = f"{at[0]}(overlap=lambda){at[1]}{at[2]}"
        table = evaluate(case.judgments(), [run], [name, published])
        assert [repr(value) for value in table.values[..., 0].ravel()] == [
            repr(value) for value in table.values[..., 1].ravel()
        ]


TEXTS = {"A": "One two.\n\nThree four.", "B": "Six"}
GOLD = Judgments.of([("1", Span("A", 4, 15)), ("2", Span("B", 0, 3))])
RUN = Run.of("r", [Result("1", "A", 0, 8), Result("1", "A", 2, 13), Result("1", "A", 2, 13)])


def test_characters_count_as_often_as_they_are_read() -> None:
    table = evaluate(GOLD, [RUN], ["read[1]", "read[2]", "read"])
    assert table.values.tolist() == [[[8, 19, 30], [0, 0, 0]]]


def test_words_are_those_of_the_text() -> None:
    """ "One two." has two words, "e two.\\n\\nThr" three."""
    table = evaluate(GOLD, [RUN], ["read(cost=words)[1]", "read(cost=words)[2]"], corpus=TEXTS)
    assert table.values.tolist() == [[[2, 5], [0, 0]]]


def test_a_column_of_the_run_is_believed() -> None:
    run = RUN.with_text(costs={"tokens": np.array([5, 7, 7]), "words": np.array([1, 1, 1])})
    names = ["read(cost=tokens)[2]", "read(cost=words)"]
    assert evaluate(GOLD, [run], names, corpus=TEXTS).values[0, 0].tolist() == [12, 3]


def test_lost_results_have_the_length_of_their_text() -> None:
    run = Run.of("r", [Result("1", "A", -1, -1), Result("1", "A", -1, -1)])
    run = run.with_text(lost=np.array([30, 0]))
    assert evaluate(GOLD, [run], ["read"]).values[0, 0].tolist() == [48]


def test_topics_without_relevant_text_are_read_where_they_count() -> None:
    """As 0 they would be cheap."""
    gold = Judgments.of([("1", Span("A", 4, 15))], irrelevant=[("2", "A")])
    run = Run.of("r", [Result("1", "A", 0, 8), Result("2", "A", 0, 9)])
    assert evaluate(gold, [run], ["read"]).means().tolist() == [[8]]
    assert evaluate(gold, [run], ["read"], policy=Policy(include_empty=True)).means().tolist() == [[8.5]]


NOWHERE = Run.of("r", [Result("1", "A", 0, 3), Result("1", "A", -1, -1)])
UNKNOWN = Run.of("r", [Result("1", "A", 0, 3), Result("1", "Z", 0, 3)])


@pytest.mark.parametrize(
    ("cost", "run", "corpus", "document", "hint"),
    [
        ("tokens", RUN, TEXTS, "A", "give tokens=…, or a run with tokens for every result"),
        ("words", RUN, None, "A", "give corpus=Corpus.read(…), or a run with words for every result"),
        ("words", NOWHERE, TEXTS, "A", "give a run with words for every result"),
        ("words", UNKNOWN, TEXTS, "Z", "give a run with words for every result"),
    ],
)
def test_what_is_not_known_is_asked_for(
    cost: str, run: Run, corpus: dict[str, str] | None, document: str, hint: str
) -> None:
    with pytest.raises(MissingData) as caught:
        evaluate(GOLD, [run], [f"read(cost={cost})"], corpus=corpus)
    assert str(caught.value) == (
        f"r: read(cost={cost}) needs the {cost} of every result, but those of topic 1, "
        f"document {document} are missing; {hint}"
    )


def test_only_what_is_read_must_be_known() -> None:
    run = Run.of("r", [Result("1", "A", 0, 8), Result("1", "A", -1, -1)])
    found = evaluate(GOLD, [run], ["read(cost=words)[1]"], corpus=TEXTS)
    assert found.values[0, 0].tolist() == [2]


def test_it_is_no_share() -> None:
    assert not parse_measure("read@5").is_share
    assert parse_measure("found(share=0.5)@5").is_share


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
    run = run.with_text(lost=np.array([50, 0, 0]))
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


_JUDGMENTS = Judgments.of([("1", Span("A", 0, 60))], irrelevant=[("1", "B"), ("2", "A")])


@settings(max_examples=150)
@given(cases(), judged_measures(), policies())
def test_judged_share_agrees_with_the_definition(case: Case, asked: list[Asked], rules: list[Policy]) -> None:
    """Every score is that of the oracle, whatever the policy; nothing is refused."""
    for policy in rules:
        assert_agreement(case.judgments(), case.run(), case.topics(Topic), asked, policy)


def test_judged_irrelevant_is_judged() -> None:
    """Documents judged for another topic only are unjudged; a short list counts by its own length."""
    run = Run.of("r", [Result("2", "B", 0, 9), Result("2", "A", 0, 9), Result("2", "A", 20, 29)])
    table = evaluate(_JUDGMENTS, [run], ["judged@1", "judged@2", "judged@5", "judged"])
    assert [table["r", "2", name] for name in table.measures] == [0, 1 / 2, 2 / 3, 2 / 3]


def test_a_topic_without_results_is_undefined() -> None:
    """Nothing was returned, so the judged proportion is undefined: the topic stays out of the mean."""
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


@given(st.data())
def test_a_budget_of_tokens_cuts_in_proportion(data: st.DataObject) -> None:
    """Of a result of L characters and t tokens, with m tokens left, floor(L * m / t) characters are read."""
    sizes = st.tuples(st.integers(0, 30), st.integers(0, 20), st.integers(0, 9))
    rows = data.draw(st.lists(sizes, min_size=1, max_size=6))
    budget, top = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 6))
    relevant = set(range(10, 25))
    gold = Judgments.of([("1", Span("A", 10, 25))])
    run = Run.of("r", [Result("1", "A", start, start + size) for start, size, _ in rows])
    run = run.with_text(costs={"tokens": np.array([tokens for *_, tokens in rows])})
    left, read, seen = budget, 0, set[int]()
    for start, size, tokens in rows[:top]:
        if left < 0:
            break
        part = size if tokens <= left else math.floor(Fraction(size * left, tokens))
        left, read = left - tokens, read + part
        seen |= set(range(start, start + part))
    found = len(seen & relevant)
    expected = [found / max(read, 1), found / 15, 2 * found / max(read + 15, 1), found / (read + 15 - found)]
    names = [f"{name}(budget={budget}, cost=tokens)@{top}" for name in FAMILY]
    assume(any(size for _, size, _ in rows))
    assert evaluate(gold, [run], names, notices=Notices()).values[0, 0].tolist() == expected


def test_tokens_of_a_function_and_of_the_run() -> None:
    names = ["read(cost=tokens)", "recall(budget=2, cost=tokens)@20"]
    table = evaluate(GOLD, [RUN], names, corpus=TEXTS, tokens=str.split)
    assert table.values[0, 0].tolist() == [8, 4 / 11]
    run = RUN.with_text(costs={"tokens": np.array([5, 7, 7])})
    assert evaluate(GOLD, [run], names[:1], corpus=TEXTS, tokens=str.split).values[0, 0].tolist() == [19]
    short = evaluate(GOLD, [RUN], ["recall(budget=20, cost=tokens)"], corpus=TEXTS, tokens="words")
    assert any("(4 of 20 tokens on average)" in str(warning) for warning in short.warnings)


def test_a_cost_needs_a_budget() -> None:
    with pytest.raises(ExcerptError, match="cost=tokens of charR needs a budget"):
        parse_measure("charR(cost=tokens)")
