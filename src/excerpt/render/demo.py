"""The demonstration: three tasks of INEX on the collection that ships with the package."""

from __future__ import annotations

from dataclasses import dataclass

from excerpt import collection
from excerpt.errors import json_text
from excerpt.evaluation import evaluate
from excerpt.formats import read_judgments
from excerpt.model import ScoreTable
from excerpt.notices import Notices
from excerpt.render.tables import PLAIN, Look, Table, render

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


@dataclass(frozen=True)
class Page:
    """The text to show, and the warnings on the way."""

    text: str
    warnings: tuple[str, ...]


def demo(format_: str = "table", look: Look = PLAIN) -> Page:
    """Evaluate the embedded runs, task by task, best run first."""
    judgments = read_judgments(collection.qrels())
    scores = {
        task: evaluate(judgments, [run.path for run in collection.runs(task)], measures, notices=Notices())
        for task, (_, measures) in _TASKS.items()
    }
    if format_ == "json":
        text = json_text({task: table.to_dict() for task, table in scores.items()}, indent=2) + "\n"
    else:
        parts = [render(_ranked(task, table), format_, look) for task, table in scores.items()]
        heading = (
            f"CUAD mini: {len(judgments.documents)} contracts, {len(judgments.topics)} topics "
            f"({int(judgments.has_relevant.sum())} with relevant text), "
            f"{len(judgments.spans)} highlighted passages"
        )
        text = "\n".join([heading, "", *parts] if format_ == "table" else parts)
    warnings = dict.fromkeys(warning for table in scores.values() for warning in table.warnings)
    return Page(text, tuple(warnings))


def _ranked(task: str, scores: ScoreTable) -> Table:
    units = {run.name: (run.unit, run.description) for run in collection.runs(task)}
    rows = sorted(scores.listed()[1], key=lambda row: -float(row[1] or 0))
    return Table(
        ("run", "unit", *scores.measures),
        tuple((row[0], units[str(row[0])][0], *row[1:]) for row in rows),
        _TASKS[task][0],
    )
