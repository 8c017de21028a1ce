"""excerpt measures: what is computed, with definitions and references."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from excerpt.cli import Parser


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("measures", example="excerpt measures AgP")
    result.add_argument("names", metavar="NAME", nargs="*", help="only these (default: all)")
    result.add_argument(
        "--format", default="table", choices=("table", "json", "markdown"), help="how to print them"
    )
    return result


def main(given: Sequence[str]) -> None:
    """Print the measures."""
    arguments = parser().parse(given)
    from excerpt.errors import UnknownName
    from excerpt.measures import Measure, definition, registry
    from excerpt.render.reference import distinct_measures, measures_page, spelling
    from excerpt.render.tables import render_records

    known = registry()
    for name in arguments.names:
        if name not in known:
            raise UnknownName("measure", name, known)
    chosen: list[type[Measure]] = [known[name] for name in arguments.names] or distinct_measures()
    if arguments.format == "markdown":
        print(measures_page(chosen), end="")
        return
    rows = [
        (
            measure.name,
            measure.mean_name or "",
            spelling(measure),
            definition(measure).partition(">>>")[0].strip(),
            measure.reference,
        )
        for measure in chosen
    ]
    if arguments.format == "json":
        print(render_records(("name", "mean", "spelling", "definition", "reference"), rows, "json"), end="")
        return
    for _, mean, spelled, text, reference in rows:
        print(f"{spelled}" + (f"   (mean over topics: {mean})" if mean else ""))
        for paragraph in text.split("\n\n") if arguments.names else text.split("\n\n")[:1]:
            print(
                textwrap.fill(
                    " ".join(paragraph.split()), 100, initial_indent="    ", subsequent_indent="    "
                )
            )
        print(textwrap.fill(reference, 100, initial_indent="    [", subsequent_indent="     ") + "]")
        print()
