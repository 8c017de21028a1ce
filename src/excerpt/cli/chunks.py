"""excerpt chunks: what chunkers make possible, before anything is retrieved."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.gold import add_context
from excerpt.cli.intervals import add_intervals, chosen_view
from excerpt.cli.options import ExpandFiles, add_corpus, add_limits, add_measures
from excerpt.cli.output import add_digits, add_format, chosen_format, write_result


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("chunks", example="excerpt chunks gold.json words.jsonl tokens.jsonl --corpus docs")
    result.add_argument(
        "qrels", metavar="GOLD", help="judgments: a file, or a folder with one file per topic"
    )
    result.add_argument(
        "chunks",
        metavar="CHUNKS",
        nargs="+",
        action=ExpandFiles,
        help="placed chunks of a chunker each, as excerpt place writes them; folders of them, or @LIST",
    )
    add_corpus(result, "the documents, which tell where white space is, and whether chunks stand there")
    add_measures(
        result,
        "ceiling (recall if every chunk were returned), cut (passages that no single chunk holds), omega "
        "(precision of the chunks that hold relevant text) or omega(legacy=true) (with those that only touch "
        "it); may be repeated (default: the first three)",
    )
    add_intervals(result)
    add_format(result, "the scores")
    add_digits(result)
    result.add_argument(
        "--qrels-format", metavar="FORMAT", help="format of the judgments (default: recognised)"
    )
    add_context(result)
    add_limits(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, count, print."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.evaluation.chunk_scores import MEASURES, evaluate_chunks
    from excerpt.notices import Notices

    table = evaluate_chunks(
        arguments.qrels,
        arguments.chunks,
        arguments.corpus,
        measures=arguments.measures or MEASURES,
        notices=Notices(),
        qrels_format=arguments.qrels_format,
        context=arguments.context,
    )
    write_result(chosen_view(table, arguments), arguments, format_)
