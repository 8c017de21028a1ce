"""How wide text for people is, and whether it has colours: on a terminal only, unless somebody asks."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from excerpt.cli.manner import MANNER
from excerpt.cli.options import count
from excerpt.cli.streams import shows_colours

_NARROWEST = 40


def add_terminal(parser: argparse._ActionsContainer) -> None:
    """--width, and --color in place of marks."""
    parser.add_argument(
        "--width", type=_width, metavar="N", help="columns (default: those of the terminal, else 80)"
    )
    add_color(parser, "colours instead of marks")


def add_color(parser: argparse._ActionsContainer, what: str = "colours") -> None:
    """--color."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        action=_Color,
        help=f"{what}: on a terminal, unless NO_COLOR is set (auto, the default), always, or never",
    )


class _Color(argparse.Action):
    """Keeps the choice; what is said beside has no colours either where there are to be none."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep it."""
        _parser, namespace, value, _option = given
        MANNER.plain = value == "never"
        setattr(namespace, self.dest, value)


def _width(text: str) -> int:
    """A number of columns that leaves room for text, for argparse."""
    value = count(text)
    if value < _NARROWEST:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected at least {_NARROWEST} columns")
    return value


def chosen_width(arguments: argparse.Namespace) -> int:
    """How wide lines may be."""
    from excerpt.render.fit import terminal_width

    width: int = arguments.width or max(terminal_width(getattr(arguments, "output", "-")) or 80, _NARROWEST)
    return width


def chosen_colours(arguments: argparse.Namespace) -> bool:
    """Whether to use colours: never in a file unless they are asked for."""
    if arguments.color != "auto":
        return bool(arguments.color == "always")
    return getattr(arguments, "output", "-") == "-" and shows_colours(sys.stdout)
