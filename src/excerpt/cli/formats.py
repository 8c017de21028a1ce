"""excerpt formats: which files are read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.output import add_format, chosen_format, chosen_look

if TYPE_CHECKING:
    from excerpt.formats.registry import AnyFormat


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("formats", example="excerpt formats jsonl")
    result.add_argument("name", metavar="NAME", nargs="?", help="show this one with an example")
    add_format(result, "the list", output=False)
    return result


def main(given: Sequence[str]) -> None:
    """Print the formats, or one of them."""
    arguments = parser().parse(given)
    from excerpt.errors import UnknownName
    from excerpt.formats import judgments_formats, run_formats
    from excerpt.render.tables import render_records

    known: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]
    format_, look = chosen_format(arguments), chosen_look(arguments)
    if arguments.name is None:
        rows = [_row(item) for item in known]
        print(render_records(("kind", "name", "written", "what it holds"), rows, format_, look), end="")
        return
    chosen = [item for item in known if item.name == arguments.name]
    if not chosen:
        raise UnknownName("format", arguments.name, {item.name for item in known})
    if format_ == "table":
        print("\n\n".join(map(_describe, chosen)))
    else:
        names = ("kind", "name", "written", "what it holds", "layout", "example")
        shown = [(*_row(item), item.layout, item.example) for item in chosen]
        print(render_records(names, shown, format_, look), end="")


def _row(format_: AnyFormat) -> tuple[str, str, str, str]:
    return (
        format_.kind,
        format_.name,
        "yes" if format_.write else "no",
        format_.description,
    )


def _describe(format_: AnyFormat) -> str:
    use = "read and written" if format_.write else "read"
    lines = [f"{format_.name} ({format_.kind}, {use}): {format_.description}", "", f"  {format_.layout}"]
    if format_.example:
        lines += ["", "example:", *(f"  {line}" for line in format_.example.splitlines())]
    return "\n".join(lines)
