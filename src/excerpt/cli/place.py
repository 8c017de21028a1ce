"""excerpt place: where chunks stand in the documents of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.cut_corpus import add_cutting, chosen_corpus
from excerpt.cli.gold import add_context
from excerpt.cli.options import add_limits
from excerpt.cli.telling import note
from excerpt.errors import ExcerptError, json_text


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("place", example="excerpt place docs chunks.jsonl -o placed.jsonl")
    result.add_argument(
        "corpus", metavar="CORPUS", help="the documents: a folder, an archive, a file, an index with text"
    )
    result.add_argument(
        "input",
        metavar="CHUNKS",
        help="JSON Lines, a chunk each: document, text and, where known, start and end, as LangChain, "
        "LlamaIndex, Haystack or chonkie call them; chunks of a document in its order",
    )
    result.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the chunks to FILE, line for line, with document, start, end and how",
    )
    result.add_argument(
        "--lost",
        default="error",
        choices=("error", "drop", "count"),
        help="chunks that stand nowhere: refuse all (error, the default), leave them out (drop), or keep "
        "them as text that is read in vain (count)",
    )
    result.add_argument(
        "--text", metavar="KEY", help="where the text of a chunk is, if it is not its own, such as window"
    )
    result.add_argument(
        "--document", metavar="KEY", help="where the document of a chunk is, or the one that all are of"
    )
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json"),
        help="how to print how many chunks stand there in which way, and what they cover (default: table)",
    )
    add_cutting(result)
    add_context(result)
    add_limits(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read chunks, place them, write them; tell how they stand."""
    arguments = parser().parse(given)
    if arguments.corpus == arguments.input == "-":
        raise ExcerptError("standard input can be read once", hint="give one of the two as a file")
    from excerpt.formats.placed import place
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
