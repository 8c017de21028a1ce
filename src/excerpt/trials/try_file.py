"""Settings of a trial in try.toml, beside the documents."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.files import read_bytes, split_parser, write_bytes
from excerpt.options import is_foreign
from excerpt.trials.cutting import DEFAULT

NAME = "try.toml"
#: Settings: whether each is a list of texts, a text, or a number.
_KINDS: Mapping[str, type] = {
    "documents": list,
    "gold": str,
    "chunkers": list,
    "retrievers": list,
    "budget": int,
    "seconds": float,
    "output": str,
    "unplaced": str,
    "copies": str,
}
_EXPECTED = {
    list: "a list of texts",
    str: "a text",
    int: "a whole number of at least 1",
    float: "a number above 0",
}
_PATHS = ("documents", "gold", "output")


def beside(documents: str) -> Path:
    """The file of settings of some documents: in the folder that they are in."""
    path = Path(os.path.normpath(split_parser(documents)[0]))
    return (path / ".." if path.name in {"", ".."} else path.parent) / NAME


def foreign_beside(documents: str) -> Path | None:
    """The file of settings that is ignored, since it belongs to another user."""
    file = beside(documents)
    return file if file.is_file() and is_foreign(str(file)) else None


def settings_beside(documents: str) -> dict[str, Any]:
    """Settings beside documents; empty without a file, or if it belongs to another user."""
    file = beside(documents)
    return {} if not file.is_file() or is_foreign(str(file)) else read_settings(file)


def read_settings(file: Path) -> dict[str, Any]:
    """Settings of a file; its paths, also those of Python files, become relative to the working folder."""
    try:
        content = tomllib.loads(read_bytes(str(file)).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # also bytes that are no UTF-8
        message = f"not valid TOML ({short(str(error))}), expected lines like budget = 4000"
        raise ExcerptError(message, path=str(file)) from None
    lines = read_bytes(str(file)).decode("utf-8-sig").splitlines()
    for name, value in content.items():
        line = next((at for at, text in enumerate(lines, 1) if text.lstrip().startswith(name)), None)
        if name not in _KINDS:
            raise UnknownName("setting", name, _KINDS, path=str(file), line=line)
        if not _fits(value, _KINDS[name]):
            message = f"found {name} = {short(repr(value))}, expected {_EXPECTED[_KINDS[name]]}"
            raise ExcerptError(message, path=str(file), line=line)
    found: dict[str, Any] = {
        name: [value] if _KINDS[name] is list and isinstance(value, str) else value
        for name, value in content.items()
    }
    folder = str(file.parent)
    for name in _PATHS:
        if name in found:
            several = isinstance(found[name], list)
            paths = [_joined(folder, str(one)) for one in (found[name] if several else [found[name]])]
            found[name] = paths if several else paths[0]
    for name in ("chunkers", "retrievers"):
        if name in found:
            found[name] = [_with_file(folder, one) for one in found[name]]
    return found


def _fits(value: Any, kind: type) -> bool:
    if kind is list:
        several = [value] if isinstance(value, str) else value
        return (
            isinstance(several, list)
            and bool(several)
            and all(isinstance(one, str) and one for one in several)
        )
    if kind is str:
        return isinstance(value, str) and bool(value)
    if isinstance(value, bool):
        return False
    return isinstance(value, int if kind is int else int | float) and value > 0


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - a path, perhaps with a parser


def _with_file(folder: str, setting: str) -> str:
    """A setting that names a Python file, as seen from the working folder."""
    path, colon, name = setting.rpartition(":")
    return f"{_joined(folder, path)}:{name}" if colon and path.endswith(".py") else setting


def write_example(documents: str) -> Path:
    """Write a file of settings with comments beside documents; one that is there stays."""
    path, parser = split_parser(documents)
    if not Path(path).exists():
        raise ExcerptError("does not exist, expected the documents", path=documents)
    file = beside(documents)
    if file.exists():
        raise ExcerptError("is there already, and is not replaced", path=str(file))
    base = Path(path).resolve().name + (f"@{parser}" if parser else "")
    write_bytes(str(file), _EXAMPLE.format(documents=_toml(base), chunkers=_listed(DEFAULT)).encode())
    return file


def _toml(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


def _listed(names: tuple[str, ...]) -> str:
    return "[\n" + "".join(f"  {_toml(name)},\n" for name in names) + "]"


_EXAMPLE = """\
# Settings of `excerpt try`, for the documents beside this file. Options of the command line override them.
# Paths are relative to this file.

# The documents; several renderings of the same files are compared: ["docs@pypdfium2", "docs@markitdown"].
documents = [{documents}]

# Questions with quotes from the documents.
gold = "gold.jsonl"

# How documents are cut. Also functions of your own, "my.py:cut" (text -> texts), and classes of libraries,
# "langchain:RecursiveCharacterTextSplitter(chunk_size=800)"; so of llamaindex, chonkie, semchunk, docling.
chunkers = {chunkers}

# How chunks are found: "bm25", "bm25s", "sentence-transformers:MODEL", "hybrid(A,B)", "my.py:search" (called
# with a question and all texts; returns texts or their numbers, best first).
retrievers = ["bm25"]

# Characters that the model reads for each question.
budget = 4000

# No further setting is begun after so many seconds.
seconds = 300

# The folder for table, report, runs and scores.
output = "tried"
"""
