"""excerpt demo: evaluate the runs of the collection that ships with the package."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("demo", example="excerpt demo")
    result.add_argument(
        "--path", action="store_true", help="print the folder of the collection and nothing else"
    )
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json", "csv", "tsv", "latex", "markdown"),
        help="as in evaluate",
    )
    return result


def main(given: Sequence[str]) -> None:
    """Print scores of focused, relevant-in-context and best-in-context runs."""
    arguments = parser().parse(given)
    from excerpt import collection

    if arguments.path:
        print(collection.folder())
        return
    from excerpt.render.demo import demo

    page = demo(arguments.format)
    print(page.text, end="")
    show_warnings(page.warnings)
