"""Which formats there are: those of the rooms `runs` and `judgments`, and those of other packages."""

from __future__ import annotations

import importlib
import io
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeAlias, TypeVar, get_args

from excerpt.errors import UnknownName
from excerpt.formats.source import Source
from excerpt.model.judgments import Judgments
from excerpt.model.run import Order, Run

Content = TypeVar("Content", Run, Judgments)
Kind: TypeAlias = Literal["run", "judgments"]


@dataclass(frozen=True)
class Format(Generic[Content]):
    """How bytes become a run or judgments, and back."""

    name: str
    kind: Kind
    #: One line that shows what a line or an element of the format looks like.
    layout: str
    description: str
    read: Callable[[Source], Content]
    #: How many of the first lines look like this format (0: it is another one).
    recognise: Callable[[Source], int]
    #: `write(content, stream)`, where we write the format.
    write: Callable[[Content, io.BufferedIOBase], None] | None = None
    #: The order of results unless the user asks for another.
    order: Order = "file"
    #: A small file in the format.
    example: str = ""


AnyFormat: TypeAlias = "Format[Run] | Format[Judgments]"
_run_formats: dict[str, Format[Run]] = {}
_judgments_formats: dict[str, Format[Judgments]] = {}


def register_run(format_: Format[Run]) -> None:
    """Make a run format known."""
    _run_formats[format_.name] = format_


def register_judgments(format_: Format[Judgments]) -> None:
    """Make a judgments format known."""
    _judgments_formats[format_.name] = format_


#: How far to look for formats: those in columns, all of ours, those of other packages too. Each takes longer.
Reach: TypeAlias = Literal["columns", "ours", "all"]
REACHES: tuple[Reach, ...] = get_args(Reach)


@cache
def _load(reach: Reach) -> None:
    """Import the modules of the two rooms, and those of the entry-point group `excerpt.formats`."""
    for room in ("runs", "judgments"):
        package: Any = importlib.import_module(f"excerpt.formats.{room}")
        ours = (module.name for module in pkgutil.iter_modules(package.__path__))
        for name in package.COLUMNS if reach == "columns" else ours:
            if not name.startswith("_"):
                importlib.import_module(f"{package.__name__}.{name}")
    if reach == "all":
        from importlib.metadata import entry_points

        for entry in entry_points(group="excerpt.formats"):
            entry.load()


def run_formats(reach: Reach = "all") -> dict[str, Format[Run]]:
    """Every run format by name, at least those that are in reach."""
    _load(reach)
    return dict(sorted(_run_formats.items()))


def judgments_formats(reach: Reach = "all") -> dict[str, Format[Judgments]]:
    """Every judgments format by name, at least those that are in reach."""
    _load(reach)
    return dict(sorted(_judgments_formats.items()))


def find_run_format(name: str) -> Format[Run]:
    """The run format of a name."""
    return _find(name, run_formats, "run")


def find_judgments_format(name: str) -> Format[Judgments]:
    """The judgments format of a name."""
    return _find(name, judgments_formats, "judgments")


def _find(name: str, known: Callable[[Reach], dict[str, Format[Content]]], kind: Kind) -> Format[Content]:
    for reach in REACHES:
        formats = known(reach)
        if name in formats:
            return formats[name]
    raise UnknownName(f"{kind} format", name, formats)
