"""excerpt demo: three tasks of INEX on the collection that ships with the package."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser, show_warnings
from excerpt.cli.output import add_format, chosen_format, chosen_look
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.model import ScoreTable
    from excerpt.render.tables import Table

#: Task → title and measures; the first measure orders the runs.
_TASKS = {
    "focused": (
        "Focused: ranked passages that do not overlap",
        ("MAiP", "iP[0.00]", "iP[0.01]", "iP[0.10]", "charP", "charR", "charF", "articleAP"),
    ),
    "ric": (
        "Relevant in context: passages grouped by document",
        ("MAgP", "MAgP(beta=0.25)", "MAgP(score=T2I)", "gP[5]", "gR[5]"),
    ),
    "bic": (
        "Best in context: one entry point per document",
        ("MAgP(score=BEP)", "MAgP(score=BEP, n=1000)", "gP(score=BEP)[5]"),
    ),
}

#: Measures of the report; the first one orders the runs.
_REPORTED = ("MAiP", "iP[0.01]", "charP", "charR", "articleAP")


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("demo", example="excerpt demo")
    result.add_argument("--path", action="store_true", help="print only the folder of the collection")
    result.add_argument(
        "--report", metavar="FILE", help="instead of printing scores, write a report of all runs (HTML)"
    )
    add_format(result, "the scores", output=False)
    return result


def main(given: Sequence[str]) -> None:
    """Evaluate the embedded runs, task by task, best run first."""
    arguments = parser().parse(given)
    _check(arguments)
    from excerpt import collection
    from excerpt.errors import json_text
    from excerpt.evaluation import evaluate
    from excerpt.formats import read_judgments
    from excerpt.notices import Notices
    from excerpt.render.tables import render

    if arguments.path:
        print(collection.folder())
        return
    if arguments.report is not None:
        _write_report(arguments)
        return
    judgments = read_judgments(collection.qrels())
    scores = {
        task: evaluate(judgments, [run.path for run in collection.runs(task)], measures, notices=Notices())
        for task, (_, measures) in _TASKS.items()
    }
    format_, look = chosen_format(arguments), chosen_look(arguments)
    if format_ == "json":
        print(json_text({task: table.to_dict() for task, table in scores.items()}, indent=2))
    else:
        if format_ == "table":
            print(
                f"CUAD mini: {len(judgments.documents)} contracts, {len(judgments.topics)} topics "
                f"({int(judgments.has_relevant.sum())} with relevant text), "
                f"{len(judgments.spans)} highlighted passages\n"
            )
        print(
            "\n".join(render(_ranked(task, table), format_, look) for task, table in scores.items()), end=""
        )
    show_warnings(dict.fromkeys(warning for table in scores.values() for warning in table.warnings))


def _check(arguments: argparse.Namespace) -> None:
    """An error for options that are not used beside others, and for a report that is no page."""
    unused = {
        "--report": arguments.path and arguments.report is not None,
        "--format": arguments.format is not None
        and (arguments.path or (arguments.report is not None and arguments.format not in {"table", "json"})),
        "--safe-csv": arguments.safe_csv and (arguments.path or arguments.report is not None),
    }
    for option in filter(unused.get, unused):
        beside = "--path" if arguments.path else "--report"
        given = f"{option} {arguments.format}" if option == "--format" else option
        raise ExcerptError(f"found {given}, which {beside} does not use", hint="leave one of them out")
    if arguments.report is not None:
        from excerpt.cli.report import check_page

        check_page(arguments.report)


def _write_report(arguments: argparse.Namespace) -> None:
    """All runs by measures of the focused task; two tasks allow overlap, which is penalised."""
    from excerpt import collection
    from excerpt.cli.report import write_report
    from excerpt.model import Policy
    from excerpt.notices import Notices
    from excerpt.render.reporting import report

    runs = collection.runs()
    result = report(
        collection.qrels(),
        [run.path for run in runs],
        _REPORTED,
        corpus=collection.corpus(),
        topics=collection.topics(),
        title="CUAD mini",
        about={run.name: run.unit for run in runs},
        command="excerpt demo --report",
        policy=Policy(overlap="penalise"),
        notices=Notices(),
    )
    write_report(result, arguments.report, "json" if arguments.format == "json" else "table")


def _ranked(task: str, scores: ScoreTable) -> Table:
    from excerpt import collection
    from excerpt.render.tables import Table

    units = {run.name: run.unit for run in collection.runs(task)}
    rows = sorted(scores.listed()[1], key=lambda row: -float(row[1] or 0))
    return Table(
        ("run", "unit", *scores.measures),
        tuple((row[0], units[str(row[0])], *row[1:]) for row in rows),
        _TASKS[task][0],
    )
