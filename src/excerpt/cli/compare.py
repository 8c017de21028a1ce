"""excerpt compare: significance of the differences between all pairs of runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, check_figure, present, record
from excerpt.cli.options import add_files, add_policies, evaluate_runs
from excerpt.cli.scored import add_significance, add_test


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "compare", example="excerpt compare qrels.fol runs/*.fol -m MAiP --test t --correction holm"
    )
    add_files(result)
    result.add_argument("-m", "--measure", required=True, metavar="NAME", help="see excerpt measures")
    add_significance(add_test(result))
    result.add_argument(
        "--plus-one", action="store_true", help="bootstrap: p = (count + 1) / (samples + 1), never 0"
    )
    add_outcome(result)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Evaluate, test, print."""
    arguments = parser().parse(given)
    require_runs(arguments)
    made = record(arguments, "compare", given)
    from excerpt.experiments.comparison import compare
    from excerpt.render.figures.compare import heat_map, matrix, summary
    from excerpt.render.tables import render

    outcome = compare(
        evaluate_runs(arguments, [arguments.measure]),
        arguments.measure,
        test=arguments.test,
        correction=arguments.correction,
        alpha=arguments.alpha,
        samples=arguments.samples,
        seed=arguments.seed,
        plus_one=arguments.plus_one,
        record=made,
    )
    table = f"{render(matrix(outcome), 'table')}\n{summary(outcome)}\n"
    present(outcome, arguments, heat_map(outcome), table=table)


def require_runs(arguments: argparse.Namespace) -> None:
    """Before any work is done: are there runs to compare, and can a figure be drawn?"""
    from excerpt.errors import ExcerptError

    if len(arguments.runs) < 2:
        raise ExcerptError(f"found {len(arguments.runs)} run, expected at least 2 to compare")
    check_figure(arguments.figure)
