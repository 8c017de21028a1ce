"""Files of every kind: the version of their documents, and whether they belong together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from excerpt import Corpus, Run, evaluate, place, pool, read_gold, save_scores, write_judgments, write_run

from .conftest import Excerpt

OLD = {"A.txt": "One two. Three four.", "B.txt": "Five six seven."}
ROWS = [("1", "A.txt", 9, 20), ("1", "B.txt", 0, 4)]
GOLD = b'{"id": "1", "question": "What?", "document": "A.txt", "quote": "Three four."}\n'


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run, gold, scores, chunks and a pool on the old documents, and a run on new ones."""
    monkeypatch.chdir(tmp_path)
    for name, docs in (("old", OLD), ("new", {**OLD, "A.txt": "Note. " + OLD["A.txt"]})):
        Path(name).mkdir()
        for document, text in docs.items():
            (Path(name) / document).write_text(text, encoding="utf-8")
    old, new = Corpus.read("old"), Corpus.read("new")
    run = Run.of("r", ROWS)
    write_run(run, "run.jsonl", corpus=old)
    write_run(run, "new.jsonl", corpus=new)
    write_run(run, "run.fol", corpus=old)
    write_judgments(read_gold(GOLD, old), "gold.jsonl", corpus=old)
    save_scores(evaluate("gold.jsonl", ["run.jsonl"], "recall@5", corpus=old), "base.json")
    place(old, {"A.txt": ["One two."]}).write("chunks.jsonl")
    return tmp_path


def found(excerpt: Excerpt, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Status and JSON of a check."""
    done = excerpt("check", *arguments, "--format", "json")
    return done.status, json.loads(done.out)


@pytest.mark.usefixtures("files")
def test_files_that_belong_together(excerpt: Excerpt) -> None:
    """Scores and chunks are files, too; a file beside another one is none."""
    status, checked = found(excerpt, "run.jsonl", "run.fol", "gold.jsonl", "base.json", "chunks.jsonl")
    assert (status, checked["together"], checked["mismatches"]) == (0, True, [])
    assert [one["count"] for one in checked["files"]] == [0] * 5
    done = excerpt("check", "run.jsonl", "base.json")
    assert done.out.splitlines()[-1] == "the files belong together"


@pytest.mark.usefixtures("files")
def test_a_mismatch_is_a_fault(excerpt: Excerpt) -> None:
    """Of two files, and of a file and the corpus."""
    status, checked = found(excerpt, "run.jsonl", "new.jsonl")
    assert (status, checked["together"]) == (2, False)
    assert checked["mismatches"] == [{"file": "new.jsonl", "other": "run.jsonl", "documents": ["A.txt"]}]
    for file in ("run.jsonl", "run.fol", "base.json", "chunks.jsonl"):
        status, checked = found(excerpt, file, "--corpus", "new")
        assert (status, checked["together"]) == (2, False), file
        assert checked["mismatches"] == [{"file": file, "other": "new", "documents": ["A.txt"]}]
    done = excerpt("check", "run.jsonl", "new.jsonl")
    assert (
        "new.jsonl was made on another version of 1 of the 2 documents that it and run.jsonl name" in done.out
    )
    assert done.out.splitlines()[-1] == "the files do not belong together"


@pytest.mark.usefixtures("files")
def test_pools_and_their_runs(excerpt: Excerpt) -> None:
    """A pool of passages has the fingerprints beside it, and knows the bytes of its runs."""
    assert excerpt("pool", "run.jsonl", "--unit", "passage", "-o", "pool.tsv").status == 0
    about = json.loads(Path("pool.tsv.about.json").read_text(encoding="utf-8"))
    assert set(about["documents"]) == set(OLD)
    assert found(excerpt, "pool.tsv", "run.jsonl")[1]["together"] is True
    Path("run.jsonl").write_bytes(Path("new.jsonl").read_bytes())
    status, checked = found(excerpt, "pool.tsv", "run.jsonl")
    assert (status, checked["together"]) == (2, False)
    assert pool(["new.jsonl"], depth=5).documents == ("A.txt", "B.txt")
    done = excerpt("pool", "run.fol", "new.jsonl", "--unit", "passage", "-o", "none.tsv")
    assert (done.status, Path("none.tsv").exists()) == (2, False)


@pytest.mark.usefixtures("files")
def test_folders_skip_what_lies_beside(excerpt: Excerpt) -> None:
    """`run.fol.about.json` is no run."""
    Path("runs").mkdir()
    for name in ("run.fol", "run.fol.about.json"):
        Path(name).rename(Path("runs") / name)
    assert excerpt("evaluate", "gold.jsonl", "runs", "-m", "recall@5", "--corpus", "old").status == 0


@pytest.mark.usefixtures("files")
def test_scores_without_fingerprints(excerpt: Excerpt) -> None:
    """They are saved without them, and compare as those of older versions do."""
    given = ("gold.jsonl", "run.jsonl", "-m", "recall@5", "--corpus", "old", "--save")
    assert excerpt("evaluate", *given, "bare.json", "--no-fingerprint").status == 0
    assert "documents" not in json.loads(Path("bare.json").read_text(encoding="utf-8"))["made_with"]
    assert excerpt("evaluate", *given, "with.json").status == 0
    made = json.loads(Path("with.json").read_text(encoding="utf-8"))["made_with"]
    assert set(made["documents"]) == {"A.txt"}
    assert excerpt("evaluate", "bare.json").out == excerpt("evaluate", "with.json").out
    assert found(excerpt, "bare.json", "--corpus", "new")[1]["together"] is True


@pytest.mark.usefixtures("files")
def test_one_side_without_fingerprints_is_said_once(excerpt: Excerpt) -> None:
    """Judgments or a run; nothing is said where none has them, or where a corpus tells."""
    assert (
        excerpt("align", "run.fol", "--from", "old", "--to", "old", "-o", "b.fol", "--no-fingerprint").status
        == 0
    )
    for other in ("run.jsonl", "b.fol"):
        done = excerpt("evaluate", "gold.jsonl", other, "-m", "recall@5")
        assert (done.status, done.err.count("no fingerprints")) == (0, int(other == "b.fol")), done.err
    done = excerpt("evaluate", "gold.jsonl", "b.fol", "-m", "recall@5", "--corpus", "old")
    assert (done.status, done.err) == (0, "")


@pytest.mark.usefixtures("files")
def test_official_lines_of_another_version(excerpt: Excerpt) -> None:
    """No number is printed for a run that belongs to other texts."""
    for source, target in (("gold.jsonl", "gold.fol"), ("new.jsonl", "new.fol")):
        assert excerpt("convert", source, target, "--to", "fol").status == 0
    good = excerpt("inex_eval", "-f", "gold.fol", "run.fol")
    assert (good.status, "MAiP" in good.out) == (0, True), good.err
    bad = excerpt("inex_eval", "-f", "gold.fol", "new.fol")
    assert (bad.status, bad.out) == (2, "")
    assert "new.fol was made on another version of 1 of the 1 document that it and gold.fol name" in bad.err
    assert "excerpt align" in bad.err
