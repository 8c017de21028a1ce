"""excerpt assess people: who judges in a campaign, and the links by which they sign in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.errors import ExcerptError, UnknownName, one_line

if TYPE_CHECKING:
    from excerpt.assess.people import Person

_ACTIONS = ("add", "remove", "list")


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("assess people", example="excerpt assess people campaign add ann bob > links.tsv")
    result.add_argument("folder", metavar="FOLDER", help="folder of the campaign")
    result.add_argument(
        "action",
        metavar="ACTION",
        choices=_ACTIONS,
        help="add (prints a line for each name: the name, a tab, the link; who is there already gets a new "
        "link, and the old one ends), remove (their links end; what they judged stays), or list",
    )
    result.add_argument("names", metavar="NAME", nargs="*", help="names to add or to remove")
    return result


def main(given: Sequence[str]) -> None:
    """Add, remove or list; also while the campaign is served."""
    arguments = parser().parse(given)
    _check(arguments)
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.people import check_name
    from excerpt.web.addresses import write_address
    from excerpt.web.campaign_server import choose_port, link_to

    with Campaign.open(arguments.folder) as campaign:
        if arguments.action == "list":
            for person in campaign.people():
                print(one_line(person.name), "removed" if person.removed else "assessor", sep="\t")
        elif arguments.action == "remove":
            _need_known(arguments.names, campaign.people())
            for name in arguments.names:
                campaign.remove_person(name)
        else:
            names = [check_name(name) for name in arguments.names]  # all of them, before the first is added
            address = write_address(campaign.settings.host, choose_port(campaign))
            for name in names:
                print(name, link_to(address, campaign.add_person(name)), sep="\t")


def _check(arguments: argparse.Namespace) -> None:
    """An error for names that are too many or too few."""
    if arguments.action == "list" and arguments.names:
        raise ExcerptError(f"found names for list ({arguments.names[0]}), expected none")
    if arguments.action != "list" and not arguments.names:
        raise ExcerptError(f"found nobody to {arguments.action}, expected one name or more")
    twice = [name for name in arguments.names if arguments.names.count(name) > 1]
    if twice:
        raise ExcerptError(f"found {twice[0]} twice, expected each name once")


def _need_known(names: Sequence[str], people: Sequence[Person]) -> None:
    """An error for somebody who does not take part, before anybody is removed."""
    known = [person.name for person in people if not person.removed]
    for name in names:
        if name not in known:
            raise UnknownName("assessor", name, known)
