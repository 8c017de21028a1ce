"""excerpt assess serve: serve a campaign to the browsers of assessors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli.console import note, show_warnings
from excerpt.cli.parser import Parser
from excerpt.options import CAMPAIGN_FOLDER, CORPUS, HOST, NO_BROWSER, PORT, Option

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign


def parser() -> Parser:
    """Return the parser of the command."""
    return Parser(
        "assess serve",
        CAMPAIGN_FOLDER,
        HOST.but(
            help="address to listen on; anything but loopback needs assessors with links (default: 127.0.0.1)"
        ),
        PORT.but(
            help="port to listen on, kept in the campaign since links contain it (default: that of the "
            "campaign; 0: a free port)"
        ),
        NO_BROWSER,
        Option(
            "names",
            "further host name of the server, such as that of a proxy; may be repeated, and is kept in the "
            "campaign (default: the names given last time)",
            ("--name",),
            metavar="HOST",
            many=True,
        ),
        CORPUS.but(help="documents, if they have moved (default: as in campaign.toml)"),
        example="excerpt assess serve campaign",
        settings=False,
    )


def main(given: Sequence[str]) -> None:
    """Serve a campaign; standard output has the organiser's link, messages are on standard error."""
    arguments = parser().parse(given)
    from excerpt.cli.assess import open_campaign
    from excerpt.web.server import ended_by_signal, require_web

    require_web()
    with (
        ended_by_signal(),
        open_campaign(arguments.folder, arguments.corpus, check=False) as campaign,
        campaign.serve_lock(),
    ):
        show(
            campaign,
            host=arguments.host,
            port=arguments.port,
            names=arguments.names or (),
            browser=not arguments.no_browser,
        )


def show(
    campaign: Campaign,
    *,
    host: str,
    port: int | None,
    names: Sequence[str],
    browser: bool,
    opened: str | None = None,
) -> None:
    """Serve a locked campaign: open its port, check its documents, print its link.

    If `opened` is the token of an assessor, their link is printed first and opened in the browser.
    """
    from excerpt.web.campaign_server import (
        UNENCRYPTED,
        choose_port,
        moved_from,
        open_place,
        serve_campaign,
    )
    from excerpt.web.server import find_address, link_to

    show_warnings(campaign.notices)
    place = open_place(campaign, host, choose_port(campaign) if port is None else port, names)
    with place.listening:
        campaign.check_corpus()
        if (before := moved_from(campaign, place)) and campaign.people():
            note(f"earlier links, and unsaved work in browsers, still point to {before}")
        campaign.set_address(place.host, place.port, place.further)
        if not find_address(host).is_loopback:
            show_warnings([UNENCRYPTED])
        if not any(not person.removed for person in campaign.people()):
            note(f"no assessors yet: excerpt assess people {campaign.folder} add NAME… prints their links")

        def begin(link: str) -> None:
            if opened is None:
                print(link, flush=True)
                note("this is the organiser's link; Ctrl-C ends the server")
            else:  # cookies are kept by host name, so the second link has another name of this machine
                print(link_to(place.address, opened), link.replace("//127.0.0.1:", "//localhost:"), sep="\n")
                sys.stdout.flush()
                note("first the assessor's link, then the organiser's link; Ctrl-C ends the server")

        serve_campaign(campaign, place, begin=begin, browser=browser, opened=opened)
