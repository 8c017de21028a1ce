"""excerpt assess agreement: how far assessors agree, with each other and with the machine."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.actions import ExpandFiles
from excerpt.cli.options import (
    add_index,
    add_limits,
    add_measures,
    add_policies,
    chosen_policy,
    count,
    open_index,
)
from excerpt.cli.output import add_format, chosen_format, write_result


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "assess agreement", example="excerpt assess agreement CAMPAIGN runs/*.fol -m MAiP", own=None
    )
    result.add_argument("folder", metavar="FOLDER", help="folder of the campaign; it may be served meanwhile")
    result.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        action=ExpandFiles,
        help="runs to rank by either's judgments (default: those of the pool, if they are found unchanged)",
    )
    add_measures(
        result, "measure; may be repeated (default: MAiP and iP[0.01]; MAep where grades are all there is)"
    )
    result.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the intervals (default: 1)")
    result.add_argument(
        "--samples", type=count, default=1000, metavar="N", help="resamples for the intervals (default: 1000)"
    )
    add_index(result)
    add_limits(result)
    result.add_argument("--run-format", metavar="FORMAT", help="format of the runs (default: recognised)")
    result.add_argument("--corpus", metavar="CORPUS", help="the documents, where they are no longer there")
    add_format(result, "the agreement")
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Compare and print."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.assess.agreeing import measure_agreement
    from excerpt.assess.campaign import Campaign
    from excerpt.notices import Notices

    with Campaign.open(arguments.folder, corpus=arguments.corpus) as campaign:
        found = measure_agreement(
            campaign,
            arguments.runs,
            arguments.measures,
            seed=arguments.seed,
            samples=arguments.samples,
            notices=Notices(),
            policy=chosen_policy(arguments),
            index=open_index(arguments.index),
            run_format=arguments.run_format,
            order=arguments.order,
        )
    write_result(found, arguments, format_)
