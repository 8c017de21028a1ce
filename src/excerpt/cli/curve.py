"""excerpt curve: a measure at many cut-offs, as numbers or as a figure."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_files, add_output, add_policies, scoring
from excerpt.cli.progress import Progress
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.evaluation.curves import Curve

FIGURES = ("png", "svg", "pdf")
FORMATS = ("table", "csv", "json", *FIGURES)


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("curve", example="excerpt curve qrels.fol run1.fol run2.fol -m iP -o precision.svg")
    add_files(result)
    result.add_argument(
        "-m",
        "--measure",
        required=True,
        metavar="NAME",
        help="a measure with a cut-off, written without it: iP, gP(score=T2I) (see excerpt measures)",
    )
    result.add_argument(
        "--points",
        metavar="LIST",
        help="cut-offs such as 1,2,5,10 or 1:100 or 0:1:0.1; a single rank N stands for 1:N "
        "(default: recall by 0.01, ranks 1:50)",
    )
    result.add_argument(
        "--topic", metavar="T", help="the scores of one topic instead of the mean over topics"
    )
    result.add_argument(
        "--format",
        choices=FORMATS,
        help="default: what the name after -o ends in, else table; csv and json keep every digit",
    )
    add_output(result)
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print or draw."""
    arguments = parser().parse(given)
    format_ = arguments.format or _by_name(arguments.output)
    if format_ in FIGURES:
        _check_figure(format_, arguments.output)
    from excerpt.files import write_bytes

    curve = _compute(arguments)
    write_bytes(arguments.output, _rendered(curve, format_))
    sys.stdout.flush()
    show_warnings(curve.warnings)


def _by_name(output: str) -> str:
    suffix = PurePath(output).suffix[1:].lower()
    return suffix if suffix in FORMATS else "table"


def _check_figure(format_: str, output: str) -> None:
    """Before any work is done: is there a place for a figure, and something to draw it with?"""
    from excerpt.render.figures.curve import require

    if output == "-" and sys.stdout.isatty():
        raise ExcerptError(f"found a terminal to print {format_} on", hint="try -o FILE")
    require(format_)


def _compute(arguments: argparse.Namespace) -> Curve:
    from excerpt.evaluation.curves import curve
    from excerpt.notices import Notices

    with Progress("evaluating") as progress:
        return curve(
            arguments.qrels,
            arguments.runs,
            arguments.measure,
            points=arguments.points,
            topic=arguments.topic,
            notices=Notices(),
            progress=progress,
            **scoring(arguments),
        )


def _rendered(curve: Curve, format_: str) -> bytes:
    from excerpt.render.tables import Table, render

    if format_ in FIGURES:
        from excerpt.render.figures.curve import draw

        return draw(curve, format_)
    if format_ == "json":
        return (json.dumps(curve.to_dict(), indent=2, ensure_ascii=False) + "\n").encode()
    if format_ == "csv":
        return curve.to_csv().encode()
    rows = zip(map(str, curve.x.tolist()), *curve.values.tolist(), strict=True)
    return render(Table(("x", *curve.runs), tuple(rows)), format_).encode()
