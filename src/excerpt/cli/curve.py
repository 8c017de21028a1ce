"""excerpt curve: scores of a measure at many cut-offs, as numbers or as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt import options
from excerpt.cli import output
from excerpt.cli.console import ProgressBar, own_notices
from excerpt.cli.parser import Arguments, chosen, command, scoring
from excerpt.options import Option

if TYPE_CHECKING:
    from excerpt.experiments.curves import Curve, Curves

_FORMATS = {**output.TABLES, **output.FIGURES}
_POINTS = Option(
    "points",
    "cut-offs, such as 1,2,5,10 or 1:100 or 0:1:0.1; a single rank N means 1:N (default: recall levels "
    "0:1:0.01, ranks 1:50)",
    metavar="LIST",
)
_TOPIC = Option("topic", "print the scores of one topic, such as CU17, instead of the means", metavar="TOPIC")
_IDEAL = options.flag("ideal", "add the cumulated gain of the ideal run; only for xCG")
_INTERVALS = (
    options.INTERVAL.but(help=f"{options.INTERVAL.help}; a figure shows them as bands"),
    *options.SAMPLING,
)


@command(
    "curve",
    options.QRELS.but(help=f"{options.QRELS.help}; or the folder of excerpt try, without RUN"),
    options.RUNS.but(required=False),
    *options.READING,
    options.MAX_SIZE,
    *options.ENGINE,
    options.MEASURES.but(
        help="measure without its cut-off, such as iP or gP(score=T2I); may be repeated (default: recall "
        "by the characters read; see excerpt measures)",
        setting=None,
    ),
    _POINTS,
    _TOPIC,
    _IDEAL,
    *_INTERVALS,
    *output.format_options("the curve", known=_FORMATS),
    *output.figure_options("also draw the curve"),
    *options.POLICY,
    example="excerpt curve qrels.fol runs/*.gz -m charP -o precision.svg",
)
def main(arguments: Arguments) -> None:
    """Print or draw the curve."""
    format_ = output.chosen_drawing(arguments, _FORMATS)
    trial = _trial(arguments)
    output.write_drawn(_compute(arguments) if trial is None else trial, arguments, format_)


def _trial(arguments: Arguments) -> Curve | None:
    """The curve of all settings in a folder of excerpt try; None for judgments and runs."""
    if arguments.runs:
        return None
    from excerpt.trials.saved_trial import saved_curve

    decided = {option.dest for option in arguments.parser.options if option.decides and option.written}
    given = [option for option in arguments.parser.given if option in decided]
    return saved_curve(arguments.qrels, given)


def _compute(arguments: Arguments) -> Curve | Curves:
    from excerpt.experiments.curves import curve

    distinct = list(dict.fromkeys(arguments.measures or ()))
    measures = distinct if len(distinct) > 1 else distinct[0] if distinct else None
    how = {**scoring(arguments), **chosen(arguments, (_POINTS, _TOPIC, _IDEAL, *_INTERVALS))}
    with ProgressBar("evaluating") as progress:
        return curve(
            arguments.qrels, arguments.runs, measures, notices=own_notices(), progress=progress, **how
        )
