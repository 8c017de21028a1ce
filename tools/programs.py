"""Programs of the system that the tests need: the browser of the pages, LaTeX, a second browser, shells.

`python3 dev.py test` runs this first. It installs Debian's packages where that is possible: the browser
everywhere, all others only under CI, where no test may be skipped. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

#: Browsers for the tests of pages, in order of preference: the first has no windows and is a third faster.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
#: Variable that names another browser.
BROWSER = "EXCERPT_CHROMIUM"
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300")


class Program(NamedTuple):
    """A program under any of these names, and the packages of Debian that have it."""

    names: tuple[str, ...]
    packages: tuple[str, ...]


#: The first is needed everywhere.
PROGRAMS = (
    Program(BROWSERS, ("chromium", "fonts-liberation")),
    Program(BROWSERS[:1], (BROWSERS[0], "fonts-liberation")),
    Program(("pdflatex",), ("texlive-latex-recommended", "texlive-science")),
    Program(("firefox", "firefox-esr"), ("firefox-esr",)),
    Program(("zsh",), ("zsh",)),
    Program(("fish",), ("fish",)),
)


def find_browser() -> str | None:
    """Find the browser for the tests of pages: named by the variable, else the first one installed."""
    named = os.environ.get(BROWSER)
    return shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)


def missing_browser() -> str:
    """Return the message for a missing browser."""
    names = os.environ.get(BROWSER) or ", ".join(BROWSERS)
    todo = f"install Debian's package chromium, or set {BROWSER}=PROGRAM"
    return f"no browser for the tests of pages ({names}); {todo}"


def missing() -> list[Program]:
    """Return the programs that are needed here and that the system does not have."""
    needed = list(PROGRAMS if os.environ.get("CI") else PROGRAMS[:1])
    if os.environ.get(BROWSER):
        needed = [program for program in needed if program.names[0] not in BROWSERS]
    return [program for program in needed if not any(map(shutil.which, program.names))]


def install() -> None:
    """Install what is missing, as root where apt-get is there; say which browser is missing then."""
    lacking = missing()
    if lacking and shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        run(*APT, "update")
        for program in lacking:  # one by one, since some systems lack some packages
            say(f"installing {' and '.join(program.packages)} for the tests (only once)")
            run(*APT, "install", "-y", "--no-install-recommends", *program.packages)
    if not find_browser():
        say(missing_browser())


def run(*command: str) -> None:
    """Run a command; if it fails, print the end of its output and go on."""
    done = subprocess.run(command, capture_output=True, check=False, text=True, errors="replace")
    if done.returncode:
        say("\n".join([f"{' '.join(command)} failed:", *(done.stdout + done.stderr).splitlines()[-5:]]))


def say(text: str) -> None:
    """Print a line for the user."""
    print(f"programs.py: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    install()
