"""Chunks in all the forms that callers have them in."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from excerpt import ExcerptError, Span
from excerpt.placing.inputs import Asked, Given, Origin, given_chunks

ROWS = {"doc_id": ["A", "A"], "text": ["one", "two"], "start_index": [0, -1]}


def read(chunks: object, asked: Asked | None = None) -> list[Given]:
    """All chunks."""
    return list(given_chunks(chunks, asked or Asked(), Origin()))


def plain(chunks: object) -> list[tuple[Any, ...]]:
    """Documents, texts and claims of all chunks."""
    return [(chunk.documents, chunk.text, chunk.start, chunk.end) for chunk in read(chunks)]


@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), pa.table(ROWS)])
def test_frames(frame: object) -> None:
    """A row is a chunk."""
    assert plain(frame) == [(["A"], "one", 0, None), (["A"], "two", None, None)]


def test_by_document() -> None:
    """Texts, pairs, dictionaries, or texts beside their offsets."""
    given = {"A": ["one", (4, 7), {"text": "x", "document": "other"}], "B": (["one"], [(0, 3)])}
    assert plain(given) == [
        (["A"], "one", None, None),
        (["A"], None, 4, 7),
        (["A"], "x", None, None),
        (["B"], "one", 0, 3),
    ]


def test_tuples_and_spans() -> None:
    """Documents, then texts, then offsets."""
    given = [("A", "one"), ("A", "one", 0, 3), ("A", 0, 3), Span("A", 0, 3)]
    assert plain(iter(given)) == [
        (["A"], "one", None, None),
        (["A"], "one", 0, 3),
        (["A"], None, 0, 3),
        (["A"], None, 0, 3),
    ]


def test_a_window_has_no_claim() -> None:
    """The offsets of a node are those of its own text."""
    node = {"text": "b", "start": 2, "document": "A", "metadata": {"window": "a b c"}}
    assert read([node], Asked("window"))[0][:4] == (["A"], "a b c", None, None)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (7, "found 7, expected chunks of a framework"),
        ("text", "found 'text', expected chunks of a framework"),
        ({"A": "text"}, "found 'text' as chunks of 'A', expected a list"),
        ([{"document": "A"}], "chunk number 0: found the keys document, expected a text"),
        ([{"document": "A", "text": ""}], "chunk number 0: found an empty text, expected some; leave out"),
        (["one", ""], "chunk number 1: found an empty text"),
        ([None], "chunk number 0: found None of type NoneType, expected a text"),
        ([("A", 1, 2, 3)], "chunk number 0: found ('A', 1, 2, 3), expected chunks"),
        ([("A", 0, 1.5)], "chunk number 0: found 1.5 as offset"),
        ({"A": [(-1, 5)]}, "chunk number 0: found the offsets -1 and 5 without a text, expected both"),
        ([{"text": "x", "start": 0.5}], "chunk number 0: found 0.5 as offset"),
    ],
)
def test_bad_chunks(chunks: object, message: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError) as caught:
        read(chunks)
    assert str(caught.value).startswith(message)


def test_a_text_that_is_not_there() -> None:
    """The key that was asked for is named."""
    with pytest.raises(ExcerptError, match="found no text 'window' among the keys text, expected one"):
        read([{"text": "b"}], Asked("window"))
