"""excerpt evaluate: scores of runs against judgments."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_files, add_measures, add_output, add_policies, digits, evaluate_runs


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "evaluate", example="excerpt evaluate qrels.fol run1.fol run2.fol -m MAiP -m iP@0.01 --per-topic"
    )
    add_files(result)
    add_measures(result, "may be repeated (see excerpt measures)")
    result.add_argument("--per-topic", action="store_true", help="scores of every topic, not only the means")
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json", "csv", "tsv", "latex", "markdown"),
        help="how to print the scores (default: table); json, csv and tsv keep every digit",
    )
    result.add_argument(
        "--digits", type=digits, default=4, metavar="N", help="digits after the point (default: 4)"
    )
    add_output(result)
    result.add_argument("--save", metavar="FILE", help="keep all scores in a .json, .csv or .parquet file")
    add_policies(result)
    return result


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print."""
    arguments = parser().parse(given)
    from excerpt.evaluation import DEFAULT_MEASURES
    from excerpt.files import write_bytes
    from excerpt.formats.scores import save_scores
    from excerpt.render.tables import render_scores

    table = evaluate_runs(arguments, arguments.measures or DEFAULT_MEASURES)
    if arguments.save:
        save_scores(table, arguments.save)
    text = render_scores(table, arguments.format, per_topic=arguments.per_topic, digits=arguments.digits)
    write_bytes(arguments.output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(table.warnings)
