"""Server of a campaign: port, links, access from other machines."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.errors import ExcerptError
from excerpt.web import server

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

UNENCRYPTED = (
    "tokens and judgments are sent unencrypted: others on the network can read and change them; "
    "serve on 127.0.0.1 behind a TLS proxy such as Caddy or nginx"
)


class ServerAddress(NamedTuple):
    """The address of a campaign's server: socket, host and port of links, allowed host names.

    `further` are the names that the organiser gave, now or at an earlier start.
    """

    listening: socket.socket
    host: str
    port: int
    names: set[str]
    further: tuple[str, ...] = ()
    #: Address of a proxy in front of the server; empty without one.
    url: str = ""

    @property
    def address(self) -> str:
        """The start of every link."""
        return self.url or server.write_address(self.host, self.port)


def address_of(campaign: Campaign) -> str:
    """Return the start of links to a campaign that may not be served at the moment."""
    return campaign.settings.url or server.write_address(campaign.settings.host, choose_port(campaign))


def choose_port(campaign: Campaign) -> int:
    """Return the port of a campaign, a free one chosen once: links and data in browsers depend on it."""
    if not campaign.settings.port:
        for port in server.possible_ports():
            with contextlib.suppress(ExcerptError), server.listen(campaign.settings.host, port):
                campaign.set_address(campaign.settings.host, port)
                break
    return campaign.settings.port


def open_place(
    campaign: Campaign, host: str, port: int, names: Sequence[str] = (), url: str | None = None
) -> ServerAddress:
    """Open the port of a campaign; a host that admits other machines needs assessors with tokens.

    Without `names`, the names of the last start stay valid, so that open pages continue to work; so does the
    address of a proxy without `url`.
    """
    server.require_web()
    if not server.find_address(host).is_loopback and not campaign.permissions.people().names():
        hint = "add assessors first: excerpt assess people FOLDER add NAME"
        raise ExcerptError(f"host {host} admits other machines, but the campaign has no assessors", hint=hint)
    further = tuple(names) or campaign.settings.names
    proxy = server.Proxy.of(campaign.settings.url if url is None else url)
    allowed = server.allowed_names(host, (*further, *filter(None, [proxy.host])))
    listening = server.listen(host, port, anywhere=True)
    linked, at = server.linked_host(host, further), int(listening.getsockname()[1])
    return ServerAddress(listening, linked, at, allowed, further, proxy.url)


def moved_from(campaign: Campaign, place: ServerAddress) -> str:
    """Return the address of earlier links if it differs from the current one, else ""."""
    if place.url or campaign.settings.url:
        before = campaign.settings.url
        return before if before and before != place.url else ""
    host, port = campaign.settings.host, campaign.settings.port
    everywhere = server.find_address(place.listening.getsockname()[0]).is_unspecified
    same = host == place.host or everywhere or {host, place.host} == {"localhost", "127.0.0.1"}
    return "" if not port or (port == place.port and same) else server.write_address(host, port)


def serve_campaign(
    campaign: Campaign,
    place: ServerAddress,
    *,
    begin: Callable[[str], None],
    browser: bool,
    opened: str | None = None,
) -> None:
    """Serve until Ctrl-C; `begin` gets the organiser's link as soon as requests are answered.

    The browser is opened for the organiser, or for the assessor whose token is `opened`, with a single-use
    link, since all users of a machine can see the arguments of its programs.
    """
    from excerpt.assess.assignment import reassign
    from excerpt.assess.export import exported
    from excerpt.assess.people import ADJUDICATOR, ASSESSOR
    from excerpt.assess.progress import status
    from excerpt.render.blocks import blocks_of
    from excerpt.render.page import ASSESS, ORGANISE, served_page
    from excerpt.web.app import ServedPage
    from excerpt.web.campaign_routes import ORGANISER, OrganiserFunctions, make_campaign_app
    from excerpt.web.guards import AccessTokens, new_token
    from excerpt.web.organiser_desk import OrganiserDesk, desk_routes

    pages = {ASSESSOR: ASSESS, ADJUDICATOR: ASSESS, ORGANISER: ORGANISE}
    token, tokens = new_token(), AccessTokens()
    tokens.add(token, "organiser")

    def blocks(document: str) -> list[Any]:
        return blocks_of(campaign.corpus.document(document))

    app = make_campaign_app(
        campaign,
        organiser=tokens,
        results=OrganiserFunctions(
            lambda: status(campaign),
            lambda **options: exported(campaign, **options).data,
            lambda topic, names: reassign(campaign, topic, names),
        ),
        blocks=blocks,
        further=desk_routes(OrganiserDesk(campaign, partial(server.link_to, place.address), blocks)),
        views={
            role: ServedPage.of(*served_page(campaign.settings.title, page)) for role, page in pages.items()
        },
        port=place.port,
        own=campaign.settings.identity[:8],
        names=place.names,
        proxy=server.Proxy.of(place.url),
    )

    def on_start() -> None:
        begin(server.link_to(place.address, token))
        if browser:
            server.open_browser(server.link_to(place.address, tokens.add_link(opened or token)))

    server.serve(app, place.listening, on_start)
