"""Server of a gold file that is being written, at a loopback address."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

from excerpt.authoring.gold_session import GoldSession
from excerpt.errors import ExcerptError
from excerpt.web import server


def open_gold_port(session: GoldSession, host: str, port: int | None) -> socket.socket:
    """Open the port that was asked for, else that of the last time, else a free one, which is kept.

    Unsaved work in browsers belongs to an address.
    """
    if port is not None:
        return server.listen(host, port)
    for choice in (session.port, *server.possible_ports()):
        with contextlib.suppress(ExcerptError):
            if choice:
                return server.listen(host, choice)
    return server.listen(host, 0)


def serve_gold(
    session: GoldSession, listening: socket.socket, *, begin: Callable[[str], None], browser: bool
) -> None:
    """Serve until Ctrl-C; `begin` gets the link as soon as requests are answered."""
    from excerpt.render.page import GOLD, served_page
    from excerpt.web.app import ServedPage
    from excerpt.web.gold_routes import make_gold_app
    from excerpt.web.guards import AccessTokens, new_token

    host, port = listening.getsockname()[:2]
    session.set_port(port)
    address, token, tokens = server.write_address(host, port), new_token(), AccessTokens()
    tokens.add(token, "author")
    view = ServedPage.of(*served_page(session.name, GOLD))
    app = make_gold_app(session, tokens=tokens, view=view, port=port, own=session.identity[:8])

    def on_start() -> None:
        begin(server.link_to(address, token))
        if browser:
            server.open_browser(server.link_to(address, tokens.add_link(token)))

    server.serve(app, listening, on_start)
