"""excerpt measures: what is computed, with definitions and references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser

if TYPE_CHECKING:
    from excerpt.measures import Measure


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("measures", example="excerpt measures AgP")
    result.add_argument("names", metavar="NAME", nargs="*", help="only these (default: all)")
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json", "markdown"),
        help="how to print them (default: table)",
    )
    return result


def main(given: Sequence[str]) -> None:
    """Print the measures."""
    arguments = parser().parse(given)
    from excerpt.measures import definition, kind_of
    from excerpt.render.fit import terminal_width
    from excerpt.render.reference import distinct_measures, listing, measures_page, spelling
    from excerpt.render.tables import render_records

    chosen: list[type[Measure]] = [kind_of(name) for name in arguments.names] or distinct_measures()
    if arguments.format == "markdown":
        print(measures_page(chosen), end="")
    elif arguments.format == "json":
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
        print(render_records(("name", "mean", "spelling", "definition", "reference"), rows, "json"), end="")
    else:
        entries = [_entry(measure, whole=bool(arguments.names)) for measure in chosen]
        print(listing(entries, terminal_width()))


def _entry(measure: type[Measure], *, whole: bool) -> tuple[str, list[str]]:
    """How a measure is written and what it is; as a whole also what its parameters take."""
    from excerpt.measures import definition, parameters
    from excerpt.render.reference import spelling

    mean = f"   (mean over topics: {measure.mean_name})" if measure.mean_name else ""
    paragraphs = definition(measure).partition(">>>")[0].strip().split("\n\n")
    lines = paragraphs if whole else paragraphs[:1]
    for field, kind in parameters(measure) if whole else ():
        lines.append(f"{'cut-off' if kind.cutoff else field.name}: {kind.values}")
    return spelling(measure) + mean, [*lines, f"[{measure.reference}]"]
