"""What a command reads is never what it writes."""

from __future__ import annotations

import argparse
import glob
import os
from pathlib import Path

from excerpt.errors import ExcerptError

#: Arguments that name files and folders to read, and those that name files to write.
_READ = (
    "qrels",
    "runs",
    "run",
    "against",
    "cited",
    "chunks",
    "input",
    "file",
    "files",
    "qrels2",
    "groups",
    "quantisations",
    "saved",
    "corpus",
    "index",
    "topics",
    "blocks",
    "tasks",
    "pool",
    "segments",
    "retrieved",
    "cited",
    "baseline",
    "style",
)
_WRITTEN = ("output", "save", "figure", "record", "data")


def keep_inputs(arguments: argparse.Namespace) -> None:
    """An error where a file would be written that is also read, or two results into one file."""
    written: set[Path] = set()
    for name in (name for dest in _WRITTEN for name in _names(arguments, dest)):
        place = _real(name)
        if place.exists() and not place.is_file():  # devices take what comes
            continue
        if any(_reads(dest, given, place) for dest in _READ for given in _names(arguments, dest)):
            raise ExcerptError("is an input, expected another name for the output", path=name)
        if place in written:
            raise ExcerptError("is named for two outputs, expected a name for each", path=name)
        written.add(place)


def _reads(dest: str, given: str, place: Path) -> bool:
    """Whether a file is what an argument names, or is there in what it names."""
    own = _real(given)
    if place == own:
        return True
    if not place.exists():
        return False
    if dest == "corpus" and glob.has_magic(given) and not own.exists():
        return place in {_real(name) for name in glob.glob(given, recursive=True)}  # noqa: PTH207
    if own not in place.parents:
        return False
    return dest != "corpus" or _is_of_corpus(own, place)


def _is_of_corpus(folder: Path, place: Path) -> bool:
    """Whether a file of a folder is one of its documents, or of an index; others may lie there."""
    from excerpt.documents.entry import kind_of
    from excerpt.index.build.store import is_index

    return bool(kind_of(place.name)) or is_index(folder)


def _real(name: str) -> Path:
    return Path(os.path.realpath(name))


def _names(arguments: argparse.Namespace, dest: str) -> list[str]:
    given = getattr(arguments, dest, None)
    return [name for name in ([given] if isinstance(given, str) else given or []) if name != "-"]
