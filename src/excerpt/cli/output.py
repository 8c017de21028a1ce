"""How results are printed or written: the format by option or by the name of the file, and how they look."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from excerpt.cli import show_warnings
from excerpt.render.formats import TABLES, choose_format

if TYPE_CHECKING:
    from excerpt.model.showable import Showable
    from excerpt.render.tables import Look


def add_format(
    parser: argparse.ArgumentParser, what: str, *, known: Mapping[str, str] = TABLES, output: bool = True
) -> None:
    """--format and --safe-csv; with `output` also -o, whose ending says the format."""
    default = "by the ending of -o FILE, else table" if output else "table"
    parser.add_argument(
        "--format",
        choices=tuple(known),
        help=f"how to print {what} (default: {default}); json, csv and tsv keep every digit",
    )
    parser.add_argument(
        "--safe-csv",
        action="store_true",
        help="csv and tsv: put a quote before text that a spreadsheet would compute (= + - @)",
    )
    if output:
        parser.add_argument(
            "-o", "--output", default="-", metavar="FILE", help="write there instead of standard output"
        )


def chosen_format(arguments: argparse.Namespace, known: Mapping[str, str] = TABLES) -> str:
    """What the options of `add_format` say; to be asked before any work is done."""
    return choose_format(getattr(arguments, "output", "-"), arguments.format, known)


def chosen_look(arguments: argparse.Namespace) -> Look:
    """Digits, the width of the terminal that is printed on, and whether CSV is for spreadsheets."""
    from excerpt.render.fit import terminal_width
    from excerpt.render.tables import Look

    return Look(
        digits=getattr(arguments, "digits", 4),
        width=terminal_width(getattr(arguments, "output", "-")),
        safe=arguments.safe_csv,
    )


def write_result(result: Showable, arguments: argparse.Namespace, format_: str) -> None:
    """Write a result, then its warnings."""
    from excerpt.files import write_bytes
    from excerpt.render.results import show

    text = show(result, format_, chosen_look(arguments))
    write_bytes(arguments.output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(result.warnings)
