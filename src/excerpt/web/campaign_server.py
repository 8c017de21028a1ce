"""The server of a campaign: its port, its links, and who may connect."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from excerpt.errors import ExcerptError
from excerpt.web.server import (
    allowed_names,
    find_address,
    link_to,
    linked_host,
    listen,
    open_browser,
    require_web,
    serve,
    write_address,
)

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign


#: Ports among which that of a campaign is chosen.
_PORTS = range(10_000, 30_000)
UNENCRYPTED = (
    "tokens and judgments travel unencrypted: anybody on the network between can read and change them; "
    "put a proxy with TLS before a server on 127.0.0.1, such as Caddy or nginx"
)


class Place(NamedTuple):
    """Where a campaign is served: a socket, what links call it, and the names browsers may use.

    `further` are those of the names that were given, now or at an earlier start.
    """

    listening: socket.socket
    host: str
    port: int
    names: set[str]
    further: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """The beginning of every link."""
        return write_address(self.host, self.port)


def choose_port(campaign: Campaign) -> int:
    """The port of a campaign, which is chosen once: links, and what browsers keep, depend on it.

    It is free now, and not one of those that systems give to programs that ask for any: those come and go.
    """
    if not campaign.settings.port:
        for port in random.SystemRandom().sample(_PORTS, 100):
            with contextlib.suppress(ExcerptError), listen(campaign.settings.host, port):
                campaign.set_address(campaign.settings.host, port)
                break
    return campaign.settings.port


def open_place(campaign: Campaign, host: str, port: int, names: Sequence[str] = ()) -> Place:
    """Take the port of a campaign; other machines reach it only where there are people with tokens.

    Without `names` it answers to those of the last time: pages that were opened by them go on.
    """
    require_web()
    if not find_address(host).is_loopback and not any(not person.removed for person in campaign.people()):
        raise ExcerptError(
            f"found {host} as host and nobody who judges, expected people with tokens before others connect",
            hint="try excerpt assess people FOLDER add NAME",
        )
    further = tuple(names) or campaign.settings.names
    allowed = allowed_names(host, further)
    listening = listen(host, port, anywhere=True)
    return Place(listening, linked_host(host, further), int(listening.getsockname()[1]), allowed, further)


def moved_from(campaign: Campaign, place: Place) -> str:
    """The address that links of earlier hold, where it does not lead to a place; nothing as a rule."""
    host, port = campaign.settings.host, campaign.settings.port
    everywhere = find_address(place.listening.getsockname()[0]).is_unspecified
    same = host == place.host or everywhere or {host, place.host} == {"localhost", "127.0.0.1"}
    return "" if not port or (port == place.port and same) else write_address(host, port)


def serve_campaign(
    campaign: Campaign,
    place: Place,
    *,
    begin: Callable[[str], None],
    browser: bool,
    opened: str | None = None,
) -> None:
    """Serve until Ctrl-C; `begin` is told the organiser's link as soon as requests are answered.

    The browser is opened for the organiser, or for the assessor whose token is `opened`, by a link that is
    good for one use: all users of a machine see what programs are started with.
    """
    from excerpt.assess.export import exported
    from excerpt.assess.progress import status
    from excerpt.render.blocks import blocks_of
    from excerpt.render.page import ASSESS, ORGANISE, served_page
    from excerpt.web.app import View
    from excerpt.web.campaign_routes import ASSESSOR, ORGANISER, Results, make_campaign_app
    from excerpt.web.guards import Tokens, new_token

    pages = {ASSESSOR: ASSESS, ORGANISER: ORGANISE}
    token, tokens = new_token(), Tokens()
    tokens.add(token, "organiser")
    app = make_campaign_app(
        campaign,
        organiser=tokens,
        results=Results(lambda: status(campaign), lambda **how: exported(campaign, **how).data),
        blocks=lambda document: blocks_of(campaign.corpus.document(document)),
        views={role: View.of(*served_page(campaign.settings.title, page)) for role, page in pages.items()},
        port=place.port,
        names=place.names,
    )

    def began() -> None:
        begin(link_to(place.address, token))
        if browser:
            open_browser(link_to(place.address, tokens.add_link(opened or token)))

    serve(app, place.listening, began)
