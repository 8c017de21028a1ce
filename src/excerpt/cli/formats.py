"""excerpt formats: which files are read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser

if TYPE_CHECKING:
    from excerpt.formats.registry import AnyFormat


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("formats", example="excerpt formats jsonl")
    result.add_argument("name", metavar="NAME", nargs="?", help="show this one with an example")
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json", "csv", "tsv", "latex", "markdown"),
        help="how to print the list (default: table)",
    )
    return result


def main(given: Sequence[str]) -> None:
    """Print the formats, or one of them."""
    arguments = parser().parse(given)
    from excerpt.errors import UnknownName
    from excerpt.formats import judgments_formats, run_formats
    from excerpt.render.tables import render_records

    known: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]
    if arguments.name is None:
        rows = [_row(format_) for format_ in known]
        print(render_records(("kind", "name", "written", "what it holds"), rows, arguments.format), end="")
        return
    chosen = [format_ for format_ in known if format_.name == arguments.name]
    if not chosen:
        raise UnknownName("format", arguments.name, {format_.name for format_ in known})
    if arguments.format == "table":
        print("\n\n".join(map(_described, chosen)))
    else:
        names = ("kind", "name", "written", "what it holds", "layout", "example")
        shown = [(*_row(format_), format_.layout, format_.example) for format_ in chosen]
        print(render_records(names, shown, arguments.format), end="")


def _row(format_: AnyFormat) -> tuple[str, str, str, str]:
    return (
        format_.kind,
        format_.name,
        "yes" if format_.write else "no",
        format_.description,
    )


def _described(format_: AnyFormat) -> str:
    use = "read and written" if format_.write else "read"
    lines = [f"{format_.name} ({format_.kind}, {use}): {format_.description}", "", f"  {format_.layout}"]
    if format_.example:
        lines += ["", "example:", *(f"  {line}" for line in format_.example.splitlines())]
    return "\n".join(lines)
