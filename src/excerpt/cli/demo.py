"""excerpt demo: three tasks of INEX on the collection that ships with the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from excerpt.cli import Parser, show_warnings
from excerpt.cli.output import add_format, chosen_format, chosen_look

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


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("demo", example="excerpt demo")
    result.add_argument("--path", action="store_true", help="print only the folder of the collection")
    add_format(result, "the scores", output=False)
    return result


def main(given: Sequence[str]) -> None:
    """Evaluate the embedded runs, task by task, best run first."""
    arguments = parser().parse(given)
    from excerpt import collection
    from excerpt.errors import json_text
    from excerpt.evaluation import evaluate
    from excerpt.formats import read_judgments
    from excerpt.notices import Notices
    from excerpt.render.tables import render

    if arguments.path:
        print(collection.folder())
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
