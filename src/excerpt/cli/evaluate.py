"""excerpt evaluate: score runs against judgments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.figures import add_figure, check_figure, write_figure
from excerpt.cli.intervals import add_intervals, check_intervals, chosen_view
from excerpt.cli.latex import add_marks
from excerpt.cli.options import (
    add_corpus,
    add_files,
    add_measures,
    add_policies,
    scoring,
)
from excerpt.cli.output import TABLES, add_digits, add_format, chosen_format, write_result
from excerpt.cli.saved import has_saved, saved_table
from excerpt.cli.streams import Progress
from excerpt.cli.telling import note
from excerpt.cli.topic_choice import add_topics

if TYPE_CHECKING:
    from excerpt.model.scores import ScoreTable

#: Scores are also printed as trec_eval does.
_FORMATS = {**TABLES, "trec": ".trec"}


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
    add_format(result, "the scores", known=_FORMATS)
    add_digits(result)
    add_marks(result)
    result.add_argument(
        "--save", metavar="FILE", help="also save all scores in a .json, .csv or .parquet file"
    )
    add_figure(result, "also draw the scores: means with their intervals, or those of every topic or group")
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print."""
    made = parser()
    arguments = made.parse(given)
    format_ = chosen_format(arguments, _FORMATS)
    check_intervals(made, arguments, format_)
    check_figure(arguments)
    table = saved_table(arguments) if has_saved(arguments) else _evaluated(arguments)
    if arguments.save:
        from excerpt.formats.scores import save_scores

        save_scores(table, arguments.save)
    if table.choice and format_ not in {"table", "markdown"}:  # which have it below the table
        note(table.choice)
    view = chosen_view(table, arguments)
    write_figure(view, arguments)
    write_result(view, arguments, format_)


def _evaluated(arguments: argparse.Namespace) -> ScoreTable:
    from excerpt.evaluation import evaluate
    from excerpt.notices import Notices

    how = scoring(arguments) | {"corpus": chosen_corpus(arguments), "topics": arguments.topics}
    with Progress("evaluating") as progress:
        return evaluate(
            arguments.qrels, arguments.runs, arguments.measures, notices=Notices(), progress=progress, **how
        )
