"""Reference of measures, generated from the code."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from excerpt.measures import Measure, definition, parameters, registry
from excerpt.measures.base import Parameter
from excerpt.render.layout import plain

_WIDEST = 100


def distinct_measures() -> list[type[Measure]]:
    """All measures, each once even if it has several names."""
    return list(dict.fromkeys(registry().values()))


def _default(value: Any, kind: Parameter) -> str:
    """Default of a parameter as it is written; a default that is a text is parsed when it is used."""
    return "…" if value is None else value if isinstance(value, str) else kind.show(value)


def spelling(measure: type[Measure]) -> str:
    """Syntax of a measure, with its parameters and their defaults."""
    keys = [
        f"{field.name}={_default(field.default, kind)}"
        for field, kind in parameters(measure)
        if not kind.cutoff
    ]
    cutoff = next((kind.example for _, kind in parameters(measure) if kind.cutoff), "")
    return measure.name + (f"({', '.join(keys)})" if keys else "") + (f"[{cutoff}]" if cutoff else "")


def measures_page(chosen: Sequence[type[Measure]] = ()) -> str:
    """Documentation of some or all measures: syntax, definition, reference, worked example."""
    parts = [
        "# Measures",
        "",
        "Write a measure as `Name`, `Name[cut-off]` or `Name@cut-off`, parameters as `Name(key=value, …)`.",
        "Scores are computed per topic; reports show means over topics.",
    ]
    for measure in chosen or distinct_measures():
        text, _, example = definition(measure).partition(">>>")
        also = f" Its mean over topics is `{measure.mean_name}`." if measure.mean_name else ""
        parts += ["", f"## {measure.name}", "", f"`{spelling(measure)}`.{also}", "", text.strip()]
        parts += [
            f"\n- `{field.name}`: {kind.values}" for field, kind in parameters(measure) if not kind.cutoff
        ]
        parts += ["", f"Reference: {measure.reference}."]
        if example:
            parts += ["", "```pycon", f">>>{example.rstrip()}", "```"]
    return "\n".join(parts) + "\n"


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
