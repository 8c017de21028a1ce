"""excerpt assess: what its commands are; each is a module of its own."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import CAMPAIGN, Parser
from excerpt.errors import UnknownName


def parser() -> Parser:
    """The arguments of the command: another one, and what it takes."""
    result = Parser("assess", example="excerpt assess demo")
    result.usage = "excerpt assess COMMAND …"
    lines = [f"  {name:<9} {text}" for name, text in CAMPAIGN.items()]
    hint = "excerpt assess COMMAND --help explains one."
    result.description = "\n".join([f"{result.description}", "", "commands:", *lines, "", hint])
    result.add_argument("command", metavar="COMMAND", help="one of those above")
    return result


def main(given: Sequence[str]) -> None:
    """Explain the commands; those that there are have been called by their own names before."""
    if not given or given[0] in {"-h", "--help"}:
        parser().parse(given)
    raise UnknownName("command of assess", given[0], CAMPAIGN)
