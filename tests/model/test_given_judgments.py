"""Judgments from rows of any kind: relevant text, or grades of whole documents."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

from excerpt import ExcerptError, Judgments, Span

ROWS = [
    {"query_id": "1", "doc_id": "A", "start_char": 0, "end_char": 10, "question": "Who?", "group": "wiki"},
    {"query_id": "1", "doc_id": "B", "start_char": 5, "end_char": 9},
]


@pytest.mark.parametrize(
    "given",
    [
        [("1", "A", 0, 10), ("1", Span("B", 5, 9))],
        ROWS,
        pd.DataFrame(ROWS),
        {"1": [("A", 0, 10), Span("B", 5, 9)]},
        [{"topic": 1, "doc": "A", "spans": [[0, 4], (3, 10)]}, {"topic": 1, "doc": "B", "spans": [(5, 9)]}],
        [{"topic": 1, "doc": "A", "offset": 0, "length": 10}, {"topic": 1, "doc": "B", "spans": [(5, 9)]}],
        [*ROWS, {"query_id": "1", "doc_id": "A", "start_char": 50, "end_char": 60, "relevance": 0}][:2],
    ],
    ids=lambda given: type(given).__name__,
)
def test_one_set_of_judgments_however_it_is_given(given: Any) -> None:
    """Tuples, spans, dictionaries, rows by topic, lists of spans and data frames say the same."""
    judgments = Judgments.of(given)
    assert judgments.highlights("1") == [Span("A", 0, 10), Span("B", 5, 9)]
    assert judgments.scale == "highlights"


def test_passages_that_are_not_relevant() -> None:
    """A passage of grade 0 says that its document was judged, and nothing more."""
    rows = [{**row, "relevance": grade} for row, grade in zip(ROWS, (1, 0), strict=True)]
    judgments = Judgments.of(rows)
    assert (judgments.highlights("1"), len(judgments)) == ([Span("A", 0, 10)], 2)


@pytest.mark.parametrize(
    "given",
    [
        {"1": {"A": 2, "B": 0, "C": -1}},
        [
            {"query-id": "1", "corpus-id": name, "score": grade}
            for name, grade in (("A", 2), ("B", 0), ("C", -1))
        ],
        pd.DataFrame({"qid": ["1"] * 3, "docno": list("ABC"), "label": [2, 0, -1]}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_grades_of_documents(given: Any) -> None:
    """They are TREC qrels in memory, with their grades."""
    judgments = Judgments.of(given, irrelevant=[("1", "D")])
    assert judgments.scale == "documents"
    assert judgments.only_documents
    assert judgments.grades is not None
    assert judgments.grades.tolist() == [2, 0, -1, 0]
    assert judgments.relevant_documents.tolist() == [1]


def test_questions_sizes_and_entry_points() -> None:
    """What rows tell besides is kept; sizes and entry points may be given apart, too."""
    judgments = Judgments.of([{**ROWS[0], "size": 90, "bep": 3}, ROWS[1]], sizes={"B": 40})
    assert judgments.questions["1"] == ("1", "Who?", "wiki", "")
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([90, 40], [3, -1])


WRONG: list[tuple[Any, str]] = [
    ([{**ROWS[0], "start_char": -1}], "LangChain writes -1"),
    ([{**ROWS[0], "start_char": None}], "found None as start in document A of topic 1"),
    (
        [{"topic": "1", "doc": "A", "spans": 7}],
        "found 7 as spans in document A of topic 1, expected a list of pairs",
    ),
    ([{"topic": "1", "doc": "A", "spans": [[3, 1]]}], "found span [3, 1) in document A of topic 1"),
    ([{"topic": "1", "doc": "A", "relevance": 0.5}], "found 0.5 as grade, expected a whole number"),
    ([{"topic": "1", "doc": "A", "judgement": 1}], "found unknown keys judgement, expected start and end"),
]


@pytest.mark.parametrize(
    ("given", "said"), WRONG, ids=lambda value: value[:40] if isinstance(value, str) else ""
)
def test_rows_that_are_no_judgments(given: Any, said: str) -> None:
    """What cannot be judgments is told with its place."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        Judgments.of(given)


def test_questions_without_evidence() -> None:
    """A row with a question only asks it."""
    rows = [{"topic": "1", "document": "A", "start": 1, "end": 5}, {"topic": "2", "question": "Who?"}]
    judgments = Judgments.of(rows)
    assert (judgments.topics, judgments.documents) == (("1", "2"), ("A",))
    assert judgments.questions["2"].text == "Who?"
    assert judgments.relevant_by_topic.tolist() == [4, 0]


def test_whole_documents_beside_passages() -> None:
    """The message says what is mixed."""
    rows = [{"topic": "1", "document": "A", "start": 1, "end": 5}, {"topic": "1", "document": "B"}]
    with pytest.raises(ExcerptError, match="no start and end in document B of topic 1 beside rows with them"):
        Judgments.of(rows)
