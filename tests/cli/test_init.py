"""Help and one-line messages of all commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt import cli

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


@pytest.mark.parametrize(
    "given",
    [
        ("evaluate", "qrels", "run", "-o", "run", "--format", "csv"),
        ("evaluate", "qrels", "run", "--save", "./qrels"),
        ("compare", "qrels", "run", "run2", "-m", "MAiP", "--record", "link"),
        ("convert", "run", "run", "--to", "trec"),
    ],
)
def test_an_input_is_never_written(files: Path, excerpt: Excerpt, given: tuple[str, ...]) -> None:
    """Whatever names an output, an input stays as it is."""
    (files / "run2").write_bytes((files / "run").read_bytes())
    (files / "link").symlink_to("run")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    done = excerpt(*given)
    assert done.status == 2
    assert done.err.endswith(": is an input; choose another name for the output\n")
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_two_outputs_have_two_names(files: Path, excerpt: Excerpt) -> None:
    """Two results are not written into one file; a device takes both."""
    both = ("evaluate", "qrels", "run", "-m", "MAiP", "--format", "json")
    done = excerpt(*both, "-o", "scores.json", "--save", "scores.json")
    assert (done.status, done.err) == (
        2,
        "excerpt: scores.json: is named for two outputs; choose a name for each\n",
    )
    assert not (files / "scores.json").exists()
    assert excerpt(*both, "-o", os.devnull).status == 0


@pytest.mark.parametrize(
    ("call", "heavy"),
    [
        (["--help"], {"argparse", "typing", "dataclasses", "inspect", "pathlib", "urllib", "json"}),
        (["evaluate", "--help"], {"dataclasses", "inspect", "pathlib", "urllib", "shutil", "bz2", "json"}),
    ],
)
def test_help_loads_little(call: list[str], heavy: set[str], tmp_path: Path) -> None:
    """Of Python's own modules too; and nothing of projects where there is none."""
    code = (
        "import sys, excerpt.cli\n"
        f"try: excerpt.cli.main({call})\n"
        "except SystemExit: pass\n"
        f"sys.exit(', '.join(sorted({heavy | {'excerpt.project'}} & set(sys.modules))) or 0)"
    )
    source = Path(__file__).parents[2] / "src"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_that_breaks_the_cleaning_up_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in argparse, which looks for attributes that it did not set before Ctrl-C."""

    def dispatch(words: list[str]) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            del words[len(words)]

    monkeypatch.setattr(cli, "_dispatch", dispatch)
    assert cli.main(["demo"]) == 130
    assert capsys.readouterr().err == "excerpt: interrupted\n"
