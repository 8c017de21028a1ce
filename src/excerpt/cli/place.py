"""excerpt place: locate chunks in their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli.console import note, own_notices, show_warnings
from excerpt.cli.parser import Arguments, chosen_corpus, command
from excerpt.errors import json_text, one_line, short
from excerpt.options import Option, choice, corpus_help

if TYPE_CHECKING:
    from excerpt.gold.file import Context
    from excerpt.placing.chunks import Chunks


@command(
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
def main(arguments: Arguments) -> None:
    """Locate chunks, write them, and print a summary."""
    from excerpt.formats.source import open_corpus
    from excerpt.placing.placement import place

    notices = own_notices()
    context: Context = arguments.context or "paragraph"
    corpus = open_corpus(chosen_corpus(arguments), context)
    assert corpus is not None  # it is a required argument
    with corpus.one_pass():
        chunks = place(
            corpus,
            arguments.input,
            text=arguments.text,
            document=arguments.document,
            lost=arguments.lost,
            tokens=arguments.tokens,
            context=context,
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
