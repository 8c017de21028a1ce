"""What all commands share: help, and messages of one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .conftest import Excerpt


def test_odd_names_stay_on_one_line(files: Path, excerpt: Excerpt) -> None:
    """Line ends and other control characters of names are shown, not printed; blanks stay as they are."""
    folder = files / "cor\npus"
    folder.mkdir()
    (folder / "good.xml").write_text('<!DOCTYPE a SYSTEM "a.dtd"><a>&unknown;</a>')
    (folder / "bad  \x1b[31m\u2028.xml").write_text("<a>")
    done = excerpt("index", folder, "-o", "in\rdex")
    assert done.status == 0
    assert done.out.splitlines()[0] == "index           in\\rdex"
    assert len(done.out.splitlines()) == 5
    assert [line.split(": ")[1] for line in done.err.splitlines()] == ["left out", "warning"]
    assert f"{files}/cor\\npus/bad  \\x1b[31m\\u2028.xml:1: " in done.err
    for command in (
        ("index", "no\r\x07such", "-o", "x"),
        ("check", "no\r\x07such"),
        ("inex_eval", "-f", "qrels", "no\r\x07such"),
    ):
        failed = excerpt(*command)
        assert failed.status == 2
        assert failed.err == "excerpt: no\\r\\x07such: cannot be read: no such file or directory\n"
    (files / "ru\nn").write_text("1 Q0 A 1 9 mine 0 50\nbad\n")
    failed = excerpt("evaluate", "qrels", "ru\nn")
    assert failed.err.startswith("excerpt: ru\\nn:2: ")
    assert len(failed.err.splitlines()) == 1
    assert "excerpt check ru\\nn" in failed.err


def test_help_version_and_module() -> None:
    """`python -m excerpt` is the command; help and version exit with 0."""
    for argument, text in (("--help", "usage: excerpt COMMAND"), ("--version", "excerpt 0.")):
        done = subprocess.run(
            [sys.executable, "-m", "excerpt", argument], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(text)
