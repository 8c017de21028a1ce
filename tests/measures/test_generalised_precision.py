"""gP, gR and AgP against worked examples, their definition and what must always hold."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Asked, IntervalTopic, Topic, agrees, assert_agreement, document_rows, ratio, score
from support.strategies import Case, cases, in_context_measures, policies, spans

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, ScoreTable, Span, evaluate
from excerpt.errors import MissingData, PolicyError
from excerpt.measures.generalised_precision import Layer, tolerance_to_irrelevance
from excerpt.scores.score_views import DocumentScore

#: Sums of several doubles may be off by a few units in the last place.
NEAR = Fraction(1, 10**15)

E6 = Case(
    highlights=(("1", "A", 10, 50), ("1", "A", 100, 120), ("1", "B", 0, 40), ("2", "D", 400, 500)),
    irrelevant=(("1", "C"),),
    sizes={"A": 200, "B": 100, "C": 300, "D": 1000},
    entries={("1", "A"): 10, ("1", "B"): 0, ("2", "D"): 400},
    results=(
        ("1", "A", 0, 50),
        ("1", "A", 100, 150),
        ("1", "C", 0, 30),
        ("1", "B", 20, 60),
        ("2", "E", 0, 100),
        ("2", "D", 350, 450),
    ),
)
E6_ENTRIES = Case(
    highlights=E6.highlights,
    irrelevant=E6.irrelevant,
    sizes=E6.sizes,
    entries=E6.entries,
    results=(("1", "A", 60, 61), ("1", "C", 0, 1), ("1", "B", 0, 1), ("2", "D", 650, 651)),
)


@pytest.mark.parametrize(
    ("name", "first", "second", "mean"),
    [
        ("AgP(beta=0.25)", "491/996", "1/4", "185/498"),
        ("AgP", "7/12", "1/4", "5/12"),
        ("AgP(score=T2I)", "4/15", "1/14", "71/420"),
        ("AgP(score=T2I, irrelevant=20)", "7/12", "0", "7/24"),
    ],
)
def test_worked_example_e6(name: str, first: str, second: str, mean: str) -> None:
    """Example E6 of the specification, relevant in context, within 1e-15 of the exact fractions."""
    table = evaluate(E6.judgments(), [E6.run()], [name])
    assert agrees(table["run", "1", name], Fraction(first), NEAR)
    assert agrees(table["run", "2", name], Fraction(second), NEAR)
    assert agrees(table.mean("run", name), Fraction(mean), NEAR)


@pytest.mark.parametrize(
    ("parameters", "scores"),
    [
        ("beta=0.25", ("51/83", "0", "1/2")),
        ("beta=1", ("3/4", "0", "1/2")),
        ("score=T2I", ("3/10", "0", "2/5")),
        ("score=T2I, irrelevant=20", ("3/4", "0", "1/2")),
    ],
)
def test_document_scores_of_e6(parameters: str, scores: tuple[str, ...]) -> None:
    """Differences of k·gP[k] are the document scores of example E6, within 1e-15."""
    names = [f"gP({parameters})[{rank}]" for rank in (1, 2, 3)]
    table = evaluate(E6.judgments(), [E6.run()], names)
    total = Fraction(0)
    for rank, (name, value) in enumerate(zip(names, scores, strict=True), start=1):
        total += Fraction(value)
        assert agrees(table["run", "1", name], total / rank, NEAR)


def test_precision_and_recall_of_e6() -> None:
    """gP and gR of example E6 at each rank; past the end gP is divided by k, or as the tool if legacy."""
    exact = {
        "gP(beta=0.25)[1]": "51/83",
        "gP(beta=0.25)[2]": "51/166",
        "gP(beta=0.25)[3]": "185/498",
        "gP(beta=0.25)[5]": "37/166",
        "gP(beta=0.25, legacy=true)[5]": "185/498",
        "gR[1]": "1/2",
        "gR[2]": "1/2",
        "gR[3]": "1",
        "gR[50]": "1",
    }
    table = evaluate(E6.judgments(), [E6.run()], exact)
    for name, value in exact.items():
        assert agrees(table["run", "1", name], Fraction(value), NEAR)


@pytest.mark.parametrize(
    ("name", "first", "second", "mean"),
    [
        ("AgP(score=BEP)", "23/30", "1/2", "19/30"),
        ("AgP(score=BEP, n=500)", "23/30", "1/2", "19/30"),
        ("AgP(score=BEP, n=1000)", "4/5", "3/4", "31/40"),
    ],
)
def test_best_in_context_of_e6(name: str, first: str, second: str, mean: str) -> None:
    """Example E6 of the specification, best in context, within 1e-15 of the exact fractions."""
    table = evaluate(E6_ENTRIES.judgments(), [E6_ENTRIES.run()], [name])
    assert agrees(table["run", "1", name], Fraction(first), NEAR)
    assert agrees(table["run", "2", name], Fraction(second), NEAR)
    assert agrees(table.mean("run", name), Fraction(mean), NEAR)


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, "0.8"), (50, "0.9"), (100, "1"), (350, "0.5"), (600, "0"), (601, "0")]
)
def test_entry_point_score_falls_linearly(offset: int, expected: str) -> None:
    """(n-d)/n on both sides of the best entry point, 0 from distance n on (the organisers' tool: F6.6)."""
    judgments = Judgments.of([("1", Span("A", 0, 10))], entries={("1", "A"): 100})
    run = Run.of("run", [Result("1", "A", offset, offset + 1)])
    assert evaluate(judgments, [run], ["gP(score=BEP)[1]"]).means()[0, 0] == float(expected)


@pytest.mark.parametrize(
    ("size", "span", "returned", "expected"),
    [
        (1000, (0, 100), (0, 100), "1/4"),
        (200, (0, 100), (0, 100), "1/2"),
        (100, (0, 100), (0, 100), "1"),
        (1000, (0, 100), (600, 650), "1/4"),
        (1000, (0, 100), (500, 799), "1/4"),
        (1000, (0, 100), (500, 800), "0"),
        (1000, (300, 400), (0, 400), "0"),
        (1000, (299, 399), (0, 400), "1/4"),
        (200, (0, 100), (0, 350), "2/7"),
        (1000, (200, 300), (-1, -1), "1/4"),
    ],
)
def test_tolerance_as_the_tool_reads(
    size: int, span: tuple[int, int], returned: tuple[int, int], expected: str
) -> None:
    """Documents that the organisers' tool was run on (F6.7): the same double."""
    judgments = Judgments.of([("1", Span("a", *span))], sizes={"a": size})
    run = Run.of("run", [Result("1", "a", *returned)])
    found = evaluate(judgments, [run], ["gP(score=T2I)[1]"]).means()[0, 0]
    assert found == float(Fraction(expected))


def test_tolerance_of_an_empty_document() -> None:
    """A document whose stated length is 0, of which nothing was returned, is read not at all: 0."""
    judgments = Judgments.of([("1", Span("a", 0, 1))], sizes={"a": 0})
    run = Run.of("run", [Result("1", "a", 0, 0), Result("2", "a", 0, 1)])
    assert evaluate(judgments, [run], ["AgP(score=T2I)"], notices=Notices()).means()[0, 0] == 0


@pytest.mark.parametrize(
    "name", ["AgP(score=BEP, n={})", "AgP(score=T2I, irrelevant={})", "gP[{}]", "gR[{}]", "charP[{}]"]
)
def test_huge_whole_numbers(name: str) -> None:
    """A whole number too long for the machine is either used as it is or refused in one line."""
    judgments = Judgments.of([("1", Span("a", 0, 9))], sizes={"a": 9}, entries={("1", "a"): 0})
    run = Run.of("run", [Result("1", "a", 0, 9)])
    try:
        score = evaluate(judgments, [run], [name.format(10**30)]).means()[0, 0]
    except ExcerptError:
        return
    assert score == pytest.approx(0 if name.startswith("gP") else 1)


@pytest.mark.parametrize(("beta", "exact"), [("0.25", "34/69"), ("1", "4/9"), ("2", "5/12"), ("0", "1/2")])
def test_beta_weighs_recall(beta: str, exact: str) -> None:
    """F of precision 1/2 and recall 2/5 for several β, as the organisers' tool has it (F6.5)."""
    judgments = Judgments.of([("1", Span("a", 0, 100))])
    run = Run.of("run", [Result("1", "a", 0, 40), Result("1", "a", 150, 190)])
    assert evaluate(judgments, [run], [f"gP(beta={beta})[1]"]).means()[0, 0] == float(Fraction(exact))


def test_relevant_document_with_score_zero_is_a_recall_point() -> None:
    """A relevant document of which nothing relevant was returned still takes part in AgP: 3/4."""
    judgments = Judgments.of([("1", Span("a", 0, 100)), ("1", Span("c", 0, 100))])
    run = Run.of("run", [Result("1", "c", 0, 100), Result("1", "a", 600, 650)])
    assert evaluate(judgments, [run], ["AgP"]).means()[0, 0] == 3 / 4


def _check(row: DocumentScore, exact: Sequence[Fraction | None]) -> None:
    for found, value in zip((row.P, row.R, row.F, row.score, row.gP), exact, strict=True):
        if found is None or value is None:
            assert (found, value) == (None, None)
        else:
            assert agrees(found, value, Fraction(1, 10**13)), (row, exact)


@pytest.mark.parametrize("name", ["gP(beta=0.25)@10", "AgP(beta=0.25)"])
def test_every_document_of_e6(name: str) -> None:
    """P, R, F and score of each document, and gP at its rank."""
    exact = {
        ("1", 1, "A"): ("3/5", "1", "51/83", "51/83", "51/83"),
        ("1", 2, "C"): ("0", "0", "0", "0", "51/166"),
        ("1", 3, "B"): ("1/2", "1/2", "1/2", "1/2", "185/498"),
        ("2", 1, "E"): ("0", "0", "0", "0", "0"),
        ("2", 2, "D"): ("1/2", "1/2", "1/2", "1/2", "1/4"),
    }
    found = evaluate(E6.judgments(), [E6.run()], [name, "MAiP"]).documents()
    assert found.measure == name
    assert len(found) == len(exact)
    for row, (key, values) in zip(found, exact.items(), strict=True):
        assert row[:4] == ("run", *key)
        _check(row, [Fraction(value) for value in values])


def test_entry_points_have_no_text() -> None:
    """The score of a document is that of its entry point; P, R and F are undefined."""
    found = evaluate(E6_ENTRIES.judgments(), [E6_ENTRIES.run()], ["gP(score=BEP)@5"]).documents()
    assert [row[4:] for row in found[:2]] == [(None, None, None, 0.9, 0.9), (None, None, None, 0.0, 0.45)]


@settings(max_examples=75)
@given(st.data(), cases(), policies())
def test_documents_agree_with_the_definition(data: st.DataObject, case: Case, rules: list[Policy]) -> None:
    """Every returned document of every topic that has a score, under every policy."""
    asked = data.draw(in_context_measures(entries=case.has_entries))
    one = next((each for each in asked if each.name != "gR"), Asked("AgP"))
    for policy in rules if case.matches else ():
        try:
            table = evaluate(case.judgments(), [case.run()], [str(one)], policy=policy, notices=Notices())
        except ExcerptError:
            continue
        expected = [
            (topic, rank, document, values)
            for topic, of in case.topics(Topic).items()
            if not np.isnan(table["run", topic, str(one)])
            for rank, document, values in document_rows(of.cut(policy.limit_of(case.run())), one, policy)
        ]
        found = table.documents()
        assert [row[1:4] for row in found] == [row[:3] for row in expected]
        for row, (*_, values) in zip(found, expected, strict=True):
            _check(row, values)


def test_documents_of_changed_tables() -> None:
    """Selected measures and topics, new names of runs, and what a table does not have."""
    table = evaluate(E6.judgments(), {"a": E6.run(), "b": E6.run()}, ["gP@5", "gP(beta=2)@5", "MAiP"])
    with pytest.raises(ExcerptError, match=r"found gP@5, gP\(beta=2\)@5, expected measures with one score"):
        table.documents()
    with pytest.raises(ExcerptError, match="found MAiP, expected measures with one score of documents"):
        table.select(["MAiP"]).documents()
    few = table.select(["gP@5"]).rename({"a": "new"}).of_topics([1]).documents()
    assert [row[:4] for row in few] == [
        (run, "2", rank, document) for run in ("new", "b") for rank, document in ((1, "E"), (2, "D"))
    ]
    assert few.to_dict()["rows"][0]["P"] == 0.0
    with pytest.raises(ExcerptError, match="saved scores do not include those of documents; give the"):
        ScoreTable.from_json(table.to_json()).documents()
    for other in (pickle.loads(pickle.dumps(table)), table.of_runs([1, 0]), table.of_runs([1])):
        with pytest.raises(ExcerptError, match="do not include those of documents"):
            other.documents()
    with pytest.raises(ExcerptError, match="found MAiP, expected a measure that scores documents: gP or AgP"):
        evaluate(E6.judgments(), E6.run(), "MAiP").documents()


@settings(max_examples=75)
@given(st.data(), cases(), policies())
def test_agrees_with_the_definition(data: st.DataObject, case: Case, rules: list[Policy]) -> None:
    """Scores and means are the exact ones under every policy, and what breaks a rule is refused."""
    asked = data.draw(in_context_measures(entries=case.has_entries))
    judgments, run, topics = case.judgments(), case.run(), case.topics(Topic)
    for policy in rules:
        assert_agreement(judgments, run, topics, asked, policy)


@settings(max_examples=75)
@given(cases(), in_context_measures(entries=True), st.sampled_from(("first", "penalise", "allow")))
def test_the_two_oracles_agree(case: Case, asked: list[Asked], overlap: str) -> None:
    """Counting with spans gives the very fractions that counting with characters gives."""
    sets, intervals = case.topics(Topic), case.topics(IntervalTopic)
    policy = Policy(overlap=overlap, interleaved="regroup")  # type: ignore[arg-type]
    for name in sets:
        for measure in asked:
            assert score(measure, sets[name], policy) == score(measure, intervals[name], policy)


@settings(max_examples=75)
@given(st.data(), cases())
def test_scores_lie_between_0_and_1(data: st.DataObject, case: Case) -> None:
    """Every score is in [0, 1] unless text may count twice."""
    asked = data.draw(in_context_measures(entries=case.has_entries))
    for overlap in ("first", "penalise"):
        policy = Policy(overlap=overlap, interleaved="regroup")
        values = evaluate(case.judgments(), [case.run()], map(str, asked), policy=policy).values
        assert all(not score < 0 and not score > 1 for score in values.ravel().tolist())


def test_reading_needs_the_length_of_relevant_documents() -> None:
    """T2I without the length of a relevant document is an error that says so."""
    judgments = Judgments.of([("1", Span("a", 0, 100)), ("1", Span("b", 0, 100))], sizes={"a": 100})
    run = Run.of("run", [Result("1", "a", 0, 40)])
    with pytest.raises(MissingData, match="document lengths"):
        evaluate(judgments, [run], ["AgP(score=T2I)"])


def test_entry_points_must_have_been_judged() -> None:
    """BEP without any best entry point is an error that says so."""
    judgments = Judgments.of([("1", Span("a", 0, 100))])
    with pytest.raises(MissingData, match="judged entry points"):
        evaluate(judgments, [Run.of("run", [Result("1", "a", 0, 40)])], ["AgP(score=BEP)"])


def test_document_that_comes_back_is_refused() -> None:
    """The message names the topic, the document and the way out."""
    judgments = Judgments.of([("1", Span("a", 0, 100))])
    run = Run.of("run", [Result("1", "a", 0, 40), Result("1", "b", 0, 40), Result("1", "a", 50, 60)])
    for name in ("AgP", "gP[3]", "gR[3]"):
        with pytest.raises(PolicyError, match=r"run: topic 1: found document a again.*regroup"):
            evaluate(judgments, [run], [name])


def test_second_entry_into_a_document_is_refused() -> None:
    """Best in context allows one entry point per document; `first` takes the first."""
    judgments = Judgments.of([("1", Span("a", 0, 100))], entries={("1", "a"): 0})
    run = Run.of("run", [Result("1", "a", 250, 251), Result("1", "a", 0, 1)])
    with pytest.raises(PolicyError, match=r"run: topic 1: found a second result of document a"):
        evaluate(judgments, [run], ["AgP(score=BEP)"])
    table = evaluate(judgments, [run], ["AgP(score=BEP)"], policy=Policy(overlap="first"))
    assert table.means()[0, 0] == 1 / 2


_SPANS = st.lists(spans(), max_size=4)


def _layer(documents: list[list[tuple[int, int]]]) -> Layer:
    rows = [
        (number, *span) for number, listed in enumerate(documents) for span in listed if span[0] < span[1]
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return Layer(columns[:, 0], columns[:, 1], columns[:, 2])


@settings(max_examples=75)
@given(st.lists(st.tuples(st.integers(0, 45), _SPANS, _SPANS), min_size=1, max_size=4), st.integers(1, 30))
def test_reads_passages_then_the_rest_until_the_limit(
    documents: list[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]], limit: int
) -> None:
    """For several documents at once it is what the oracle counts character by character for each."""
    sizes, shown, relevant = zip(*documents, strict=True)
    found = tolerance_to_irrelevance(np.array(sizes), _layer(list(shown)), _layer(list(relevant)), limit)
    for share, (size, returned, marked) in zip(found.tolist(), documents, strict=True):
        topic = Topic([("d", *span) for span in returned], {"d": marked}, {"d": size})
        read, good = topic.reading("d", limit)
        assert share == float(ratio(good, read))


def test_no_documents() -> None:
    """Nothing to read, nothing to score."""
    assert tolerance_to_irrelevance(np.zeros(0, np.int64), _layer([]), _layer([]), 300).tolist() == []
