"""excerpt check: is this a valid run or judgment file? Every fault with its line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_index, count, open_index


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("check", example="excerpt check run.fol")
    result.add_argument("file", metavar="FILE", help="a run or judgment file (- for standard input)")
    result.add_argument(
        "--kind", choices=("run", "judgments"), help="what FILE is, where its format leaves it open"
    )
    result.add_argument("--format", metavar="FORMAT", help="instead of recognising it (see excerpt formats)")
    result.add_argument("--most", type=count, default=100, metavar="N", help="faults to list (default: 100)")
    add_index(result)
    return result


def main(given: Sequence[str]) -> int:
    """List the faults of a file, or say what it holds."""
    arguments = parser().parse(given)
    from excerpt.formats.checking import examine

    found = examine(
        arguments.file, kind=arguments.kind, format=arguments.format, index=open_index(arguments.index)
    )
    for fault in found.faults[: arguments.most]:
        print(fault)
    if len(found.faults) > arguments.most:
        print(f"... and {len(found.faults) - arguments.most} more")
    if not found.faults:
        print(found.summary)
    sys.stdout.flush()
    show_warnings(found.warnings)
    return 2 if found.faults else 0
