"""Options of topics: their titles, and which of them count."""

from __future__ import annotations

import argparse
from typing import Any


def add_topics(parser: argparse._ActionsContainer, what: str = "titles and questions of the topics") -> None:
    """--topics: the texts of topics."""
    parser.add_argument("--topics", metavar="FILE", help=f"{what} (see excerpt topics)")


def add_choice(parser: argparse._ActionsContainer) -> None:
    """--only and --exclude: the topics that count."""
    parser.add_argument(
        "--only", metavar="TOPICS", help="only these topics, such as 201,205-210 or CU05-CU10 (default: all)"
    )
    parser.add_argument("--exclude", metavar="TOPICS", help="all topics but these")


def add_target(parser: argparse._ActionsContainer) -> None:
    """--target: results that a query asks for."""
    parser.add_argument(
        "--target",
        choices=("strict", "vague", "ignore"),
        help="keep the results that the castitles of --topics ask for: by the tags that they name (strict), "
        "or by equivalent ones, too (vague); ignore, the default, keeps all",
    )


def chosen_topics(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options of `add_choice` and `add_target` say, where a command has them."""
    return {name: vars(arguments)[name] for name in ("only", "exclude", "target") if name in arguments}
