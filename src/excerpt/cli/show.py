"""excerpt show: one topic of a run on the terminal, retrieved against relevant text."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt import options
from excerpt.cli.console import chosen_colours, chosen_width, show_warnings
from excerpt.cli.output import write_text
from excerpt.cli.parser import Parser, reading
from excerpt.options import Option, choice, corpus_help, without


def parser() -> Parser:
    """Return the parser of the command."""
    return Parser(
        "show",
        options.QRELS.but(setting=None),
        options.RUN,
        Option("topic", "id of the topic, such as CU17", (), metavar="TOPIC", required=True),
        Option("document", "show only this document, in full (default: all)", (), metavar="DOCUMENT"),
        *without(
            options.READING,
            options.CORPUS,
            options.TOPICS,
            options.CONTEXT,
            *options.CUTTING,
            *options.CHOICE,
        ),
        options.MAX_SIZE,
        options.MEASURES.but(help="measure, such as MAiP; may be repeated (default: AiP, charP, charR)"),
        options.CORPUS.but(help=corpus_help("documents, to print their text"), group=options.DISPLAY),
        *(option.but(group=options.DISPLAY) for option in (*options.CUTTING, options.TOPICS)),
        options.BLOCKS,
        Option(
            "top",
            "show documents without relevant text only if they are in the first N results (default: 10)",
            kind=options.COUNT,
            default=10,
            metavar="N",
            group=options.DISPLAY,
        ),
        Option(
            "around",
            "characters of context around marked text (default: 80)",
            ("--context",),
            kind=options.COUNT,
            default=80,
            metavar="N",
            group=options.DISPLAY,
        ),
        *options.TERMINAL,
        options.FORMAT.but(
            help="output format (default: text)",
            kind=choice("text", "json"),
            default="text",
            group=options.DISPLAY,
        ),
        *options.POLICY,
        example="excerpt show qrels.fol run.fol CU17 --corpus docs.zip --topics topics.xml",
    )


def main(given: Sequence[str]) -> None:
    """Print the topic."""
    arguments = parser().parse(given)
    from excerpt.notices import Notices
    from excerpt.render.terminal import MEASURES as DEFAULT
    from excerpt.render.terminal import show

    shown = show(
        arguments.qrels,
        arguments.run,
        arguments.topic,
        arguments.document,
        blocks=arguments.blocks,
        measures=arguments.measures or DEFAULT,
        top=arguments.top,
        context=arguments.around,
        notices=Notices(),
        **reading(arguments),
    )
    if arguments.format == "json":
        text = shown.to_json()
    else:
        text = shown.text(chosen_width(arguments), colours=chosen_colours(arguments))
    write_text(text, "-")
    show_warnings(shown.warnings)
