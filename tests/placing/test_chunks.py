"""Chunks: their summary and fields."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import Chunks, Corpus
from excerpt.placing.chunk_places import UnplacedChunk
from excerpt.placing.chunks import seen_of

CORPUS = Corpus({"A": "One two.  Three.", "B": "Four."})


@pytest.fixture
def chunks() -> Chunks:
    """Four chunks, one of which is nowhere."""
    given = [("A", "One two."), ("A", "Five."), ("A", "two. Three."), ("B", "Fo", 1, 3)]
    return CORPUS.place(given, name="mine", lost="count")


def test_counts(chunks: Chunks) -> None:
    """One line and fields show how chunks occur and what they cover."""
    assert chunks.counts == {
        "chunks": 4,
        "exact": 1,
        "moved": 1,
        "folded": 1,
        "markup": 0,
        "trimmed": 0,
        "lost": 1,
        "covered": 15 / 18,
        "own": 0.0,
    }
    assert chunks.to_dict() == chunks.counts
    assert str(chunks) == (
        "4 chunks: 1 exact, 1 moved, 1 folded, 0 trimmed, 1 lost, 83.3 % of the text covered"
    )
    assert repr(chunks) == f"<Chunks 'mine': {chunks}>"


def test_rows(chunks: Chunks) -> None:
    """Chunks one by one and as a frame."""
    assert [tuple(chunk) for chunk in chunks] == [
        ("A", 0, 8, "exact", "One two."),
        ("A", -1, -1, "lost", "Five."),
        ("A", 4, 16, "folded", "two. Three."),
        ("B", 0, 2, "moved", "Fo"),
    ]
    assert chunks.to_pandas().to_dict("list") == {
        "document": ["A", "A", "A", "B"],
        "start": [0, -1, 4, 0],
        "end": [8, -1, 16, 2],
        "how": ["exact", "lost", "folded", "moved"],
        "text": ["One two.", "Five.", "two. Three.", "Fo"],
    }


def test_characters_are_counted_once(tmp_path: Path) -> None:
    """Also where chunks overlap, and where a document has two names; lost chunks cover nothing."""
    assert seen_of("a b c d", [(2, 5), (-1, -1), (0, 3), (2, 3)]) == (3, 4)
    path = tmp_path / "placed.jsonl"
    placed = [("A", 0, 3, "a b"), ("a", 2, 3, "b"), ("a", 2, 5, "b c")]
    rows = [
        {"document": name, "start": start, "end": end, "text": text, "how": "exact"}
        for name, start, end, text in placed
    ]
    rows.append({"document": "A", "text": "x", "how": "lost"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert Chunks.read(path, Corpus({"A": "a b c d", "B": "e f"})).seen == (3, 6)


def test_no_chunks() -> None:
    """They cover nothing."""
    assert seen_of("a b", []) == (0, 2)


@pytest.mark.parametrize(
    ("start", "end", "how"),
    [
        (None, None, "exact"),
        (3, None, "exact"),
        (3, 5, "exact"),
        (None, 5, "exact"),
        (4, None, "moved"),
        (3, 6, "moved"),
        (None, 4, "moved"),
    ],
)
def test_claims(start: int | None, end: int | None, how: str) -> None:
    """A chunk is exact where nothing that was said of it is wrong."""
    assert UnplacedChunk("ab", start, end).at(3) == (3, 5, how)
