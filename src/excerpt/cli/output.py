"""How results are printed or written: the format by option or by the name of the file, and how they look."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from excerpt.cli import show_warnings
from excerpt.cli.latex import add_latex, check_latex, chosen_latex, chosen_marks
from excerpt.cli.options import count_from_zero
from excerpt.cli.terminal import add_color, chosen_colours
from excerpt.errors import ExcerptError
from excerpt.files.compression import SUFFIXES

if TYPE_CHECKING:
    from excerpt.model.showable import Showable
    from excerpt.render.tables import Look

#: Formats of tables, each with the ending of a file's name that asks for it.
TABLES = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "latex": ".tex", "markdown": ".md"}
#: Formats of figures.
FIGURES = {"svg": ".svg", "pdf": ".pdf", "png": ".png"}


def add_format(
    parser: argparse.ArgumentParser,
    what: str,
    *,
    known: Mapping[str, str] = TABLES,
    output: bool = True,
    color: bool = True,
) -> None:
    """--format, --safe-csv, --color and options of LaTeX; with `output` also -o, whose ending says it."""
    default = "by the ending of -o FILE, else table" if output else "table"
    parser.add_argument(
        "--format",
        choices=tuple(known),
        help=f"how to print {what} (default: {default}); json, csv and tsv keep every digit",
    )
    parser.add_argument(
        "--safe-csv",
        action="store_true",
        help="csv and tsv: put a quote before text that a spreadsheet would take for a formula (= + - @)",
    )
    if color:
        add_color(parser, "colours in a table")
    if output:
        add_output(parser)
    if "latex" in known:
        add_latex(parser)


def add_digits(parser: argparse.ArgumentParser) -> None:
    """--digits of scores in tables."""
    parser.add_argument(
        "--digits",
        type=count_from_zero,
        default=4,
        metavar="N",
        help="digits after the point (default: 4)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """-o: where the results go."""
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="write to FILE instead of standard output"
    )


def chosen_format(arguments: argparse.Namespace, known: Mapping[str, str] = TABLES) -> str:
    """What the options of `add_format` say; call it before any work is done."""
    format_ = arguments.format or format_of(getattr(arguments, "output", "-"), known)
    check_latex(arguments, format_)
    return format_


def ending_of(name: str) -> str:
    """The ending of the name of a file, without one that asks for compression.

    >>> ending_of("a.b/Scores.CSV.gz"), ending_of("-"), ending_of(".hidden")
    ('.csv', '', '')
    """
    suffixes = [f".{part.lower()}" for part in os.path.basename(name).lstrip(".").split(".")[1:]]  # noqa: PTH119
    return next((end for end in reversed(suffixes) if end not in SUFFIXES), "")


def format_of(name: str, known: Mapping[str, str] = TABLES) -> str:
    """The format that the name of a file ends in; a table for standard output and names without an ending.

    >>> format_of("scores.csv.gz"), format_of("-")
    ('csv', 'table')
    """
    suffix = ending_of(name)
    for format_, ending in known.items():
        if suffix == ending:
            return format_
    if not suffix and "table" in known:
        return "table"
    *others, last = known.values()
    raise ExcerptError(
        f"found a name that ends in {suffix or 'nothing'}, expected {', '.join(others)} or {last}",
        path=name,
        hint="or choose the format with --format" if "table" in known else "",
    )


def chosen_look(arguments: argparse.Namespace) -> Look:
    """Digits, the width of the terminal that is printed on, and whether CSV is for spreadsheets."""
    from excerpt.render.fit import terminal_width
    from excerpt.render.tables import Look

    return Look(
        digits=getattr(arguments, "digits", 4),
        width=terminal_width(getattr(arguments, "output", "-")),
        colours=chosen_colours(arguments),
        safe=arguments.safe_csv,
        latex=chosen_latex(arguments),
        marks=chosen_marks(arguments),
    )


def write_result(result: Showable, arguments: argparse.Namespace, format_: str) -> None:
    """Write a result, then its warnings."""
    from excerpt.files import write_bytes
    from excerpt.render.tables import show

    text = show(result, format_, chosen_look(arguments))
    write_bytes(arguments.output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(result.warnings)
