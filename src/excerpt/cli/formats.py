"""excerpt formats: which files are read and written."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.output import add_format, chosen_format, chosen_look


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("formats", example="excerpt formats --format json")
    add_format(result, "the list", output=False)
    return result


def main(given: Sequence[str]) -> None:
    """Print the formats."""
    arguments = parser().parse(given)
    from excerpt.formats import judgments_formats, run_formats
    from excerpt.formats.registry import AnyFormat
    from excerpt.render.tables import render_records

    known: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]
    rows = [
        (
            format_.kind,
            format_.name,
            "read, write" if format_.write else "read",
            format_.layout,
            format_.description,
        )
        for format_ in known
    ]
    print(
        render_records(
            ("kind", "name", "we", "layout", "what"), rows, chosen_format(arguments), chosen_look(arguments)
        ),
        end="",
    )
