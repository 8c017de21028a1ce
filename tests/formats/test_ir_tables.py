"""Runs and qrels of ir_measures as ours, column by column; errors for invalid ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd
import pytest

from excerpt import ExcerptError
from excerpt.datasets.catalogue import judgments_of, run_of

QRELS = ["query_id", "doc_id", "relevance", "start", "end"]
RUN = ["query_id", "doc_id", "score", "start", "end"]


class Scored(NamedTuple):
    """A document as ir_measures has it."""

    query_id: str
    doc_id: str
    score: float


class Placed(NamedTuple):
    """The same with a place."""

    query_id: str
    doc_id: str
    score: float
    start: int
    end: int


def frame(columns: list[str], *rows: tuple[Any, ...]) -> pd.DataFrame:
    """A data frame."""
    return pd.DataFrame(list(rows), columns=columns)


def test_results_are_ordered_by_score_and_equal_ones_as_given() -> None:
    """The order of rows decides only between equal scores; a topic's rows need not be adjacent."""
    rows = [("1", "A", 0.5, 0, 9), ("2", "A", 1.0, 1, 2), ("1", "B", 0.5, 3, 4), ("1", "A", 0.7, 20, 30)]
    for given in (frame(RUN, *rows), iter([Placed(*row) for row in rows])):
        run = run_of(given)
        assert [(row.topic, row.document, row.start) for row in run] == [
            *(("1", "A", 20), ("1", "A", 0), ("1", "B", 3)),
            ("2", "A", 1),
        ]
        assert run.kind == "spans"


@pytest.mark.parametrize(
    "given",
    [
        {"1": {"A": 1, "B": 1, "C": 2}},
        [Scored("1", "A", 1), Scored("1", "B", 1), Scored("1", "C", 2)],
        frame(RUN[:3], ("1", "A", 1), ("1", "B", 1), ("1", "C", 2)),
    ],
    ids=["dicts", "named tuples", "frame"],
)
def test_documents_of_equal_score_are_ordered_as_trec_eval_does(given: Any) -> None:
    """Without start and end a result is a document; equal ones come by id, descending."""
    run = run_of(given)
    assert run.kind == "documents"
    assert [row.document for row in run] == ["C", "B", "A"]


def test_costs_stay_with_their_results() -> None:
    """Columns of words and tokens are what it costs to read a result."""
    given = frame([*RUN, "tokens"], ("1", "A", 1, 0, 9, 5), ("2", "A", 1, 0, 9, 6), ("1", "B", 2, 0, 9, 7))
    run = run_of(given)
    assert {name: column.tolist() for name, column in run.text.costs.items()} == {"tokens": [7, 5, 6]}


def test_text_is_relevant_where_the_relevance_is_above_zero() -> None:
    """Rows that are not relevant say that a document was judged; their place does not matter."""
    given = frame(
        [*QRELS, "size", "entry"],
        ("1", "A", 2, 10, 20, 99, 12),
        ("1", "A", 1, 15, 30, 99, 12),
        ("1", "A", 0, 50, 60, 99, 12),
        ("1", "B", -1, None, None, 40, -1),
    )
    judgments = judgments_of(given)[0]
    assert [tuple(span) for span in judgments.highlights("1")] == [("A", 10, 30)]
    assert judgments.documents == ("A", "B")
    assert judgments.pair_size.tolist() == [99, 40]
    assert judgments.pair_entry.tolist() == [12, -1]
    assert judgments.grades is None


def test_grades_of_whole_documents_are_kept() -> None:
    """Without start and end qrels are as those of TREC."""
    judgments = judgments_of({"1": {"A": 3, "B": 0, "C": -2}})[0]
    assert judgments.only_documents
    assert judgments.grades is not None
    assert judgments.grades.tolist() == [3, 0, -2]
    assert judgments.relevant_documents.tolist() == [1]


@pytest.mark.parametrize("given", [[], {}, frame(RUN), frame(RUN[:3])], ids=["list", "dict", "text", "plain"])
def test_nothing_is_a_run_without_results(given: Any) -> None:
    """An empty run is one, as PyTerrier gives it for topics without results."""
    assert len(run_of(given)) == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (frame(RUN[:2], ("1", "A")), "scores are missing, expected query_id, doc_id, score"),
        (frame(RUN[:4], ("1", "A", 1, 0)), "row 1: key end is missing"),
        (frame(RUN, ("1", "A", 1, 0.5, 9)), "row 1: found start 0.5, expected a whole number"),
        (frame(RUN, ("1", "A", 1, None, 9)), "row 1: found start null next to end, expected a whole number"),
        (frame(RUN, ("1", "A", 1, 9, 3)), "row 1: found end 3 before start 9, expected an end at or after"),
        (frame(RUN, ("1", "A", "high", 0, 3)), 'row 1: found score "high", expected a number'),
        (frame(RUN, (None, "A", 1, 0, 3)), "row 1: key topic is missing (also called topic_id, query_id"),
        ([("1", "A", 1.0)], "found ('1', 'A', 1.0) as a result, expected topic, document"),
        ([Scored("1", "A", 1), ("1", "B", 1)], "found ('1', 'B', 1) as a result, expected topic, document"),
        ({"1": 5}, "found 5 for topic 1, expected"),
        ("qrels.txt", "found 'qrels.txt', expected a data frame, named tuples or a dict of dicts"),
        (7, "found 7, expected a data frame, named tuples or a dict of dicts"),
    ],
)
def test_what_is_no_run(given: Any, message: str) -> None:
    """One sentence says what was found and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        run_of(given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("1", "A", "maybe", 0, 9), 'row 1: found grade "maybe", expected a whole number'),
        (("1", "A", None, 0, 9), "grades are missing, expected query_id, doc_id, relevance in every row"),
        (("1", "A", 1, None, 9), "found start null next to end, expected a whole number"),
        (("1", "A", 1, -1, -1), "found start -1, expected a number that is not negative"),
    ],
)
def test_what_are_no_qrels(row: tuple[Any, ...], message: str) -> None:
    """Relevant text needs its place."""
    with pytest.raises(ExcerptError) as caught:
        judgments_of(frame(QRELS, row))
    assert message in str(caught.value)
