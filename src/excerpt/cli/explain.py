"""excerpt explain and funnel: where a run fails, and why; from relevant to retrieved to cited text."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt import options
from excerpt.cli.console import chosen_colours, chosen_width, show_warnings
from excerpt.cli.output import chosen_format, chosen_look, format_options, write_result, write_text
from excerpt.cli.parser import Parser, chosen, reading
from excerpt.errors import ExcerptError
from excerpt.options import Option, corpus_help, without

_FORMATS = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "markdown": ".md"}
_GOLD = options.QRELS.but(metavar="GOLD", setting=None)
_ASKED = (
    Option(
        "chunks",
        "the chunks that the run was made from, as excerpt place writes them: which passages they "
        "cut or lack",
        metavar="PLACED",
        role="reads",
    ),
    Option(
        "against",
        "another run: the questions that lose most against it come first",
        metavar="RUN",
        role="reads",
        holds="run",
    ),
    Option(
        "top",
        "results shown of each question (default: 5)",
        kind=options.COUNT,
        default=5,
        metavar="N",
        group=options.SHOWN,
    ),
    Option(
        "around",
        "characters around a passage (default: 80)",
        kind=options.COUNT,
        default=80,
        metavar="N",
        group=options.SHOWN,
    ),
)
_WORST = Option(
    "worst",
    "how many questions to show, worst first, or all (default: 20)",
    kind=options.LIMITED,
    default=20,
    metavar="N",
)
_PASSAGES = Option(
    "passages",
    "missed passages shown of each question, or all; json and csv have all (default: 5)",
    kind=options.LIMITED,
    default=5,
    metavar="N",
    group=options.SHOWN,
)


def explain_parser() -> Parser:
    """The arguments of excerpt explain."""
    return Parser(
        "explain",
        _GOLD,
        options.RUN,
        options.MEASURES.but(
            help="by which questions are ordered; its cut-off says how far results are read (default: "
            "recall@5)",
            metavar="MEASURE",
            setting=None,
        ),
        *_ASKED,
        _WORST,
        _PASSAGES,
        options.CORPUS.but(help=corpus_help("the documents"), group=options.SHOWN),
        *(option.but(group=options.SHOWN) for option in options.CUTTING),
        options.TOPICS.but(
            help="questions, where the judgments have none (see excerpt topics)", group=options.SHOWN
        ),
        *options.TERMINAL,
        *format_options("the reasons", known=_FORMATS, color=False),
        *without(options.READING, options.CORPUS, *options.CUTTING, options.TOPICS),
        options.MAX_SIZE,
        *options.POLICY,
        example="excerpt explain gold.json run.jsonl -m recall@5 --corpus docs | less",
    )


def explain_main(given: Sequence[str]) -> None:
    """Read, explain, print."""
    arguments = explain_parser().parse(given)
    format_ = chosen_format(arguments, _FORMATS)
    measures: list[str] = arguments.measures or []
    if len(measures) > 1:
        raise ExcerptError(
            f"found the measures {measures[0]} and {measures[1]}, expected one, by which "
            "questions are ordered",
            hint="explain each by itself",
        )
    from excerpt.notices import Notices
    from excerpt.view.explanation import DEFAULT, explain

    found = explain(
        arguments.qrels,
        arguments.run,
        next(iter(measures), DEFAULT),
        worst=arguments.worst,
        passages=arguments.passages,
        notices=Notices(),
        **chosen(arguments, _ASKED),
        **reading(arguments),
    )
    if format_ == "table":
        from excerpt.render.explanations import text_of

        text = text_of(found, chosen_width(arguments), colours=chosen_colours(arguments))
    else:
        from excerpt.render.tables import show

        text = show(found, format_, chosen_look(arguments))
    write_text(text, arguments.output)
    show_warnings(found.warnings)


def funnel_parser() -> Parser:
    """The arguments of excerpt funnel."""
    return Parser(
        "funnel",
        _GOLD,
        options.RUN.but(name="retrieved", help="the run that the model read", metavar="RETRIEVED"),
        options.RUN.but(name="cited", help="what it cited: a run, or saved answers", metavar="CITED"),
        Option(
            "top", "results of each topic that the model read (default: all)", kind=options.COUNT, metavar="N"
        ),
        options.PER_TOPIC.but(help="print the shares of every topic, not only of all together"),
        *without(options.READING, options.RUN_FORMAT, options.ORDER, *options.ELEMENTS),
        options.MAX_SIZE,
        *format_options("the shares"),
        options.DIGITS,
        example="excerpt funnel gold.json retrieved.jsonl answers.jsonl --corpus docs",
    )


def funnel_main(given: Sequence[str]) -> None:
    """Read, count, print."""
    arguments = funnel_parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.notices import Notices
    from excerpt.view.funnel import funnel

    how = reading(arguments)
    found = funnel(
        arguments.qrels, arguments.retrieved, arguments.cited, top=arguments.top, notices=Notices(), **how
    )
    write_result(found.by_topic() if arguments.per_topic else found, arguments, format_)
