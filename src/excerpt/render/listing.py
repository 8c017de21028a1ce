"""Names with explanations below them: for lists that are read, not compared."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from excerpt.render.escape import plain

_WIDEST = 100


def listing(entries: Iterable[tuple[str, Sequence[str]]], width: int | None = None) -> str:
    """Each entry as a heading with paragraphs below it, indented.

    >>> print(listing([("fol", ["runs of passages", "read, write"])], 24), end="")
    fol
        runs of passages
        read, write
    """
    columns = min(width or _WIDEST, _WIDEST)
    parts = []
    for heading, paragraphs in entries:
        lines = [plain(heading)]
        for paragraph in paragraphs:
            lines += textwrap.wrap(
                plain(" ".join(paragraph.split())),
                max(columns, 24),
                initial_indent="    ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
