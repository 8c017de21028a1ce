"""excerpt report: one HTML file with scores, comparisons, topics and texts."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from excerpt.cli import Parser, show_warnings
from excerpt.cli.actions import ExpandOne
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.filling import as_given
from excerpt.cli.options import add_files, add_measures, add_policies, add_texts, scoring
from excerpt.cli.output import ending_of
from excerpt.cli.streams import Progress
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.render.reporting import Report
    from excerpt.render.saving import Saved

#: Options that name files; what they name is told without its folder.
_FILES = {"--corpus", "--topics", "--cited", "--index", "--blocks", "--quantisations"}
#: Options that change nothing of what a report says: where it goes, who does the work.
_UNTOLD = {
    *("-o", "--output", "--format", "--workers", "--cluster", "--max-size"),
    *("--host", "--port", "--no-browser", "--quiet", "--strict"),
}


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "report",
        example="excerpt report qrels.fol runs/*.fol -m MAiP -m charR --corpus docs.zip -o report.html",
    )
    add_files(result)
    add_measures(result, "measure; may be repeated (default: those of excerpt evaluate)")
    add_showing(result)
    result.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the HTML file; a report of over 25 MB becomes a folder of the same name",
    )
    result.add_argument(
        "--format",
        choices=("table", "json"),
        default="table",
        help="how to print what was written: in a line (table, the default) or as json",
    )
    add_policies(result)
    return result


def add_showing(parser: argparse.ArgumentParser) -> None:
    """What is shown beside scores: texts, topics, title."""
    group = add_texts(parser)
    group.add_argument(
        "--cited",
        action=ExpandOne,
        metavar="RUN",
        help="a run of cited text: a layer of its own, and what of each run it cites",
    )
    group.add_argument("--title", default="", metavar="T", help="title (default: the name of the judgments)")
    group.add_argument(
        "--no-text", action="store_true", help="numbers and offsets only, no text of the documents"
    )


def showing(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_showing` say: keyword arguments of `excerpt.report`."""
    return {
        "corpus": chosen_corpus(arguments),
        "topics": arguments.topics,
        "cited": arguments.cited,
        "title": arguments.title,
        "text": not arguments.no_text,
        "blocks": arguments.blocks,
    }


def reporting(arguments: argparse.Namespace) -> dict[str, Any]:
    """How runs are read and scored, the index by its name: it is told among the inputs."""
    return {**scoring(arguments), "index": arguments.index}


def main(given: Sequence[str]) -> None:
    """Read, evaluate, write."""
    made = parser()
    arguments = made.parse(given)
    check_page(arguments.output)
    from excerpt.notices import Notices
    from excerpt.render.reporting import report

    with Progress("evaluating") as progress:
        result = report(
            arguments.qrels,
            arguments.runs,
            arguments.measures,
            command=told_command(made, given),
            notices=Notices(),
            progress=progress,
            **showing(arguments),
            **reporting(arguments),
        )
    write_report(result, arguments.output, arguments.format)


def check_page(name: str) -> None:
    """Before any work is done: an error where a name asks for something else than a page, or has no folder.

    >>> check_page("report.html"), check_page("report"), check_page("-")
    (None, None, None)
    """
    if (ending := ending_of(name)) not in {"", ".html", ".htm"}:
        raise ExcerptError(f"found a name that ends in {ending}, expected .html or .htm", path=name)
    from excerpt.render.saving import require_place

    require_place(name)


def write_report(result: Report, output: str, format_: str) -> None:
    """Write a report, say in a line or as JSON what was written, then its warnings."""
    from excerpt.errors import json_text, one_line, plural

    saved = result.save(output)
    world = result.world
    counts = {
        "runs": len(world.table.runs),
        "topics": len(world.table.topics),
        "documents": len(world.document_names),
    }
    if output != "-" and format_ == "json":
        print(json_text({"path": saved.path, "bytes": saved.size, "folder": saved.folder, **counts}))
    elif output != "-":
        listed = ", ".join(plural(number, noun.removesuffix("s")) for noun, number in counts.items())
        print(one_line(f"{saved.path}: {listed}, {saved.size / 1e6:.1f} MB{_folder_note(saved)}"))
    show_warnings(world.warnings)


def _folder_note(saved: Saved) -> str:
    if not saved.folder:
        return ""
    page = os.path.join(saved.path, "index.html")  # noqa: PTH118
    return f"; a folder, since one file would be too large: open {page}"


def told_command(parser: Parser, given: Sequence[str]) -> str:
    """The command as a report tells it: without output and workers, names of files instead of their paths.

    >>> told_command(parser(), ["a/q", "b/r", "-m", "MAiP", "--corpus=c/d.zip", "-o", "e/x.html"])
    'excerpt report q r -m MAiP --corpus d.zip'
    """
    files, options = as_given(parser.filled)
    words = [*given, *files] if "qrels" not in parser.filled else [*files, *given]
    return shlex.join([*parser.prog.split(), *_told(parser, [*words, *options])])


def _told(parser: argparse.ArgumentParser, given: Sequence[str]) -> Iterator[str]:
    tokens = iter(given)
    for token in tokens:
        option, equals, value = token.partition("=")
        action = parser._option_string_actions.get(option)  # noqa: SLF001 - argparse has no door for that
        if action is None and token[:2] in {"-o", "-m"} and len(token) > 2:
            option, equals, value = token[:2], "=", token[2:]
            action = parser._option_string_actions[option]  # noqa: SLF001
        if action is None:
            yield token if token == "--" else _base(token)  # noqa: S105
            continue
        value = value if equals or action.nargs == 0 else next(tokens, "")
        if option not in _UNTOLD:
            yield option
            yield from [_base(value) if option in _FILES else value] if action.nargs != 0 else []


def _base(name: str) -> str:
    """A name without folders; lists of names and standard input keep their marks."""
    mark = "@" if name.startswith("@") else ""
    return mark + (os.path.basename(name[len(mark) :].rstrip("/\\")) or name)  # noqa: PTH119
