"""excerpt explain on small files and on mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt


@pytest.fixture
def texts(files: Path) -> Path:
    """A corpus of the documents of the worked example."""
    (files / "docs").mkdir()
    for name, size in {"A": 200, "B": 100, "C": 300, "D": 1000, "E": 100}.items():
        (files / "docs" / f"{name}.txt").write_text("".join(f"{name}{at:03d} " for at in range(size))[:size])
    (files / "topics.tsv").write_text("1\tWhat is first?\n")
    return files / "docs"


def test_text_with_marks(texts: Path, excerpt: Excerpt) -> None:
    """Not a terminal: marks, no colours, eighty columns."""
    done = excerpt(
        "explain", "qrels", "run", "-m", "charR@2", "--corpus", texts, "--topics", "topics.tsv", "--top", 1
    )
    assert done.status == 0, done.err
    assert done.out.startswith("mine charR@2 0.4500\n3 of 4 passages missed, in 2 of 2 questions · ")
    assert "1 · What is first?" in done.out
    assert "A 100-120 · at rank 4" in done.out
    assert "returned instead, the first 1 of 2:" in done.out
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_formats(texts: Path, excerpt: Excerpt) -> None:
    """The same for programs, spreadsheets and comments; a name of a file says which."""
    call = ("explain", "qrels", "run", "-m", "charR@2", "--corpus", texts, "--worst", "1")
    data = json.loads(excerpt(*call, "--format", "json").out)
    assert (data["cutoff"], data["counts"]["missed"], len(data["questions"])) == (2, 3, 1)
    rows = excerpt(*call, "--format", "csv").out.splitlines()
    assert rows[0] == "topic,question,score,document,start,end,reason,rank,characters,found,text"
    assert len(rows) == 3
    assert "| question | score |" in excerpt(*call, "--format", "markdown").out
    assert excerpt(*call, "-o", "why.md").out == ""
    assert Path("why.md").read_text(encoding="utf-8").startswith("**mine charR@2")
    assert "\x1b[" in excerpt(*call, "--color", "always", "--width", "60").out


def test_what_is_no_share_orders_nothing(texts: Path, excerpt: Excerpt) -> None:
    """The question with least to read is not the worst."""
    done = excerpt("explain", "qrels", "run", "-m", "read@5", "--corpus", texts)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("excerpt: read@5 cannot rank questions: it is not a score from 0 to 1")


def test_some_or_all_passages(texts: Path, excerpt: Excerpt) -> None:
    """Those of a question that people see."""
    call = ("explain", "qrels", "run", "-m", "charR@2", "--corpus", texts)
    assert "1 more passage missed" in excerpt(*call, "--passages", "1").out
    assert excerpt(*call, "--passages", "all").out == excerpt(*call).out
    assert (
        len(json.loads(excerpt(*call, "--passages", "1", "--format", "json").out)["questions"][0]["missed"])
        == 2
    )


def test_against_and_all(texts: Path, excerpt: Excerpt) -> None:
    """A run against itself loses nothing."""
    done = excerpt(
        *("explain", "qrels", "run", "-m", "charR@2", "--corpus", texts),
        *("--against", "run", "--worst", "all", "--format", "json"),
    )
    data = json.loads(done.out)
    assert (data["only_against"], data["only_run"], len(data["questions"])) == (0, 0, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("qrels", "run", "-m", "charR@5"),
            "no corpus given, so there is no text to show; give --corpus",
        ),
        (
            ("qrels", "run", "-m", "charR@5", "-m", "charP@5", "--corpus", "docs"),
            "found the measures charR@5 and charP@5, expected one",
        ),
        (("qrels", "run", "-m", "charQ@5", "--corpus", "docs"), "unknown measure 'charQ'"),
        (
            ("-", "run", "-m", "charR@5", "--corpus", "docs", "--against", "-"),
            "standard input can only be read once",
        ),
        (("qrels", "run", "--worst", "few"), "argument --worst: found 'few', expected a whole number"),
        (("qrels", "run", "--format", "latex"), "argument --format: found 'latex', expected one of: "),
        (("qrels", "run", "--corpus", "docs", "-o", "run"), "run: is an input; choose another name"),
        (("qrels", "run", "-m", "charR@5", "--corpus", "docs", "--against", "gone"), "gone: cannot be read"),
        (("qrels",), "the following arguments are required: RUN"),
    ],
)
def test_mistakes_are_one_line(
    texts: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str
) -> None:
    """Errors name the value found, the value expected, and a hint."""
    done = excerpt("explain", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {message}"), done.err
    assert done.err.count("\n") == 1
