"""excerpt rerun: an experiment again, from the record that it printed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from excerpt.cli import COMMANDS, Parser, show_warnings
from excerpt.cli.options import add_output
from excerpt.errors import ExcerptError, UnknownName

if TYPE_CHECKING:
    from excerpt.experiments import Record

#: Commands that print a record; a record that asks for any other is refused.
EXPERIMENTS = ("agreement", "compare", "correlate", "stability", "testerror")


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("rerun", example="excerpt rerun agreement.json --check")
    result.add_argument(
        "record", metavar="RECORD", help="what an experiment printed with --format json, in a file"
    )
    result.add_argument(
        "--check",
        action="store_true",
        help="say whether the rows are the same; exit status 2 if they are not",
    )
    result.add_argument(
        "--figure", metavar="FILE", help="draw the figure again: a name that ends in .svg, .pdf or .png"
    )
    add_output(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read the record, check its files, run its command, compare."""
    arguments = parser().parse(given)
    from excerpt import __version__
    from excerpt.experiments.rerun import Printed, first_difference
    from excerpt.files import write_bytes

    printed = Printed.read(arguments.record)
    command = _command(printed.record, printed.path)
    printed.require_inputs()
    if printed.record.version != __version__:
        show_warnings([f"{printed.path} is of excerpt {printed.record.version}, this is {__version__}"])
    text = _again(command, printed.record, arguments.figure)
    if not arguments.check or arguments.output != "-":
        write_bytes(arguments.output, text)
    if arguments.check:
        difference = first_difference(Printed.parse(text.decode()).rows, printed.rows)
        if difference:
            raise ExcerptError(f"the rows are not the same: {difference}", path=printed.path)
        print(f"{printed.path}: the rows are the same ({len(printed.rows)})")


def _command(record: Record, path: str) -> Any:
    """The module of the command that made the record."""
    name, known = (record.arguments or ("",))[0], [name for name in EXPERIMENTS if name in COMMANDS]
    if not record.arguments:
        raise ExcerptError(
            "found a record without arguments, expected one of the command line",
            path=path,
            hint="an experiment that was called from Python is run again from there",
        )
    if name not in known:
        raise UnknownName("experiment", name, known)
    return import_module(f"excerpt.cli.{name}")


def _again(command: Any, record: Record, figure: str | None) -> bytes:
    """What the command prints now, into no file of its own, and with the arguments that it had."""
    from excerpt.experiments.rerun import with_arguments

    given = list(record.arguments[1:])
    end = given.index("--") if "--" in given else len(given)
    with tempfile.TemporaryDirectory(prefix="excerpt-") as folder:
        output = Path(folder) / "rows.json"
        # The last of several options counts, so these replace those of the record.
        given[end:end] = [
            "--format",
            "json",
            "--output",
            str(output),
            "--figure",
            figure or "",
            "--record",
            "",
        ]
        if "--keep" in given:  # nothing is taken from the parts that the first time kept
            given[end:end] = ["--keep", str(Path(folder) / "parts")]
        command.main(given)
        return with_arguments(output.read_bytes(), record.arguments)
