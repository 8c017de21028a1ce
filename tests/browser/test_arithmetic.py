"""The page's arithmetic leads to the scores of the evaluation, from the same integers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.report_parts import as_read

import excerpt
from excerpt import collection
from excerpt.measures import parse
from excerpt.model import Judgments, Result, Run, Span
from excerpt.model.join import join
from excerpt.model.policy import Overlap, Policy
from excerpt.notices import Notices
from excerpt.view import World

DOCUMENTS = "ABCDE"
MEASURES = (
    *("MAiP", "iP[0]", "iP[0.01]", "iP[0.29]", "iP[1/3]", "iP[1]"),
    *(
        "charP",
        "charP[3]",
        "charR",
        "charR[2]",
        "charF",
        "charF(beta=0.25)[4]",
        "charF(beta=2)",
        "IoU",
        "IoU[3]",
    ),
    *("articleP", "articleR", "articleF", "articleAP", "judged", "judged@3"),
    *("articleP[2]", "articleR[2]", "articleF[2]", "articleAP[2]", "articleP[100]"),
)


def describe(name: str) -> dict[str, Any]:
    """A measure as the page knows it."""
    measure = parse(name)
    given_as = {
        "beta": float(getattr(measure, "beta", 1)),
        "overlap": getattr(measure, "overlap", "exact"),
        "budget": getattr(measure, "budget", None),
    }
    cutoff = getattr(measure, "at", None) or getattr(measure, "top", None)
    return {
        "name": name,
        "topic": str(measure),
        "family": measure.name,
        "cutoff": cutoff and float(cutoff),
        "parameters": given_as,
    }


def decoded(
    results: list[Result], relevant: list[Span], judgments: Judgments, policy: Policy
) -> dict[str, Any]:
    """A topic as the page reads it, made here from spans alone but for what the policy counts."""
    passages = sorted((DOCUMENTS.index(span.document), span.start, span.end) for span in relevant)
    places = [(DOCUMENTS.index(one.document), one.start, one.end) for one in results]
    spans = sorted(set(places))
    joined = join(Run.of("r", results), judgments, policy, Notices())
    marked = [
        {at for number, low, high in passages if number == document for at in range(low, high)}
        for document in range(len(DOCUMENTS))
    ]
    judged = {passage[0] for passage in passages} | {DOCUMENTS.index("D")}
    read, found = joined.counted
    return {
        "documents": {
            "id": list(DOCUMENTS),
            "judged": [int(number in judged) for number in range(len(DOCUMENTS))],
        },
        "relevant": {
            name: [passage[column] for passage in passages]
            for column, name in enumerate(("document", "start", "end"))
        },
        "spans": {
            "document": [span[0] for span in spans],
            "start": [span[1] for span in spans],
            "end": [span[2] for span in spans],
            "relevant": [len(marked[number] & set(range(low, high))) for number, low, high in spans],
        },
        "runs": [[spans.index(place) for place in places]],
        "counted": {
            "0": {"read": read.tolist(), "found": found.tolist(), "new": joined.new_relevant.tolist()},
        },
    }


def spans_of(documents: str, most: int) -> st.SearchStrategy[list[tuple[str, int, int]]]:
    """Spans of documents, overlapping or not."""
    span = st.tuples(st.sampled_from(documents), st.integers(0, 120), st.integers(1, 60))
    return st.lists(span.map(lambda one: (one[0], one[1], one[1] + one[2])), max_size=most)


def apart(spans: list[tuple[str, int, int]]) -> list[Span]:
    """Those of the spans that share no text with one before them."""
    kept: list[Span] = []
    for document, start, end in spans:
        if all(one.document != document or one.end < start or end < one.start for one in kept):
            kept.append(Span(document, start, end))
    return kept or [Span("A", 0, 7)]


@given(
    relevant=spans_of("ABC", 6).map(apart),
    found=spans_of(DOCUMENTS, 12),
    overlap=st.sampled_from(["first", "penalise", "allow"]),
)
@settings(max_examples=60)
def test_every_score_is_explained(
    js: Modules, relevant: list[Span], found: list[tuple[str, int, int]], overlap: Overlap
) -> None:
    """Each measure that has an arithmetic leads to its score, under each policy, and says from what."""
    others = [("2", document) for document in DOCUMENTS]
    judgments = Judgments.of([("1", span) for span in relevant], irrelevant=[("1", "D"), *others])
    results = [Result("1", *span) for span in found]
    policy = Policy(overlap=overlap)
    table = excerpt.evaluate(judgments, Run.of("r", results), MEASURES, policy=policy)
    scores = [None if math.isnan(score) else float(score) for score in table.means()[0]]
    topic = decoded(results, relevant, judgments, policy)
    cases = [(describe(name), topic, 0, score) for name, score in zip(MEASURES, scores, strict=True)]
    for (measure, *_, score), lines in zip(cases, js("arithmetic", "explain", cases), strict=True):
        assert lines[-1][0] == measure["topic"]
        if score is None:
            assert lines[-1][2] is None
        else:
            assert lines[-1][1], measure
            assert lines[-1][2] == pytest.approx(score, abs=1e-12)


#: Explains every score of an evaluation: those that are not, and how many there are.
EXPLAIN_ALL = """({explain}, [overview, topics]) => {
  const open = [];
  let count = 0;
  overview.scores.forEach((runs, m) => runs.forEach((scores, run) => scores.forEach((score, n) => {
    if (score === null) return;
    count += 1;
    const [, expression, value] = explain(overview.measures[m], topics[n], run, score).pop();
    if (!expression || !(Math.abs(value - score) <= 1e-12)) open.push([m, run, n, value]);
  })));
  return {count, open};
}"""


def decode(topic: dict[str, Any]) -> dict[str, Any]:
    """A topic with its spans in full, as the page unpacks them."""
    packed = topic["spans"]
    document = [place for place, count in enumerate(packed["count"]) for _ in range(count)]
    start: list[int] = []
    for number, step in enumerate(packed["start"]):
        same = number > 0 and document[number] == document[number - 1]
        start.append(step + (start[-1] if same else 0))
    end = [low + length for low, length in zip(start, packed["length"], strict=True)]
    spans = {"document": document, "start": start, "end": end, "relevant": packed["relevant"]}
    return {**topic, "spans": spans}


@pytest.mark.parametrize("overlap", ["penalise", "first", "allow"])
def test_every_score_of_the_embedded_collection_is_explained(js: Modules, overlap: Overlap) -> None:
    """Runs of sentences, whole documents and overlapping text, 35 topics: from the data of the page alone."""
    names = {"art-bm25", "sent-bm25", "thorough-bm25"}
    runs = [run.path for run in collection.runs() if run.name in names]
    policy = Policy(overlap=overlap)
    world = World.of(collection.qrels(), runs, MEASURES, text=False, policy=policy, notices=Notices())
    overview = world.overview()
    topics = [decode(as_read(world.topic(number))) for number in range(len(overview["topics"]))]
    told = js.run(["arithmetic"], EXPLAIN_ALL, [overview, topics])
    assert told["open"] == []
    assert told["count"] > 35 * len(runs) * (len(MEASURES) - 2)


def worked_example() -> dict[str, Any]:
    """The example of the documentation: four results, 100 relevant characters, AiP 4438/8585."""
    relevant = [Span("A", 10, 50), Span("A", 100, 120), Span("B", 0, 40)]
    judgments = Judgments.of([("1", span) for span in relevant], irrelevant=[("1", "C")])
    places = [("A", 0, 50), ("C", 0, 30), ("B", 20, 60), ("A", 100, 150)]
    return decoded([Result("1", *place) for place in places], relevant, judgments, Policy())


def test_the_lines_of_a_worked_example(js: Modules) -> None:
    """The panel at rank 3, number by number."""
    score = float(Fraction(4438, 8585))
    (lines,) = js("arithmetic", "explain", [(describe("MAiP"), worked_example(), 0, score, 3)])
    written = [(label, expression) for label, expression, _ in lines]
    assert written == [
        ("precision", "60 / 120"),
        ("recall", "60 / 100"),
        ("reaches", "level 60 of 100"),
        ("AiP", "52.2118 / 101"),
    ]
    assert lines[-1][2] == pytest.approx(score, abs=1e-15)


def test_rows_add_up(js: Modules) -> None:
    """The gain of each rank and the sums of characters read and found are integers."""
    (found,) = js("arithmetic", "rows", [(worked_example(), 0, "AiP")])
    columns = [[row[name] for row in found] for name in ("size", "relevant", "read", "found")]
    assert columns == [[50, 30, 40, 50], [40, 0, 20, 20], [50, 80, 120, 170], [40, 40, 60, 80]]
    (documents,) = js("arithmetic", "rows", [(worked_example(), 0, "articleAP")])
    assert [(row["size"], row["found"]) for row in documents] == [(1, 1), (1, 1), (1, 2), (0, 2)]


@pytest.mark.parametrize(("name", "score"), [("MAiP", 0.3), ("charP(overlap=lambda)", 0.1), ("AgP", 0.25)])
def test_a_score_is_never_explained_wrongly(js: Modules, name: str, score: float) -> None:
    """A score is shown without arithmetic if none is known, or if its lines do not lead to the score."""
    (lines,) = js("arithmetic", "explain", [(describe(name), worked_example(), 0, score)])
    assert lines[-1][1:] == ["", score]


def test_the_documents_of_a_cutoff_are_counted(js: Modules) -> None:
    """The proportion of k documents, even if fewer were returned; text up to a budget has no rank."""
    for name, score, written in (
        ("articleP[2]", 0.5, "1 / 2"),
        ("articleP[9]", 2 / 9, "2 / 9"),
        ("charP(budget=9)", 80 / 170, ""),
    ):
        (lines,) = js("arithmetic", "explain", [(describe(name), worked_example(), 0, score)])
        assert lines[-1][1] == written


@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 2**40)), min_size=1, max_size=50))
def test_levels_are_decided_on_integers(js: Modules, pairs: list[tuple[int, int]]) -> None:
    """Also where a rounded quotient would fall on the other side."""
    cases = [*pairs, (29, 100), (57, 100), (58, 100), (2**40 - 1, 2**40)]
    expected = [min(100 * found // total, 100) for found, total in cases]
    assert js("arithmetic", "recallLevel", cases) == expected


def test_results_that_name_nothing_are_charged(js: Modules) -> None:
    """A result that does not exist is 18 irrelevant characters, no document, and not judged."""
    topic = {**worked_example(), "runs": [[-1]], "counted": {}}
    cases = [(topic, 0, family) for family in ("AiP", "charP", "articleAP", "judged")]
    amounts = [(rows[0]["size"], rows[0]["relevant"]) for rows in js("arithmetic", "rows", cases)]
    assert amounts == [(18, 0), (18, 0), (0, 0), (1, 0)]
