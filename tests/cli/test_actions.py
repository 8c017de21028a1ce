"""Arguments that do something when they are given."""

from __future__ import annotations

import os
from pathlib import Path

from excerpt.files import LIMIT

from .conftest import Excerpt


def test_names_of_files(files: Path, excerpt: Excerpt) -> None:
    """Folders and lists are replaced by their files; standard input is read once."""
    (files / "runs").mkdir()
    (files / "runs" / "b").write_text((files / "run").read_text())
    (files / "runs" / "a").write_text((files / "run").read_text())
    (files / "list").write_text("run\n\nruns\n")
    folder = excerpt("check", "runs")
    assert [line.partition(":")[0] for line in folder.out.splitlines()] == ["runs/a", "runs/b", "2 files"]
    listed = excerpt("check", "@list")
    names = [line.partition(":")[0] for line in listed.out.splitlines()]
    assert names == ["run", "runs/a", "runs/b", "3 files"]
    done = excerpt("evaluate", "-", "-")
    assert (done.status, done.err) == (
        2,
        "excerpt: standard input can only be read once; give one of the two as a file\n",
    )


def test_one_run_of_a_folder(files: Path, excerpt: Excerpt) -> None:
    """A single run may be the only file of a folder; of several one is named, or chosen by its name."""
    (files / "one").mkdir()
    (files / "one" / "a").write_text((files / "run").read_text())
    (files / "list").write_text("one\nrun\n")
    measured = ("--qrels", "qrels", "-m", "charR@5")
    for call in (("funnel", "qrels", "{}", "{}"), ("gate", "{}", "{}", *measured)):
        first = excerpt(*(word.format("one/a") for word in call))
        assert excerpt(*(word.format("one") for word in call)) == first
        assert first.status == 0
    several = excerpt("explain", "qrels", "@list")
    assert (several.status, several.err) == (
        2,
        "excerpt: @list: found 2 files (one/a, run), expected one; name one of them\n",
    )
    assert excerpt("gate", "@list", "run", *measured).err.endswith("choose one with --baseline-name NAME\n")
    assert excerpt("gate", "@list", "run", *measured, "--baseline-name", "mine (a)").status == 0


def test_the_limit_is_set_for_all_processes(files: Path, excerpt: Excerpt) -> None:
    """The limit is in the environment, where worker processes find it."""
    assert files
    before = os.environ.get(LIMIT)
    try:
        assert excerpt("check", "run", "--max-size", "1G").status == 0
        assert os.environ[LIMIT] == str(1 << 30)
        assert "found size 'much'" in excerpt("check", "run", "--max-size", "much").err
    finally:
        os.environ.pop(LIMIT, None)
        if before is not None:
            os.environ[LIMIT] = before


def test_an_option_that_would_not_count(files: Path, excerpt: Excerpt) -> None:
    """Both values are named, and what may be meant."""
    done = excerpt("evaluate", "qrels", "run", "--corpus", "a", "--corpus", "b")
    assert done.err.startswith("excerpt: --corpus a and --corpus b cannot be combined; a folder, or a pat")
    assert done.status == 2
