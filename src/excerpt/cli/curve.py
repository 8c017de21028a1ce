"""excerpt curve: a measure at many cut-offs, as numbers or as a figure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser, show_warnings
from excerpt.cli.cut_corpus import chosen_corpus
from excerpt.cli.figures import add_figure, check_figure, write_drawing, write_figure
from excerpt.cli.intervals import add_interval
from excerpt.cli.options import add_corpus, add_files, add_measures, add_policies, scoring
from excerpt.cli.output import FIGURES, TABLES, add_format, chosen_format, write_result
from excerpt.cli.streams import Progress
from excerpt.cli.topic_choice import add_topics
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.evaluation.curves import Curve, Curves

_FORMATS = {**TABLES, **FIGURES}


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "curve", example="excerpt curve qrels.fol run1.fol run2.fol -m iP -o precision.svg", own=("measures",)
    )
    add_files(result)
    add_corpus(result)
    add_topics(result)
    add_measures(
        result,
        "measure that takes a cut-off, written without it: iP, gP(score=T2I); may be repeated "
        "(see excerpt measures)",
        required=True,
    )
    result.add_argument(
        "--points",
        metavar="LIST",
        help="cut-offs such as 1,2,5,10 or 1:100 or 0:1:0.1; a single rank N stands for 1:N "
        "(default: recall by 0.01, ranks 1:50)",
    )
    result.add_argument("--topic", metavar="T", help="scores of topic T instead of the means over topics")
    add_interval(result, "; a figure shows them as bands")
    add_format(result, "the curve", known=_FORMATS)
    add_figure(result, "also draw the curve into a file")
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print or draw."""
    arguments = parser().parse(given)
    format_ = chosen_format(arguments, _FORMATS)
    drawn = format_ in FIGURES
    if drawn and arguments.output == "-" and sys.stdout.isatty():
        raise ExcerptError(f"found a terminal, expected a file for {format_}", hint="try -o FILE")
    check_figure(arguments, *([format_] if drawn else []))
    curve = _compute(arguments)
    write_figure(curve, arguments)
    if not drawn:
        write_result(curve, arguments, format_)
        return
    write_drawing(curve, arguments, arguments.output, format_)
    show_warnings(curve.warnings)


def _compute(arguments: argparse.Namespace) -> Curve | Curves:
    """The curve of a measure, or those of several."""
    from excerpt.evaluation.curves import curve
    from excerpt.notices import Notices

    named = list(dict.fromkeys(arguments.measures))
    measures = named if len(named) > 1 else named[0]
    how = scoring(arguments) | {
        "corpus": chosen_corpus(arguments),
        "topics": arguments.topics,
        "points": arguments.points,
        "topic": arguments.topic,
        "interval": arguments.interval,
        "interval_method": arguments.interval_method,
        "samples": arguments.samples,
        "seed": arguments.seed,
    }
    with Progress("evaluating") as progress:
        return curve(arguments.qrels, arguments.runs, measures, notices=Notices(), progress=progress, **how)
