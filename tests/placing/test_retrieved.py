"""Runs of chunks."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace as Thing
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import excerpt
from excerpt import Corpus, ExcerptError, ExcerptWarning, Judgments, Notices, Run

CORPUS = Corpus({"A": "One two. Three. Three.", "B": "Four."})
CHUNKS = CORPUS.place(
    [
        {"document": "A", "text": "One two.", "id": "c0"},
        {"document": "A", "text": "Three.", "id": "c1", "start": 9},
        {"document": "A", "text": "Three.", "id": "c2", "start": 16},
        {"document": "B", "text": "Four.", "id": "c3"},
        {"document": "B", "text": "Zero.", "id": "c4"},
    ],
    name="mine",
    lost="count",
)


def spans(run: Run) -> list[tuple[object, ...]]:
    """The results of a run as plain tuples."""
    return [(result.topic, result.document, result.start, result.score) for result in run]


@pytest.mark.parametrize(
    "results",
    [
        {"q": [3, 0]},
        {"q": np.array([3, 0, -1])},
        {"q": ["Four.", "One two."]},
        {"q": ["c3", "c0"]},
        {"q": [Thing(page_content="Four.", metadata={}), {"text": "One two."}]},
        {"q": [Thing(node=Thing(text="Four.")), Thing(node=Thing(text="One two."))]},
    ],
)
def test_results_of_every_kind(results: object) -> None:
    """Numbers, texts, ids, dictionaries and objects of frameworks."""
    run = CHUNKS.run(results)
    assert spans(run) == [("q", "B", 0, None), ("q", "A", 0, None)]
    assert (run.name, run.task, run.rank.tolist()) == ("mine", "chunks", [1, 2])


@pytest.mark.parametrize(
    ("results", "scores"),
    [
        ({"q": [(3, 0.5), (0, 0.25)]}, None),
        ({"q": [("Four.", 0.5), ("One two.", 0.25)]}, None),
        ({"q": [Thing(content="Four.", score=0.5), {"text": "One two.", "score": 0.25}]}, None),
        ({"q": [3, 0]}, {"q": [0.5, 0.25]}),
        ({"q": [3, 0]}, {"q": np.array([0.5, 0.25])}),
    ],
)
def test_scores(results: object, scores: object) -> None:
    """In pairs, with objects, or apart."""
    assert spans(CHUNKS.run(results, name="r", scores=scores)) == [("q", "B", 0, 0.5), ("q", "A", 0, 0.25)]


def test_a_matrix_has_a_row_for_each_question() -> None:
    """Topics are given, or counted from 1; -1 fills rows."""
    matrix, scores = np.array([[0, 1], [3, -1]]), np.array([[2.0, 1.0], [1.0, -9.0]])
    with pytest.warns(ExcerptWarning, match="no topics given; the rows of results are questions 1, 2, …"):
        run = CHUNKS.run(matrix, scores=scores)
    assert spans(run) == [("1", "A", 0, 2.0), ("1", "A", 9, 1.0), ("2", "B", 0, 1.0)]
    assert CHUNKS.run(matrix, topics=["x", "y"]).topics == ("x", "y")


def test_lost_chunks_are_read_in_vain() -> None:
    """They are in the run with their length."""
    run = CHUNKS.run({"q": [4, 3]})
    assert run.text.lost is not None
    assert (run.start.tolist(), run.text.lost.tolist()) == ([-1, 0], [5, 0])
    assert CHUNKS.texts_of(run) == ["Zero.", "Four."]
    assert {name: cost.tolist() for name, cost in run.text.costs.items()} == {"words": [1, 1]}
    table = excerpt.evaluate(Judgments.of([("q", "B", 0, 5)]), run, ["read(cost=words)"], corpus=CORPUS)
    assert table.mean("mine", "read(cost=words)") == 2


def test_texts_of_chunks_at_the_same_place() -> None:
    """Lost chunks of one length, and windows around one sentence, are distinguished."""
    chunks = CORPUS.place({"B": ["Zero.", "Five.", "x Four.", "Four."]}, lost="count")
    run = chunks.run({"q": [1, 3, 2, 0]})
    assert chunks.texts_of(run) == ["Five.", "Four.", "x Four.", "Zero."]
    assert chunks.texts_of(Run.of("r", [("q", "B", 0, 5)])) == ["x Four."]


def test_dropped_chunks_are_left_out() -> None:
    """Numbers are those of the texts that are left; what was left out is known by its text, id and object."""
    given = [{"document": "B", "text": "Zero.", "id": "z"}, {"document": "B", "text": "Four."}]
    with pytest.warns(ExcerptWarning, match="left out; chunk numbers skip"):
        chunks = CORPUS.place(given, lost="drop")
    assert (chunks.texts, chunks.run({"q": [0]}).start.tolist()) == (["Four."], [0])
    with pytest.warns(
        ExcerptWarning, match=r"3 results are chunks that do not .* left out \(first: question 'q'\)"
    ):
        run = chunks.run({"q": [given[0], given[1], "Zero.", "z"]})
    assert run.start.tolist() == [0]
    with pytest.raises(
        ExcerptError, match=r"found 'Five\.' as a result, expected a number, text or unique id of a chunk"
    ):
        chunks.run({"q": ["Five."]})
    with pytest.raises(ExcerptError, match="found chunk number 1"):
        chunks.run({"q": [1]})


def test_a_dropped_chunk_is_not_one_of_another_document() -> None:
    """Though it has the same text."""
    given = [{"document": "A", "text": "Four."}, {"document": "B", "text": "Four."}]
    notices = Notices()
    chunks = CORPUS.place(given, lost="drop", notices=notices)
    assert len(chunks.run({"q": [{**given[0], "score": 1}]}, notices=notices)) == 0


def test_scores_that_do_not_fall() -> None:
    """The order given counts, with one warning."""
    with pytest.warns(ExcerptWarning, match="1 topic is not sorted by score; the given order is used"):
        run = CHUNKS.run({"q": [(0, 0.1), (3, 0.9)]})
    assert run.document_code.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("results", "scores", "message"),
    [
        (7, None, "found 7, expected {question: [results]}"),
        ([1, 2], None, "found 1 as the results of a question"),
        ({"q": 3}, None, "found 3 as the results of question 'q', expected a list"),
        ({"q": [5]}, None, "found chunk number 5 (as a result), expected 0 to 4 (question 'q')"),
        ({"q": np.array([-2])}, None, "found chunk number -2 (question 'q'), expected 0 to 4"),
        (
            {"q": ["Five."]},
            None,
            "found 'Five.' as a result, expected a number, text or unique id of a chunk",
        ),
        ({"q": [None]}, None, "found None of type NoneType as a result"),
        ({"q": [1.5]}, None, "found 1.5 of type float as a result"),
        ({"q": [(0, math.nan)]}, None, "found nan as score, expected a number (question 'q')"),
        ({"q": [0]}, {"q": [math.nan]}, "found nan as score"),
        ({"q": [0]}, {}, "found 0 scores for 1 result of question 'q'"),
        ({True: [0]}, None, "found True as topic, expected text"),
        ({1: [0], "1": [1]}, None, "found the topic '1' twice, expected each topic once"),
        ({"q": [0]}, {"q": 0.5}, "found 0.5 as the scores of question 'q', expected a list"),
        ({"q": [(0, 10**400)]}, None, f"found 1{'0' * 58}… as score, expected a number"),
        ({"q": np.array([[0, 1]])}, None, "found array([0, 1]) of type ndarray as a result"),
    ],
)
def test_bad_results(results: object, scores: object, message: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError) as caught:
        CHUNKS.run(results, scores=scores)
    assert str(caught.value).startswith(message)


def test_bad_topics() -> None:
    """As many as rows, and different."""
    with pytest.raises(ExcerptError, match="found 1 row for 2 topics, expected one per topic"):
        CHUNKS.run([[0]], topics=["a", "b"])
    with pytest.raises(ExcerptError, match="found the topic 'a' twice"):
        CHUNKS.run([[0], [1]], topics=["a", "a"])


def test_texts_of_another_run() -> None:
    """Only runs of these chunks have their texts."""
    with pytest.raises(
        ExcerptError, match="found a result of 'A' from 1 to 3, which is not a chunk of 'mine', expected"
    ):
        CHUNKS.texts_of(Run.of("r", [("q", "A", 1, 3)]))


FINDING_CORPUS = Corpus({"A": "One two. Three. Three.", "B": "Four."})
FINDING_CHUNKS = FINDING_CORPUS.place(
    [
        {"document": "A", "text": "One two.", "id": "c0"},
        {"document": "A", "text": "Three.", "id": "c1", "start": 9},
        {"document": "A", "text": "Three.", "id": "c2", "start": 16},
        {"document": "B", "text": "Four.", "id": "c3"},
    ]
)


def test_chunks_with_the_same_text() -> None:
    """Id, document and start distinguish them, else their order does, with a warning."""
    notices = Notices()
    same = {"q": [{"text": "Three.", "id": "c2"}, {"text": "Three.", "start": 9}, "Three.", "Three."]}
    assert FINDING_CHUNKS.run(same, notices=notices).start.tolist() == [16, 9, 9, 16]
    assert list(notices) == [
        "2 results have the text of several chunks; the chunks are taken in order (first: question 'q')"
    ]


def documents(**metadata: Any) -> list[Thing]:
    """Two sentences, the first of which comes again."""
    found = []
    for number, text in enumerate(["ab.", "cd.", "ab."]):
        own = {name: values[number] for name, values in metadata.items()}
        found.append(Thing(page_content=text, metadata={"source": "d", "start_index": -1, **own}))
    return found


def starts(given: list[Thing], results: list[Any]) -> list[int]:
    """Positions of the results of some chunks, without warnings."""
    chunks = Corpus({"d": "ab. cd. ab."}).place(given)
    notices = Notices()
    found = chunks.run({"q": results}, notices=notices).start.tolist()
    assert not len(notices)
    return [int(start) for start in found]


def test_the_object_that_was_placed() -> None:
    """It is its own chunk, alone, with a score, or inside of a result."""
    given = documents()
    assert starts(given, [given[2], (given[2], 0.5), Thing(node=given[2], score=0.25)]) == [8, 8, 8]
    assert starts(given, [given[0], given[2]]) == [0, 8]


def test_the_metadata_of_a_chunk() -> None:
    """A copy is known by it, also where a store put more there; arrays in it do not matter."""
    given = documents(n=[0, 1, 2], vector=[np.zeros(2)] * 3)
    plain = documents(n=[0, 1, 2])
    assert starts(plain, [documents(n=[0, 1, 2])[2]]) == [8]
    assert starts(plain, [documents(n=[0, 1, 2], store=["x"] * 3)[2]]) == [8]
    assert starts(given, [given[2]]) == [8]


def test_what_the_model_reads() -> None:
    """A result is known by the text that was placed, if it has that under the same key."""
    given = [{"text": "cd.", "window": "ab. cd."}, {"text": "ab.", "window": "cd. ab."}]
    chunks = Corpus({"d": "ab. cd. ab."}).place(given, text="window")
    assert chunks.run({"q": [dict(given[1])]}).start.tolist() == [4]


def test_the_id_of_a_chunk_with_another_text() -> None:
    """It counts as the chunk, which is said."""
    notices = Notices()
    run = FINDING_CHUNKS.run({"q": [{"text": "Zero. Four.", "id": "c3"}, {"id": "c0"}]}, notices=notices)
    assert run.document_code.tolist() == [1, 0]
    assert [each.partition(" but")[0] for each in notices] == ["1 result has the id of a chunk"]


FOUR = Thing(content="Four.", meta={}, score=0.5)
CHROMA = {
    "ids": [["c3", "c0"]],
    "documents": [["Four.", "One two."]],
    "metadatas": [[None, None]],
    "distances": [[1, 2]],
}


@pytest.mark.parametrize(
    "results",
    [
        CHROMA,
        {**CHROMA, "documents": None, "metadatas": None},
        Thing(source_nodes=[Thing(node=Thing(text="Four.", node_id="c3"), score=0.5), "c0"]),
        Thing(points=[Thing(id=7, score=0.5, payload={"text": "Four."}), Thing(id="c0", payload=None)]),
        [{"id": 7, "payload": {"page_content": "Four.", "metadata": {}}}, {"id": "c0", "payload": {}}],
        {"documents": [FOUR, {"content": "One two."}]},
        {"retriever": {"documents": [FOUR, {"content": "One two."}]}},
        pd.DataFrame({"text": ["Four.", "One two."], "_distance": [0.1, 0.2]}),
        pa.table({"id": ["c3", "c0"], "_distance": [0.1, 0.2]}),
    ],
)
def test_what_retrievers_return(results: object) -> None:
    """Objects written by hand like those of Chroma, LlamaIndex, Qdrant, Haystack, LanceDB."""
    assert [row[:3] for row in spans(CHUNKS.run({"q": results}))] == [("q", "B", 0), ("q", "A", 0)]


def test_answers_to_several_questions() -> None:
    """Chroma's lists have a row for each question, a data frame a column of questions."""
    both = {"ids": [["c3"], ["c0"]], "documents": None, "metadatas": None}
    frame = pd.DataFrame({"query_id": ["x", "y"], "id": ["c3", "c0"]})
    for run in (CHUNKS.run(both, topics=["x", "y"]), CHUNKS.run(frame)):
        assert spans(run) == [("x", "B", 0, None), ("y", "A", 0, None)]
    with pytest.raises(ExcerptError, match="has no column of questions, such as query_id"):
        CHUNKS.run(frame[["id"]])
    with pytest.raises(ExcerptError, match="found lists of different lengths"):
        CHUNKS.run({"q": {**both, "documents": [["a"]]}})


def test_ids_and_tokens_survive_saving(tmp_path: Path) -> None:
    """Chunks without ids are known by their numbers, but not if the text is another."""
    objects = [
        Thing(page_content="One two.", metadata={"source": "A"}, id="u"),
        Thing(page_content="Four.", metadata={"source": "B"}),
    ]
    chunks = CORPUS.place(objects, tokens=str.split)
    chunks.write(tmp_path / "c.jsonl")
    again = excerpt.Chunks.read(tmp_path / "c.jsonl", CORPUS)
    assert again.tokens is not None
    assert (again.ids, again.tokens.tolist(), again.texts) == (("u", "1"), [2, 1], ["One two.", "Four."])
    run = again.run({"q": ["u", {"id": 1}]})
    assert (run.document_code.tolist(), run.text.costs["tokens"].tolist()) == ([0, 1], [2, 1])
    with pytest.raises(ExcerptError, match="found the keys id, text as a result"):
        again.run({"q": [{"id": 1, "text": "Five."}]})
    with pytest.raises(
        ExcerptError, match=r"found '9' as a result, expected a number, text or unique id of a chunk"
    ):
        again.run({"q": [{"id": "9"}]})


def test_ids_of_several_chunks() -> None:
    """An id that several chunks have, such as that of their document, names none of them."""
    rows = [{"document": "A", "text": text, "id": "A"} for text in ("One two.", "Three.")]
    chunks = CORPUS.place([*rows, {"document": "B", "text": "Four.", "id": "B"}])
    assert chunks.run({"q": ["B", {"id": "A", "text": "One two."}]}).document_code.tolist() == [1, 0]
    for result in ("A", {"id": "A"}, {"id": "A", "text": "Another text."}):
        with pytest.raises(ExcerptError, match="expected a number, text or unique id of a chunk"):
            chunks.run({"q": [result]})


def test_a_frame_with_a_column_of_questions() -> None:
    frame = pd.DataFrame({"question": ["q", "r"], "text": ["Four.", "One two."]})
    assert spans(CHUNKS.run(frame)) == [("q", "B", 0, None), ("r", "A", 0, None)]


@pytest.mark.parametrize("tokens", [-1, 1.5])
def test_tokens_that_are_no_numbers_of_tokens(tokens: float) -> None:
    with pytest.raises(ExcerptError, match=f"chunk number 0: found tokens {tokens}, expected a "):
        CORPUS.place([{"document": "B", "text": "Four.", "tokens": tokens}])


def test_tokens_of_some_chunks_only() -> None:
    given = [{"document": "B", "text": "Four.", "tokens": 3}, {"document": "A", "text": "One two."}]
    with pytest.warns(ExcerptWarning, match="1 chunk has no tokens; the column tokens is ignored"):
        assert CORPUS.place(given).tokens is None
