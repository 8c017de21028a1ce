"""Registry of formats, ours and those of other packages; detection of a file's format by its content."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeGuard, TypeVar

from excerpt._lazy import FORMATS, offered
from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.model.judgments import Judgments
from excerpt.model.run import Order, Run
from excerpt.model.spans import IntArray
from excerpt.notices import Faults, Notices

if TYPE_CHECKING:
    from excerpt.records.rows import ContentForm
    from excerpt.records.spellings import RowKind

RunOrJudgments = TypeVar("RunOrJudgments", Run, Judgments)
FileKind: TypeAlias = Literal["run", "judgments"]

_FEW = 2  # lines
#: Names of the kinds of files in messages.
KIND_LABELS = {"run": "a run", "judgments": "judgments"}
_SAVED_SCORES = b'{"format": "excerpt scores"'  # what `evaluate --save` writes begins so
_SETTINGS = {"run": "run_format", "judgments": "qrels_format"}


class LinesOf(NamedTuple):
    """How the lines of a file belong to topics."""

    #: Keys of each row; none in columns.
    keys: tuple[str, ...]
    #: The topic of a line; None without one.
    topic_of: Callable[[bytes], object]
    #: The distinct topics of some lines, then the code in these, and the line, of each row.
    topics_of: Callable[[Source], tuple[Sequence[str], IntArray, IntArray]]


@dataclass(frozen=True)
class Format(Generic[RunOrJudgments]):
    """A file format of runs or judgments: its reader, its detection and, if it has one, its writer."""

    name: str
    kind: FileKind
    #: One line that shows the layout of a line or an element.
    layout: str
    description: str
    read: Callable[[Source], RunOrJudgments]
    #: Number of the first lines that look like this format (0: it is another one).
    recognise: Callable[[Source], int]
    #: `write(content, stream)`, if the format can be written.
    write: Callable[[RunOrJudgments, io.BufferedIOBase], None] | None = None
    #: Default order of results.
    order: Order = "file"
    #: A small file in the format.
    example: str = ""
    #: `write_placed(content, stream, places)`, if the elements of documents are known, by document id, or
    #: their texts.
    write_placed: Callable[[RunOrJudgments, io.BufferedIOBase, Any], None] | None = None
    #: True if the reader itself maps passage ids to spans.
    reads_ids: bool = False
    #: True if the user must name it, since its files look like those of another format.
    by_name: bool = False
    #: Forms of its files; None if they may have any form.
    forms: tuple[ContentForm, ...] | None = None
    #: One line about the content for `excerpt check`, if the usual one does not fit.
    summary: Callable[[RunOrJudgments], str] | None = None
    #: Keys of which JSON of this format has one near its beginning; none if they do not tell.
    keys: tuple[str, ...] = ()
    #: `write_files(content, path, corpus, notices)`, if it may have several files.
    write_files: Callable[..., None] | None = None
    #: How lines belong to topics, if those of a topic can be read without others; None if they cannot.
    lines_of: Callable[[Source], LinesOf | None] = lambda _: None

    def may_be(self, source: Source) -> bool:
        """Return whether a file can have this format by its form and, in JSON, by its keys."""
        if self.forms is not None and source.form not in self.forms:
            return False
        head = source.data[:HEAD_BYTES] if self.keys and source.form == "json" else b""
        return not head or any(f'"{key}"'.encode() in head for key in self.keys)


#: Forms of records: rows with names of their values.
RECORDS: tuple[ContentForm, ...] = ("json", "table", "rows")

AnyFormat: TypeAlias = "Format[Run] | Format[Judgments]"
_run_formats: dict[str, Format[Run]] = {}
_judgments_formats: dict[str, Format[Judgments]] = {}


def register_run(format_: Format[Run]) -> None:
    """Register a run format."""
    _run_formats[format_.name] = format_


def register_judgments(format_: Format[Judgments]) -> None:
    """Register a judgments format."""
    _judgments_formats[format_.name] = format_


def fit(source: Source, kind: RowKind, own: Sequence[str], others: Sequence[str], neutral: int) -> int:
    """Return how well the first rows fit: 2 for a row with `own` roles, 0 with `others`, else `neutral`."""
    if source.tool:
        return 0
    from excerpt.records.spellings import RowKeys

    meaning, other = RowKeys(kind).meaning, RowKeys("judgment" if kind == "result" else "result").meaning
    total = 0
    for row in source.first_rows:
        if not isinstance(row, Mapping):
            total += row is None  # a broken line, which the reader will report
            continue
        given = [key for key in row if row[key] is not None] or list(row)
        if any(meaning.get(key, key) in own for key in given):
            total += 2
        elif not any(other.get(key, key) in others for key in given):
            total += neutral
    return total


def recognise_nothing(_source: Source) -> int:
    """Detect no file: for formats that the user must name."""
    return 0


#: Formats to load: those of a form of files, all of ours, or also those of other packages. Each takes longer.
FormatReach: TypeAlias = Literal["columns", "places", "quotes", "records", "ours", "all"]
REACHES: tuple[FormatReach, ...] = ("columns", "records", "ours", "all")


@cache
def _load(reach: FormatReach, kind: FileKind) -> None:
    """Import modules of a kind, else all of ours, and those of the entry-point group `excerpt.formats`."""
    packages: list[Any] = [
        importlib.import_module(f"excerpt.formats.{name}") for name in ("runs", "judgments")
    ]
    own = packages[kind == "judgments"]
    for name in own.MODULES.get(reach, ()):
        importlib.import_module(name, own.__name__)
    for app, where in FORMATS.items():
        if where == (kind, reach) or reach in {"ours", "all"}:
            importlib.import_module(f"excerpt.{app}")
    if reach in own.MODULES:
        return
    from pkgutil import iter_modules

    for package in packages:
        for module in iter_modules(package.__path__):
            if not module.name.startswith("_"):
                importlib.import_module(f"{package.__name__}.{module.name}")
    if reach == "all":
        from importlib.metadata import entry_points

        for entry in entry_points(group="excerpt.formats"):
            entry.load()


def run_formats(reach: FormatReach = "all") -> dict[str, Format[Run]]:
    """Return the run formats by name, at least those of `reach`."""
    _load(reach, "run")
    return dict(sorted(_run_formats.items()))


def judgments_formats(reach: FormatReach = "all") -> dict[str, Format[Judgments]]:
    """Return the judgments formats by name, at least those of `reach`."""
    _load(reach, "judgments")
    return dict(sorted(_judgments_formats.items()))


def run_format_of(source: Source, name: str | None = None) -> Format[Run]:
    """Return the format of a run, by name or by its content."""
    if is_column_list(name):
        from excerpt.formats.named_columns import run_format

        return run_format(name)
    return _find(name, run_formats, "run") if name else _recognise(source, run_formats, "run")


def judgments_format_of(source: Source, name: str | None = None) -> Format[Judgments]:
    """Return the format of judgments, by name or by their content."""
    if is_column_list(name):
        from excerpt.formats.named_columns import judgments_format

        return judgments_format(name)
    formats = judgments_formats
    return _find(name, formats, "judgments") if name else _recognise(source, formats, "judgments")


def is_column_list(name: str | None) -> TypeGuard[str]:
    """Return whether the name of a format is a list of columns, such as `columns:topic,document,score`."""
    return name is not None and name.startswith("columns:")


def _find(
    name: str, known: Callable[[FormatReach], dict[str, Format[RunOrJudgments]]], kind: FileKind
) -> Format[RunOrJudgments]:
    for reach in REACHES:
        formats = known(reach)
        if name in formats:
            return formats[name]
    raise UnknownName(f"{kind} format", name, formats)


def kind_of(source: Source, *, kind: FileKind | None = None, name: str | None = None) -> FileKind:
    """Return the kind of a file: as given, by the name of its format, or by its content."""
    if is_column_list(name):
        from excerpt.formats.named_columns import NamedColumns

        by_columns = kind or NamedColumns.of(name).kind()
        if by_columns is None:
            message = "a run and judgments may both have these columns"
            raise ExcerptError(message, hint="give ⟨kind=run⟩ or ⟨kind=judgments⟩")
        return by_columns
    runs, judgments = run_formats(), judgments_formats()
    if name and name not in runs and name not in judgments:
        raise UnknownName("format", name, {*runs, *judgments})
    if kind:
        return kind
    if name:
        return _kind_by_format(source, runs.get(name), judgments.get(name))
    detected = detect_kind(source)
    if detected:
        return detected
    near = _near_format(source, [*runs.values(), *judgments.values()])
    if near is None and not _is_records(source):
        raise _unknown_format(source, None)
    return near.kind if near else "judgments"


def _is_records(source: Source) -> bool:
    """Return whether rows can only be records, whose reader says best what is wrong with them."""
    return source.form == "rows" or source.is_list


def _kind_by_format(source: Source, run: Format[Run] | None, judged: Format[Judgments] | None) -> FileKind:
    """Return the kind of a file in a format that exists for runs, for judgments, or for both."""
    if run is None or judged is None:
        return "run" if judged is None else "judgments"
    fit, other = run.recognise(source), judged.recognise(source)
    if fit == other:  # a format that must be named: its files look like others of their kind
        return detect_kind(source) or "judgments"
    return "run" if fit > other else "judgments"


def detect_kind(source: Source) -> FileKind | None:
    """Return the kind of a file by its content; None if it is neither a run nor judgments."""
    fit, other = _best(source, run_formats()).fit, _best(source, judgments_formats()).fit
    return ("run" if fit > other else "judgments") if fit or other else None


class _Best(NamedTuple):
    """The format that fits best, and how many lines it fits; 0 if no format fits half of the lines."""

    name: str
    fit: int


def _best(source: Source, formats: dict[str, Format[RunOrJudgments]]) -> _Best:
    fits = {
        name: format_.recognise(source) if format_.may_be(source) else 0 for name, format_ in formats.items()
    }
    best = max(fits, key=lambda name: fits[name])
    return _Best(best, fits[best] if 2 * fits[best] >= len(source.head) else 0)


def _recognise(
    source: Source, known: Callable[[FormatReach], dict[str, Format[RunOrJudgments]]], kind: FileKind
) -> Format[RunOrJudgments]:
    """Return the format that fits best; formats of other packages only if none of ours fits."""
    if source.starts_with(_SAVED_SCORES):
        message = f"found saved scores, expected {KIND_LABELS[kind]}"
        raise FormatError(message, path=source.name, hint="⟨command=render⟩ prints them")
    # If every line fits a format in columns, no other format can fit better.
    first: FormatReach = (
        "columns" if source.form not in RECORDS else "places" if source.has_places else "records"
    )
    first = "quotes" if first == "records" and kind == "judgments" and source.has_quotes else first
    reaches: tuple[tuple[FormatReach, int], ...] = ((first, len(source.head) or 1), ("ours", 1), ("all", 1))
    for reach, enough in reaches:
        formats = known(reach)
        best = _best(source, formats)
        if best.fit >= enough:
            return formats[best.name]
    other = _other_kind(source, kind)
    if _is_records(source) and not (other and source.data):
        return formats["jsonl"]
    near = None if other else _near_format(source, list(formats.values()))
    if near is None:
        raise _unknown_format(source, kind)
    return formats[near.name]


def _near_format(source: Source, formats: Sequence[AnyFormat]) -> AnyFormat | None:
    """Return the format of a file of very few lines that may be faulty: up to one fault in each."""
    if not 0 < len(source.head) <= _FEW or _unsupported(source):
        return None
    near = _nearest(source, formats)
    return near.format if near and 0 < near.faults <= len(source.head) else None


def _unsupported(source: Source) -> str | None:
    """Return the name of a format that is known but not read; None if it is no such format."""
    app = offered("unsupported")
    return None if app is None else app.describe_unsupported(source)


def _unknown_format(source: Source, kind: FileKind | None) -> FormatError:
    """Return the error for a file in an unknown format; it names what the file is, or the nearest format."""
    line, head = source.first_line
    expected = KIND_LABELS[kind] if kind else "a run or judgments"
    other = _other_kind(source, kind) if kind else None
    if other:
        swapped = "are judgments and run swapped?"
        return FormatError(f"found {other}, expected {expected}", path=source.name, hint=swapped)
    formats: list[AnyFormat] = []
    formats += run_formats().values() if kind != "judgments" else ()
    formats += judgments_formats().values() if kind != "run" else ()
    names = ", ".join(sorted({format_.name for format_ in formats}))
    hint = f"give ⟨{_SETTINGS[kind]}⟩, one of: {names}" if kind else f"known formats: {names}"
    if unsupported := _unsupported(source):
        advice = offered("unsupported").advise_unsupported(source) or hint
        message = f"found {unsupported}, expected {expected}"
        return FormatError(message, path=source.name, line=line, hint=advice)
    near = _nearest(source, formats)
    if near:
        message = f"unknown format; nearest: {near.format.name} ({near.format.layout}), but {near.message}"
        return FormatError(message, path=source.name, line=near.line, hint=hint)
    message = f"found {head!r}, expected {expected} in a known format"
    return FormatError(message, path=source.name, line=line, hint=hint)


def _other_kind(source: Source, kind: FileKind) -> str | None:
    """Return kind and format of a file that is not of the expected kind but of the other; else None."""
    other: FileKind = "judgments" if kind == "run" else "run"
    best = _best(source, run_formats()) if other == "run" else _best(source, judgments_formats())
    return f"{KIND_LABELS[other]} ({best.name})" if best.fit else None


class _Near(NamedTuple):
    faults: int
    format: AnyFormat
    message: str
    line: int | None


def _nearest(source: Source, formats: Sequence[AnyFormat]) -> _Near | None:
    tried = [near for format_ in formats if (near := _try(source, format_))]
    # A format that does not fit but finds no faults merely checks less.
    return min(tried, key=lambda near: (not near.faults, near.faults), default=None)


def _try(source: Source, format_: AnyFormat) -> _Near | None:
    faults = Faults(source.name, keep=True)
    part = replace(source, data=source.beginning, index=None, notices=Notices(), faults=faults)
    try:
        if not len(format_.read(part)):
            return None
    except ExcerptError:
        return None
    line, head = source.first_line
    odd = FormatError(f"{head!r} is not a regular line of this format", line=line)
    first = faults.found[0] if faults else odd
    return _Near(faults.count, format_, first.message, first.line)
