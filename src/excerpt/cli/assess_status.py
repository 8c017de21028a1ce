"""excerpt assess status: how far a campaign is."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.output import add_format, chosen_format, write_result


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("assess status", example="excerpt assess status CAMPAIGN")
    result.add_argument("folder", metavar="FOLDER", help="folder of the campaign; it may be served meanwhile")
    add_format(result, "the progress")
    return result


def main(given: Sequence[str]) -> None:
    """Print the progress."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.progress import Progress, status

    with Campaign.open(arguments.folder) as campaign:
        progress = Progress(status(campaign))
    write_result(progress, arguments, format_)
