"""excerpt topics: list topics, check them, and write them in another format."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser, as_option, show_warnings
from excerpt.cli.latex import check_latex
from excerpt.cli.options import add_limits
from excerpt.cli.output import add_format, chosen_format, write_result
from excerpt.cli.streams import tell
from excerpt.cli.topic_choice import add_choice
from excerpt.errors import ExcerptError

_FORMATS = ("tsv", "jsonl", "trec", "inex", "indri")
_MOST = 1000


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("topics", example="excerpt topics topics.xml --only 201-210 --to tsv -o topics.tsv")
    result.add_argument("file", metavar="FILE", help="topics: a file, or a folder of files")
    add_choice(result)
    add_format(result, "the topics")
    result.add_argument(
        "--to",
        choices=_FORMATS,
        help="write the topics themselves in this format, to standard output or -o FILE",
    )
    add_limits(result)
    return result


def main(given: Sequence[str]) -> int:
    """Read, check, list or write; every fault is a line of its own."""
    arguments = parser().parse(given)
    if arguments.to:
        for option, value in (("--format", arguments.format), ("--safe-csv", arguments.safe_csv)):
            if value:
                raise ExcerptError(f"found --to and {option}, expected one: topics are written, or listed")
        check_latex(arguments, arguments.to)
    format_ = None if arguments.to else chosen_format(arguments)
    from excerpt.formats.topics.listing import TopicList, examine

    found, faults, notices = examine(
        arguments.file, only=arguments.only, exclude=arguments.exclude, most=_MOST
    )
    for fault in faults:
        tell(fault.say(as_option))
    if faults:
        return 2
    topics = TopicList(found, tuple(notices), notices)
    if format_ is None:
        topics.write(arguments.output, arguments.to)
        show_warnings(tuple(notices))
    else:
        write_result(topics, arguments, format_)
    return 0
