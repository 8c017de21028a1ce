"""excerpt measures: what is computed, with definitions and references."""

from __future__ import annotations

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
    from excerpt.render.fit import terminal_width
    from excerpt.render.listing import listing
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
    entries = []
    for _, mean, spelled, text, reference in rows:
        paragraphs = text.split("\n\n") if arguments.names else text.split("\n\n")[:1]
        heading = spelled + (f"   (mean over topics: {mean})" if mean else "")
        entries.append((heading, [*paragraphs, f"[{reference}]"]))
    print(listing(entries, terminal_width()))
