"""excerpt formats: which files are read and written."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("formats", example="excerpt formats --format json")
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json", "csv", "tsv", "latex", "markdown"),
        help="how to print the list (default: table)",
    )
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
    print(render_records(("kind", "name", "we", "layout", "what"), rows, arguments.format), end="")
