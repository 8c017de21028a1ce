"""Programs of the system that tests need: what is found, installed or said to be missing."""

from __future__ import annotations

import sys
from pathlib import Path

import programs
import pytest


@pytest.fixture(autouse=True)
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine of root with apt-get and nothing else; commands that would be run."""
    have(tmp_path, "apt-get")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(programs.BROWSER, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    ran: list[str] = []
    monkeypatch.setattr(programs, "run", lambda *command: ran.append(" ".join(command[5:])))
    return ran


def have(folder: Path, *names: str) -> None:
    """Put programs that fail into a folder."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\necho E: no network; exit 100\n", encoding="utf-8")
        (folder / name).chmod(0o755)


INSTALL = "install -y --no-install-recommends "
EVERYTHING = [
    INSTALL + "chromium fonts-liberation",
    INSTALL + "chromium-headless-shell fonts-liberation",
    INSTALL + "texlive-latex-recommended texlive-science",
    INSTALL + "firefox-esr",
    INSTALL + "zsh",
    INSTALL + "fish",
]


@pytest.mark.parametrize(
    ("there", "ci", "named", "expected"),
    [
        ([], "", "", EVERYTHING[:1]),
        ([], "1", "", EVERYTHING),
        (["chromium"], "", "", []),
        (["google-chrome-stable", "zsh", "firefox"], "1", "", [EVERYTHING[1], EVERYTHING[2], EVERYTHING[5]]),
        (["chromium-headless-shell", "pdflatex", "firefox-esr", "zsh", "fish"], "1", "", []),
        ([], "", sys.executable, []),
        ([], "1", sys.executable, EVERYTHING[2:]),
    ],
)
def test_what_is_missing_is_installed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[str],
    there: list[str],
    ci: str,
    named: str,
    expected: list[str],
) -> None:
    """A browser everywhere, unless a variable names one; everything under CI, each program by itself."""
    have(tmp_path, *there)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv(programs.BROWSER, named)
    programs.install()
    assert commands == ["update"] * bool(expected) + expected


@pytest.mark.parametrize(("user", "apt"), [(1000, True), (0, False)])
def test_a_missing_browser_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[str],
    capsys: pytest.CaptureFixture[str],
    user: int,
    *,
    apt: bool,
) -> None:
    """Where nothing can be installed, a message says what to install."""
    monkeypatch.setattr("os.geteuid", lambda: user, raising=False)
    if not apt:
        (tmp_path / "apt-get").unlink()
    programs.install()
    told = capsys.readouterr().err
    assert commands == []
    assert told.startswith("programs.py: no browser for the tests of pages (chromium-headless-shell, ")
    assert told.endswith("install Debian's package chromium, or set EXCERPT_CHROMIUM=PROGRAM\n")


def test_what_cannot_be_installed_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each failure is told, with the end of its output, and the missing browser."""
    monkeypatch.undo()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(programs, "missing", lambda: programs.PROGRAMS[:1])
    monkeypatch.setattr(
        programs, "APT", (sys.executable, "-c", "print('E: no network'); raise SystemExit(100)")
    )
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    monkeypatch.setattr("shutil.which", lambda name: "/bin/apt-get" if name == "apt-get" else None)
    monkeypatch.setenv(programs.BROWSER, "no-such-browser")
    programs.install()
    told = capsys.readouterr().err
    assert told.count("failed:\nE: no network\n") == 2
    assert told.splitlines()[-1].startswith(
        "programs.py: no browser for the tests of pages (no-such-browser)"
    )


@pytest.mark.parametrize("present", programs.BROWSERS)
def test_a_browser_that_is_there_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, present: str
) -> None:
    """Chromium of any name serves, unless a variable names another."""
    have(tmp_path, present)
    assert programs.find_browser() == str(tmp_path / present)
    monkeypatch.setenv(programs.BROWSER, sys.executable)
    assert programs.find_browser() == sys.executable
    monkeypatch.setenv(programs.BROWSER, "no-such-browser")
    assert programs.find_browser() is None
