"""excerpt convert: between run formats and between judgment formats."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_index, open_index
from excerpt.errors import UnknownName
from excerpt.files import STDIN

if TYPE_CHECKING:
    from excerpt.formats.source import Source


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("convert", example="excerpt convert run.xml run.fol --to fol --index INDEX")
    result.add_argument(
        "input", metavar="IN", help="a run or judgment file (- for standard input), or a folder of judgments"
    )
    result.add_argument("output", metavar="OUT", help="the file to write (- for standard output)")
    result.add_argument("--to", required=True, metavar="FORMAT", help="see excerpt formats")
    result.add_argument("--from", dest="from_", metavar="FORMAT", help="instead of recognising it")
    result.add_argument(
        "--kind", choices=("run", "judgments"), help="what IN is, where its format leaves it open"
    )
    result.add_argument("--order", choices=("file", "rank", "score"), help="order of a run's results")
    add_index(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read a file in one format and write it in another."""
    arguments = parser().parse(given)
    from excerpt.formats import judgments_formats, read_judgments, run_formats, write_judgments
    from excerpt.formats.source import Source
    from excerpt.notices import Notices

    known = {*run_formats(), *judgments_formats()}
    if arguments.to not in known:
        raise UnknownName("format", arguments.to, known)
    index, notices = open_index(arguments.index), Notices()
    if arguments.input != STDIN and Path(arguments.input).is_dir():
        judgments = read_judgments(arguments.input, format=arguments.from_, index=index, notices=notices)
        write_judgments(judgments, arguments.output, arguments.to)
    else:
        _convert_file(Source.open(arguments.input, index=index, notices=notices), arguments)
    show_warnings(tuple(notices))


def _convert_file(source: Source, arguments: argparse.Namespace) -> None:
    from excerpt.formats import write_judgments, write_run
    from excerpt.formats.registry import judgments_from, run_from
    from excerpt.formats.sniff import kind_of

    if kind_of(source, kind=arguments.kind, format_=arguments.from_) == "judgments":
        write_judgments(judgments_from(source, arguments.from_), arguments.output, arguments.to)
        return
    run = run_from(source, arguments.from_, arguments.order)
    lost = int((~run.known).sum()) if run.kind != "elements" else 0
    source.notices.add("result names something that does not exist, and still does", lost, where=source.name)
    write_run(run, arguments.output, arguments.to)
