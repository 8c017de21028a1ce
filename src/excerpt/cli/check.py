"""excerpt check: are these valid run or judgment files? Every fault with its line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt.cli import Parser, as_option, show_warnings
from excerpt.cli.actions import ExpandFiles
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.gold import add_context
from excerpt.cli.ids import add_ids, chosen_ids
from excerpt.cli.options import add_corpus, add_index, add_limits, count, open_index
from excerpt.errors import ExcerptError, one_line

if TYPE_CHECKING:
    from excerpt.formats.checking import Examination
    from excerpt.index import OffsetIndex


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("check", example="excerpt check qrels.fol runs/")
    result.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        action=ExpandFiles,
        help="run or judgment files (- for standard input), folders of them, or @LIST of their names",
    )
    result.add_argument(
        "--kind", choices=("run", "judgments"), help="what the files are, if their format does not say"
    )
    formats = result.add_mutually_exclusive_group()
    for name, what in (("--run-format", "runs"), ("--qrels-format", "judgments")):
        formats.add_argument(
            name, metavar="FORMAT", help=f"the files are {what} in this format (see excerpt formats)"
        )
    result.add_argument(
        "--most", type=count, default=100, metavar="N", help="faults to list per file (default: 100)"
    )
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json"),
        help="how to print the result (default: table)",
    )
    add_index(result)
    add_corpus(result, "the documents, with which quotes of questions with evidence are compared")
    add_context(result)
    add_ids(result)
    add_limits(result)
    return result


def main(given: Sequence[str]) -> int:
    """List the faults of each file, or say what it holds."""
    arguments = parser().parse(given)
    index = open_index(arguments.index)
    found = []
    for file in arguments.files:
        found.append(_check(file, arguments, index))
        if arguments.format == "table":
            _show(found[-1])
    if arguments.format == "json":
        import json

        print(json.dumps({"files": [_record(one) for one in found]}, indent=1, ensure_ascii=False))
        show_warnings(warning for one in found for warning in one.warnings)
    return 0 if all(found) else 2


def _check(file: str, arguments: argparse.Namespace, index: OffsetIndex | None) -> Examination:
    """What is found in a file; that one of many cannot be read is a fault of its own."""
    from excerpt.formats.checking import Examination, check

    try:
        return check(
            file,
            kind=arguments.kind,
            run_format=arguments.run_format,
            qrels_format=arguments.qrels_format,
            index=index,
            corpus=chosen_corpus(arguments),
            context=arguments.context,
            most=arguments.most,
            **chosen_ids(arguments),
        )
    except ExcerptError as error:
        if len(arguments.files) == 1 or error.path is None:
            raise
        return Examination(error.path, "", (error,), 1, ())


def _show(found: Examination) -> None:
    for fault in found.faults:
        print(fault.say(as_option))
    if found.count > len(found.faults):
        print(f"... and {found.count - len(found.faults)} more")
    if found:
        print(one_line(str(found)))
    sys.stdout.flush()
    show_warnings(found.warnings)


def _record(found: Examination) -> dict[str, Any]:
    faults = [{"line": fault.line, "message": fault.say(as_option)} for fault in found.faults]
    return {
        "file": found.name,
        "summary": found.summary,
        "faults": faults,
        "count": found.count,
        "warnings": list(found.warnings),
    }
