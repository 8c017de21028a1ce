"""Standard output and error that are closed, full, gone or replaced: one line, never a traceback."""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from excerpt.cli import REGISTERED, Command, main
from excerpt.cli.console import ProgressBar, chosen_colours, chosen_width, shows_colours
from excerpt.cli.parser import Parser
from excerpt.options import TERMINAL

EXCERPT = f'"{sys.executable}" -m excerpt'


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell would, without the variables that change how Python buffers."""
    clean = "env -u PYTHONUNBUFFERED -u PYTHONDEVMODE "
    return subprocess.run(
        ["bash", "-c", clean + command], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_reader_that_goes_away_is_no_error(files: Path) -> None:
    """A closed pipe ends the command quietly."""
    done = shell(f"{EXCERPT} measures | head -n 1")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_verdict() -> None:
    """The status is that of programs which the signal ends, never 1."""
    done = shell(f"{EXCERPT} demo --quiet | head -n 1; exit ${{PIPESTATUS[0]}}")
    assert done.returncode in {0, 141}
    assert done.stdout.startswith("CUAD mini")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    ["evaluate qrels run", "--help", "evaluate --help", "check run", "measures", "inex_eval -f qrels run"],
)
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("1>/dev/full", "excerpt: cannot write the output: No space left on device\n"),
        ("1>&-", "excerpt: cannot write the output: standard output is closed\n"),
    ],
)
def test_output_that_cannot_be_written(files: Path, arguments: str, place: str, message: str) -> None:
    """A full disk under standard output, or none at all, is one line and status 2."""
    if "full" in place and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = shell(f"{EXCERPT} {arguments} {place}")
    assert done.stderr.splitlines(keepends=True)[-1:] == [message]
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("place", ["2>&-", "2>/dev/full", "0<&- 2>&-"])
def test_messages_that_cannot_be_written(files: Path, place: str) -> None:
    """Without standard error there are no messages; output and status are the same, also with workers."""
    for workers in (1, 2):
        done = shell(f"{EXCERPT} evaluate qrels run run --overlap first --workers {workers} {place}")
        assert done.returncode == 0
        assert done.stdout == shell(f"{EXCERPT} evaluate qrels run run --overlap first").stdout
    assert shell(f"{EXCERPT} evaluate qrels nowhere {place}").returncode == 2


def test_output_in_a_file_needs_no_standard_output(files: Path) -> None:
    """A command that writes a file works where standard output is closed; it does not write into the file."""
    done = shell(f"{EXCERPT} evaluate qrels run run --workers 2 -o table.txt 1>&-")
    assert done.returncode == 0
    assert (files / "table.txt").read_text() == shell(f"{EXCERPT} evaluate qrels run run").stdout


def test_a_stream_of_text_in_place_of_standard_output(files: Path) -> None:
    """A caller in Python can redirect the output of a command."""
    for arguments in (["evaluate", "qrels", "run"], ["--help"], ["convert", "run", "-", "--to", "jsonl"]):
        caught = io.StringIO()
        with contextlib.redirect_stdout(caught):
            assert main(arguments) == 0
        assert caught.getvalue() == shell(f"{EXCERPT} {' '.join(arguments)}").stdout


def test_too_little_memory(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Too little memory is one line, with the amount if it is known."""
    for error, said in (
        ("", "excerpt: not enough memory\n"),
        (
            "Unable to allocate 7.45 GiB for an array with shape (1000000000,)",
            "excerpt: not enough memory (could not allocate 7.45 GiB)\n",
        ),
    ):
        monkeypatch.setitem(REGISTERED, "evaluate", Command(_raiser(MemoryError(error)), None))
        assert main(["evaluate", "qrels", "run"]) == 2
        assert capsys.readouterr().err == said


def _raiser(error: BaseException) -> Callable[[Sequence[str]], None]:
    def fail(_given: Sequence[str]) -> None:
        raise error

    return fail


class Terminal(io.StringIO):
    """Text that claims to be a screen."""

    def isatty(self) -> bool:
        """Always."""
        return True


class Clock:
    """A clock that does not move until it is set."""

    now = 100.0

    def __call__(self) -> float:
        """Seconds, as `time.monotonic` gives them."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the bar looks at."""
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def test_the_bar_is_drawn_on_a_terminal_only(clock: Clock) -> None:
    """A bar on a terminal, nothing anywhere else; it erases itself."""
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        clock.now = 100.0
        with ProgressBar("indexing", stream) as bar:
            clock.now = 105.0
            bar(1, 2)
    line = "indexing [###############...............] 50 %, 5 s left"
    assert screen.getvalue() == f"\r{line}\r{' ' * len(line)}\r"
    assert pipe.getvalue() == ""


def test_short_work_draws_nothing(clock: Clock) -> None:
    """The bar appears only for work over a second, and then at most ten times a second."""
    screen = Terminal()
    with ProgressBar("indexing", screen) as bar:
        for now, shown in ((100.0, 0), (100.99, 0), (101.0, 1), (101.09, 1), (101.11, 2)):
            clock.now = now
            bar(1, 2)
            assert screen.getvalue().count("indexing") == shown
    with ProgressBar("indexing", quick := Terminal()) as bar:
        clock.now += 0.9
        bar(2, 2)
    assert quick.getvalue() == ""


@pytest.mark.parametrize(
    ("stream", "environment", "colours"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"CLICOLOR": "0"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
        (None, {}, False),
    ],
)
def test_who_gets_colours(
    stream: io.StringIO | None, environment: dict[str, str], colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terminals, unless the user forbids it."""
    for name in ("NO_COLOR", "CLICOLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert shows_colours(stream) is colours


def test_messages_in_colours(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal errors begin in red and warnings in yellow, unless there are to be no colours."""
    for name in ("NO_COLOR", "CLICOLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for given, said in (
        (["evaluate", "nowhere", "run"], "\x1b[31mexcerpt:\x1b[0m nowhere: cannot be read"),
        (["evaluate", "nowhere", "run", "--color", "never"], "excerpt: nowhere: cannot be read"),
        (
            ["evaluate", "qrels", "run", "-m", "MAiP"],
            "\x1b[33mexcerpt: warning:\x1b[0m 1 topic has no relevant",
        ),
    ):
        screen = Terminal()
        with contextlib.redirect_stderr(screen), contextlib.redirect_stdout(io.StringIO()):
            main(given)
        assert screen.getvalue().startswith(said)
    assert files


def parsed(*given: str) -> argparse.Namespace:
    """The options of a command without others."""
    return Parser("show", *TERMINAL, example="").parse(given)


def test_a_pipe_has_eighty_columns_and_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless options change that; a file has no colours even if there is a terminal."""
    assert (chosen_width(parsed()), chosen_colours(parsed())) == (80, False)
    assert chosen_width(parsed("--width", "100")) == 100
    assert chosen_colours(parsed("--color", "always"))
    monkeypatch.setattr("excerpt.cli.console.shows_colours", lambda _: True)
    assert chosen_colours(parsed())
    assert not chosen_colours(parsed("--color", "never"))
    assert not chosen_colours(argparse.Namespace(color="auto", output="why.txt"))
