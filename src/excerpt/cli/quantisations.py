"""excerpt quantisations: how grades of elements become numbers."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli import Parser
from excerpt.cli.output import add_format, chosen_format, chosen_look


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("quantisations", example="excerpt quantisations --scale highlights")
    result.add_argument("--scale", metavar="SCALE", help="only those for this scale of judgments")
    add_format(result, "the list", output=False)
    return result


def main(given: Sequence[str]) -> None:
    """Print the quantisations."""
    arguments = parser().parse(given)
    from excerpt.errors import UnknownName
    from excerpt.quantise import default, quantisations
    from excerpt.render.tables import render_records

    known = quantisations()
    scales = {quantisation.scale for quantisation in known}
    if arguments.scale is not None and arguments.scale not in scales:
        raise UnknownName("scale", arguments.scale, scales)
    rows = [
        (
            quantisation.name,
            quantisation.scale,
            "yes" if quantisation.name == default(quantisation.scale) else "",
            quantisation.description,
        )
        for quantisation in known
        if arguments.scale in {None, quantisation.scale}
    ]
    print(
        render_records(
            ("name", "scale", "default", "what"), rows, chosen_format(arguments), chosen_look(arguments)
        ),
        end="",
    )
