"""excerpt measures: what is computed, with definitions and references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser

if TYPE_CHECKING:
    from excerpt.measures import Measure


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("measures", example="excerpt measures AgP")
    result.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        help="only these, or those of a set: inex, rag, trec (default: all)",
    )
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
    from excerpt.evaluation.chunk_scores import DEFINITIONS
    from excerpt.measures import definition
    from excerpt.render.fit import terminal_width
    from excerpt.render.reference import distinct_measures, listing, measures_page, spelling
    from excerpt.render.tables import render_records

    asked = [name for name in arguments.names if name.lower() not in DEFINITIONS]
    chosen = list(dict.fromkeys(_meant(asked))) if arguments.names else distinct_measures()
    of_chunkers = {
        name: entry
        for name, entry in DEFINITIONS.items()
        if not arguments.names or name in map(str.lower, arguments.names)
    }
    if arguments.format == "markdown":
        print(measures_page(chosen) if chosen else "# Measures", end="\n" if of_chunkers else "")
        for name, (written, meaning, reference) in of_chunkers.items():
            print(f"\n## {name}\n\n`{written}`, by `excerpt chunks`.\n\n{meaning}\n\nReference: {reference}.")
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
        rows += [(name, "", *entry) for name, entry in of_chunkers.items()]
        print(render_records(("name", "mean", "spelling", "definition", "reference"), rows, "json"), end="")
    else:
        entries = [_entry(measure, whole=bool(arguments.names)) for measure in chosen]
        entries += [
            (f"{written}   (excerpt chunks)", [meaning, f"[{reference}]"])
            for written, meaning, reference in of_chunkers.values()
        ]
        print(listing(entries, terminal_width()))


def _meant(names: Iterable[str]) -> Iterator[type[Measure]]:
    """The measures that names stand for: beside judgments of text, of documents, and all those of a set."""
    from excerpt.measures import SETS, kind_of, parse

    for name in names:
        if name.lower() in SETS:
            yield from (type(parse(each, documents=name.lower() == "trec")) for each in SETS[name.lower()])
        else:
            yield kind_of(name)
            yield kind_of(name, documents=True)


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
