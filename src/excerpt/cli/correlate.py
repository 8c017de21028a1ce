"""excerpt correlate: do two measures, or two sets of judgments, rank the runs alike?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.compare import require_runs
from excerpt.cli.experiment import add_outcome, present, record
from excerpt.cli.options import add_files, add_measures, add_policies, evaluate_runs, names
from excerpt.errors import ExcerptError
from excerpt.files import require_files

if TYPE_CHECKING:
    from excerpt.experiments import Outcome, Record


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "correlate", example="excerpt correlate qrels.fol runs/*.fol -m MAiP -m iP@0.01 --figure a.svg"
    )
    add_files(result)
    add_measures(result, "twice or more: every pair is correlated (see excerpt measures)", required=True)
    group = result.add_argument_group("two sets of judgments")
    group.add_argument(
        "--qrels2",
        metavar="FILE",
        help="correlate each measure with itself under these judgments instead",
    )
    group.add_argument(
        "--drop-tags2",
        type=names,
        metavar="TAG,TAG",
        help="leave out elements of these names on the second side, as INEX 2006 did with links",
    )
    add_outcome(result, seed=False)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Evaluate, correlate, print."""
    arguments = parser().parse(given)
    require_runs(arguments)
    twice = arguments.qrels2 is not None or arguments.drop_tags2 is not None
    measures = list(dict.fromkeys(arguments.measures))
    if len(measures) < 2 and not twice:
        raise ExcerptError(
            "found 1 measure, expected at least 2 to correlate",
            hint="give -m twice, or --qrels2 FILE to correlate a measure under two sets of judgments",
        )
    if twice:
        require_files(arguments.qrels, *arguments.runs)
    made = record(arguments, "correlate", given)
    from excerpt.render.figures.compare import scatter

    outcome = _twice(arguments, measures, made) if twice else _once(arguments, measures, made)
    present(outcome, arguments, scatter(outcome))


def _once(arguments: argparse.Namespace, measures: Sequence[str], made: Record) -> Outcome:
    from excerpt.experiments.correlation import correlate

    return correlate(evaluate_runs(arguments, measures), measures, record=made)


def _twice(arguments: argparse.Namespace, measures: Sequence[str], made: Record) -> Outcome:
    from excerpt.experiments.correlation import correlate_judgments

    other = {
        "judgments": arguments.qrels2 or arguments.qrels,
        "drop_tags": arguments.drop_tags if arguments.drop_tags2 is None else arguments.drop_tags2,
    }
    second = evaluate_runs(arguments, measures, **other)
    label = [PurePath(arguments.qrels2).name] if arguments.qrels2 else []
    label += [f"without {', '.join(arguments.drop_tags2)}"] if arguments.drop_tags2 else []
    return correlate_judgments(
        evaluate_runs(arguments, measures),
        second,
        measures,
        label=" ".join(label) or "all elements",
        record=made,
    )
