"""Tables of what was sent: numbers become documents and places, or the message says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from excerpt.formats.ids import Ids
from excerpt.formats.runs._cited import Blocks, Characters, Chunk
from excerpt.formats.runs._sent import Sent, WrongPlace
from excerpt.formats.segments import Segment

SENT = Sent.of(
    {
        "documents": [
            "A",
            {"document": "B", "blocks": [[0, 5], [5, 9], {"document": "C", "start": 1, "end": 2}, 7]},
        ],
        "search_results": [{"source": "D", "blocks": [[3, 4]]}, {"title": "t"}],
        "chunks": {"doc_0": ["A", 3, 9], "bad": 7},
    },
    Ids.of(r"(?P<document>.+)@(?P<start>\d+)-(?P<end>\d+)", None),
)


def test_places() -> None:
    """Characters, blocks and chunks."""
    assert SENT.characters(Characters(0, 2, 4, None)) == Segment("A", 2, 4)
    assert SENT.blocks(Blocks("documents", 1, 1, 3, None)) == [Segment("B", 5, 9), Segment("C", 1, 2)]
    assert SENT.blocks(Blocks("search_results", 0, 0, 1, None)) == [Segment("D", 3, 4)]
    assert SENT.chunk(Chunk((None, "doc_0"), "")) == Segment("A", 3, 9)
    assert SENT.chunk(Chunk(("E@1-5",), "")) == Segment("E", 1, 5)


def test_other_tables() -> None:
    """One document, and chunks by number."""
    sent = Sent.of({"document": "A", "chunks": [["A", 0, 3], {"doc": "B", "start": 1, "end": 2}]}, None)
    assert sent.characters(Characters(0, 2, 4, None)) == Segment("A", 2, 4)
    assert sent.chunk(Chunk((1,), "")) == Segment("B", 1, 2)


@pytest.mark.parametrize(
    ("cited", "said"),
    [
        (Characters(2, 0, 1, None), "found a citation of number 2 of the documents, expected one of 2"),
        (Characters(None, 0, 1, None), "found a citation of number None of the documents"),
        (Characters(0, 5, 1, None), "found a citation from 5 to 1, expected whole numbers"),
        (Characters(0, 0.5, 1, None), "found a citation from 0.5 to 1, expected whole numbers"),
        (
            Blocks("documents", 0, 0, 1, None),
            "found a citation of blocks of A, expected a table of its blocks",
        ),
        (
            Blocks("documents", 1, 0, 5, None),
            "found a citation of blocks 0 to 5, expected some of the 4 blocks of B",
        ),
        (
            Blocks("documents", 1, 1, 1, None),
            "found a citation of blocks 1 to 1, expected some of the 4 blocks of B",
        ),
        (Blocks("documents", 1, 3, 4, None), "found the block 7, expected .start, end."),
        (Blocks("search_results", 1, 0, 1, None), "among the search_results, expected the id of a document"),
        (
            Chunk(("x",), "of Cohere"),
            "found a citation of x, of Cohere, expected one that names a placed chunk",
        ),
        (Chunk((None,), "of Cohere"), "found a citation of Cohere, expected one that names a placed chunk"),
        (Chunk(("bad",), "of Cohere"), "expected one that names a placed chunk"),
    ],
)
def test_what_was_not_sent(cited: Any, said: str) -> None:
    """The message says what was found and what there is."""
    ask: Any = {Characters: SENT.characters, Blocks: SENT.blocks, Chunk: SENT.chunk}[type(cited)]
    with pytest.raises(WrongPlace, match=said):
        ask(cited)
