"""The names of the output formats, and which of them a file's name asks for; loads nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping

from excerpt.errors import ExcerptError

#: Formats of tables, each with the ending of a file's name that asks for it.
TABLES = {"table": ".txt", "json": ".json", "csv": ".csv", "tsv": ".tsv", "latex": ".tex", "markdown": ".md"}
#: Formats of figures.
FIGURES = {"svg": ".svg", "pdf": ".pdf", "png": ".png"}

_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}


def choose_format(name: str, given: str | None = None, known: Mapping[str, str] = TABLES) -> str:
    """The format that was given, else the one that the name of a file ends in.

    Standard output and names without an ending have the first of the known formats, if that is a table.

    >>> choose_format("scores.csv.gz"), choose_format("scores.txt", "latex"), choose_format("-")
    ('csv', 'latex', 'table')
    """
    if given is not None:
        return given
    suffixes = [f".{part.lower()}" for part in os.path.basename(name).lstrip(".").split(".")[1:]]  # noqa: PTH119
    suffix = next((end for end in reversed(suffixes) if end not in _COMPRESSED), "")
    for format_, ending in known.items():
        if suffix == ending:
            return format_
    if not suffix and "table" in known:
        return "table"
    raise ExcerptError(
        f"found a name that ends in {suffix or 'nothing'}, expected {_listed(list(known.values()))}",
        path=name,
        hint="⟨output_format=…⟩ takes any name" if "table" in known else "",
    )


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
