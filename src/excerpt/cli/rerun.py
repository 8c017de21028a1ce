"""excerpt rerun: repeat an experiment from its record."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.experiment import run
from excerpt.cli.figures import add_figure, check_figure, write_figure
from excerpt.cli.options import add_engine
from excerpt.cli.output import add_output
from excerpt.errors import ExcerptError


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("rerun", example="excerpt rerun agreement.json --check")
    result.add_argument(
        "saved", metavar="RECORD", help="a file that an experiment wrote with --record FILE or --format json"
    )
    result.add_argument(
        "--check",
        action="store_true",
        help="say whether the rows are the same; exit status 2 if they are not",
    )
    add_figure(result, "draw the figure again")
    add_output(result)
    add_engine(result, "runs")
    return result


def main(given: Sequence[str]) -> None:
    """Read the record, check its files, run its experiment, compare."""
    arguments = parser().parse(given)
    check_figure(arguments)
    from excerpt import __version__
    from excerpt.experiments.repeat import Printed, first_difference
    from excerpt.files import write_bytes

    printed = Printed.read(arguments.saved)
    if printed.record.version != __version__:
        show_warnings(
            [f"{printed.path} was written by excerpt {printed.record.version}, this is {__version__}"]
        )
    outcome = run(printed.run, arguments)
    write_figure(outcome, arguments)
    if not arguments.check or arguments.output != "-":
        write_bytes(arguments.output, outcome.to_json().encode(errors="backslashreplace"))
    show_warnings(outcome.warnings)
    if arguments.check:
        difference = first_difference(Printed.parse(outcome.to_json()).rows, printed.rows)
        if difference:
            raise ExcerptError(f"the rows are not the same: {difference}", path=printed.path)
        print(f"{printed.path}: the rows are the same ({len(printed.rows)})")
