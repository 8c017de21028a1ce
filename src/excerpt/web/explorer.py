"""The explorer: an evaluation in the browser, served on this machine."""

from __future__ import annotations

import socket
from typing import Unpack

from excerpt.errors import plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.render.report import Reporting, open_world
from excerpt.view import World
from excerpt.web.server import link_to, listen, open_browser, require_web, serve, write_address

HOST = "127.0.0.1"


def explore(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    host: str = HOST,
    port: int = 0,
    browser: bool = True,
    **how: Unpack[Reporting],
) -> None:
    """Evaluate runs and show a report in the browser, until interrupted (Ctrl-C).

    The server listens at a loopback address only, at `port` (0: any free port). It prints a link that
    contains the access token. Documents are read when they are shown. Other arguments are those of `report`.
    """
    with open_port(host, port) as listening:
        how.setdefault("lazy", True)
        show_world(open_world(judgments, runs, measures, **how), listening, browser=browser)


def open_port(host: str = HOST, port: int = 0) -> socket.socket:
    """Open the port of a server before the evaluation starts, so that errors show at once."""
    require_web()
    return listen(host, port)


def show_world(world: World, listening: socket.socket, *, browser: bool) -> None:
    """Serve an evaluation until Ctrl-C; print its link, and open it in a browser if `browser`."""
    from excerpt.render.page import served_page
    from excerpt.web.app import ServedPage, make_app
    from excerpt.web.guards import AccessTokens, new_token

    host, port = listening.getsockname()[:2]
    address, token, tokens = write_address(host, port), new_token(), AccessTokens()
    tokens.add(token, "user")
    runs, topics = len(world.table.runs), plural(len(world.table.topics), "topic")
    pairs = runs * (runs - 1) // 2
    waiting = f"Comparing {plural(pairs, 'pair')} over {topics} \u2026" if pairs else "Loading \u2026"
    page = served_page(world.title, waiting=waiting)  # until the overview is computed
    app = make_app(world, tokens=tokens, view=ServedPage.of(*page), port=port)

    def begin() -> None:
        print(link_to(address, token), flush=True)
        if browser:
            open_browser(link_to(address, tokens.add_link(token)))

    serve(app, listening, begin)
