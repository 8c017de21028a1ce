"""What the commands of experiments share: seed, output formats, figures, the record."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from excerpt.cli import show_warnings
from excerpt.cli.options import add_output
from excerpt.errors import UnknownName

if TYPE_CHECKING:
    from excerpt.experiments import Outcome, Record

FIGURES = ("svg", "pdf", "png")
FORMATS = ("table", "json", "csv", "tsv", "latex", "markdown")

_ENGINES = {"--workers", "--cluster"}


def add_outcome(parser: argparse.ArgumentParser, *, seed: bool = True) -> None:
    """--seed, --format, -o, --record and --figure."""
    if seed:
        parser.add_argument(
            "--seed", type=_seed, default=1, metavar="N", help="of all random choices (default: 1)"
        )
    parser.add_argument(
        "--format", default="table", choices=FORMATS, help="how to print the rows (default: table)"
    )
    add_output(parser)
    parser.add_argument(
        "--record", metavar="FILE", help="also keep rows and record as JSON there, for excerpt rerun"
    )
    parser.add_argument(
        "--figure", metavar="FILE", help="draw a figure: a name that ends in .svg, .pdf or .png"
    )


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least 0")
    return int(text)


def record(arguments: argparse.Namespace, command: str, given: Sequence[str]) -> Record:
    """The record of a command: its files as they are now, its seed, and its arguments."""
    from excerpt.experiments import Record

    files = [arguments.qrels, *arguments.runs]
    files += [
        getattr(arguments, name)
        for name in ("quantisations", "groups", "qrels2")
        if getattr(arguments, name, None)
    ]
    if getattr(arguments, "index", None):
        files.append(str(Path(arguments.index) / "index.json"))  # which has the check sums of the others
    seed = getattr(arguments, "seed", None)
    return Record.made(command, files, seed=seed, arguments=[*command.split(), *_without_engine(given)])


def _without_engine(given: Sequence[str]) -> list[str]:
    """The arguments but for who does the work: it changes nothing, and may be another one the next time."""
    before = ("", *given)
    return [
        text
        for option, text in zip(before, given, strict=False)
        if option not in _ENGINES and text.partition("=")[0] not in _ENGINES
    ]


def present(
    outcome: Outcome,
    arguments: argparse.Namespace,
    draw: Callable[[Any], None] | None = None,
    *,
    table: str | None = None,
) -> None:
    """Write the rows (or a table made of them, for people), then figure and record, then the warnings."""
    from excerpt.files import write_bytes

    figure = drawn(draw, arguments.figure) if arguments.figure and draw is not None else None
    text = (
        table if table is not None and arguments.format == "table" else _rendered(outcome, arguments.format)
    )
    write_bytes(arguments.output, text.encode(errors="backslashreplace"))
    if figure is not None:
        write_bytes(arguments.figure, figure)
    if arguments.record:
        write_bytes(arguments.record, outcome.to_json().encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(outcome.warnings)


def _rendered(outcome: Outcome, format_: str) -> str:
    from excerpt.render.tables import render_records

    if format_ == "json":
        return outcome.to_json()
    # Tables for people leave out the single values behind a mean; CSV and TSV have them.
    whole = format_ in {"csv", "tsv"}
    shown = [name for name in outcome.columns if whole or not isinstance(outcome.rows[0][name], list | tuple)]
    return render_records(shown, [[_cell(row[name]) for name in shown] for row in outcome.rows], format_)


def check_figure(name: str | None) -> None:
    """Before any work is done: can a figure of this name be drawn?"""
    if name:
        from excerpt.render.figures.curve import require

        require(_suffix(name))


def drawn(draw: Callable[[Any], None], name: str) -> bytes:
    """A figure in the format that its name ends in."""
    from excerpt.render.figures.curve import render_figure

    return render_figure(draw, _suffix(name))


def _suffix(name: str) -> str:
    suffix = PurePath(name).suffix[1:].lower()
    if suffix not in FIGURES:
        raise UnknownName("figure format", suffix or name, FIGURES)
    return suffix


def _cell(value: object) -> str | float | None:
    """A value as tables show it: whole numbers and truth as text, lists left to JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return value
    if isinstance(value, list | tuple):
        return " ".join("-" if item is None else str(item) for item in value)
    return str(value)
