"""excerpt evaluate: score runs against judgments."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.options import (
    add_corpus,
    add_files,
    add_measures,
    add_policies,
    digits,
    scoring,
)
from excerpt.cli.output import add_format, chosen_format, write_result
from excerpt.cli.streams import Progress


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "evaluate", example="excerpt evaluate qrels.fol run1.fol run2.fol -m MAiP -m iP@0.01 --per-topic"
    )
    add_files(result)
    add_corpus(result)
    add_measures(result, "measure; may be repeated (see excerpt measures)")
    result.add_argument(
        "--per-topic", action="store_true", help="print the scores of every topic, not only the means"
    )
    add_format(result, "the scores")
    result.add_argument(
        "--digits", type=digits, default=4, metavar="N", help="digits after the point (default: 4)"
    )
    result.add_argument(
        "--save", metavar="FILE", help="also save all scores in a .json, .csv or .parquet file"
    )
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.evaluation import DEFAULT_MEASURES, evaluate
    from excerpt.notices import Notices

    measures = arguments.measures or DEFAULT_MEASURES
    how = scoring(arguments) | {"corpus": arguments.corpus}
    with Progress("evaluating") as progress:
        table = evaluate(
            arguments.qrels, arguments.runs, measures, notices=Notices(), progress=progress, **how
        )
    if arguments.save:
        from excerpt.formats.scores import save_scores

        save_scores(table, arguments.save)
    write_result(table.by_topic() if arguments.per_topic else table, arguments, format_)
