"""Chunks in all the forms that callers have them in."""

from __future__ import annotations

import math
from types import SimpleNamespace as Thing
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from excerpt import ExcerptError, Span
from excerpt.placing.chunk_rows import (
    ChunkColumns,
    ChunkOptions,
    ChunkOrigin,
    documents_of,
    id_of,
    read_chunks,
    score_of,
    text_of,
    value_of,
)

ROWS = {"doc_id": ["A", "A"], "text": ["one", "two"], "start_index": [0, -1]}


def read(chunks: object, asked: ChunkOptions | None = None) -> ChunkColumns:
    """All chunks."""
    return read_chunks(chunks, asked or ChunkOptions(), ChunkOrigin())


def plain(chunks: object, asked: ChunkOptions | None = None) -> list[tuple[Any, ...]]:
    """Document, text and claims of all chunks."""
    found = read(chunks, asked)
    claims = ([None if one < 0 else one for one in side.tolist()] for side in (found.start, found.end))
    return list(zip(found.documents, found.texts, *claims, strict=True))


@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), pa.table(ROWS)])
def test_frames(frame: object) -> None:
    """A row is a chunk."""
    assert plain(frame) == [("A", "one", 0, None), ("A", "two", None, None)]


def test_by_document() -> None:
    """Texts, pairs, dictionaries, or texts with their offsets."""
    given = {"A": ["one", (4, 7), {"text": "x", "document": "other"}], "B": (["one"], [(0, 3)])}
    assert plain(given) == [
        ("A", "one", None, None),
        ("A", None, 4, 7),
        ("A", "x", None, None),
        ("B", "one", 0, 3),
    ]


def test_tuples_and_spans() -> None:
    """Documents, then texts, then offsets."""
    given = [("A", "one"), ("A", "one", 0, 3), ("A", 0, 3), Span("A", 0, 3)]
    assert plain(iter(given)) == [
        ("A", "one", None, None),
        ("A", "one", 0, 3),
        ("A", None, 0, 3),
        ("A", None, 0, 3),
    ]


def test_a_window_has_no_claim() -> None:
    """The offsets of a node are those of its own text."""
    node = {"text": "b", "start": 2, "document": "A", "metadata": {"window": "a b c"}}
    assert plain([node], ChunkOptions("window")) == [("A", "a b c", None, None)]


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (7, "found 7, expected chunks of a framework"),
        ("text", "found 'text', expected chunks of a framework"),
        ({"A": "text"}, "found 'text' as chunks of 'A', expected a list"),
        ([{"document": "A"}], "chunk number 0: found the key document, expected a text"),
        ([{"document": "A", "text": ""}], "chunk number 0: the text of the chunk is empty; leave out"),
        (["one", ""], "chunk number 1: the text of the chunk is empty"),
        ([None], "chunk number 0: found None of type NoneType, expected a text"),
        ([("A", 1, 2, 3)], "chunk number 0: found ('A', 1, 2, 3), expected chunks"),
        ([("A", 0, 1.5)], "chunk number 0: found end 1.5, expected a whole number"),
        (
            {"A": [(-1, 5)]},
            "chunk number 0: found (-1, 5) of type tuple, expected a text (text, page_content",
        ),
        ([{"text": "y"}, {"text": "x", "start": 0.5}], "chunk number 1: found start 0.5, expected a whole"),
        (
            [{"text": "x", "start": 7, "end": 3}],
            "chunk number 0: found end 3 before start 7, expected an end",
        ),
        ([{"text": "x", "tokens": 0.5}], "chunk number 0: found tokens 0.5, expected a whole number"),
    ],
)
def test_bad_chunks(chunks: object, message: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError) as caught:
        read(chunks)
    assert str(caught.value).startswith(message)


def test_a_text_that_is_not_there() -> None:
    """The key that was asked for is named."""
    with pytest.raises(ExcerptError, match="found the key text, expected the text 'window'"):
        read([{"text": "b"}], ChunkOptions("window"))


LANGCHAIN = Thing(page_content="One.", metadata={"source": "a.txt", "start_index": 7}, id=None)
LLAMA_INDEX = Thing(
    text="One.", ref_doc_id="a.txt", start_char_idx=7, end_char_idx=11, id_="n1", metadata={"file_name": "f"}
)
HAYSTACK = Thing(content="One.", meta={"source_id": "a.txt", "split_idx_start": 7}, score=0.5, id="c1")
CHONKIE = Thing(text="One.", start_index=7, end_index=11, id="c1")


@pytest.mark.parametrize(
    "chunk", [LANGCHAIN, LLAMA_INDEX, HAYSTACK, CHONKIE, vars(LANGCHAIN), vars(HAYSTACK)]
)
def test_frameworks(chunk: object) -> None:
    """Text and claim have a name of their own in each."""
    assert text_of(chunk) == "One."
    assert value_of(chunk, "start") == 7
    assert plain([chunk])[0][:3] == ("" if chunk is CHONKIE else "a.txt", "One.", 7)


def test_a_result_has_its_chunk_inside() -> None:
    """LlamaIndex returns nodes with scores."""
    result = Thing(node=LLAMA_INDEX, score=0.25)
    assert plain([result]) == [("a.txt", "One.", 7, 11)]
    assert (score_of(result), id_of(result)) == (0.25, "n1")


def test_all_names_of_the_document_are_known() -> None:
    """A loader may call the document by another name than the corpus does."""
    assert documents_of(LLAMA_INDEX) == ["a.txt", "f"]
    assert documents_of({"doc_id": 7, "relationships": {"1": {"node_id": "src"}}}) == ["7", "src"]
    assert documents_of({"chapter": "c", "document": "d"}, "chapter") == ["c"]


@pytest.mark.parametrize("none", [-1, None, math.nan, -1.0, np.int64(-1)])
def test_no_claim(none: object) -> None:
    """Values that mean a missing offset are read as missing."""
    assert plain([{"text": "x", "start": none}]) == [("", "x", None, None)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "found start 1.5, expected a whole number"),
        ("7", 'found start "7", expected a whole number'),
        (-2, "found start -2, expected a number that is not negative"),
        (True, "found start true, expected a whole number"),
        (math.inf, "found start Infinity, expected a whole number"),
        (1 << 40, "found start 1099511627776, expected a number up to 2147483647"),
    ],
)
def test_offsets_that_are_none(value: object, message: str) -> None:
    """Each is refused in one sentence."""
    with pytest.raises(ExcerptError) as caught:
        read([{"text": "x", "start": value}])
    assert str(caught.value).startswith(f"chunk number 0: {message}")


def test_many_rows_are_read_as_few_are() -> None:
    """The columns of numbers alone are read at once, others value by value."""
    rows: list[dict[str, Any]] = [
        {"document": "A", "text": "x", "start_index": row - 1, "id": f"c{row}"} for row in range(9)
    ]
    found = read(rows)
    assert found.start.tolist() == list(range(-1, 8))
    assert read([*rows, {"doc": "A", "body": "y", "metadata": {"start": 3.0}}]).start.tolist() == [
        *range(-1, 8),
        3,
    ]
    assert found.ids == [f"c{row}" for row in range(9)]


def test_scores() -> None:
    """A score is a number or nothing."""
    assert score_of({"similarity": 2}) == 2
    assert score_of({}) is None
    with pytest.raises(ExcerptError, match="found nan as score, expected a number"):
        score_of({"score": math.nan})


def test_what_langchain_writes() -> None:
    """Its own form of a document has the chunk one level down."""
    written = {"lc": 1, "type": "constructor", "kwargs": {"page_content": "x", "metadata": {"source": "A"}}}
    assert plain([written]) == [("A", "x", None, None)]
