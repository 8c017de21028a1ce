"""Runs from rows of any kind: one run, however it is given; what cannot be one, in one sentence."""

from __future__ import annotations

import re
import sys
from collections import namedtuple
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from excerpt import ExcerptError, Judgments, Notices, Result, Run, Span, evaluate
from excerpt.model.run import is_frame
from excerpt.records.objects import read_frame

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
    """Columns of the run; a result whose text does not occur has no location."""
    rows = [
        {"topic": "1", "document": "A", "start": 0, "end": 9, "token_count": 3, "words": 2},
        {"topic": "1", "document": "A", "lost": 40, "token_count": 9, "words": 8},
    ]
    run = Run.of("r", rows)
    assert run.text.lost is not None
    assert (run.text.lost.tolist(), run.start.tolist(), run.end.tolist()) == ([0, 40], [0, -1], [9, -1])
    assert {name: costs.tolist() for name, costs in run.text.costs.items()} == {
        "tokens": [3, 9],
        "words": [2, 8],
    }
    notices = Notices()
    assert not Run.of(
        "r", [rows[0], {**rows[1], "words": None, "token_count": None}], notices=notices
    ).text.costs
    assert next(iter(notices)).startswith("1 result has no tokens; the column tokens is ignored")


def test_ranks_and_paths() -> None:
    """Ranks are kept; results with paths and no place are elements."""
    run = Run.of("r", [{"topic": 1, "document": 2, "path": "/a[1]", "rank": 7}])
    assert (run.kind, run[0].path, run.rank.tolist(), run.documents) == ("elements", "/a[1]", [7], ("2",))


def test_what_a_frame_does_not_have() -> None:
    """NaN in a frame means that a path, a rank or a cost is missing."""
    rows: list[dict[Any, Any]] = [{**PLACED, "path": "/a[1]", "rank": 1, "tokens": 5}, {**PLACED, 7: 1}]
    notices = Notices()
    run = Run.of("r", pd.DataFrame(rows), notices=notices)
    assert ([result.path for result in run], run.rank.tolist(), dict(run.text.costs)) == (
        ["/a[1]", None],
        [1, -1],
        {},
    )
    assert [text.split(" (")[0] for text in notices] == [
        "1 result has no tokens; the column tokens is ignored",
        "unknown keys are ignored: 7",
    ]


def test_unknown_keys_are_named() -> None:
    """They are said once; the text of a result is known for what it is."""
    notices = Notices()
    Run.of("r", [{**ROWS[0], "colour": 1, "text": "x"}], notices=notices)
    assert list(notices) == ["unknown keys are ignored: colour"]
    with pytest.warns(UserWarning, match="unknown keys are ignored: colour"):
        Run.of("r", [{**ROWS[0], "colour": 1}])


WRONG: list[tuple[Any, str]] = [
    ([{"topic": "1"}], "key document is missing (also called document_id, doc_id"),
    ([{**PLACED, "start": -1}], "row 1: found start -1, expected a number that is not negative"),
    ([{**PLACED, "start": -1}], "LangChain writes -1 if a chunk does not occur in"),
    ([{**PLACED, "start": None, "end": None}], "LlamaIndex writes null if a chunk does not occur in"),
    ([{**PLACED, "start": 0.5}], "found start 0.5, expected a whole number"),
    ([{**PLACED, "score": float("nan")}], "found score NaN, expected a number"),
    ([{**PLACED, "tokens": -3}], "found tokens -3, expected a number that is not negative"),
    (
        [{**PLACED, "lost": 3}],
        "found lost 3 and offsets, expected start and end -1",
    ),
    ([{"topic": "1", "document": "A", "start": 0}], "key end is missing (also called end_index"),
    (
        [{"topic": "1", "document": "A", "offset": 0}],
        "key length is missing; the row has topic, document, offset",
    ),
    ([{"topic": "1", "document": "A", "start_index": -1, "text": "x"}], "LangChain writes -1"),
    ([{"topic": "1", "document": "A", "startPos": 3}], "found unknown key startPos, expected start"),
    (
        [{"topic": "1", "document": "A", "path": "/a"}, {"topic": "1", "document": "B"}],
        "row 2: the position in the document is missing, expected one, as in row 1",
    ),
    (pd.DataFrame([PLACED, {**PLACED, "start": None}]), "row 2: found start null next to end"),
    ({"topic": ["1"], "document": ["A", "B"]}, "found columns of different lengths (topic 1, document 2)"),
    ([{**PLACED, "start": pd.NA}], "found start <NA> next to end, expected a whole number"),
    ([{**PLACED, "start": [7]}], "found start [7], expected a whole number"),
    ([{**PLACED, "rank": [[0, 5]]}], "found rank [[0, 5]], expected a whole number"),
    ([{**PLACED, "path": np.array([1, 2])}], "found path '[1 2]', expected one such as /article[1]/p[2]"),
    ({"1": 7}, "found 7 for topic 1, expected results"),
    ({"1": [4.5]}, "found 4.5 for topic 1, expected results"),
    ({"1": {"A": "x"}}, 'found score "x", expected a number'),
    (
        [{**PLACED, "start": np.array([1, 2]), "begin": np.array([1, 3])}],
        "found start and begin with different",
    ),
    ([{**PLACED, "topic": np.array(["a"])}], "row 1: found topic array(['a']"),
]


@pytest.mark.parametrize(
    ("given", "said"), WRONG, ids=lambda value: value[:40] if isinstance(value, str) else ""
)
def test_rows_that_are_none(given: Any, said: str) -> None:
    """Rows that cannot be results give an error with their location."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        Run.of("r", given)


def test_a_kind_that_does_not_fit() -> None:
    """Whole documents are not asked to be spans."""
    with pytest.raises(ExcerptError, match="start and end are missing in document A of topic 1"):
        Run.of("r", {"1": {"A": 1.0}}, kind="spans")


def test_several_runs_in_one() -> None:
    """Rows that name two runs are not one."""
    rows = [{"topic": "1", "document": "A", "start": 0, "end": 5, "run": name} for name in "aab"]
    assert len(Run.of("r", rows[:2])) == 2
    with pytest.raises(
        ExcerptError, match=r"found rows of the runs a, b, expected rows of one run; give \{name: rows\}"
    ):
        Run.of("r", rows)


GIVEN_FRAMES_COLUMNS = {"topic": ["1", "2"], "start": [3, 4], "path": ["/a[1]", None]}


class Lazy(NamedTuple):
    """A frame that is not read before it is collected, as polars has."""

    frame: pd.DataFrame

    @property
    def columns(self) -> None:
        """Asked for too early."""
        raise AssertionError("this frame is to be collected first")

    def collect(self) -> pd.DataFrame:
        """Its values."""
        return self.frame


def polars() -> Any:
    """The library, where it is installed."""
    return pytest.importorskip("polars", reason="polars comes with --thorough")


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(GIVEN_FRAMES_COLUMNS, dtype=object),
    "arrow": lambda: pa.table(GIVEN_FRAMES_COLUMNS),
    "collected": lambda: Lazy(pd.DataFrame(GIVEN_FRAMES_COLUMNS, dtype=object)),
    "polars": lambda: polars().DataFrame(GIVEN_FRAMES_COLUMNS),
    "lazy": lambda: polars().LazyFrame(GIVEN_FRAMES_COLUMNS),
}


@pytest.mark.parametrize("narwhals", [True, False])
@pytest.mark.parametrize("name", FRAMES)
def test_columns(name: str, narwhals: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain values by name, whatever the library."""
    frame = FRAMES[name]()
    if not narwhals:
        monkeypatch.setitem(sys.modules, "narwhals.stable.v1", None)
    assert is_frame(frame)
    assert read_frame(frame) == GIVEN_FRAMES_COLUMNS


def test_missing_values_are_none() -> None:
    """pandas.NA, which is equal to nothing, and NaN become None."""
    found = read_frame(pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1.0, float("nan")]}))
    assert found == {"a": [1, None], "b": [1.0, None]}


def test_what_is_no_frame() -> None:
    """Rows and mappings are none; columns must have values."""
    assert not any(map(is_frame, ([1], {"a": 1}, "abc", pd.DataFrame, 7)))
    strange = type("Strange", (), {"columns": ["a"], "__getitem__": lambda self, name: 7})()
    with pytest.raises(ExcerptError, match="found a column of type int, expected a column of a data frame"):
        read_frame(strange)


GIVEN_JUDGMENTS_ROWS = [
    {"query_id": "1", "doc_id": "A", "start_char": 0, "end_char": 10, "question": "Who?", "group": "wiki"},
    {"query_id": "1", "doc_id": "B", "start_char": 5, "end_char": 9},
]


@pytest.mark.parametrize(
    "given",
    [
        [("1", "A", 0, 10), ("1", Span("B", 5, 9))],
        GIVEN_JUDGMENTS_ROWS,
        pd.DataFrame(GIVEN_JUDGMENTS_ROWS),
        {"1": [("A", 0, 10), Span("B", 5, 9)]},
        [{"topic": 1, "doc": "A", "spans": [[0, 4], (3, 10)]}, {"topic": 1, "doc": "B", "spans": [(5, 9)]}],
        [{"topic": 1, "doc": "A", "offset": 0, "length": 10}, {"topic": 1, "doc": "B", "spans": [(5, 9)]}],
        [
            *GIVEN_JUDGMENTS_ROWS,
            {"query_id": "1", "doc_id": "A", "start_char": 50, "end_char": 60, "relevance": 0},
        ][:2],
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
    rows = [{**row, "relevance": grade} for row, grade in zip(GIVEN_JUDGMENTS_ROWS, (1, 0), strict=True)]
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
    """Further columns of rows are kept; sizes and entry points may also be given separately."""
    judgments = Judgments.of(
        [{**GIVEN_JUDGMENTS_ROWS[0], "size": 90, "bep": 3}, GIVEN_JUDGMENTS_ROWS[1]], sizes={"B": 40}
    )
    assert judgments.questions["1"] == ("1", "Who?", "wiki", "")
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([90, 40], [3, -1])


GIVEN_JUDGMENTS_WRONG: list[tuple[Any, str]] = [
    ([{**GIVEN_JUDGMENTS_ROWS[0], "start_char": -1}], "LangChain writes -1"),
    (
        [{**GIVEN_JUDGMENTS_ROWS[0], "start_char": None}],
        "found start null next to end, expected a whole number",
    ),
    ([{"topic": "1", "doc": "A", "spans": 7}], "row 1: found spans 7, expected a list of pairs [start, end]"),
    ([{"topic": "1", "doc": "A", "spans": [[3, 1]]}], "row 1: found span end 1 before span start 3"),
    ([{"topic": "1", "doc": "A", "relevance": 0.5}], "row 1: found grade 0.5, expected a whole number"),
    ([{"topic": "1", "doc": "A", "judgement": 1}], "row 1: found unknown key judgement, expected relevance"),
    (
        [{"topic": "1", "doc": "A", "elements": []}, {"topic": "1", "doc": "A", "elements": [1]}],
        "read_judgments",
    ),
]


@pytest.mark.parametrize(
    ("given", "said"), GIVEN_JUDGMENTS_WRONG, ids=lambda value: value[:40] if isinstance(value, str) else ""
)
def test_rows_that_are_no_judgments(given: Any, said: str) -> None:
    """Rows that cannot be judgments give an error with their location."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        Judgments.of(given)


def test_questions_without_evidence() -> None:
    """A row with a question only asks it."""
    rows = [{"topic": "1", "document": "A", "start": 1, "end": 5}, {"topic": "2", "question": "Who?"}]
    judgments = Judgments.of(rows)
    assert (judgments.topics, judgments.documents) == (("1", "2"), ("A",))
    assert judgments.questions["2"].text == "Who?"
    assert judgments.relevant_by_topic.tolist() == [4, 0]


def test_documents_beside_passages() -> None:
    """A document without a passage is judged and not relevant, as in a file; a grade needs a passage."""
    rows: list[dict[str, Any]] = [
        {"topic": "1", "document": "A", "start": 1, "end": 5},
        {"topic": "1", "document": "B"},
    ]
    assert Judgments.of(rows).documents == ("A", "B")
    with pytest.raises(ExcerptError, match="row 2: start and end are missing, expected them, as in row 1"):
        Judgments.of([rows[0], {**rows[1], "relevance": 1}])


ROWS_RESULTS: list[tuple[Any, str]] = [
    (3, "found 3, expected results: topic, document, start, end, and perhaps score and path"),
    ("abc", "found 'abc', expected results"),
    ([("1", "A", 0, 10, "x")], 'row 1: found score "x", expected a number'),
    ([("1", "A", 0, 10, float("nan"))], "row 1: found score NaN, expected a number"),
    ([("1", "A", True, 10)], "row 1: found start true, expected a whole number"),
    ([("1", "A", 0, np.True_)], "expected a whole number"),
    ([("1", "A", 0.5, 10)], "row 1: found start 0.5, expected a whole number"),
    (
        [("1", "A", 0, 2**70)],
        "found end 1180591620717411303424, expected a number up to 2147483647",
    ),
    ([("1", "A", 9, 5)], "found end 5 before start 9, expected an end at or after the start"),
    ([(None, "A", 0, 10)], "key topic is missing (also called topic_id, "),
    ([("1", 0.5, 0, 10)], "found document 0.5, expected a string or a whole number"),
    ([("1", "A", 0, 10, 1.0, 0.5)], "found path '0.5', expected one such as /article[1]/p[2]"),
]


@pytest.mark.parametrize(("given", "said"), ROWS_RESULTS, ids=str)
def test_results_that_are_none(given: Any, said: str) -> None:
    """A value that cannot be a result gives a one-line error, with its location if that is known."""
    with pytest.raises(ExcerptError, match=re.escape(said)):
        Run.of("r", given)


def test_names_of_runs_and_kinds() -> None:
    """The name of a run is text or a number, its kind one of those that are known."""
    assert Run.of(3, []).name == "3"  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="found None as name of a run, expected text"):
        Run.of(None, [])  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="unknown kind of run 'span'; did you mean 'spans'"):
        Run.of("r", [], kind="span")  # type: ignore[arg-type]


def test_numbers_as_names() -> None:
    """A number is the name that it is written as, on both sides."""
    assert Run.of("r", [(1, "A", 0, 10)]).topics == ("1",)
    assert Judgments.of([(np.int64(1), "A", 0, 10)]).topics == ("1",)


def test_judgments_from_plain_values() -> None:
    """Topic, document, start and end are as good as a topic and a span."""
    plain, spans = Judgments.of([("1", "A", 0, 10)]), Judgments.of([("1", Span("A", 0, 10))])
    assert plain.highlights("1") == spans.highlights("1") == [Span("A", 0, 10)]


@pytest.mark.parametrize("given", [3, "abc", ["abc"], [("1", "A")], [("1", "A", 0)]], ids=str)
def test_judgments_that_are_none(given: Any) -> None:
    """Values that cannot be judgments give an error that shows what judgments are made of."""
    with pytest.raises(ExcerptError, match=r"expected .*topic, document, start, end"):
        Judgments.of(given)


def test_they_follow_their_results() -> None:
    """Through the order of a run."""
    rows = [
        {"topic": topic, "document": "A", "start": 0, "end": 1, "text": topic * 2, "score": score}
        for topic, score in (("1", 1), ("2", 1), ("1", 2))
    ]
    rows[2]["text"] = "last"
    run = Run.of("r", rows)
    assert run.text.quotes is not None
    assert run.text.quotes.tolist() == ["11", "last", "22"]
    quotes = run.ordered("score").text.quotes
    assert quotes is not None
    assert quotes.tolist() == ["last", "11", "22"]


@pytest.mark.parametrize("kind", ["objects", "texts", "dictionaries"])
def test_what_a_retriever_returned_for_each_question(kind: str) -> None:
    """Objects of a framework, texts or rows by question are one run, also among several with names."""
    made: dict[str, Callable[[str], Any]] = {
        "objects": lambda text: SimpleNamespace(page_content=text, metadata={"source": "A"}),
        "texts": str,
        "dictionaries": lambda text: {"body": text},
    }
    corpus = {"A": "One two three four.", "B": "Five six."}
    gold = [{"question": "When?", "document": "A", "quote": "two three"}]
    found = {"When?": [made[kind]("two three"), made[kind]("One")]}
    for runs, name in ((found, "run"), ({"mine": found}, "mine")):
        table = evaluate(gold, runs, ["recall@1", "found@1"], corpus=corpus, notices=Notices())
        assert table[name] == {"recall@1": 1.0, "found@1": 1.0}
    with pytest.raises(ExcerptError, match=r"the texts of 2 results have no start and end; corpus\.place"):
        evaluate([("When?", "A", 4, 13)], found, "charR")
