"""Runs: from records, joined blocks, orders."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import results

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, evaluate
from excerpt.model.run import encode, group_results

SCORES = st.one_of(st.none(), st.sampled_from((0.0, -0.0, 0.5, 1.0, -3.0)), st.floats(-10, 10))


def records() -> st.SearchStrategy[list[Result]]:
    """Results with scores, some equal, some missing, and some paths."""
    row = st.tuples(
        st.sampled_from(("1", "2", "3")),
        st.sampled_from(("a", "b", "B", "aa", "é", "z")),
        st.integers(0, 9),
        st.integers(0, 9),
        SCORES,
        st.sampled_from((None, "/a[1]", "/a[1]/b[2]")),
    )
    return st.lists(
        row.map(lambda row: Result(row[0], row[1], row[2], row[2] + row[3], *row[4:])), max_size=12
    )


@settings(max_examples=150)
@given(records())
def test_records_come_back(rows: list[Result]) -> None:
    """A run gives back its records, the blocks of each topic joined in order of first appearance."""
    run = Run.of("run", rows)
    topics = list(dict.fromkeys(row.topic for row in rows))
    assert list(run) == [row for topic in topics for row in rows if row.topic == topic]
    assert run.topics == tuple(topics)
    assert len(run) == len(rows)


@settings(max_examples=150)
@given(records())
def test_order_by_score(rows: list[Result]) -> None:
    """Scores descend inside each topic; equal scores keep their order; missing scores come last."""
    run = Run.of("run", rows)
    expected = sorted(
        run, key=lambda row: (run.topics.index(row.topic), math.inf if row.score is None else -row.score)
    )
    assert list(run.ordered("score")) == expected
    assert run.ordered("file") is run


@settings(max_examples=150)
@given(records())
def test_documents_with_equal_scores_go_by_id_descending(rows: list[Result]) -> None:
    """A run of documents breaks ties of single precision as trec_eval does: by document id, descending."""
    run = Run.of("run", rows, kind="documents")
    expected = sorted(run, key=lambda row: row.document, reverse=True)
    with np.errstate(over="ignore"):
        single = {row.score: float(np.float32(row.score)) for row in rows if row.score is not None}
    expected.sort(
        key=lambda row: (run.topics.index(row.topic), -single.get(row.score, -math.inf))  # type: ignore[arg-type]
    )
    found = list(run.ordered("score"))
    assert [row[:2] for row in found] == [row[:2] for row in expected]


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=12))
def test_order_by_rank(rows: list[tuple[int, int]]) -> None:
    """Ranks ascend inside each topic; equal ranks keep their order."""
    topics, topic = encode([str(row[0]) for row in rows])
    run = group_results(
        name="run",
        topics=topics,
        documents=("a",),
        topic=topic,
        document=np.zeros(len(rows), np.int64),
        start=np.arange(len(rows)),
        end=np.arange(len(rows)),
        rank=np.array([row[1] for row in rows], np.int64),
    )
    expected = sorted(range(len(rows)), key=lambda place: (topics.index(str(rows[place][0])), rows[place][1]))
    assert run.ordered("rank").start.tolist() == expected


@settings(max_examples=150)
@given(results())
def test_blocks_of_topics_do_not_matter(rows: list[tuple[str, str, int, int]]) -> None:
    """Interleaving the topics of a run changes no score: the lines of a topic are grouped first."""
    judgments = Judgments.of([("t1", Span("a", 3, 9)), ("t2", Span("b", 0, 30)), ("t3", Span("c", 9, 20))])
    rows = [*rows, ("t1", "a", 0, 4)]  # a run that shares nothing with the judgments is refused
    joined = sorted(rows, key=lambda row: row[0])
    names = ["AiP", "charP[2]", "IoU", "articleAP"]
    policy = Policy(overlap="first")
    scores = [
        evaluate(judgments, [Run.of("run", [Result(*row) for row in order])], names, policy=policy).values
        for order in (rows, joined)
    ]
    assert scores[0].tolist() == scores[1].tolist()


SLICES = st.slices(12).filter(lambda part: part.step is None or part.step > 0)


@settings(max_examples=150)
@given(records(), SLICES, st.integers(0, 4))
def test_a_run_is_a_sequence(rows: list[Result], part: slice, count: int) -> None:
    """Results by number, slices, the first of each topic, topics and a choice are those of the list."""
    run = Run.of("run", rows)
    listed = list(run)
    assert [run[row] for row in range(-len(run), len(run))] == listed + listed
    topics = {name: [row for row in listed if row.topic == name] for name in run.topics}
    parts = {
        run[part]: listed[part],
        run.head(count): [row for some in topics.values() for row in some[:count]],
        run.filter(lambda row: row.end % 2): [row for row in listed if row.end % 2],
        **{run.topic(name): some for name, some in topics.items()},
        **{run[name]: some for name, some in topics.items()},
        **{run.only([name]): some for name, some in topics.items()},
    }
    for found, expected in parts.items():
        assert (list(found), len(found), found.name) == (expected, len(expected), "run")
        assert found.topics == tuple(dict.fromkeys(row.topic for row in expected))
        assert set(found.documents) == {row.document for row in expected}
        assert found.equals(Run.of("run", expected, kind=run.kind)) or not expected
    if len(topics) > 1:
        first, *others = topics
        assert list(run.only(exclude=first)) == [row for name in others for row in topics[name]]


def test_a_part_of_a_run_keeps_its_columns() -> None:
    """Lengths, rows of an index, costs, texts and lines go with their results."""
    run = Run.of("r", [("1", name, 0, 9, 1.0) for name in "abc"]).with_text(
        lost=np.array([0, 2, 3]),
        costs={"tokens": np.array([4, 5, 6])},
        quotes=np.array(["x", None, "z"], np.object_),
        chunk=np.array([2, 0, 1]),
        texts=["y", "z", "x"],
    )
    run = replace(run, lengths=np.array([10, 20, 30]), row=np.array([7, 8, 9]), line=np.array([1, 2, 3]))
    part = run[1:]
    assert (part.documents, part.lengths.tolist(), part.row.tolist()) == (("b", "c"), [20, 30], [8, 9])  # type: ignore[union-attr]
    assert (part.text.lost.tolist(), part.text.costs["tokens"].tolist()) == ([2, 3], [5, 6])  # type: ignore[union-attr]
    assert (part.text.quotes.tolist(), part.text.chunk.tolist()) == ([None, "z"], [0, 1])  # type: ignore[union-attr]
    assert (part.text.texts, part.place(0)) == (["y", "z", "x"], "r:2")


@pytest.mark.parametrize(
    ("part", "error", "message"),
    [
        (lambda run: run.topic("q3"), ExcerptError, "unknown topic 'q3'; did you mean 'q2'? known: q1, q2"),
        (lambda run: run["Q1"], ExcerptError, "unknown topic 'Q1'; did you mean 'q1'? known: q1, q2"),
        (lambda run: run.only("7"), ExcerptError, "unknown topic '7'; known: q1, q2"),
        (lambda run: run[::-1], ExcerptError, "found the step -1, expected at least 1: the order stays"),
        (lambda run: run[::0], ExcerptError, "found the step 0, expected at least 1: the order stays"),
        (lambda run: run.head(-1), ExcerptError, "found -1, expected a number of results"),
        (lambda run: run.head("2"), ExcerptError, "found '2', expected a number of results"),
        (lambda run: run[2], IndexError, "found 2, expected the number of one of 2 results"),
        (lambda run: run[0.5], TypeError, "found 0.5, expected a number, a slice or a topic"),
        (lambda run: run[run.score > 0], TypeError, "filter(function) chooses results"),
    ],
)
def test_parts_that_a_run_does_not_have(
    part: Callable[[Run], object], error: type[Exception], message: str
) -> None:
    """One line says what was found and what is there."""
    run = Run.of("r", [("q1", "a", 0, 9, 1.0), ("q2", "b", 5, 7, 0.5)])
    with pytest.raises(error, match=re.escape(message)):
        part(run)


def test_place_of_a_result() -> None:
    """A result's place is file and line, or the run's name where there is no file."""
    run = Run.of("mine", [Result("1", "a", 0, 1)])
    assert run.place(0) == "mine"
    read = group_results(
        name="mine",
        topics=("1",),
        documents=("a",),
        topic=np.zeros(1, np.int64),
        document=np.zeros(1, np.int64),
        start=np.zeros(1, np.int64),
        end=np.ones(1, np.int64),
        source="x.run",
        line=np.array([7]),
    )
    assert read.place(0) == "x.run:7"


@pytest.mark.parametrize(("start", "end"), [(5, 3), (5, -1), (0, 2**40), (2**40, 2**40 + 1)])
def test_impossible_spans_are_refused(start: int, end: int) -> None:
    """A result that ends before it starts, or lies beyond what a file may contain, is an error."""
    judgments = Judgments.of([("1", Span("a", 0, 10))])
    with pytest.raises(ExcerptError):
        evaluate(judgments, [Run.of("run", [Result("1", "a", start, end)])], ["charP"])


def test_tuples_are_results() -> None:
    """A run can be made from plain tuples, as judgments can."""
    run = Run.of("r", [("1", "a", 0, 9), ("1", "b", 5, 7, 0.5, "/a[1]"), ("2", "c", 1, 2, None)])
    assert list(run) == [
        Result("1", "a", 0, 9),
        Result("1", "b", 5, 7, 0.5, "/a[1]"),
        Result("2", "c", 1, 2),
    ]


@pytest.mark.parametrize("row", [("1", "a", 0), ("1", "a", 0, 9, 1.0, None, 7), "1 a 0 9", 5, None])
def test_other_values_are_no_results(row: object) -> None:
    """Values without the fields of a result are rejected in one sentence."""
    with pytest.raises(ExcerptError, match="as a result, expected topic, document, start, end"):
        Run.of("r", [row])


@pytest.mark.parametrize("place", [0.5, "x", float("nan"), float("inf"), None])
def test_offsets_are_whole_numbers(place: object) -> None:
    """A fraction is refused, not cut."""
    with pytest.raises(ExcerptError, match="expected a whole number"):
        Run.of("r", [("1", "a", 0, place)])
    with pytest.raises(ExcerptError, match=r"found start .*, expected a whole number"):
        Judgments.of([("1", Span("a", place, 9))])  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="as size, expected a whole number"):
        Judgments.of([("1", Span("a", 0, 9))], sizes={"a": place})  # type: ignore[dict-item]
    assert Run.of("r", [("1", "a", 0.0, np.float32(9))])[0] == Result("1", "a", 0, 9)


def test_offsets_of_elements_are_kept() -> None:
    """Elements whose offsets are all given are spans, with their paths; else the offsets are unknown."""
    rows = [Result("1", "A", 0, 30, path="/a[1]/p[1]"), Result("1", "A", 50, 70, path="/a[1]/p[2]")]
    run = Run.of("r", rows, kind="elements")
    assert (list(run), run.kind) == (rows, "spans")
    gold = Judgments.of([("1", Span("A", 0, 60))])
    assert evaluate(gold, run, ["charP"]).means().tolist() == [[40 / 50]]
    mixed = [*rows, Result("1", "A", -1, -1, path="/a[1]/p[3]")]
    assert Run.of("r", mixed, kind="elements").kind == "elements"


def test_a_run_prints_in_one_short_line() -> None:
    """The arrays are not shown."""
    run = Run.of("r", [("1", "a", 0, 9)] * 5000)
    assert repr(run) == "<Run 'r': 5000 results (spans) on 1 topic>"
    assert repr(Judgments.of([("1", Span("a", 0, 9))])) == "<Judgments: 1 judged document on 1 topic>"


def test_whole_documents_of_known_length_break_ties_alike() -> None:
    """Documents that an index gave a length are in trec_eval's order too: ties by id, descending."""
    run = Run.of("r", [Result("1", name, 0, 9, score=1.0) for name in "abc"])
    assert [result.document for result in replace(run, whole=True).ordered("score")] == ["c", "b", "a"]
    assert [result.document for result in run.ordered("score")] == ["a", "b", "c"]
