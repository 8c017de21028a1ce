"""articleP, articleR, articleF and articleAP against their definition."""

from __future__ import annotations

import math
import shutil
import sys

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.document_oracle import DocumentTopic
from support.exact_numbers import decimal_of
from support.oracle import Asked, IntervalTopic, Topic, assert_agreement, score
from support.strategies import Case, article_measures, cases, policies

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, evaluate, read_run
from excerpt.notices import Notices

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
    """The score does not depend on which text of a document was returned."""
    rows = tuple((topic, document, 0, 0) for topic, document, _, _ in case.results)
    empty = Case(case.highlights, rows, case.irrelevant)
    before = evaluate(case.judgments(), [case.run()], NAMES).values
    after = evaluate(empty.judgments(), [empty.run()], NAMES).values
    assert str(before.tolist()) == str(after.tolist())


#: Our names, and trec_eval's.
SAME = {
    "articleP": "set_P",
    "articleR": "set_recall",
    "articleF": "set_F",
    "AP": "map",
    "AP@5": "map_cut_5",
    "P@1": "P_1",
    "P@5": "P_5",
    "P@200": "P_200",
    "recall@5": "recall_5",
    "recall@20": "recall_20",
    "RR": "recip_rank",
    "nDCG": "ndcg",
    "nDCG@1": "ndcg_cut_1",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@100": "ndcg_cut_100",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "hit@1": "success_1",
    "hit@5": "success_5",
    "infAP": "infAP",
}
#: The same, where only some grades are relevant: those whose scores that changes.
BY_LEVEL = {
    "AP(rel=2)": "map",
    "AP(rel=2)@5": "map_cut_5",
    "P(rel=2)@5": "P_5",
    "recall(rel=2)@5": "recall_5",
    "RR(rel=2)": "recip_rank",
    "Rprec(rel=2)": "Rprec",
    "bpref(rel=2)": "bpref",
    "infAP(rel=2)": "infAP",
    "hit(rel=2)@5": "success_5",
    "articleP(rel=2)": "set_P",
    "articleF(rel=2)": "set_F",
}
ASKED = {"set_P", "set_recall", "set_F", "map", "recip_rank", "ndcg", "Rprec", "bpref", "infAP"} | {
    f"{name}.1,5,20,100,200" for name in ("P", "recall", "ndcg_cut", "success", "map_cut")
}

names = st.sampled_from(["a", "b", "c", "d10", "d9", "é", "e", "f", "g", "h", "A", "Z", "z", "zz"])
#: Without a grade of at least 0 trec_eval reads memory that it does not have.
grades = st.dictionaries(names, st.integers(-2, 4), max_size=12).map(lambda judged: {"q": 0, **judged})
#: Few different scores, some of them equal in single precision only, one beyond it.
scores = st.sampled_from([0.0, 1.0, 1.0 + 2**-30, 1.0 + 2**-22, -3.5, 2.0, 1e39, 16777216.0, 16777217.0])
lists = st.dictionaries(names, scores, min_size=1, max_size=14)
topics = st.sampled_from(["1", "2", "3"])


def qrels_of(judged: dict[str, dict[str, int]]) -> bytes:
    """TREC qrels."""
    lines = [f"{topic} 0 {name} {grade}\n" for topic in judged for name, grade in judged[topic].items()]
    return "".join(lines).encode()


def run_of(results: dict[str, dict[str, float]]) -> bytes:
    """A TREC run."""
    lines = [
        f"{topic} Q0 {name} 1 {score!r} r\n" for topic in results for name, score in results[topic].items()
    ]
    return "".join(lines).encode()


@settings(max_examples=150)
@given(st.dictionaries(topics, grades, min_size=1), st.dictionaries(topics, lists, min_size=1))
@example({"1": {"a": 2, "b": 1, "c": 0}}, {"1": {"c": 1.0, "b": 1.0, "a": 1.0}})
@example({"1": {"a": 1, "b": 0, "c": -1}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}})
def test_agrees_with_trec_eval(
    judged: dict[str, dict[str, int]], results: dict[str, dict[str, float]]
) -> None:
    """Every score of every topic that has results is trec_eval's, ties and grades below 0 included."""
    first = next(iter(judged))
    judged = {**judged, first: {**judged[first], "a": 1}}  # judgments and run that share nothing are refused
    results = {**results, first: {**results.get(first, {}), "a": 0.5}}
    table = evaluate(qrels_of(judged), run_of(results), list(SAME), ids="exact", notices=Notices())
    expected = pytrec_eval.RelevanceEvaluator(judged, ASKED).evaluate(results)
    for topic in table.topics:
        has_relevant = any(grade > 0 for grade in judged[topic].values())
        for ours, theirs in SAME.items():
            score = table["r", topic, ours]
            if not has_relevant:
                assert math.isnan(score)
            elif topic in results:
                assert score == pytest.approx(expected[topic][theirs], abs=1e-12), (topic, ours)
            else:
                assert score == 0


@settings(max_examples=40)
@given(grades, lists)
def test_levels_of_relevance_agree_with_trec_eval(judged: dict[str, int], results: dict[str, float]) -> None:
    """`rel` is trec_eval's -l; a topic without a document of that grade has no score."""
    judged, results = {**judged, "q": 1}, {**results, "q": 0.5}
    table = evaluate(
        qrels_of({"1": judged}), run_of({"1": results}), list(BY_LEVEL), ids="exact", notices=Notices()
    )
    evaluator = pytrec_eval.RelevanceEvaluator({"1": judged}, ASKED, relevance_level=2)
    expected = evaluator.evaluate({"1": results})["1"]
    for ours, theirs in BY_LEVEL.items():
        score = table["r", "1", ours]
        if max(judged.values()) < 2:
            assert math.isnan(score)
        else:
            assert score == pytest.approx(expected[theirs], abs=1e-12), ours


def test_levels_are_of_grades() -> None:
    """Highlighted text has none; nDCG takes grades as they are."""
    judgments = Judgments.of([("1", Span("A", 0, 60))])
    run = Run.of("r", [Result("1", "A", 0, 9)])
    with pytest.raises(
        ExcerptError, match=r"AP\(rel=2\) needs grades of documents, but these are judgments of text"
    ):
        evaluate(judgments, run, "AP(rel=2)")
    with pytest.raises(ExcerptError, match="unknown parameter of nDCG 'rel'"):
        evaluate(b"1 0 A 1\n", b"1 Q0 A 1 1 r\n", "nDCG(rel=2)")
    notices = Notices()
    qrels, found = b"1 0 A 1\n2 0 A 2\n", b"1 Q0 A 1 1 r\n2 Q0 A 1 1 r\n"
    assert evaluate(qrels, found, "AP(rel=2)", notices=notices).means().tolist() == [[1.0]]
    assert any("1 topic has nothing relevant under AP(rel=2)" in notice for notice in notices)


def test_ranked_articles_by_hand() -> None:
    """Grades 3 and 1 at ranks 3 and 1 of four, C judged irrelevant before the first, X never judged."""
    qrels = b"1 0 A 3\n1 0 B 1\n1 0 C 0\n1 0 D 2\n"
    run = b"1 Q0 B 1 9 r\n1 Q0 C 2 8 r\n1 Q0 A 3 7 r\n1 Q0 X 4 6 r\n"
    table = evaluate(qrels, run, ["nDCG", "nDCG@2", "AP", "P@10", "RR", "Rprec", "bpref", "hit@1"])
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    expected = [
        (1 + 3 / 2) / ideal,
        1 / (3 + 2 / math.log2(3)),
        (1 + 2 / 3) / 3,
        2 / 10,
        1.0,
        2 / 3,
        1 / 3,  # B: none before it; A: min(1, 3) / min(1, 3) before it
        1.0,
    ]
    assert table.means().tolist() == [pytest.approx(expected, rel=1e-15)]


def test_beside_highlighted_text() -> None:
    """Documents count where they first occur, with a gain of 1 each; RR of text is another measure."""
    judgments = Judgments.of(
        [("1", Span("A", 0, 60)), ("1", Span("B", 0, 20)), ("2", Span("A", 0, 1))], irrelevant=[("1", "C")]
    )
    run = Run.of("r", [Result("1", name, 90, 95) for name in "CCXBCAB"])
    names = ["articleRR", "articleNDCG", "articleNDCG@3", "articleRprec", "articleBpref", "articleHit@2"]
    discounts = [1 / math.log2(1 + rank) for rank in range(1, 5)]
    ideal = discounts[0] + discounts[1]
    expected = [1 / 3, (discounts[2] + discounts[3]) / ideal, discounts[2] / ideal, 0.0, 0.0, 0.0]
    table = evaluate(judgments, run, names, notices=Notices())
    assert table.values[0, 0].tolist() == pytest.approx(expected, rel=1e-15)
    assert table.values[0, 1].tolist() == [0.0] * len(names)


def test_the_best_order_scores_one() -> None:
    """Rounding never lifts nDCG above 1, however long the list."""
    judged = {str(number): number % 7 for number in range(1, 500)}
    best = sorted(judged, key=judged.__getitem__, reverse=True)
    run = {"1": {name: -float(rank) for rank, name in enumerate(best)}}
    scores = evaluate(qrels_of({"1": judged}), run_of(run), ["nDCG", *(f"nDCG@{k}" for k in range(1, 60))])
    assert set(scores.means()[0].tolist()) == {1.0}


_OF_RANKINGS = ("articleP", "articleR", "articleF", "articleAP", "articleRR", "articleHit")
GRADED = [
    *(
        Asked(name, cutoff, rel)
        for name in _OF_RANKINGS
        for cutoff in (None, "4")
        for rel in ((), (("rel", "2"),))
    ),
    *(Asked(name, None, rel) for name in ("articleRprec", "articleBpref") for rel in ((), (("rel", "2"),))),
    *(Asked("articleInfAP", None, rel) for rel in ((), (("rel", "2"),))),
    *(
        Asked("articleERR", cutoff, highest)
        for cutoff in (None, "3")
        for highest in ((), (("highest", "6"),))
    ),
    *(
        Asked("articleRBP", cutoff, p)
        for cutoff in (None, "4")
        for p in ((), (("p", "0.5"),), (("rel", "2"),))
    ),
    *(Asked("articleNDCG", cutoff, gain) for cutoff in (None, "3") for gain in ((), (("gain", "exp"),))),
]


@settings(max_examples=100)
@given(st.dictionaries(topics, grades, min_size=1), st.dictionaries(topics, lists, min_size=1))
def test_graded_measures_are_exact(
    judged: dict[str, dict[str, int]], results: dict[str, dict[str, float]]
) -> None:
    """All measures of documents are their definitions, in every topic with a relevant document."""
    first = next(iter(judged))
    judged = {**judged, first: {**judged[first], "a": 1}}
    results = {**results, first: {**results.get(first, {}), "a": 0.5}}
    names = list(map(str, GRADED))
    table = evaluate(qrels_of(judged), run_of(results), names, ids="exact", notices=Notices())
    for topic in table.topics:
        order: list[str] = []
        if topic in results:
            ranked = read_run(run_of({topic: results[topic]}), order="score")
            order = [ranked.documents[place] for place in ranked.document_code.tolist()]
        oracle = DocumentTopic(order, judged[topic])
        for asked, name in zip(GRADED, names, strict=True):
            score, expected = table["r", topic, name], oracle.score(asked)
            if expected is None:
                assert math.isnan(score), name
            else:
                assert score == pytest.approx(float(decimal_of(expected)), rel=1e-13, abs=1e-15), name


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.skipif(
    sys.version_info >= (3, 14),
    reason="ir-measures 0.4.3 parses parameters by ast.Num, which Python 3.14 lacks",
)
def test_agrees_with_gdeval() -> None:
    """ERR and exponential nDCG are those of gdeval of the TREC Web track, up to its five digits."""
    ir_measures = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(7)
    judged = {
        str(topic): {f"d{n}": int(g) for n, g in enumerate(rng.integers(-2, 5, 40))} for topic in range(1, 9)
    }
    results = {
        topic: {
            f"d{n}": float(score) for n, score in zip(rng.permutation(60)[:30], rng.random(30), strict=True)
        }
        for topic in judged
    }
    theirs = [ir_measures.parse_measure(name) for name in ("ERR@20", "ERR@5", "nDCG(dcg='exp-log2')@10")]
    names = ["ERR@20", "ERR@5", "nDCG(gain=exp)@10"]
    table = evaluate(qrels_of(judged), run_of(results), names, notices=Notices())
    scored = list(ir_measures.gdeval.iter_calc(theirs, judged, results))
    assert len(scored) == 24
    for topic, measure, value in scored:
        assert table["r", topic, names[theirs.index(measure)]] == pytest.approx(value, abs=6e-6)


def test_grades_beyond_the_scale() -> None:
    """ERR names the scale to ask for; large grades do not overflow an exponential gain."""
    qrels, run = b"1 0 A 2000\n1 0 B 1\n", b"1 Q0 B 1 9 r\n1 Q0 A 2 8 r\n"
    with pytest.raises(
        ExcerptError, match=r"found grade 2000, but the highest grade .* is 4; try ERR\(highest=2"
    ):
        evaluate(qrels, run, "ERR@5")
    score = evaluate(qrels, run, "nDCG(gain=exp)").means().item()
    assert score == pytest.approx(1 / math.log2(3), rel=1e-12)
