"""excerpt chunks: what chunkers make possible, before anything is retrieved."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.actions import ExpandFiles
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.figures import add_figure, check_figure, write_figure
from excerpt.cli.gold import add_context
from excerpt.cli.intervals import add_intervals, check_intervals, chosen_view
from excerpt.cli.latex import add_marks
from excerpt.cli.options import add_corpus, add_limits, add_measures
from excerpt.cli.output import add_digits, add_format, chosen_format, write_result
from excerpt.cli.topic_choice import add_choice, add_topics, chosen_topics


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "chunks", example="excerpt chunks gold.json words.jsonl tokens.jsonl --corpus docs", own=("measures",)
    )
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
    add_marks(result)
    result.add_argument(
        "--qrels-format", metavar="FORMAT", help="format of the judgments (default: recognised)"
    )
    add_context(result)
    add_topics(result)
    add_choice(result)
    add_limits(result)
    add_figure(result, "draw the scores of the chunkers")
    return result


def main(given: Sequence[str]) -> None:
    """Read, count, print."""
    made = parser()
    arguments = made.parse(given)
    format_ = chosen_format(arguments)
    check_intervals(made, arguments, format_)
    check_figure(arguments)
    from excerpt.evaluation.chunk_scores import MEASURES, evaluate_chunks
    from excerpt.notices import Notices

    table = evaluate_chunks(
        arguments.qrels,
        arguments.chunks,
        chosen_corpus(arguments),
        measures=arguments.measures or MEASURES,
        notices=Notices(),
        qrels_format=arguments.qrels_format,
        context=arguments.context,
        topics=arguments.topics,
        **chosen_topics(arguments),
    )
    view = chosen_view(table, arguments)
    write_figure(view, arguments)
    write_result(view, arguments, format_)
