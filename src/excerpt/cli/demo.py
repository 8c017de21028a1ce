"""excerpt demo: evaluate the runs of the collection that ships with the package."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.output import add_format, chosen_format, chosen_look


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("demo", example="excerpt demo")
    result.add_argument(
        "--path", action="store_true", help="print the folder of the collection and nothing else"
    )
    add_format(result, "the scores", output=False)
    return result


def main(given: Sequence[str]) -> None:
    """Print scores of focused, relevant-in-context and best-in-context runs."""
    arguments = parser().parse(given)
    from excerpt import collection

    if arguments.path:
        print(collection.folder())
        return
    from excerpt.render.demo import demo

    page = demo(chosen_format(arguments), chosen_look(arguments))
    print(page.text, end="")
    show_warnings(page.warnings)
