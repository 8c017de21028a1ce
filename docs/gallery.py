"""Draws the pictures of docs/gallery.md by the commands that stand there: `python3 docs/gallery.py`."""

from __future__ import annotations

import contextlib
import glob
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from excerpt import collection
from excerpt.cli import main

PAGE = Path(__file__).resolve().with_suffix(".md")
FOLDER = PAGE.with_suffix("")
#: The one command that is not run but known: where the embedded collection is.
_WHERE = "D=$(excerpt demo --path)"


def commands() -> list[str]:
    """The commands of the page, each on one line."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
    return [line.removeprefix("$ ") for line in lines]


def arguments(command: str) -> list[str]:
    """Arguments of the command as a shell passes them: the folder, the words, the files of a pattern."""
    found: list[str] = []
    for piece in shlex.split(command.replace("$D", str(collection.folder()))):
        found += sorted(glob.glob(piece)) if "*" in piece else [piece]  # noqa: PTH207 - patterns of a shell
    return found


def draw(folder: Path) -> Iterator[Path]:
    """Run the commands in a folder, one after the other; the figures that each writes."""
    with contextlib.chdir(folder):
        for command in commands():
            before = {*folder.iterdir()}
            if command != _WHERE and main(arguments(command)[1:]):
                raise SystemExit(f"failed: {command}")
            yield from sorted(path for path in {*folder.iterdir()} - before if path.suffix == ".svg")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for figure in draw(Path(place)):
            (FOLDER / figure.name).write_bytes(figure.read_bytes())
            print(f"{figure.name}: {figure.stat().st_size} bytes")
