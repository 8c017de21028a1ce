"""excerpt gate: is a run worse than the baseline? For continuous integration."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.actions import ExpandSide
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.intervals import add_samples, level
from excerpt.cli.options import add_corpus, add_measures, add_policies, add_reading, count_from_zero, reading
from excerpt.cli.output import add_digits, add_format, chosen_format, write_result
from excerpt.cli.streams import forget
from excerpt.cli.topic_choice import add_topics
from excerpt.stats import TEST_NAMES


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("gate", example="excerpt gate baseline.json run.fol --qrels qrels.fol -m charR@5")
    result.description = (
        "Is a run worse than the baseline? Exit status 0: not worse; 1: worse by some measure, which means\n"
        "that its mean fell by more than --max-drop and that a one-sided paired test gives p below --alpha;\n"
        "2: a mistake, such as other topics on both sides."
    )
    result.add_argument(
        "baseline",
        metavar="BASELINE",
        action=ExpandSide,
        help="saved scores (excerpt evaluate --save FILE), or a run; of a folder or @LIST the one of "
        "--baseline-name",
    )
    result.add_argument(
        "run",
        metavar="RUN",
        action=ExpandSide,
        help="the run that is to pass, or its saved scores; of a folder or @LIST the one of --run-name",
    )
    result.add_argument(
        "--qrels", metavar="GOLD", help="judgments by which runs are scored; not needed for saved scores"
    )
    add_measures(
        result,
        "measure; may be repeated; any may fail (default: those of saved scores; see excerpt measures)",
    )
    group = result.add_argument_group("when a run is worse")
    group.add_argument(
        "--max-drop", type=drop, default=0.01, metavar="D", help="how far a mean may fall (default: 0.01)"
    )
    group.add_argument(
        "--alpha", type=level, default=0.05, metavar="A", help="p-value below which it counts (default: 0.05)"
    )
    group.add_argument(
        "--test", choices=TEST_NAMES, default="bootstrap", help="one-sided paired test (default: bootstrap)"
    )
    add_samples(group)
    result.add_argument(
        "--baseline-name",
        metavar="NAME",
        help="the run of a baseline that has several (default: of RUN's name)",
    )
    result.add_argument("--run-name", metavar="NAME", help="the run of saved scores that have several")
    result.add_argument(
        "--questions",
        type=count_from_zero,
        default=5,
        metavar="N",
        help="how many questions that lost and won most are shown (default: 5)",
    )
    add_format(result, "the verdict")
    add_digits(result)
    add_corpus(result)
    add_topics(result)
    add_reading(result)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> int:
    """Compare, print, and say it by the exit status."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.experiments.gating import gate
    from excerpt.notices import Notices

    found = gate(
        arguments.baseline,
        arguments.run,
        arguments.measures,
        qrels=arguments.qrels,
        max_drop=arguments.max_drop,
        alpha=arguments.alpha,
        test=arguments.test,
        samples=arguments.samples,
        seed=arguments.seed,
        questions=arguments.questions,
        baseline_name=arguments.baseline_name,
        run_name=arguments.run_name,
        corpus=chosen_corpus(arguments),
        topics=arguments.topics,
        notices=Notices(),
        **reading(arguments),
    )
    try:
        write_result(found, arguments, format_)
    except BrokenPipeError:  # nobody reads what is said, but somebody may ask for the status
        forget(sys.stdout)
    return 1 if found.worse else 0


def drop(text: str) -> float:
    """A number of at least 0, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of at least 0")
    return value
