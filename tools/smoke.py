"""Smoke test of a built wheel: `python tools/smoke.py dist` installs it as users do, and uses it.

The wheel is installed by pip, with what it requires and no extra, in an environment of its own outside of the
checkout. Then the command, the module and the library must work. Standard library only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

#: Of the 40 characters that are retrieved, 30 are relevant, of 60.
QRELS = "1 Q0 A 60 200 10 10:60\n"
RUN = "1 Q0 A 1 0.9 run 40 40\n"
ROWS = '{"topic": "1", "document": "A", "start": 40, "end": 80}\n'
LIBRARY = """
import excerpt
lacking = [name for name in excerpt.__all__ if not hasattr(excerpt, name)]
assert not lacking, lacking
print(excerpt.__version__, excerpt.__file__)
"""


class Broken(Exception):
    """Something that does not work as it should; the text says what."""


def find_wheel(folder: Path) -> Path:
    """Return the one wheel of a folder."""
    found = sorted(folder.glob("*.whl"))
    if len(found) != 1:
        names = ", ".join(wheel.name for wheel in found) or "none"
        raise Broken(f"{folder}: found {names}, expected one wheel; python3 dev.py build writes it")
    return found[0].resolve()


def run(folder: Path, *command: str | Path) -> str:
    """Run a program without the variables of this Python and return its output; it must succeed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EXCERPT"))}
    # Settings of a project around the folder are not the wheel's.
    kept |= {"EXCERPT_CONFIG": "none"}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        words = " ".join([Path(command[0]).stem, *map(str, command[1:])])
        raise Broken(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def expect(pattern: str, output: str) -> None:
    """Raise an error unless the pattern is found in the output."""
    if not re.search(pattern, output, re.MULTILINE):
        raise Broken(f"expected {pattern}, found:\n{output}")


def check(environment: Path, folder: Path, version: str) -> None:
    """Use what is installed in an environment; the folder gets the files."""
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    excerpt, python = programs / "excerpt", programs / "python"
    exactly = re.escape(version)
    expect(rf"^excerpt {exactly}\b", run(folder, excerpt, "--version"))
    expect(r"^usage: excerpt\b", run(folder, python, "-m", "excerpt", "--help"))
    expect(rf"^{exactly} {re.escape(str(environment.resolve()))}", run(folder, python, "-c", LIBRARY))
    expect(r"^sent-bm25 +sentence +0\.2511\b", run(folder, excerpt, "demo"))
    for name, text in (("qrels", QRELS), ("run", RUN), ("rows.jsonl", ROWS)):
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("run", "rows.jsonl"):
        scores = run(
            folder, excerpt, "evaluate", "qrels", name, "-m", "charP", "-m", "charR", "--format", "csv"
        )
        expect(r",0\.75,0\.5$", scores)


def main(folder: str) -> int:
    """Install the wheel of a folder in a clean environment and try it."""
    with tempfile.TemporaryDirectory() as place:
        try:
            wheel = find_wheel(Path(folder))
            environment = Path(place, "environment")
            venv.create(environment, with_pip=True)
            python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
            quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
            run(Path(place), python, "-m", "pip", "install", *quiet, wheel)
            check(environment, Path(place), wheel.name.split("-")[1])
        except Broken as error:
            print(f"smoke.py: {error}", file=sys.stderr)
            return 1
    print(f"{wheel.name}: installed, and works")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or ["dist"]))
