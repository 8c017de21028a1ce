"""excerpt place and chunks: locate chunks in their documents, and score chunkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import output
from excerpt.cli.console import note, show_warnings
from excerpt.cli.parser import Parser, chosen_corpus, reading
from excerpt.errors import json_text, one_line, short
from excerpt.options import Option, choice, corpus_help

if TYPE_CHECKING:
    from excerpt.placing.chunks import Chunks


def place_parser() -> Parser:
    return Parser(
        "place",
        options.CORPUS.but(help=corpus_help("documents"), flags=(), required=True, setting=None),
        options.argument(
            "input",
            "chunks in JSON Lines, a JSON list, CSV, TSV or Parquet: document, text and, if known, start and "
            "end, with the keys of LangChain, LlamaIndex, Haystack or chonkie; chunks of a document in "
            "document order",
            metavar="CHUNKS",
        ),
        options.OUTPUT.but(
            help="file for the chunks with document, start, end and how they were located "
            "(default: only print the summary)",
            default=None,
        ),
        Option(
            "lost",
            "chunks that do not occur in their document: reject the file (error, default), leave them out "
            "(drop), or count them as text that is not relevant (count)",
            kind=choice("error", "drop", "count"),
            default="error",
        ),
        Option("text", "key of the text of a chunk, such as window (default: detected)", metavar="KEY"),
        Option(
            "document",
            "key of the document id, such as source, or the id of the only document (default: detected)",
            metavar="KEY",
        ),
        options.TOKENS,
        options.NO_FINGERPRINT,
        options.FORMAT.but(help="output format of the summary (default: table)"),
        *options.OPENING,
        options.CONTEXT,
        options.MAX_SIZE,
        example="excerpt place docs.zip chunks.jsonl -o placed.jsonl",
    )


def place_main(given: Sequence[str]) -> None:
    """Locate chunks, write them, and print a summary."""
    arguments = place_parser().parse(given)
    from excerpt.notices import Notices
    from excerpt.placing.placement import place

    notices = Notices()
    chunks = place(
        chosen_corpus(arguments),
        arguments.input,
        text=arguments.text,
        document=arguments.document,
        lost=arguments.lost,
        tokens=arguments.tokens,
        context=arguments.context or "paragraph",
        notices=notices,
    )
    if arguments.output is not None:
        chunks.write(arguments.output, fingerprint=not arguments.no_fingerprint)
    summary = json_text(chunks.to_dict()) if arguments.format == "json" else _summary(chunks)
    if arguments.output == "-":
        note(summary)  # the chunks themselves are on standard output
    else:
        print(summary)
    show_warnings(notices)


#: Number of lost chunks that the summary shows.
_SHOWN = 10


def _summary(chunks: Chunks) -> str:
    """Return the counts, and why chunks are lost."""
    missing = chunks.missing
    lines = [
        one_line(f"lost in {one['document']}: {short(one['text'], 40)!r}: {one['why']}")
        for one in missing[:_SHOWN]
    ]
    rest = len(missing) - len(lines)
    more = [f"{rest} more lost; --format json and -o FILE say why"] if rest else []
    return "\n".join([str(chunks), *lines, *more])


def chunks_parser() -> Parser:
    return Parser(
        "chunks",
        options.QRELS.but(setting=None),
        options.RUNS.but(
            name="chunks",
            help="located chunks of one chunker per file, as written by excerpt place; folders, or @LIST",
            metavar="CHUNKS",
            setting=None,
        ),
        options.CORPUS.but(help=corpus_help("documents, to verify chunks and ignore whitespace")),
        *options.OPENING,
        options.MEASURES.but(
            help="ceiling (recall if every chunk were retrieved), cut (passages in no single chunk), "
            "omega (precision of the chunks with relevant text) or omega(legacy=true) (also of chunks that "
            "only touch it), or a measure of runs such as recall(budget=4000): the best score of "
            "any retriever with these chunks; may be repeated (default: the first three)",
            setting=None,
        ),
        *options.SCORES,
        *output.format_options("the scores", known=output.SCORES),
        options.DIGITS,
        *output.MARKS,
        options.QRELS_FORMAT,
        options.CONTEXT,
        options.TOPICS,
        *options.CHOICE,
        options.MAX_SIZE,
        *output.figure_options("also draw the scores"),
        help_="score chunkers without a retriever: text lost, passages split, precision",
        example="excerpt chunks qrels.fol placed.jsonl --corpus docs.zip",
    )


def chunks_main(given: Sequence[str]) -> None:
    """Print the scores of the chunkers."""
    parser = chunks_parser()
    arguments = parser.parse(given)
    format_ = output.chosen_format(arguments, output.SCORES)
    output.check_intervals(parser, arguments, format_)
    output.check_figure(arguments)
    from excerpt.ceilings.chunk_limits import evaluate_chunks, limits_said
    from excerpt.notices import Notices
    from excerpt.placing.chunkers import MEASURES as DEFAULT

    how = reading(arguments)
    measures = arguments.measures or DEFAULT
    table = evaluate_chunks(arguments.qrels, arguments.chunks, measures=measures, notices=Notices(), **how)
    view = output.chosen_view(table, arguments)
    output.write_figure(view, arguments)
    output.write_result(view, arguments, format_)
    if format_ == "table" and arguments.output == "-":
        for limit in limits_said(table):
            print(f"\n{one_line(limit)}", flush=True)
