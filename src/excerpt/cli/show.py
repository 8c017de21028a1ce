"""excerpt show: one topic of a run on the terminal, retrieved against relevant text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.actions import ExpandOne
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.options import add_measures, add_policies, add_reading, add_texts, count, reading
from excerpt.cli.terminal import add_terminal, chosen_colours, chosen_width
from excerpt.errors import ExcerptError


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "show", example="excerpt show qrels.fol run.fol CU17 --corpus docs.zip --topics topics.xml | less"
    )
    result.add_argument(
        "qrels", metavar="QRELS", help="judgments: a file, or a folder with one file per topic"
    )
    result.add_argument(
        "run", metavar="RUN", action=ExpandOne, help="run file, or the folder that it is alone in"
    )
    result.add_argument("topic", metavar="TOPIC", help="id of the topic")
    result.add_argument("document", metavar="DOCUMENT", nargs="?", help="show this document only, but whole")
    add_measures(result, "measure; may be repeated (default: AiP, charP, charR)")
    group = add_texts(result)
    group.add_argument(
        "--top",
        type=count,
        default=10,
        metavar="N",
        help="documents without relevant text are shown if they are among the first N results (default: 10)",
    )
    group.add_argument(
        "--context",
        type=count,
        default=80,
        metavar="N",
        help="characters around what is marked (default: 80)",
    )
    add_terminal(group)
    group.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print (default: text)"
    )
    add_reading(result, context=False, choice=False)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, look, print."""
    arguments = parser().parse(given)
    if [arguments.qrels, arguments.run, arguments.topics].count("-") > 1:
        raise ExcerptError("standard input can be read once", hint="give one of the two as a file")
    from excerpt.files import write_bytes
    from excerpt.notices import Notices
    from excerpt.render.showing import MEASURES, show

    shown = show(
        arguments.qrels,
        arguments.run,
        arguments.topic,
        arguments.document,
        corpus=chosen_corpus(arguments),
        topics=arguments.topics,
        blocks=arguments.blocks,
        measures=arguments.measures or MEASURES,
        top=arguments.top,
        context=arguments.context,
        notices=Notices(),
        **reading(arguments),
    )
    if arguments.format == "json":
        text = shown.to_json()
    else:
        text = shown.text(chosen_width(arguments), colours=chosen_colours(arguments))
    write_bytes("-", text.encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(shown.warnings)
