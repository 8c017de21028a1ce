"""What commands on scores share: how differences are tested."""

from __future__ import annotations

import argparse

from excerpt.cli.options import count

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
