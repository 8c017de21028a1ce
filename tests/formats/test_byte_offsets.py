"""Bytes that become characters where there is a corpus."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import Corpus
from excerpt.errors import FormatError
from excerpt.formats.byte_offsets import Spans, as_characters
from excerpt.formats.source import Source


def spans(*rows: tuple[int, int]) -> Spans:
    """Spans of rows."""
    return Spans(*(np.array([row[place] for row in rows]) for place in (0, 1)))


def test_bytes_and_characters() -> None:
    """Each letter of é is two bytes; a place that is none stays none."""
    source = Source.open(b"x", corpus=Corpus({"A": "éé!", "B": "abc"}))
    given = spans((2, 5), (-1, -1), (1, 3))
    found = as_characters(source, ("A", "B"), np.array([0, 0, 1]), np.array([1, 2, 3]), given)
    assert (found.start.tolist(), found.end.tolist()) == ([1, -1, 1], [3, -1, 3])
    mixed = as_characters(
        source, ("B", "A"), np.array([1, 0, 1]), np.arange(3), spans((0, 2), (0, 2), (2, 4))
    )
    assert (mixed.start.tolist(), mixed.end.tolist()) == ([0, 0, 1], [1, 2, 2])
    nothing = np.array([], np.int64)
    assert len(as_characters(source, (), nothing, nothing, Spans(nothing, nothing)).start) == 0
    bare = Source.open(b"x")
    assert as_characters(bare, ("A",), np.array([0]), np.array([1]), spans((2, 5))) == spans((2, 5))
    assert list(bare.notices) == [
        "offsets are bytes and stay bytes, since there is no corpus to count characters in (<bytes>)"
    ]


@pytest.mark.parametrize(
    ("document", "span", "message"),
    [
        (
            "A",
            (1, 5),
            "<bytes>:7: found bytes 1 to 5 of document A, expected bytes at which characters begin",
        ),
        ("A", (0, 9), "<bytes>:7: found bytes 0 to 9 of document A"),
        ("Z", (0, 1), "<bytes>:7: found document Z, expected one of the corpus: its offsets are bytes"),
    ],
)
def test_faults(document: str, span: tuple[int, int], message: str) -> None:
    """Inside of a character, beyond the end, another document."""
    source = Source.open(b"x", corpus=Corpus({"A": "éé!"}))
    as_characters(source, (document,), np.array([0]), np.array([7]), spans(span))
    with pytest.raises(FormatError) as caught:
        source.faults.settle()
    assert str(caught.value).startswith(message)
