"""--document-tag and --id-from: for the index, and wherever a corpus is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt


@pytest.fixture
def collection(files: Path) -> Path:
    """One XML file with two documents, with judgments and a run on them."""
    (files / "all.xml").write_text(
        "<docs><doc n='A'><p>eins zwei</p></doc><doc n='B'><p>drei</p></doc></docs>"
    )
    (files / "qrels").write_text("1 Q0 A 4 9 0 0:4\n2 Q0 B 4 4 0 0:4\n")
    (files / "run").write_text("1 Q0 A 1 2 mine 0 9\n2 Q0 B 1 2 mine 0 4\n")
    (files / "other").write_text("1 Q0 A 1 2 other 5 4\n2 Q0 B 1 2 other 0 4\n")
    return files


CUT = ("--document-tag", "doc", "--id-from", "@n")


def test_an_index(collection: Path, excerpt: Excerpt) -> None:
    """Its documents are the elements of the tag."""
    done = excerpt("index", "all.xml", "-o", "idx", *CUT, "--format", "json")
    assert (json.loads(done.out)["documents"], json.loads(done.out)["elements"]) == (2, 4)
    (collection / "paths").write_text("1 Q0 A 1 9 mine /doc[1]/p[1]\n")
    done = excerpt("convert", "paths", "-", "--to", "fol", "--index", "idx")
    assert done.out == "1 Q0 A 1 9 mine 0 9\n"
    assert "--document-tag and --info cannot be" in excerpt("index", "--info", "idx", *CUT).err
    assert (
        "--ids path and --document-tag cannot be combined"
        in excerpt("index", "all.xml", "-o", "x", *CUT, "--ids", "path").err
    )


def test_wherever_a_corpus_is(collection: Path, excerpt: Excerpt) -> None:
    """Commands that take a corpus take it in one file, and give the scores of separate files."""
    how = ("--corpus", "all.xml", *CUT)
    done = excerpt("evaluate", "qrels", "run", "-m", "found@5", "-m", "charP", "--format", "json", *how)
    assert json.loads(done.out)["runs"][0]["scores"] == {"found@5": 1.0, "charP": 13 / 18}
    for command in (
        ("check", "run", *how),
        ("explain", "qrels", "run", "-m", "charR@1", *how),
        ("show", "qrels", "run", "1", *how),
        ("curve", "qrels", "run", "-m", "iP", *how),
        ("gate", "run", "run", "--qrels", "qrels", "-m", "charR", *how),
        ("funnel", "qrels", "run", "other", *how),
    ):
        done = excerpt(*command)
        assert done.status == 0, (command, done.err)
    (collection / "chunks.jsonl").write_text('{"document": "A", "text": "zwei"}\n')
    assert "exact" in excerpt("place", "all.xml", "chunks.jsonl", "-o", "placed.jsonl", *CUT).out
    assert json.loads((collection / "placed.jsonl").read_text())["start"] == 5


def test_an_experiment_and_its_record(collection: Path, excerpt: Excerpt) -> None:
    """The record says how the corpus is cut, and is run again."""
    how = ("--corpus", "all.xml", *CUT, "--record", "record.json")
    assert excerpt("compare", "qrels", "run", "other", "-m", "found@5", *how).status == 0
    asked = json.loads((collection / "record.json").read_text())["record"]["options"]
    assert (asked["corpus"], asked["document_tag"], asked["id_from"]) == ("all.xml", "doc", "@n")
    assert excerpt("rerun", "record.json").status == 0


def test_refused(collection: Path, excerpt: Excerpt) -> None:
    """Without a corpus there is nothing to cut."""
    expected = "--document-tag needs --corpus"
    assert expected in excerpt("evaluate", "qrels", "run", *CUT).err
    assert expected in excerpt("compare", "qrels", "run", "other", "-m", "MAiP", *CUT).err
    assert (
        "--id-from n needs --document-tag"
        in excerpt("evaluate", "qrels", "run", "--corpus", "all.xml", "--id-from", "n").err
    )
