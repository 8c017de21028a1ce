"""excerpt show on small files and on mistakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt.collection import corpus, folder, qrels

from .conftest import Excerpt


@pytest.fixture
def texts(files: Path) -> Path:
    """A corpus of the documents of the worked example."""
    (files / "docs").mkdir()
    for name, size in {"A": 200, "B": 100, "C": 300, "D": 1000, "E": 100}.items():
        (files / "docs" / f"{name}.txt").write_text(("word " * size)[:size])
    (files / "topics.tsv").write_text("1\tFirst\tWhat is first?\n")
    return files / "docs"


def test_text_with_marks(texts: Path, excerpt: Excerpt) -> None:
    """Not a terminal: marks, no colours, eighty columns."""
    done = excerpt("show", "qrels", "run", "1", "--corpus", texts, "--topics", "topics.tsv")
    assert done.status == 0, done.err
    assert done.out.splitlines()[:2] == ["1 · First", "What is first?"]
    assert "mine · AiP " in done.out
    assert "[[" in done.out
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_colours_width_and_measures(texts: Path, excerpt: Excerpt) -> None:
    """As asked for."""
    options = ("--corpus", texts, "--color", "always", "--width", "60", "-m", "IoU")
    done = excerpt("show", "qrels", "run", "1", "A", *options)
    assert done.status == 0, done.err
    assert "mine · IoU 0." in done.out
    assert "\x1b[4;38;5;231;48;5;25m" in done.out
    assert "[[" not in done.out


def test_json(texts: Path, excerpt: Excerpt) -> None:
    """Exact offsets, and the text of each piece."""
    done = excerpt("show", "qrels", "run", "1", "--corpus", texts, "--format", "json", "--top", "1")
    read = json.loads(done.out)
    assert [document["id"] for document in read["documents"]] == ["A", "B"]
    assert read["documents"][1]["pieces"][0] == {
        "start": 0,
        "end": 20,
        "state": "missed",
        "ranks": [],
        "text": "word word word word ",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("qrels", "run", "1"),
            "no corpus given, so there is no text to show; give --corpus CORPUS",
        ),
        (("qrels", "run", "4", "--corpus", "docs"), "unknown topic '4'; known: 1, 2, 3"),
        (("qrels", "run", "1", "AA", "--corpus", "docs"), "unknown document 'AA'; did you mean 'A'?"),
        (("-", "-", "1", "--corpus", "docs"), "standard input can only be read once"),
        (
            ("qrels", "run", "1", "--corpus", "docs", "--width", "9"),
            "argument --width: found '9', expected a whole number of at least",
        ),
        (("qrels", "run", "1", "--corpus", "docs", "--topics", "run"), "run:1: found a run, expected topics"),
        (("qrels", "run"), "the following arguments are required: TOPIC"),
    ],
)
def test_mistakes_are_one_line(
    texts: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str
) -> None:
    """Errors name the value found, the value expected, and a hint."""
    done = excerpt("show", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {message}")
    assert done.err.count("\n") == 1


def test_missing_texts_are_warnings(texts: Path, excerpt: Excerpt) -> None:
    """The rest is shown."""
    (texts / "B.txt").unlink()
    done = excerpt("show", "qrels", "run", "1", "--corpus", texts)
    assert done.status == 0
    assert "no text: the corpus does not contain it" in done.out
    assert "warning: 1 document is not in the corpus (B)" in done.err


def test_it_stops_quietly_when_nobody_reads_on() -> None:
    """`| head` ends it without a word."""
    given = f"{qrels()} {folder()}/runs/sent-bm25.fol.gz CU17 --corpus {corpus()}"
    command = f"{sys.executable} -m excerpt show {given}"
    done = subprocess.run(
        ["sh", "-c", f"{command} | head -n 2"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
    )
    assert done.stdout.startswith("CU17\n")
    assert done.stderr == ""


def test_broken_and_short_texts_are_warnings(texts: Path, excerpt: Excerpt) -> None:
    """The available text is shown."""
    (texts / "A.txt").write_text("word word word ")
    (texts / "B.txt").write_bytes(b"word \xff word")
    done = excerpt("show", "qrels", "run", "1", "--corpus", texts, "--width", "200")
    assert done.status == 0, done.err
    assert "it has 15 characters, but judged text ends at 120" in done.out
    assert "[[" in done.out
    assert "no text: it cannot be read: " in done.out
    assert "warning: 1 document cannot be read (B)" in done.err
    assert "warning: 1 document ends before judged or returned text (A)" in done.err
