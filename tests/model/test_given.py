"""Runs from rows of any kind: one run, however it is given; what cannot be one, in one sentence."""

from __future__ import annotations

import re
from collections import namedtuple
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from excerpt import ExcerptError, Notices, Result, Run

RESULTS = [Result("1", "A", 0, 50, 0.9), Result("1", "B", 20, 60, 0.8), Result("2", "A", 5, 9, 0.7)]
ROWS = [dict(zip(("qid", "docno", "begin", "end_index", "score"), row[:5], strict=True)) for row in RESULTS]
BY_TOPIC = {
    "1": [("A", 0, 50, 0.9), ("B", 20, 60, 0.8)],
    "2": [{"doc": "A", "start": 5, "end": 9, "rsv": 0.7}],
}
COLUMNS = {key: [row[key] for row in ROWS] for key in ROWS[0]}
PLACED = {"topic": "1", "document": "A", "start": 0, "end": 9}
Other = namedtuple("Other", ["query_id", "doc_id", "score"])  # noqa: PYI024 - as libraries have it


@pytest.mark.parametrize(
    "given",
    [
        RESULTS,
        [tuple(row) for row in RESULTS],
        ROWS,
        [RESULTS[0], *ROWS[1:]],
        BY_TOPIC,
        COLUMNS,
        pd.DataFrame(ROWS),
        pa.Table.from_pylist(ROWS),
        [
            {
                "topic": r.topic,
                "doc": r.document,
                "offset": r.start,
                "length": r.end - r.start,
                "score": r.score,
            }
            for r in RESULTS
        ],
        [
            {
                "topic": r.topic,
                "metadata": {"source": r.document, "start_index": r.start},
                "score": r.score,
                "page_content": "x" * (r.end - r.start),
            }
            for r in RESULTS
        ],
    ],
    ids=lambda given: type(given).__name__,
)
def test_one_run_however_it_is_given(given: Any) -> None:
    """Tuples, dictionaries, rows by topic, columns and data frames are the same results."""
    assert list(Run.of("r", given)) == RESULTS


def test_scores_by_document() -> None:
    """They are a run of whole documents by score, ties by id, descending, as trec_eval has it."""
    run = Run.of("r", {"1": {"A": 0.5, "B": 0.7, "C": 0.5}})
    assert (run.kind, [result.document for result in run]) == ("documents", ["B", "C", "A"])
    records = Run.of("r", [Other("1", "B", 0.7), Other("1", "A", 0.5)])
    assert (records.kind, [result.document for result in records]) == ("documents", ["B", "A"])


def test_what_results_cost_and_what_is_lost() -> None:
    """Columns of the run; a result whose text stands nowhere has no place."""
    rows = [
        {"topic": "1", "document": "A", "start": 0, "end": 9, "token_count": 3, "words": 2},
        {"topic": "1", "document": "A", "lost": 40, "token_count": 9, "words": 8},
    ]
    run = Run.of("r", rows)
    assert run.lost is not None
    assert (run.lost.tolist(), run.start.tolist(), run.end.tolist()) == ([0, 40], [0, -1], [9, -1])
    assert {name: costs.tolist() for name, costs in run.costs.items()} == {"tokens": [3, 9], "words": [2, 8]}
    notices = Notices()
    assert not Run.of("r", [rows[0], {**rows[1], "words": None, "token_count": None}], notices=notices).costs
    assert next(iter(notices)).startswith("result has no tokens, so those of the others were left out")


def test_ranks_and_paths() -> None:
    """Ranks are kept; results with paths and no place are elements."""
    run = Run.of("r", [{"topic": 1, "document": 2, "path": "/a[1]", "rank": 7}])
    assert (run.kind, run[0].path, run.rank.tolist(), run.documents) == ("elements", "/a[1]", [7], ("2",))


def test_what_a_frame_does_not_have() -> None:
    """Where a frame has NaN for a path, a rank or a cost, there is none."""
    rows: list[dict[Any, Any]] = [{**PLACED, "path": "/a[1]", "rank": 1, "tokens": 5}, {**PLACED, 7: 1}]
    notices = Notices()
    run = Run.of("r", pd.DataFrame(rows), notices=notices)
    assert ([result.path for result in run], run.rank.tolist(), dict(run.costs)) == (
        ["/a[1]", None],
        [1, -1],
        {},
    )
    assert [text.split(" (")[0] for text in notices] == [
        "unknown keys were ignored: 7",
        "result has no tokens, so those of the others were left out",
    ]


def test_unknown_keys_are_named() -> None:
    """They are said once; the text of a result is known for what it is."""
    notices = Notices()
    Run.of("r", [{**ROWS[0], "colour": 1, "text": "x"}], notices=notices)
    assert list(notices) == ["unknown keys were ignored: colour"]
    with pytest.warns(UserWarning, match="unknown keys were ignored: colour"):
        Run.of("r", [{**ROWS[0], "colour": 1}])


WRONG: list[tuple[Any, str]] = [
    ([{"topic": "1"}], "found no document among topic, expected one (also called document_id, doc_id"),
    ([{**PLACED, "start": -1}], "found span [-1, 9) in document A of topic 1, expected 0 <= start <= end"),
    ([{**PLACED, "start": -1}], "LangChain writes -1 where it did not find the chunk"),
    ([{**PLACED, "start": None, "end": None}], "LlamaIndex writes None where it did not find the chunk"),
    ([{**PLACED, "start": 0.5}], "found 0.5 as start in document A of topic 1, expected a whole number"),
    ([{**PLACED, "score": float("nan")}], "found nan as score, expected a number or None"),
    ([{**PLACED, "tokens": -3}], "found -3 as tokens, expected a number that is not negative"),
    (
        [{**PLACED, "lost": 3}],
        "found lost text with a place in document A of topic 1, expected start and end -1",
    ),
    ([{"topic": "1", "document": "A", "start": 0}], "found start without end in document A of topic 1"),
    ([{"topic": "1", "document": "A", "offset": 0}], "found offset without length in document A of topic 1"),
    ([{"topic": "1", "document": "A", "start_index": -1, "text": "x"}], "LangChain writes -1"),
    ([{"topic": "1", "document": "A", "text": "x"}], "found unknown keys text, expected start and end"),
    ([{"topic": "1", "document": "A", "startPos": 3}], "found unknown keys startPos, expected start and end"),
    (
        [{"topic": "1", "document": "A", "path": "/a"}, {"topic": "1", "document": "B"}],
        "found no position in document B of topic 1",
    ),
    (pd.DataFrame([PLACED, {**PLACED, "start": None}]), "found nan as start in document A of topic 1"),
    ({"topic": ["1"], "document": ["A", "B"]}, "found columns of several lengths (topic 1, document 2)"),
    ([{**PLACED, "start": pd.NA}], "found <NA> as start in document A of topic 1, expected a whole number"),
    ([{**PLACED, "start": [7]}], "found [7] as start in document A of topic 1, expected a whole number"),
    ([{**PLACED, "rank": [[0, 5]]}], "found [[0, 5]] as rank, expected a whole number"),
    ([{**PLACED, "path": np.array([1, 2])}], "found array([1, 2]) as path, expected text"),
    ({"1": 7}, "found 7 for topic 1, expected results"),
    ({"1": ["A"]}, "found 'A' for topic 1, expected results"),
    ({"1": {"A": "x"}}, "found 'x' as score, expected a number or None"),
]


@pytest.mark.parametrize(
    ("given", "said"), WRONG, ids=lambda value: value[:40] if isinstance(value, str) else ""
)
def test_rows_that_are_none(given: Any, said: str) -> None:
    """What cannot be results is told with its place."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        Run.of("r", given)


def test_a_kind_that_does_not_fit() -> None:
    """Whole documents are not asked to be spans."""
    with pytest.raises(ExcerptError, match="found no position in document A of topic 1, expected one"):
        Run.of("r", {"1": {"A": 1.0}}, kind="spans")


def test_several_runs_in_one() -> None:
    """Rows that name two runs are not one."""
    rows = [{"topic": "1", "document": "A", "start": 0, "end": 5, "run": name} for name in "aab"]
    assert len(Run.of("r", rows[:2])) == 2
    with pytest.raises(
        ExcerptError, match=r"found the runs a, b in one, expected one name; give \{name: rows\}"
    ):
        Run.of("r", rows)
