"""excerpt evaluate: scores of runs against judgments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from excerpt.cli import Parser, show_warnings
from excerpt.cli.options import add_index, count, limit, open_index


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser(
        "evaluate", example="excerpt evaluate qrels.fol run1.fol run2.fol -m MAiP -m iP@0.01 --per-topic"
    )
    result.add_argument(
        "qrels", metavar="QRELS", help="judgments: a file, or a folder with one file per topic"
    )
    result.add_argument("runs", metavar="RUN", nargs="+", help="run files")
    result.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        metavar="NAME",
        help="may be repeated (see excerpt measures)",
    )
    add_index(result)
    result.add_argument("--per-topic", action="store_true", help="scores of every topic, not only the means")
    result.add_argument(
        "--format",
        default="table",
        choices=("table", "json", "csv", "tsv", "latex", "markdown"),
        help="how to print the scores (default: table); json, csv and tsv keep every digit",
    )
    result.add_argument(
        "--digits", type=count, default=4, metavar="N", help="digits after the point (default: 4)"
    )
    result.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="write there instead of standard output"
    )
    result.add_argument("--save", metavar="FILE", help="keep all scores in a .json, .csv or .parquet file")
    result.add_argument(
        "--run-format", metavar="FORMAT", help="instead of recognising it (see excerpt formats)"
    )
    result.add_argument(
        "--qrels-format", metavar="FORMAT", help="instead of recognising it (see excerpt formats)"
    )
    result.add_argument(
        "--workers", type=count, default=1, metavar="N", help="processes to share the runs among"
    )
    _add_policies(result)
    return result


def _add_policies(result: argparse.ArgumentParser) -> None:
    group = result.add_argument_group("policies")
    group.add_argument(
        "--overlap",
        default="error",
        choices=("error", "first", "penalise", "allow"),
        help="results that share text: refuse the run; count each character once; as relevant once but as "
        "read every time; every time (measures that define it themselves, such as charP, are not affected)",
    )
    group.add_argument(
        "--interleaved",
        default="error",
        choices=("error", "regroup"),
        help="documents whose results do not stand together, for in-context measures",
    )
    group.add_argument(
        "--unknown",
        default="count",
        choices=("count", "error"),
        help="results beyond the end of a document, or that do not exist: count as irrelevant, or refuse",
    )
    group.add_argument(
        "--limit", type=limit, default=1500, metavar="N", help="results per topic, or none (default: 1500)"
    )
    group.add_argument(
        "--order",
        choices=("file", "rank", "score"),
        help="rank order (default: the file's; for TREC runs by score, ties by document id, descending)",
    )
    group.add_argument(
        "--only-run-topics", action="store_true", help="leave out topics that the run does not have"
    )
    group.add_argument("--include-empty", action="store_true", help="count topics without relevant text as 0")


def main(given: Sequence[str]) -> None:
    """Read, evaluate, print."""
    arguments = parser().parse(given)
    from excerpt.cli.progress import Progress
    from excerpt.evaluation import DEFAULT_MEASURES, evaluate
    from excerpt.files import write_bytes
    from excerpt.formats import read_judgments
    from excerpt.formats.scores import save_scores
    from excerpt.model import Policy
    from excerpt.notices import Notices
    from excerpt.report.tables import render_scores

    notices, index = Notices(), open_index(arguments.index)
    judgments = read_judgments(arguments.qrels, format=arguments.qrels_format, index=index, notices=notices)
    progress = Progress("evaluating")
    scores = evaluate(
        judgments,
        arguments.runs,
        arguments.measures or DEFAULT_MEASURES,
        policy=Policy(
            overlap=arguments.overlap,
            interleaved=arguments.interleaved,
            unknown=arguments.unknown,
            limit=arguments.limit,
            only_run_topics=arguments.only_run_topics,
            include_empty=arguments.include_empty,
        ),
        index=index,
        order=arguments.order,
        run_format=arguments.run_format,
        workers=arguments.workers,
        notices=notices,
        progress=progress,
    )
    progress.erase()
    if arguments.save:
        save_scores(scores, arguments.save)
    text = render_scores(scores, arguments.format, per_topic=arguments.per_topic, digits=arguments.digits)
    write_bytes(arguments.output, text.encode(errors="backslashreplace"))
    sys.stdout.flush()
    show_warnings(scores.warnings)
