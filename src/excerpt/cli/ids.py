"""Options that say where passages are whose ids a run or judgments have."""

from __future__ import annotations

import argparse
from typing import Any


def add_ids(parser: argparse.ArgumentParser) -> None:
    """--id-pattern and --segments: where the ids of passages say that they are."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--id-pattern",
        metavar="REGEX",
        help="where ids of passages hide their place: an expression with the groups document, start and end, "
        r"such as '(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)'",
    )
    group.add_argument(
        "--segments", metavar="FILE", help="table with the place of each passage: id document start end"
    )


def chosen_ids(arguments: argparse.Namespace) -> dict[str, Any]:
    """Where ids of passages are: what the options of `add_ids` say."""
    return {"id_pattern": arguments.id_pattern, "segments": arguments.segments}
