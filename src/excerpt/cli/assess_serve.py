"""excerpt assess serve: a campaign in the browsers of those who judge, until Ctrl-C."""

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
    """The arguments of the command."""
    return Parser(
        "assess serve",
        CAMPAIGN_FOLDER,
        HOST.but(
            help="address or name of this machine; other machines reach it at another than the default, in "
            "which case there must be people with tokens (default: 127.0.0.1)"
        ),
        PORT.but(
            help="port, kept in the campaign: links hold it (default: that of the campaign; 0: any that "
            "is free)"
        ),
        NO_BROWSER,
        Option(
            "names",
            "further name that browsers may call the server by, such as that of a proxy; may be repeated, "
            "and is kept in the campaign (default: those of the last time)",
            ("--name",),
            metavar="HOST",
            many=True,
        ),
        CORPUS.but(help="the documents, where they have moved"),
        example="excerpt assess serve campaign",
        settings=False,
    )


def main(given: Sequence[str]) -> None:
    """Serve; the organiser's link is the first line of standard output, all else is on standard error."""
    arguments = parser().parse(given)
    from excerpt.assess.campaign import Campaign
    from excerpt.web.server import ended_by_signal, require_web

    require_web()
    with (
        ended_by_signal(),
        Campaign.open(arguments.folder, corpus=arguments.corpus) as campaign,
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
    """Serve a campaign that nobody else serves: take its port, check its documents, print its link.

    The assessor whose token is `opened` is shown the page; their link is printed first then.
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
            note(f"links of before lead to {before}, and so does work that browsers have not sent yet")
        campaign.set_address(place.host, place.port, place.further)
        if not find_address(host).is_loopback:
            show_warnings([UNENCRYPTED])
        if not any(not person.removed for person in campaign.people()):
            note(f"nobody judges yet: excerpt assess people {campaign.folder} add NAME… prints their links")

        def begin(link: str) -> None:
            if opened is None:
                print(link, flush=True)
                note("this is the organiser's link; Ctrl-C ends the server")
            else:  # another name of the same machine: a browser keeps who is signed in by names
                print(link_to(place.address, opened), link.replace("//127.0.0.1:", "//localhost:"), sep="\n")
                sys.stdout.flush()
                note("the first link is for judging, the second for the organiser; Ctrl-C ends the server")

        serve_campaign(campaign, place, begin=begin, browser=browser, opened=opened)
