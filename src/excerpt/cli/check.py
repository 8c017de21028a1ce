"""excerpt check and convert: every fault of run and judgment files with its line; other formats of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt import options
from excerpt.cli.console import show_warnings
from excerpt.cli.parser import Parser, chosen, reading
from excerpt.errors import ExcerptError, one_line
from excerpt.options import Option, as_option, choice, corpus_help

if TYPE_CHECKING:
    from excerpt.formats.validation import Examination

_KIND = Option("kind", "what the files are, if their format does not say", kind=choice("run", "judgments"))
_QUOTED = options.CORPUS.but(
    help=corpus_help("the documents, with which quotes of questions with evidence are compared")
)
_READING = (options.INDEX, _QUOTED, *options.CUTTING, options.CONTEXT, *options.IDS)


def check_parser() -> Parser:
    """The arguments of excerpt check."""
    in_format = "the files are {} in this format (see excerpt formats)"
    return Parser(
        "check",
        options.RUNS.but(
            name="files",
            help="run or judgment files (- for standard input), folders of them, or @LIST of their names",
            metavar="FILE",
            setting=None,
        ),
        _KIND,
        options.RUN_FORMAT.but(help=in_format.format("runs"), either="format"),
        options.QRELS_FORMAT.but(help=in_format.format("judgments"), either="format"),
        Option(
            "most", "faults to list per file (default: 100)", kind=options.COUNT, default=100, metavar="N"
        ),
        options.FORMAT.but(help="how to print the result (default: table)"),
        *_READING,
        options.MAX_SIZE,
        example="excerpt check qrels.fol runs/",
    )


def check_main(given: Sequence[str]) -> int:
    """List the faults of each file, or say what it holds."""
    arguments = check_parser().parse(given)
    how = _opened(arguments)
    found = []
    for file in arguments.files:
        found.append(_check(file, arguments, how))
        if arguments.format == "table":
            _show(found[-1])
    if arguments.format == "json":
        import json

        print(json.dumps({"files": [_record(one) for one in found]}, indent=1, ensure_ascii=False))
        show_warnings(warning for one in found for warning in one.warnings)
    return 0 if all(found) else 2


def _opened(arguments: argparse.Namespace) -> dict[str, Any]:
    """How files are read, the index opened once for all of them."""
    how = {**chosen(arguments, [_KIND]), **reading(arguments)}
    if "index" in how:
        from excerpt.index import OffsetIndex

        how["index"] = OffsetIndex.open(how["index"])
    return how


def _check(file: str, arguments: argparse.Namespace, how: dict[str, Any]) -> Examination:
    """What is found in a file; that one of many cannot be read is a fault of its own."""
    from excerpt.formats.validation import Examination, check

    try:
        return check(file, most=arguments.most, **how)
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


def convert_parser() -> Parser:
    """The arguments of excerpt convert."""
    return Parser(
        "convert",
        Option(
            "input",
            "a run or judgment file (- for standard input), or a folder of judgments",
            (),
            metavar="IN",
            required=True,
            role="reads",
        ),
        options.OUTPUT.but(
            help="the file to write (- for standard output)",
            flags=(),
            default=None,
            metavar="OUT",
            required=True,
        ),
        Option("to", "format to write (see excerpt formats)", metavar="FORMAT", required=True),
        Option("from_", "format of IN (default: recognised)", ("--from",), metavar="FORMAT"),
        _KIND.but(help="what IN is, if its format does not say"),
        options.ORDER.but(help="order of a run's results", setting=None, group=""),
        *_READING,
        *options.CHOICE,
        options.MAX_SIZE,
        example="excerpt convert run.xml run.fol --to fol --index INDEX",
    )


def convert_main(given: Sequence[str]) -> None:
    """Read a file in one format and write it in another."""
    arguments = convert_parser().parse(given)
    from excerpt.formats.validation import convert
    from excerpt.notices import Notices

    notices = Notices()
    convert(
        arguments.input,
        arguments.output,
        arguments.to,
        source_format=arguments.from_,
        notices=notices,
        **_opened(arguments),
    )
    show_warnings(tuple(notices))
