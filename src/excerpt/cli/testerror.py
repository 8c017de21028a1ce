"""excerpt testerror: how often is a significance test wrong?"""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, check_figure, present, record
from excerpt.cli.options import add_files, add_policies, count, evaluate_runs, names
from excerpt.cli.scored import TESTS, add_significance
from excerpt.errors import ExcerptError, UnknownName


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("testerror", example="excerpt testerror qrels.fol runs/*.fol -m MAiP --tests bootstrap,t")
    add_files(result)
    result.add_argument(
        "-m", "--measure", required=True, metavar="NAME", help="one measure (see excerpt measures)"
    )
    group = result.add_argument_group("significance")
    group.add_argument(
        "--tests",
        type=names,
        default=TESTS[:4],
        metavar="LIST",
        help=f"of {','.join(TESTS)} (default: {','.join(TESTS[:4])})",
    )
    group.add_argument(
        "--splits", type=count, default=50, metavar="N", help="of the topics into halves (default: 50)"
    )
    add_significance(group)
    add_outcome(result)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Evaluate, split the topics again and again, count the errors of each test."""
    arguments = parser().parse(given)
    if not arguments.tests:
        raise ExcerptError("found no test, expected at least one", hint=f"try --tests {','.join(TESTS)}")
    for unknown in set(arguments.tests) - set(TESTS):
        raise UnknownName("test", unknown, TESTS)
    check_figure(arguments.figure)
    kept = record(arguments, "testerror", given)
    from excerpt.cli.progress import Progress
    from excerpt.experiments.significance_errors import error_rates
    from excerpt.render.figures.agreement import error_figure

    table = evaluate_runs(arguments, [arguments.measure])
    with Progress("testing") as progress:
        outcome = error_rates(
            table,
            arguments.measure,
            tests=arguments.tests,
            splits=arguments.splits,
            correction=arguments.correction,
            alpha=arguments.alpha,
            samples=arguments.samples,
            seed=arguments.seed,
            record=kept,
            progress=progress,
        )
    present(outcome, arguments, error_figure(outcome))
