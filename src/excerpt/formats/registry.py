"""Which formats there are, and which of them a file is in: by content, never by suffix."""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.files import Input, is_folder
from excerpt.formats.source import Source
from excerpt.model.judgments import Judgments, Scale
from excerpt.model.run import Order, Run
from excerpt.model.spans import UNKNOWN
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex

Content = TypeVar("Content", Run, Judgments)


@dataclass(frozen=True)
class Format(Generic[Content]):
    """How bytes become a run or judgments, and back."""

    name: str
    kind: Literal["run", "judgments"]
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
def _modules() -> tuple[str, ...]:
    """Every module of the two rooms of formats."""
    found = []
    for room in ("runs", "judgments"):
        package = importlib.import_module(f"excerpt.formats.{room}")
        found += [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
    return tuple(name for name in found if not name.rpartition(".")[2].startswith("_"))


@cache
def _load_columns() -> None:
    """Import the formats that are not XML or JSON: text in columns needs no parsers of these."""
    for name in _modules():
        if not name.endswith("jsonl") and ".inex" not in name:
            importlib.import_module(name)


@cache
def _load() -> None:
    """Import all formats of this folder."""
    for name in _modules():
        importlib.import_module(name)


@cache
def _load_others() -> None:
    """Import the formats of other packages, through the entry-point group `excerpt.formats`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="excerpt.formats"):
        entry.load()


def run_formats() -> dict[str, Format[Run]]:
    """Every known run format by name, those of other packages included."""
    _load()
    _load_others()
    return dict(sorted(_run_formats.items()))


def judgments_formats() -> dict[str, Format[Judgments]]:
    """Every known judgments format by name, those of other packages included."""
    _load()
    _load_others()
    return dict(sorted(_judgments_formats.items()))


def _choose(source: Source, formats: dict[str, Format[Content]], kind: str, option: str) -> Format[Content]:
    """The format that fits most of the first lines; other packages' formats only where none of ours fits."""
    # Where every line is as a format in columns has it, no other one can fit better.
    for load, enough in ((_load_columns, len(source.head) or 1), (_load, 1), (_load_others, 1)):
        load()
        fits = {name: format_.recognise(source) for name, format_ in formats.items()}
        best = max(fits, key=lambda name: fits[name])
        if fits[best] >= enough:
            return formats[best]
    raise unrecognised(source, kind, f"give {option}, one of: {', '.join(sorted(formats))}")


def unrecognised(source: Source, kind: str, hint: str) -> FormatError:
    """The error for a file in no known format."""
    line, head = source.first_line
    return FormatError(
        f"found {head!r}, expected {kind} in a known format", path=source.name, line=line, hint=hint
    )


def _named(name: str, formats: dict[str, Format[Content]], kind: str) -> Format[Content]:
    for load in (_load, _load_others):
        load()
        if name in formats:
            return formats[name]
    raise UnknownName(f"{kind} format", name, formats)


def read_run(
    source: Input,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: OffsetIndex | None = None,
    order: Order | None = None,
    notices: Notices | None = None,
) -> Run:
    """Read a run: a file by its path, its bytes, or an open file; paths become spans if an index is given.

    `order` is `file`, `rank` or `score`; by default the format's own (the file's, but scores for TREC runs).
    """
    with Gathering(notices) as gathered:
        return run_from(Source.open(source, index=index, notices=gathered), format, order)


def run_from(source: Source, name: str | None = None, order: Order | None = None) -> Run:
    """The run in a source."""
    formats = _run_formats
    chosen = _named(name, formats, "run") if name else _choose(source, formats, "a run", "--run-format")
    run = chosen.read(source)
    source.faults.settle()
    if source.faults.found:  # kept: ranks and scores may be among what is wrong
        return run
    from excerpt.formats.order import arrange

    return arrange(run, order or chosen.order, index=source.index, notices=source.notices)


def read_judgments(
    source: Input,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: OffsetIndex | None = None,
    notices: Notices | None = None,
) -> Judgments:
    """Read judgments: a path, bytes or an open file; or all files of a folder with one file per topic."""
    with Gathering(notices) as gathered:
        if isinstance(source, str | os.PathLike) and is_folder(source):
            return _read_folder(Path(source), format, index, gathered)
        return judgments_from(Source.open(source, index=index, notices=gathered), format)


def judgments_from(source: Source, name: str | None = None) -> Judgments:
    """The judgments in a source."""
    formats = _judgments_formats
    chosen = (
        _named(name, formats, "judgments")
        if name
        else _choose(source, formats, "judgments", "--qrels-format")
    )
    judgments = chosen.read(source)
    source.faults.settle()
    # Files do not say what their offsets count; with an index they must count what it counts.
    if source.index is None:
        return judgments
    _compare_lengths(judgments, source, source.index)
    return replace(judgments, unit=source.index.unit, mean_length=source.index.mean_length)


def _compare_lengths(judgments: Judgments, source: Source, index: OffsetIndex) -> None:
    """Count judged documents that the index does not have, or has in another length."""
    codes = index.document_codes(judgments.documents)
    sizes = np.where(codes >= 0, index.document_sizes(np.maximum(codes, 0)), UNKNOWN)
    known = judgments.document_sizes
    doubts = (
        ("judged document is not in the index", codes < 0),
        (
            f"judged document has another length in the index ({index.unit}s): is it of this corpus?",
            (codes >= 0) & (known != UNKNOWN) & (known != sizes) & (judgments.scale != "documents"),
        ),
    )
    for message, mask in doubts:
        rows = np.flatnonzero(mask)
        if len(rows):
            where = f"document {judgments.documents[int(rows[0])]} of {source.name}"
            source.notices.add(message, len(rows), where=where)


def _read_folder(
    folder: Path, name: str | None, index: OffsetIndex | None, notices: Notices | None
) -> Judgments:
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    if not files:
        raise ExcerptError("found an empty folder, expected one judgments file per topic", path=str(folder))
    parts = [judgments_from(Source.open(file, index=index, notices=notices), name) for file in files]
    scale = _scale(parts, folder)
    return replace(Judgments.together(parts, source=str(folder)), scale=scale)


def _scale(parts: Sequence[Judgments], folder: Path) -> Scale:
    """The scale of all files: a topic of graded assessments may happen to have the highest grade only."""
    scales = {part.scale for part in parts}
    if "documents" in scales and len(scales) > 1:
        raise ExcerptError(
            "found judgments of whole documents beside judgments of text, expected one kind", path=str(folder)
        )
    # A file that assesses nothing does not show its scale.
    telling = {part.scale: part.source for part in reversed(parts) if part.elements or len(part.spans)}
    if "exhaustivity 0-2" in telling:
        telling.pop("highlights", None)
    if len(telling) > 1:
        one, other = sorted(telling, key=lambda scale: telling[scale])[:2]
        raise ExcerptError(
            f"found judgments by {one} ({telling[one]}) beside judgments by {other} ({telling[other]}), "
            "expected one scale",
            path=str(folder),
        )
    return next(iter(telling), parts[0].scale)
