"""Options of judgments that are questions with evidence."""

from __future__ import annotations

import argparse
from typing import Any


def add_context(parser: argparse.ArgumentParser) -> None:
    """--context: what a document of a gold file is."""
    parser.add_argument(
        "--context",
        choices=("paragraph", "article"),
        help="documents of judgments of the SQuAD family: each paragraph (the default) or whole articles",
    )


def chosen_context(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the option says, where a command has it; of those that show text the context is something else."""
    context = getattr(arguments, "context", None)
    return {"context": context} if isinstance(context, str) else {}
