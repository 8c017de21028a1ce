"""excerpt.place: corpora and chunks as they are, or as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import excerpt
from excerpt import Corpus, ExcerptError

LINES = b'{"document": "a", "text": "Two."}'


def test_place(tmp_path: Path) -> None:
    """Objects and files give the same; a file gives its name."""
    (tmp_path / "a.txt").write_text("One. Two.", encoding="utf-8")
    (tmp_path / "words.jsonl").write_bytes(LINES)
    one = excerpt.place(tmp_path / "a.txt", tmp_path / "words.jsonl")
    two = excerpt.place(Corpus({"a": "One. Two."}), [json.loads(LINES)], name="mine")
    assert list(one) == list(two)
    assert (one.name, two.name, excerpt.place({"a": "Two."}, ["Two."]).name) == ("words", "mine", "chunks")


def test_no_corpus() -> None:
    """One sentence."""
    with pytest.raises(ExcerptError, match="found no corpus, expected one, its path, or texts by id"):
        excerpt.place(None, LINES)  # type: ignore[arg-type]
