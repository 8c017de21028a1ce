"""excerpt convert: runs or judgments to another format."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.gold import add_context
from excerpt.cli.ids import add_ids, chosen_ids
from excerpt.cli.options import add_corpus, add_index, add_limits, open_index
from excerpt.cli.topic_choice import add_choice, chosen_topics


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "convert", example="excerpt convert run.xml run.fol --to fol --index INDEX", own=("order",)
    )
    result.add_argument(
        "input", metavar="IN", help="a run or judgment file (- for standard input), or a folder of judgments"
    )
    result.add_argument("output", metavar="OUT", help="the file to write (- for standard output)")
    result.add_argument("--to", required=True, metavar="FORMAT", help="format to write (see excerpt formats)")
    result.add_argument("--from", dest="from_", metavar="FORMAT", help="format of IN (default: recognised)")
    result.add_argument("--kind", choices=("run", "judgments"), help="what IN is, if its format does not say")
    result.add_argument("--order", choices=("file", "rank", "score"), help="order of a run's results")
    add_index(result)
    add_corpus(result, "the documents, with which quotes of questions with evidence are compared")
    add_context(result)
    add_ids(result)
    add_choice(result)
    add_limits(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read a file in one format and write it in another."""
    arguments = parser().parse(given)
    from excerpt.formats.conversion import convert
    from excerpt.notices import Notices

    notices = Notices()
    convert(
        arguments.input,
        arguments.output,
        arguments.to,
        source_format=arguments.from_,
        kind=arguments.kind,
        order=arguments.order,
        index=open_index(arguments.index),
        corpus=chosen_corpus(arguments),
        context=arguments.context,
        notices=notices,
        **chosen_ids(arguments),
        **chosen_topics(arguments),
    )
    show_warnings(tuple(notices))
