"""excerpt explore: the view of a report in the browser, from a server on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_files, add_measures, add_policies
from excerpt.cli.report import add_showing, reporting, showing, told_command
from excerpt.cli.streams import Progress
from excerpt.cli.telling import note


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "explore", example="excerpt explore qrels.fol runs/*.fol -m MAiP -m charR --corpus docs.zip"
    )
    add_files(result)
    add_measures(result, "measure; may be repeated (default: those of excerpt evaluate)")
    add_showing(result)
    add_server(result)
    add_policies(result)
    return result


def add_server(
    parser: argparse.ArgumentParser,
    *,
    host: str = "loopback address (default: 127.0.0.1)",
    port: str = "port (default: 0, any that is free)",
) -> None:
    """Where the server listens (a port of None is not named), and who opens the browser; with these helps."""
    group = parser.add_argument_group("server")
    group.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help=host)
    group.add_argument("--port", type=_port, metavar="N", help=port)
    group.add_argument(
        "--no-browser", action="store_true", help="print the link only; do not open it in a browser"
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a port from 0 to 65535")
    return int(text)


def main(given: Sequence[str]) -> None:
    """Read, evaluate, serve until Ctrl-C; the link is on standard output, all else on standard error."""
    made = parser()
    arguments = made.parse(given)
    from excerpt.notices import Notices
    from excerpt.render.reporting import open_world
    from excerpt.web.explorer import open_port, show_world

    with open_port(arguments.host, arguments.port or 0) as listening:
        with Progress("evaluating") as progress:
            world = open_world(
                arguments.qrels,
                arguments.runs,
                arguments.measures,
                command=told_command(made, given),
                lazy=True,
                notices=Notices(),
                progress=progress,
                **showing(arguments),
                **reporting(arguments),
            )
        show_warnings(world.warnings)
        note("open this link in a browser; Ctrl-C ends the server")
        show_world(world, listening, browser=not arguments.no_browser)
