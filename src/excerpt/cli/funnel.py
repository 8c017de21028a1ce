"""excerpt funnel: from relevant text to retrieved text to cited text."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.actions import ExpandOne
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.gold import add_context
from excerpt.cli.ids import add_ids, chosen_ids
from excerpt.cli.options import add_corpus, add_index, add_limits, count
from excerpt.cli.output import add_digits, add_format, chosen_format, write_result
from excerpt.cli.topic_choice import add_choice, add_target, add_topics, chosen_topics
from excerpt.errors import ExcerptError


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("funnel", example="excerpt funnel gold.json retrieved.jsonl answers.jsonl --corpus docs")
    result.add_argument(
        "qrels", metavar="GOLD", help="judgments: a file, or a folder with one file per topic"
    )
    result.add_argument(
        "retrieved", metavar="RETRIEVED", action=ExpandOne, help="the run that the model read"
    )
    result.add_argument(
        "cited", metavar="CITED", action=ExpandOne, help="what it cited: a run, or saved answers"
    )
    result.add_argument(
        "--top", type=count, metavar="N", help="results of each topic that the model read (default: all)"
    )
    result.add_argument(
        "--per-topic", action="store_true", help="print the shares of every topic, not only of all together"
    )
    add_corpus(result)
    add_index(result)
    add_limits(result)
    result.add_argument(
        "--qrels-format", metavar="FORMAT", help="format of the judgments (default: recognised)"
    )
    add_context(result)
    add_ids(result)
    add_topics(result)
    add_choice(result)
    add_target(result)
    add_format(result, "the shares")
    add_digits(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, count, print."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    if [arguments.qrels, arguments.retrieved, arguments.cited, arguments.topics].count("-") > 1:
        raise ExcerptError("standard input can be read once", hint="give all but one as files")
    from excerpt.notices import Notices
    from excerpt.view.funnels import funnel

    found = funnel(
        arguments.qrels,
        arguments.retrieved,
        arguments.cited,
        top=arguments.top,
        notices=Notices(),
        index=arguments.index,
        corpus=chosen_corpus(arguments),
        qrels_format=arguments.qrels_format,
        context=arguments.context,
        topics=arguments.topics,
        **chosen_ids(arguments),
        **chosen_topics(arguments),
    )
    write_result(found.by_topic() if arguments.per_topic else found, arguments, format_)
