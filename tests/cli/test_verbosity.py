"""Verbosity: --quiet prints errors only, --strict treats warnings as errors."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from excerpt.cli import CAMPAIGN, COMMANDS, command_of
from excerpt.cli.console import VERBOSITY, ProgressBar, Verbosity, status_of, warn, without_verbosity

from .conftest import Excerpt


@pytest.fixture
def doubtful(files: Path) -> Path:
    """The files of the worked example, with a second tag, and lines of a topic in two blocks."""
    with (files / "run").open("a") as run:
        run.write("9 Q0 A 1 9 mine 0 50\n1 Q0 F 5 1 other 0 50\n")
    return files


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ((), 0, True),
        (("--quiet",), 0, False),
        (("--strict",), 3, True),
        (("--strict", "--quiet"), 3, True),  # what makes the command fail is said
    ],
)
@pytest.mark.parametrize(
    "command", [("evaluate",), ("inex_eval", "-t"), ("check",), ("check", "--format", "json")]
)
def test_warnings(
    doubtful: Path,
    excerpt: Excerpt,
    command: tuple[str, ...],
    options: tuple[str, ...],
    status: int,
    said: bool,
) -> None:
    """The output is the same; warnings are said or not, and count or not."""
    usual = excerpt(*command, "qrels", "run")
    done = excerpt(*command, *options, "qrels", "run")
    assert (done.status, done.out) == (status, usual.out)
    assert bool(done.err) == said
    assert not said or "warning: " in done.err


def test_without_warnings_strict_changes_nothing(doubtful: Path, excerpt: Excerpt) -> None:
    """A command without warnings ends as ever, also after one with warnings."""
    assert doubtful
    assert excerpt("check", "run", "--strict").status == 3
    assert excerpt("check", "qrels", "--strict").status == 0


def test_a_mistake_stays_a_mistake(doubtful: Path, excerpt: Excerpt) -> None:
    """An error is said under --quiet, with its own status; so is that of a file with faults."""
    done = excerpt("evaluate", "qrels", "nowhere", "--quiet", "--strict")
    assert (done.status, done.err) == (2, "excerpt: nowhere: cannot be read: no such file or directory\n")
    (doubtful / "bad").write_text("1 Q0\n")
    assert excerpt("check", "bad", "--strict").status == 2


def test_notes_and_documents_that_are_left_out(corpus: Path, excerpt: Excerpt) -> None:
    """A broken document is a warning of its own kind; notes never make a command fail."""
    assert excerpt("index", corpus, "-o", "a", "--quiet").err == ""
    done = excerpt("index", corpus, "-o", "b", "--strict")
    assert (done.status, done.err.startswith("excerpt: left out: ")) == (3, True)
    (corpus.parent / "qrels").write_text("2 Q0 D 100 1000 400 400:100\n")
    (corpus.parent / "run").write_text("2 Q0 D 1 9 mine 350 100\n")
    noted = excerpt("evaluate", "qrels", "run", "--format", "csv", "--strict")
    assert (noted.status, bool(noted.err)) == (0, True)
    assert excerpt("evaluate", "qrels", "run", "--format", "csv", "--quiet").err == ""


def test_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet command draws no bar, not even on a terminal."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", iter([0.0, 5.0]).__next__)
    assert without_verbosity(["--quiet", "qrels"]) == ["qrels"]
    try:
        ProgressBar("working", screen)(1, 2)
    finally:
        VERBOSITY.begin()
    assert screen.getvalue() == ""


def test_every_command_takes_them() -> None:
    """All commands, those of two words too."""
    for name in (*COMMANDS, *(f"assess {word}" for word in CAMPAIGN), "stability pool"):
        text = command_of(name).help()
        assert "--quiet" in text, name
        assert "--strict" in text, name


def test_a_command_knows_nothing_of_the_one_before() -> None:
    """Verbosity and warnings of one command do not affect the next."""
    VERBOSITY.strict = VERBOSITY.quiet = VERBOSITY.plain = True
    warn("mind the gap")
    assert (status_of(0), status_of(2)) == (3, 2)
    VERBOSITY.begin()
    assert not any(vars(VERBOSITY).values())
    assert set(vars(VERBOSITY)) == {name for name in vars(Verbosity) if name[0] != "_"} - {"begin"}
    assert status_of(0) == 0
