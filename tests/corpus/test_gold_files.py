"""Documents of files of questions with evidence."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from gold_files import SAMPLES

from excerpt import Corpus, ExcerptError


def test_paragraphs_and_articles(tmp_path: Path) -> None:
    """The same file gives either; line ends stay as they are."""
    path = SAMPLES / "squad.json"
    corpus = Corpus.read(path)
    assert list(corpus) == ["Bridges#1", "Bridges#2", "Locks"]
    assert "\r\n" in corpus["Bridges#2"]
    assert corpus.document("Locks").kind == "gold"
    whole = Corpus.read(path, context="article")
    assert whole["Bridges"] == corpus["Bridges#1"] + "\n\n" + corpus["Bridges#2"]
    assert list(pickle.loads(pickle.dumps(whole))) == ["Bridges", "Locks"]
    assert corpus.hash("Locks") == whole.hash("Locks")
    assert corpus.fingerprint() != whole.fingerprint()


def test_files_of_other_kinds(tmp_path: Path) -> None:
    """JSON Lines of documents stay what they are; questions without texts are no corpus."""
    lines = tmp_path / "corpus.jsonl"
    lines.write_text('{"_id": "1", "text": "a", "context": "b"}\n{"_id": "2", "text": "c"}\n')
    assert dict(Corpus.read(lines)) == {"1": "a", "2": "c"}
    with pytest.raises(
        ExcerptError, match=r"found questions without the text of their documents .legalbench-rag."
    ):
        Corpus.read(SAMPLES / "legalbench-rag.json")
    with pytest.raises(ExcerptError, match="found a file of another kind"):
        Corpus.read(SAMPLES / "chunking-evaluation.csv")
    broken = tmp_path / "squad.json"
    broken.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [{"context": 7, "qas": []}]}]}))
    with pytest.raises(ExcerptError, match=r"squad.json:1: found context 7, expected text"):
        Corpus.read(broken)
