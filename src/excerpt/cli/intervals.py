"""By topic or as means, how sure, by which groups? Options of commands that print scores."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from excerpt.cli.options import count, count_from_zero
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.cli import Parser
    from excerpt.model.score_views import ScoreView
    from excerpt.model.scores import ScoreTable

#: Formats that always have intervals, or tests by samples.
_WITH_INTERVALS = {"json", "latex"}


def add_intervals(parser: argparse.ArgumentParser) -> None:
    """--per-topic, --by, --interval, --samples and --seed."""
    parser.add_argument(
        "--per-topic", action="store_true", help="print the scores of every topic, not only the means"
    )
    parser.add_argument(
        "--by",
        choices=("corpus", "group", "document"),
        help="also print means of groups of topics: by the corpus or group that the judgments tell, or by "
        "document, where a topic has relevant text in one only",
    )
    add_interval(parser, "; JSON always has them")


def add_interval(parser: argparse.ArgumentParser, more: str = "") -> None:
    """--interval, --samples and --seed."""
    parser.add_argument(
        "--interval",
        type=level,
        metavar="LEVEL",
        help=f"means with intervals of this confidence, such as 0.95{more}",
    )
    parser.add_argument(
        "--interval-method",
        choices=("bootstrap", "t"),
        default="bootstrap",
        help="intervals: by samples of the topics, or by Student's t (default: bootstrap)",
    )
    add_samples(parser, "intervals: ")


def add_samples(parser: argparse._ActionsContainer, what: str = "") -> None:
    """--samples and --seed of a bootstrap."""
    parser.add_argument(
        "--samples",
        type=count,
        default=10_000,
        metavar="N",
        help=f"{what}samples of the topics (default: 10000)",
    )
    parser.add_argument(
        "--seed",
        type=count_from_zero,
        default=1,
        metavar="N",
        help=f"{what}seed of the random numbers (default: 1)",
    )


def check_intervals(parser: Parser, arguments: argparse.Namespace, format_: str) -> None:
    """Before any work is done: an error for how intervals are made where nothing has any."""
    if arguments.interval is not None or format_ in _WITH_INTERVALS or getattr(arguments, "figure", None):
        return
    for name in ("interval_method", "samples", "seed"):
        if name in parser.given:
            raise ExcerptError(
                f"found --{name.replace('_', '-')} without intervals, expected it only with them",
                hint="try --interval 0.95",
            )


def chosen_view(table: ScoreTable, arguments: argparse.Namespace) -> ScoreView:
    """A table as the options of `add_intervals` ask for it."""
    from excerpt.model.score_views import ScoreView

    return ScoreView(
        table,
        per_topic=arguments.per_topic,
        by=arguments.by,
        interval=arguments.interval,
        method=arguments.interval_method,
        samples=arguments.samples,
        seed=arguments.seed,
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
