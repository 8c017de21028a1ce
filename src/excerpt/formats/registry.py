"""Which formats there are: those of the rooms `runs` and `judgments`, and those of other packages."""

from __future__ import annotations

import importlib
import io
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Generic, Literal, TypeAlias, TypeVar

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


@cache
def _load_ours() -> None:
    """Import every module of the two rooms; what a format needs only to read is imported when it reads."""
    for room in ("runs", "judgments"):
        package = importlib.import_module(f"excerpt.formats.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.startswith("_"):
                importlib.import_module(f"{package.__name__}.{module.name}")


@cache
def _load_others() -> None:
    """Import the formats of other packages, through the entry-point group `excerpt.formats`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="excerpt.formats"):
        entry.load()


def run_formats(*, others: bool = True) -> dict[str, Format[Run]]:
    """Every known run format by name, those of other packages included (to find these takes a while)."""
    _load(others=others)
    return dict(sorted(_run_formats.items()))


def judgments_formats(*, others: bool = True) -> dict[str, Format[Judgments]]:
    """Every known judgments format by name, those of other packages included."""
    _load(others=others)
    return dict(sorted(_judgments_formats.items()))


def _load(*, others: bool) -> None:
    _load_ours()
    if others:
        _load_others()


def find_run_format(name: str) -> Format[Run]:
    """The run format of a name."""
    return _find(name, run_formats, "run")


def find_judgments_format(name: str) -> Format[Judgments]:
    """The judgments format of a name."""
    return _find(name, judgments_formats, "judgments")


def _find(name: str, known: Callable[..., dict[str, Format[Content]]], kind: Kind) -> Format[Content]:
    for others in (False, True):
        formats = known(others=others)
        if name in formats:
            return formats[name]
    raise UnknownName(f"{kind} format", name, formats)
