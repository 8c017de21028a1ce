"""What commands on scores share: evaluating the runs that were given, and how differences are tested."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli.options import chosen_policy, count, open_index, read_quantisations

if TYPE_CHECKING:
    from excerpt.model import ScoreTable

#: As in excerpt.stats, which help need not load.
TESTS = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
CORRECTIONS = ("by", "bh", "holm", "bonferroni", "none")


def add_test(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--test; more options of the group may follow."""
    group = parser.add_argument_group("significance")
    group.add_argument(
        "--test",
        default="bootstrap",
        choices=TESTS,
        help="one-sided, of every ordered pair of runs (default: bootstrap)",
    )
    return group


def add_significance(group: argparse._ArgumentGroup) -> None:
    """--correction, --alpha and --samples."""
    group.add_argument(
        "--correction",
        default="by",
        choices=CORRECTIONS,
        help="for the number of tests: Benjamini-Yekutieli (default), Benjamini-Hochberg, Holm, Bonferroni",
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


def level(text: str) -> float:
    """A number between 0 and 1, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number between 0 and 1")
    return value


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
        cluster=arguments.cluster,
        progress=progress,
    )
    progress.erase()
    return table
