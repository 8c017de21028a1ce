"""Options that few commands have, given as options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt


def test_code_and_encodings_are_documents_when_asked_for(excerpt: Excerpt, tmp_path: Path) -> None:
    """`check` with --include and --encoding finds quotes that it does not know without."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.py").write_text("# The rent is due in May.\n")
    (docs / "b.txt").write_bytes("Die Tür ist offen.\n".encode("cp1252"))
    gold = tmp_path / "gold.jsonl"
    rows = [
        {"question": "When is the rent due?", "document": "a.py", "quote": "due in May"},
        {"question": "What is open?", "document": "b.txt", "quote": "Die Tür"},
    ]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert excerpt("check", gold, "--corpus", docs).status == 2
    done = excerpt("check", gold, "--corpus", docs, "--include", "*.py", "--encoding", "cp1252")
    assert (done.status, "2 exact" in done.out) == (0, True), done.err


@pytest.mark.usefixtures("files")
def test_p_is_never_nothing_with_plus_one(excerpt: Excerpt) -> None:
    """(count + 1) / (samples + 1), where the count is 0."""
    rows = [f"{run},{topic},P,{score}" for topic in range(30) for run, score in (("a", 0.9), ("b", 0.1))]
    Path("scores.csv").write_text("run,topic,measure,score\n" + "\n".join(rows) + "\n")
    given = ("compare", "scores.csv", "-m", "P", "--samples", "99", "--sides", "1", "--format", "json")
    assert json.loads(excerpt(*given).out)["rows"][0]["p"] == 0
    assert json.loads(excerpt(*given, "--plus-one").out)["rows"][0]["p"] == 0.01


@pytest.mark.usefixtures("files")
def test_ways_out_are_counted_with_probabilities(excerpt: Excerpt) -> None:
    """--probabilities names a pool; a file that is none is one line."""
    done = excerpt("evaluate", "qrels", "run", "-m", "charP", "--probabilities", "run")
    assert (done.status, done.err.count("\n")) == (2, 1)
