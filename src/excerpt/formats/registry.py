"""Which formats there are, ours and those of other packages; and which one a file is in, by its content."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeGuard, TypeVar, get_args

from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.formats.source import Faults, Source
from excerpt.model.judgments import Judgments
from excerpt.model.run import Order, Run
from excerpt.notices import Notices

Content = TypeVar("Content", Run, Judgments)
Kind: TypeAlias = Literal["run", "judgments"]

_FEW = 2  # lines
#: What files of each kind are called in messages.
KIND_LABELS = {"run": "a run", "judgments": "judgments"}
_SETTINGS = {"run": "run_format", "judgments": "qrels_format"}


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
    #: As `write`, where the elements of documents are known: they are given by the document's id.
    write_placed: Callable[[Content, io.BufferedIOBase, Any], None] | None = None
    #: Whether the reader itself asks where passages are whose ids it finds.
    reads_ids: bool = False
    #: Whether it must be named, since files of it look like those of another format.
    by_name: bool = False


AnyFormat: TypeAlias = "Format[Run] | Format[Judgments]"
_run_formats: dict[str, Format[Run]] = {}
_judgments_formats: dict[str, Format[Judgments]] = {}


def register_run(format_: Format[Run]) -> None:
    """Make a run format known."""
    _run_formats[format_.name] = format_


def register_judgments(format_: Format[Judgments]) -> None:
    """Make a judgments format known."""
    _judgments_formats[format_.name] = format_


def recognise_nothing(_source: Source) -> int:
    """How formats that must be named look at files."""
    return 0


#: How far to look for formats: those in columns, all of ours, those of other packages too. Each takes longer.
Reach: TypeAlias = Literal["columns", "ours", "all"]
REACHES: tuple[Reach, ...] = get_args(Reach)


@cache
def _load(reach: Reach) -> None:
    """Import the modules of the two rooms, and those of the entry-point group `excerpt.formats`."""
    for room in ("runs", "judgments"):
        package: Any = importlib.import_module(f"excerpt.formats.{room}")
        names = package.COLUMNS
        if reach != "columns":
            from pkgutil import iter_modules

            names = [module.name for module in iter_modules(package.__path__)]
        for name in names:
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


def run_format_of(source: Source, name: str | None = None) -> Format[Run]:
    """The format of a run, as the user says or as its content shows."""
    if is_column_list(name):
        from excerpt.formats.named_columns import run_format

        return run_format(name)
    return _find(name, run_formats, "run") if name else _recognise(source, run_formats, "run")


def judgments_format_of(source: Source, name: str | None = None) -> Format[Judgments]:
    """The format of judgments, as the user says or as their content shows."""
    if is_column_list(name):
        from excerpt.formats.named_columns import judgments_format

        return judgments_format(name)
    known = judgments_formats
    return _find(name, known, "judgments") if name else _recognise(source, known, "judgments")


def is_column_list(name: str | None) -> TypeGuard[str]:
    """Whether a format is the columns that a user named, such as `columns:topic,document,score`."""
    return name is not None and name.startswith("columns:")


def _find(name: str, known: Callable[[Reach], dict[str, Format[Content]]], kind: Kind) -> Format[Content]:
    for reach in REACHES:
        formats = known(reach)
        if name in formats:
            return formats[name]
    raise UnknownName(f"{kind} format", name, formats)


def kind_of(source: Source, *, kind: Kind | None = None, name: str | None = None) -> Kind:
    """What a file holds: as the user says, as the name of its format says, or as its content shows."""
    if is_column_list(name):
        from excerpt.formats.named_columns import NamedColumns

        told = kind or NamedColumns.of(name).kind()
        if told is None:
            raise ExcerptError(
                "found columns that tell no kind of file, expected one", hint="give ⟨kind=run⟩"
            )
        return told
    runs, judgments = run_formats(), judgments_formats()
    if name and name not in runs and name not in judgments:
        raise UnknownName("format", name, {*runs, *judgments})
    if kind:
        return kind
    if name:
        return _kind_by_format(source, runs.get(name), judgments.get(name))
    shown = detect_kind(source)
    if shown:
        return shown
    near = _near_format(source, [*runs.values(), *judgments.values()])
    if near is None:
        raise _unknown_format(source, None)
    return near.kind


def _kind_by_format(source: Source, run: Format[Run] | None, judged: Format[Judgments] | None) -> Kind:
    """What a file of a format is, which is of one kind or of both; one of them there must be."""
    if run is None or judged is None:
        return "run" if judged is None else "judgments"
    fit, other = run.recognise(source), judged.recognise(source)
    if fit == other:  # a format that must be named: its files look like others of their kind
        return detect_kind(source) or "judgments"
    return "run" if fit > other else "judgments"


def detect_kind(source: Source) -> Kind | None:
    """What a file holds as its content shows; None where that is neither a run nor judgments."""
    fit, other = _best(source, run_formats()).fit, _best(source, judgments_formats()).fit
    return ("run" if fit > other else "judgments") if fit or other else None


class _Best(NamedTuple):
    """The format that fits best, and how many lines it fits; 0 where no format fits half of the lines."""

    name: str
    fit: int


def _best(source: Source, formats: dict[str, Format[Content]]) -> _Best:
    fits = {name: format_.recognise(source) for name, format_ in formats.items()}
    best = max(fits, key=lambda name: fits[name])
    return _Best(best, fits[best] if 2 * fits[best] >= len(source.head) else 0)


def _recognise(
    source: Source, known: Callable[[Reach], dict[str, Format[Content]]], kind: Kind
) -> Format[Content]:
    """The format that fits best; other packages' formats only where none of ours fits."""
    # Where every line is as a format in columns has it, no other one can fit better.
    for reach, enough in zip(REACHES, (len(source.head) or 1, 1, 1), strict=True):
        formats = known(reach)
        best = _best(source, formats)
        if best.fit >= enough:
            return formats[best.name]
    near = None if _other_kind(source, kind) else _near_format(source, list(formats.values()))
    if near is None:
        raise _unknown_format(source, kind)
    return formats[near.name]


def _describe_unsupported(source: Source) -> str | None:
    from excerpt.formats.validation import describe_unsupported  # here: most files are no strangers

    return describe_unsupported(source)


def _near_format(source: Source, formats: Sequence[AnyFormat]) -> AnyFormat | None:
    """The format of a file of very few lines, half of which may well be faulty: up to one fault in each."""
    if not 0 < len(source.head) <= _FEW or _describe_unsupported(source):
        return None
    near = _nearest(source, formats)
    return near.format if near and 0 < near.faults <= len(source.head) else None


def _unknown_format(source: Source, kind: Kind | None) -> FormatError:
    """The error for a file in no known format: what it is, if that can be told, else what comes nearest."""
    line, head = source.first_line
    wanted = KIND_LABELS[kind] if kind else "a run or judgments"
    other = _other_kind(source, kind) if kind else None
    if other:
        return FormatError(
            f"found {other}, expected {wanted}", path=source.name, hint="are judgments and run swapped?"
        )
    known: list[AnyFormat] = []
    known += run_formats().values() if kind != "judgments" else ()
    known += judgments_formats().values() if kind != "run" else ()
    names = ", ".join(sorted({format_.name for format_ in known}))
    hint = f"give ⟨{_SETTINGS[kind]}⟩, one of: {names}" if kind else f"known formats: {names}"
    foreign = _describe_unsupported(source)
    if foreign:
        from excerpt.formats.validation import advise_unsupported

        advice = advise_unsupported(source) or hint
        return FormatError(f"found {foreign}, expected {wanted}", path=source.name, line=line, hint=advice)
    near = _nearest(source, known)
    if near:
        return FormatError(
            f"unknown format; nearest: {near.format.name} ({near.format.layout}), but {near.message}",
            path=source.name,
            line=near.line,
            hint=hint,
        )
    return FormatError(
        f"found {head!r}, expected {wanted} in a known format", path=source.name, line=line, hint=hint
    )


def _other_kind(source: Source, kind: Kind) -> str | None:
    """What a file is that should be of one kind and is of the other."""
    other: Kind = "judgments" if kind == "run" else "run"
    best = _best(source, run_formats()) if other == "run" else _best(source, judgments_formats())
    return f"{KIND_LABELS[other]} ({best.name})" if best.fit else None


class _Near(NamedTuple):
    """What a format finds wrong in the first lines of a file: how many faults, and the first."""

    faults: int
    format: AnyFormat
    message: str
    line: int | None


def _nearest(source: Source, formats: Sequence[AnyFormat]) -> _Near | None:
    """The format whose reader gets something out of the first lines and finds the fewest faults."""
    tried = [near for format_ in formats if (near := _try(source, format_))]
    # A reader without complaints, of a format that does not fit, merely looks at less.
    return min(tried, key=lambda near: (not near.faults, near.faults), default=None)


def _try(source: Source, format_: AnyFormat) -> _Near | None:
    """What a format's reader makes of the first lines; None where it gets nothing out of them."""
    faults = Faults(source.name, keep=True)
    part = replace(source, data=source.beginning, index=None, notices=Notices(), faults=faults)
    try:
        if not len(format_.read(part)):
            return None
    except ExcerptError:
        return None
    line, head = source.first_line
    first = faults.found[0] if faults else FormatError(f"{head!r} is not a usual line of it", line=line)
    return _Near(faults.count, format_, first.message, first.line)
