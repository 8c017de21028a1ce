"""excerpt agreement: do two measures or quantisations draw the same conclusions?"""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.experiment import add_outcome, check_figure, present, record
from excerpt.cli.options import add_files, add_measures, add_policies, evaluate_runs
from excerpt.cli.scored import add_significance, add_test
from excerpt.errors import ExcerptError


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "agreement",
        example="excerpt agreement qrels.fol runs/*.fol -m MAiP -m iP@0.01 --figure agreement.svg",
    )
    add_files(result)
    add_measures(
        result,
        "give two or more; a quantisation is part of the name: MAep(quantisation=strict)",
        required=True,
    )
    add_significance(add_test(result))
    add_outcome(result)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Evaluate, test all pairs by every measure, compare what was rejected."""
    arguments = parser().parse(given)
    if len(set(arguments.measures)) < 2:
        raise ExcerptError("found one measure, expected at least 2 to compare", hint="try -m NAME -m NAME")
    check_figure(arguments.figure)
    kept = record(arguments, "agreement", given)
    from excerpt.cli.progress import Progress
    from excerpt.experiments.agreement import agreement
    from excerpt.render.figures.agreement import agreement_figure

    table = evaluate_runs(arguments, arguments.measures)
    with Progress("testing") as progress:
        outcome = agreement(
            table,
            test=arguments.test,
            correction=arguments.correction,
            alpha=arguments.alpha,
            samples=arguments.samples,
            seed=arguments.seed,
            record=kept,
            progress=progress,
        )
    present(outcome, arguments, agreement_figure(outcome))
