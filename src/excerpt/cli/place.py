"""excerpt place and chunks: where chunks stand in their documents, and what chunkers make possible."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt import options
from excerpt.cli.console import note, show_warnings
from excerpt.cli.output import (
    MARKS,
    check_figure,
    check_intervals,
    chosen_format,
    chosen_view,
    figure_options,
    format_options,
    write_figure,
    write_result,
)
from excerpt.cli.parser import Parser, chosen_corpus, reading
from excerpt.errors import json_text
from excerpt.options import Option, choice, corpus_help


def place_parser() -> Parser:
    """The arguments of excerpt place."""
    return Parser(
        "place",
        options.CORPUS.but(help=corpus_help("the documents"), flags=(), required=True, setting=None),
        Option(
            "input",
            "JSON Lines, a chunk each: document, text and, where known, start and end, as LangChain, "
            "LlamaIndex, Haystack or chonkie call them; chunks of a document in its order",
            (),
            metavar="CHUNKS",
            required=True,
            role="reads",
        ),
        options.OUTPUT.but(
            help="write the chunks to FILE, line for line, with document, start, end and how", default=None
        ),
        Option(
            "lost",
            "chunks that stand nowhere: refuse all (error, the default), leave them out (drop), or keep them "
            "as text that is read in vain (count)",
            kind=choice("error", "drop", "count"),
            default="error",
        ),
        Option("text", "where the text of a chunk is, if it is not its own, such as window", metavar="KEY"),
        Option("document", "where the document of a chunk is, or the one that all are of", metavar="KEY"),
        options.FORMAT.but(
            help="how to print how many chunks stand there in which way, and what they cover (default: table)"
        ),
        *options.CUTTING,
        options.CONTEXT,
        options.MAX_SIZE,
        example="excerpt place docs chunks.jsonl -o placed.jsonl",
    )


def place_main(given: Sequence[str]) -> None:
    """Read chunks, place them, write them; tell how they stand."""
    arguments = place_parser().parse(given)
    from excerpt.formats.quoted_text import place
    from excerpt.notices import Notices

    notices = Notices()
    chunks = place(
        chosen_corpus(arguments),
        arguments.input,
        text=arguments.text,
        document=arguments.document,
        lost=arguments.lost,
        context=arguments.context or "paragraph",
        notices=notices,
    )
    if arguments.output is not None:
        chunks.write(arguments.output)
    told = json_text(chunks.to_dict()) if arguments.format == "json" else str(chunks)
    if arguments.output == "-":
        note(told)  # the chunks themselves are on standard output
    else:
        print(told)
    show_warnings(notices)


def chunks_parser() -> Parser:
    """The arguments of excerpt chunks."""
    about = "the documents, which tell where white space is, and whether chunks stand there"
    return Parser(
        "chunks",
        options.QRELS.but(metavar="GOLD", setting=None),
        options.RUNS.but(
            name="chunks",
            help="placed chunks of a chunker each, as excerpt place writes them; folders of them, or @LIST",
            metavar="CHUNKS",
            setting=None,
        ),
        options.CORPUS.but(help=corpus_help(about)),
        *options.CUTTING,
        options.MEASURES.but(
            help="ceiling (recall if every chunk were returned), cut (passages that no single chunk holds), "
            "omega (precision of the chunks that hold relevant text) or omega(legacy=true) (with those that "
            "only touch it); may be repeated (default: the first three)",
            setting=None,
        ),
        *options.SCORES,
        *format_options("the scores"),
        options.DIGITS,
        *MARKS,
        options.QRELS_FORMAT.but(help="format of the judgments (default: recognised)"),
        options.CONTEXT,
        options.TOPICS,
        *options.CHOICE,
        options.MAX_SIZE,
        *figure_options("draw the scores of the chunkers"),
        example="excerpt chunks gold.json words.jsonl tokens.jsonl --corpus docs",
    )


def chunks_main(given: Sequence[str]) -> None:
    """Read, count, print."""
    made = chunks_parser()
    arguments = made.parse(given)
    format_ = chosen_format(arguments)
    check_intervals(made, arguments, format_)
    check_figure(arguments)
    from excerpt.evaluation.chunkers import MEASURES as DEFAULT
    from excerpt.evaluation.chunkers import evaluate_chunks
    from excerpt.notices import Notices

    how = reading(arguments)
    measures = arguments.measures or DEFAULT
    table = evaluate_chunks(arguments.qrels, arguments.chunks, measures=measures, notices=Notices(), **how)
    view = chosen_view(table, arguments)
    write_figure(view, arguments)
    write_result(view, arguments, format_)
