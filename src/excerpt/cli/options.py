"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex


def add_index(parser: argparse.ArgumentParser) -> None:
    """--index: where element paths become spans."""
    parser.add_argument(
        "--index", metavar="INDEX", help="offset index of the corpus (see excerpt index), for paths"
    )


def open_index(path: str | None) -> OffsetIndex | None:
    """The index a user named, if any."""
    if path is None:
        return None
    from excerpt.index import OffsetIndex

    return OffsetIndex.open(path)


def count(text: str) -> int:
    """A number of at least 1, for argparse."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of at least 1")
    return value


def limit(text: str) -> int | None:
    """A number of results, or none for all, for argparse."""
    return None if text.lower() in {"none", "all", "0"} else count(text)
