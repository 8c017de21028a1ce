"""excerpt topics: list and check topics, or convert them to another format."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli.console import print_message, show_warnings
from excerpt.cli.output import check_latex, chosen_format, format_options, write_result
from excerpt.cli.parser import Parser
from excerpt.errors import ExcerptError
from excerpt.options import CHOICE, MAX_SIZE, Option, as_option, choice

_FORMATS = ("tsv", "jsonl", "trec", "inex", "indri")
_MOST = 1000


def parser() -> Parser:
    """Return the parser of the command."""
    return Parser(
        "topics",
        Option(
            "file", "topics: a file, or a folder of files", (), metavar="FILE", required=True, role="reads"
        ),
        *CHOICE,
        *format_options("the topics"),
        Option(
            "to",
            "convert the topics to this format, to standard output or -o FILE",
            kind=choice(*_FORMATS),
        ),
        MAX_SIZE,
        example="excerpt topics topics.xml --only 201-210 --to tsv -o topics.tsv",
    )


def main(given: Sequence[str]) -> int:
    """List or convert the topics; each fault is printed in a line."""
    arguments = parser().parse(given)
    if arguments.to:
        for option, value in (("--format", arguments.format), ("--safe-csv", arguments.safe_csv)):
            if value:
                raise ExcerptError(f"--to and {option} cannot be combined")
        check_latex(arguments, arguments.to)
    format_ = None if arguments.to else chosen_format(arguments)
    from excerpt.formats.topics.listing import TopicList, examine

    parsed, faults, notices = examine(
        arguments.file, only=arguments.only, exclude=arguments.exclude, most=_MOST
    )
    for fault in faults:
        print_message(fault.say(as_option))
    if faults:
        return 2
    topics = TopicList(parsed, tuple(notices), notices)
    if format_ is None:
        try:
            topics.write(arguments.output, arguments.to)
        except ExcerptError as error:  # of an id that the format cannot contain
            error.path = error.path or arguments.file
            raise
        show_warnings(tuple(notices))
    else:
        write_result(topics, arguments, format_)
    return 0
