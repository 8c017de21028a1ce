"""excerpt agreement: do two measures or quantisations draw the same conclusions?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, check_figure, present, record
from excerpt.cli.options import (
    add_files,
    add_policies,
    chosen_policy,
    count,
    open_index,
    read_quantisations,
)
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.model import ScoreTable

TESTS = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
CORRECTIONS = ("by", "bh", "holm", "bonferroni", "none")


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "agreement",
        example="excerpt agreement qrels.fol runs/*.fol -m MAiP -m iP@0.01 --figure agreement.svg",
    )
    add_files(result)
    result.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        required=True,
        metavar="NAME",
        help="give two or more; a quantisation is part of the name: MAep(quantisation=strict)",
    )
    group = result.add_argument_group("significance")
    group.add_argument(
        "--test", default="bootstrap", choices=TESTS, help="of all pairs of runs (default: bootstrap)"
    )
    add_significance(group)
    add_outcome(result)
    add_policies(result)
    return result


def add_significance(group: argparse._ArgumentGroup) -> None:
    """--correction, --alpha and --samples."""
    group.add_argument(
        "--correction",
        default="by",
        choices=CORRECTIONS,
        help="for many comparisons (default: by, of Benjamini & Yekutieli)",
    )
    group.add_argument(
        "--alpha", type=level, default=0.05, metavar="X", help="level of significance (default: 0.05)"
    )
    group.add_argument(
        "--samples",
        type=count,
        default=10_000,
        metavar="N",
        help="resamples of bootstrap and permutation (default: 10000)",
    )


def main(given: Sequence[str]) -> None:
    """Evaluate, test all pairs by every measure, compare what was rejected."""
    arguments = parser().parse(given)
    if len(set(arguments.measures)) < 2:
        raise ExcerptError("found one measure, expected at least 2 to compare", hint="try -m NAME -m NAME")
    check_figure(arguments.figure)
    kept = record(arguments, "agreement", given)
    from excerpt.cli.progress import Progress
    from excerpt.experiments.agreement import agreement
    from excerpt.report.figures_agreement import agreement_figure

    scores = scored(arguments, arguments.measures)
    with Progress("testing") as progress:
        outcome = agreement(
            scores,
            test=arguments.test,
            correction=arguments.correction,
            alpha=arguments.alpha,
            samples=arguments.samples,
            seed=arguments.seed,
            record=kept,
            progress=progress,
        )
    present(outcome, arguments, agreement_figure(outcome))


def scored(arguments: argparse.Namespace, measures: Sequence[str]) -> ScoreTable:
    """The scores of the runs that were given."""
    from excerpt.cli.progress import Progress
    from excerpt.evaluation import evaluate
    from excerpt.formats import read_judgments
    from excerpt.notices import Notices

    read_quantisations(arguments.quantisations)
    notices, index = Notices(), open_index(arguments.index)
    judgments = read_judgments(arguments.qrels, format=arguments.qrels_format, index=index, notices=notices)
    with Progress("evaluating") as progress:
        return evaluate(
            judgments,
            arguments.runs,
            measures,
            policy=chosen_policy(arguments),
            index=index,
            order=arguments.order,
            drop_tags=arguments.drop_tags,
            run_format=arguments.run_format,
            workers=arguments.workers,
            notices=notices,
            progress=progress,
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
