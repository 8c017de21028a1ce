"""How wide text for people is, and whether it has colours: on a terminal only, unless somebody asks."""

from __future__ import annotations

import argparse

from excerpt.cli.options import count

_NARROWEST = 40


def add_terminal(parser: argparse._ActionsContainer) -> None:
    """--width and --color."""
    parser.add_argument(
        "--width", type=_width, metavar="N", help="columns (default: those of the terminal, else 80)"
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours instead of marks: on a terminal, unless NO_COLOR is set (auto, the default), always, "
        "or never",
    )


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
    from excerpt.render.terminal import has_colours

    return getattr(arguments, "output", "-") == "-" and has_colours()
