"""excerpt check: one file or many, every fault by line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from .conftest import Excerpt


def test_check(files: Path, excerpt: Excerpt) -> None:
    """A good file is described; every fault of a bad one is listed by line."""
    good = excerpt("check", "run")
    assert (good.status, good.out) == (
        0,
        "run: a run of spans, mine: 6 results, 2 topics, 5 documents; no faults\n",
    )
    assert "judgments: 3 topics, 2 with relevant text; 5 judged documents" in excerpt("check", "qrels").out
    (files / "run").write_text(
        (files / "run").read_text() + "1 Q0 A x 9 mine 0\n1 Q0 A 9 nan mine -3 5\n2 Q0 D 3 7 mine 0 a\n"
    )
    bad = excerpt("check", "run")
    assert bad.status == 2
    assert bad.out.splitlines() == [
        "run:7: found 7 columns, expected 8 (topic Q0 document rank score tag offset length)",
        "run:8: found offset '-3', expected a number that is not negative",
        "run:8: found score 'nan', expected a number",
        "run:9: found length 'a', expected a whole number",
    ]
    assert excerpt("check", "run", "--most", "1").out.splitlines()[1] == "... and 3 more"


def test_check_with_an_index(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """With an index, documents, paths and ends are checked."""
    excerpt("index", corpus, "-o", "idx")
    (files / "run").write_text("1 Q0 A 1 9 mine 20 3\n1 Q0 Z 2 8 mine 0 3\n")
    assert excerpt("check", "run", "--index", "idx").out.splitlines() == [
        "run:1: found end 23, expected at most 22, the length of document A",
        "run:2: found document Z, expected one of the index",
    ]
    (files / "run").write_text("1 Q0 A 1 9 mine /article[1]/p[7]\n")
    assert excerpt("check", "run", "--index", "idx").out.startswith(
        "run:1: found path /article[1]/p[7], expected one that document A has"
    )


def test_many_files(files: Path, excerpt: Excerpt) -> None:
    """Folders and lists are replaced by their files; after an unreadable file the others are checked."""
    (files / "runs").mkdir()
    (files / "runs" / "a").write_text((files / "run").read_text())
    (files / "runs" / "b").write_text("")
    (files / "list").write_text("run\nqrels\n")
    done = excerpt("check", "runs", "@list", "nothing")
    assert done.status == 2
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "runs/a",
        "runs/b",
        "run",
        "qrels",
        "nothing",
    ]
    assert excerpt("check", "@list").status == 0
    assert excerpt("check", "nothing").err == "excerpt: nothing: cannot be read: no such file or directory\n"


def test_json(files: Path, excerpt: Excerpt) -> None:
    """Faults are printed as JSON."""
    (files / "bad").write_text((files / "run").read_text() + "1 Q0 A x y mine 0 5\n")
    done = excerpt("check", "run", "bad", "nothing", "--format", "json", "--most", "1")
    good, bad, missing = json.loads(done.out)["files"]
    assert done.status == 2
    assert (good["file"], good["faults"], good["count"]) == ("run", [], 0)
    assert good["summary"].startswith("a run of spans, mine: 6 results")
    assert (bad["count"], len(bad["faults"]), bad["faults"][0]["line"]) == (2, 1, 7)
    assert (missing["file"], missing["count"]) == ("nothing", 1)


def test_formats_of_the_input(files: Path, excerpt: Excerpt) -> None:
    """--run-format and --qrels-format say how to read; --format is of what is printed."""
    assert excerpt("check", "run", "--run-format", "trec").out.startswith("run: a run of documents")
    assert excerpt("check", "run", "--qrels-format", "fol").status == 2
    for option in ("--run-format", "--qrels-format"):
        assert excerpt("check", "run", option, "nosuch").err.startswith("excerpt: unknown ")
    assert excerpt("check", "run", "--format", "fol").err.startswith(
        "excerpt: argument --format: found 'fol'"
    )
    both = excerpt("check", "run", "--run-format", "fol", "--qrels-format", "fol")
    assert (both.status, both.err.count("\n")) == (2, 1)


def test_a_limit_for_compressed_files(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that unpack to more than allowed are rejected; the option allows more."""
    monkeypatch.setenv("EXCERPT_MAX_SIZE", "100")
    (files / "run.gz").write_bytes(gzip.compress((files / "run").read_bytes()))
    refused = excerpt("check", "run.gz")
    assert refused.status == 2
    assert "run.gz: gzip data unpacks to more than 100 bytes" in refused.err
    assert excerpt("check", "run.gz", "--max-size", "1M").status == 0
    assert "expected a size such as 500M" in excerpt("check", "run.gz", "--max-size", "much").err


def test_only_files_are_checked(monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt) -> None:
    """Errors in standard input, which cannot be read again, have no hint to check it."""
    bad = io.BytesIO(b"1 Q0 A 1 1 r 0 5\n1 Q0 A x 1 r 5 5\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(bad))
    done = excerpt("convert", "-", "-", "--to", "jsonl")
    assert done.status == 2
    assert "<stdin>:2: found rank 'x'" in done.err
    assert "excerpt check" not in done.err
