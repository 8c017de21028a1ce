"""excerpt compare: significance of the differences between all pairs of runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, present, record
from excerpt.cli.options import (
    add_files,
    add_policies,
    chosen_policy,
    count,
    open_index,
    read_quantisations,
)

if TYPE_CHECKING:
    from excerpt.model import ScoreTable

#: As in excerpt.stats, which help need not load.
TESTS = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
CORRECTIONS = ("by", "bh", "holm", "bonferroni", "none")


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "compare", example="excerpt compare qrels.fol runs/*.fol -m MAiP --test t --correction holm"
    )
    add_files(result)
    result.add_argument("-m", "--measure", required=True, metavar="NAME", help="see excerpt measures")
    add_procedure(result)
    result.add_argument(
        "--plus-one", action="store_true", help="bootstrap: p = (count + 1) / (samples + 1), never 0"
    )
    add_outcome(result)
    add_policies(result)
    return result


def add_procedure(result: argparse.ArgumentParser) -> None:
    """--test, --correction, --alpha and --samples."""
    group = result.add_argument_group("significance")
    group.add_argument(
        "--test",
        default="bootstrap",
        choices=TESTS,
        help="one-sided, of every ordered pair of runs (default: bootstrap)",
    )
    group.add_argument(
        "--correction",
        default="by",
        choices=CORRECTIONS,
        help="for the number of tests: Benjamini-Yekutieli (default), Benjamini-Hochberg, Holm, Bonferroni",
    )
    group.add_argument("--alpha", type=level, default=0.05, metavar="X", help="default: 0.05")
    group.add_argument(
        "--samples", type=count, default=10_000, metavar="N", help="of random tests (default: 10000)"
    )


def level(text: str) -> float:
    """A number between 0 and 1, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number between 0 and 1")
    return value


def main(given: Sequence[str]) -> None:
    """Evaluate, test, print."""
    arguments = parser().parse(given)
    require_runs(arguments)
    made = record(arguments, "compare", given)
    from excerpt.experiments.comparison import compare
    from excerpt.report.figures_compare import heat_map, matrix, summary
    from excerpt.report.tables import render

    outcome = compare(
        scores(arguments, [arguments.measure]),
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
    if arguments.figure:
        from excerpt.report.plots import require

        require(PurePath(arguments.figure).suffix[1:] or "a figure")


def scores(
    arguments: argparse.Namespace,
    measures: Sequence[str],
    *,
    qrels: str | None = None,
    drop_tags: Sequence[str] | None = None,
) -> ScoreTable:
    """The runs' scores against the judgments, or against others, under the options that were given."""
    from excerpt.cli.progress import Progress
    from excerpt.evaluation import evaluate

    read_quantisations(arguments.quantisations)
    progress = Progress("evaluating")
    table = evaluate(
        qrels or arguments.qrels,
        arguments.runs,
        measures,
        policy=chosen_policy(arguments),
        index=open_index(arguments.index),
        order=arguments.order,
        drop_tags=arguments.drop_tags if drop_tags is None else drop_tags,
        run_format=arguments.run_format,
        qrels_format=arguments.qrels_format,
        workers=arguments.workers,
        progress=progress,
    )
    progress.erase()
    return table
