"""excerpt evaluate: score runs against judgments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.gold import add_topics
from excerpt.cli.intervals import add_intervals, chosen_view
from excerpt.cli.options import (
    add_corpus,
    add_files,
    add_measures,
    add_policies,
    scoring,
)
from excerpt.cli.output import add_digits, add_format, chosen_format, write_result
from excerpt.cli.saved import has_saved, saved_table
from excerpt.cli.streams import Progress, tell

if TYPE_CHECKING:
    from excerpt.model.scores import ScoreTable


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "evaluate", example="excerpt evaluate qrels.fol run1.fol run2.fol -m MAiP -m iP@0.01 --per-topic"
    )
    add_files(result, saved=True)
    add_corpus(result)
    add_topics(result)
    add_measures(
        result,
        "measure, or a set: inex, rag, trec (default: by the input); may be repeated (see excerpt measures)",
    )
    add_intervals(result)
    add_format(result, "the scores")
    add_digits(result)
    result.add_argument(
        "--save", metavar="FILE", help="also save all scores in a .json, .csv or .parquet file"
    )
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    table = saved_table(arguments) if has_saved(arguments) else _evaluated(arguments)
    if arguments.save:
        from excerpt.formats.scores import save_scores

        save_scores(table, arguments.save)
    if table.choice and format_ not in {"table", "markdown"}:  # which have it below the table
        tell(table.choice)
    write_result(chosen_view(table, arguments), arguments, format_)


def _evaluated(arguments: argparse.Namespace) -> ScoreTable:
    from excerpt.evaluation import evaluate
    from excerpt.notices import Notices

    how = scoring(arguments) | {"corpus": arguments.corpus, "topics": arguments.topics}
    with Progress("evaluating") as progress:
        return evaluate(
            arguments.qrels, arguments.runs, arguments.measures, notices=Notices(), progress=progress, **how
        )
