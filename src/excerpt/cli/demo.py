"""excerpt demo: evaluate the example collections, by the tasks of INEX."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt.cli.console import own_notices, show_warnings
from excerpt.cli.output import chosen_format, chosen_look, format_options
from excerpt.cli.parser import Arguments, command
from excerpt.errors import ExcerptError
from excerpt.options import Option, choice, flag

if TYPE_CHECKING:
    from excerpt.collection import DemoRun
    from excerpt.model import Judgments, ScoreTable
    from excerpt.render.tables import Look, Table

# A task: the title of its table, and its measures; the first one ranks the runs.
_FOCUSED = (
    "Focused: ranked passages that do not overlap",
    ("MAiP", "iP[0.00]", "iP[0.01]", "iP[0.10]", "charP", "charR", "charF", "articleAP"),
)
_IN_CONTEXT = (
    "Relevant in context: passages grouped by document",
    ("MAgP", "MAgP(beta=0.25)", "MAgP(score=T2I)", "gP[5]", "gR[5]"),
)
_ENTRY = "Best in context: one entry point per document"
_THOROUGH = "thorough"

#: Tasks of each collection, in the order of their tables.
_TASKS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "contracts": {
        "focused": _FOCUSED,
        "ric": _IN_CONTEXT,
        "bic": (_ENTRY, ("MAgP(score=BEP)", "MAgP(score=BEP, n=1000)", "gP(score=BEP)[5]")),
    },
    "articles": {
        _THOROUGH: (
            "Thorough: ranked elements, which may contain each other",
            ("nxCG[10]", "nxCG[25]", "nxCG[50]", "MAep", "iMAep"),
        ),
        "focused": _FOCUSED,
        "ric": _IN_CONTEXT,
        "bic": (_ENTRY, ("BEPD", "EPRUM", "EPRUM[1]", "MAgP(score=BEP)")),
    },
}


#: What to try after the demo.
_NEXT = "excerpt demo --report demo.html (texts and comparisons); excerpt try DOCS GOLD -o OUT (your own)"


@command(
    "demo",
    Option(
        "collection",
        "contracts (default), or articles, whose XML has deeper structure for element measures",
        kind=choice(*_TASKS),
        default=next(iter(_TASKS)),
    ),
    flag("path", "only print the folder of the collection"),
    Option(
        "report",
        "write an HTML report of all runs instead of printing scores",
        metavar="FILE",
        role="writes",
    ),
    *format_options("the scores", output=False),
    example="excerpt demo",
)
def main(arguments: Arguments) -> None:
    """Evaluate the embedded runs, task by task, best run first."""
    _check(arguments)
    from excerpt import collection
    from excerpt.errors import json_text
    from excerpt.formats import read_judgments
    from excerpt.render.layout import wrap
    from excerpt.render.tables import render

    name = arguments.collection
    if arguments.path:
        print(collection.folder(name))
        return
    if arguments.report is not None:
        _write_report(arguments)
        return
    judgments = read_judgments(collection.qrels(name))
    scores = _scores(name, judgments)
    format_, look = chosen_format(arguments), chosen_look(arguments)
    if format_ == "json":
        from excerpt.view.verdicts import verdict_on

        said = {task: {"verdict": verdict_on(table).sentence} for task, table in scores.items()}
        print(json_text({task: table.to_dict() | said[task] for task, table in scores.items()}, indent=2))
    else:
        if format_ == "table":
            about = collection.COLLECTIONS[name]
            summary = (
                f"{about.title}: {len(judgments.documents)} {about.documents}, "
                f"{len(judgments.topics)} topics ({int(judgments.has_relevant.sum())} with relevant text), "
                f"{len(judgments.spans)} highlighted passages"
            )
            for line in (summary, *([f"Also in its folder: {about.more}"] if about.more else [])):
                print(*(wrap(line, look.width) if look.width else [line]), sep="\n")
            print()
        print(
            "\n".join(render(_ranked(name, task, table), format_, look) for task, table in scores.items()),
            end="",
        )
    if format_ == "table":
        print(*_verdicts(scores, look), sep="\n")
        print(f"\nNext: {_NEXT}")
    _show_warnings(name, (warning for table in scores.values() for warning in table.warnings))


def _check(arguments: Arguments) -> None:
    """Raise an error for options that cannot be combined, and for a report that is not HTML."""
    chosen_format(arguments)
    unused = {
        "--report": arguments.path and arguments.report is not None,
        "--format": arguments.format is not None
        and (arguments.path or (arguments.report is not None and arguments.format not in {"table", "json"})),
        "--safe-csv": arguments.safe_csv and (arguments.path or arguments.report is not None),
    }
    for option in filter(unused.get, unused):
        other = "--path" if arguments.path else "--report"
        given = f"{option} {arguments.format}" if option == "--format" else option
        raise ExcerptError(f"{given} and {other} cannot be combined", hint="leave one of them out")
    if arguments.report is not None:
        from excerpt.cli.report import check_page

        check_page(arguments.report)


def _runs(name: str, task: str) -> list[DemoRun]:
    """Return the runs of a task; for the thorough task, all runs with element paths."""
    from excerpt import collection

    if task != _THOROUGH:
        return collection.runs(task, name)
    return [run for run in collection.runs(name=name) if run.with_paths]


def _show_warnings(name: str, warnings: Iterable[str]) -> None:
    """Print each warning once, with names of embedded files instead of their paths in the package."""
    from excerpt import collection

    folder = f"{collection.folder(name)}{os.sep}"
    show_warnings(dict.fromkeys(warning.replace(folder, "") for warning in warnings))


def _scores(name: str, judgments: Judgments) -> dict[str, ScoreTable]:
    """Return the scores of each task; element measures use a temporary index."""
    from excerpt import collection
    from excerpt.evaluation import evaluate
    from excerpt.indexing.builder import build_index

    tasks = _TASKS[name]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        index = Path(temporary, "index") if _THOROUGH in tasks else None
        if index:
            build_index(collection.corpus(name), index)
        scores = {
            task: evaluate(
                judgments,
                [run.with_paths or run.path if index else run.path for run in _runs(name, task)],
                measures,
                index=index,
                notices=own_notices(),
            )
            for task, (_, measures) in tasks.items()
        }
    return {task: replace(table, why="the task was ranked by it") for task, table in scores.items()}


def _verdicts(scores: Mapping[str, ScoreTable], look: Look) -> Iterator[str]:
    """Yield the verdict on the runs of each task that has several, after an empty line."""
    from excerpt.render.layout import plain, wrap
    from excerpt.view.verdicts import verdict_on

    for table in scores.values():
        if len(table.runs) > 1:
            said = plain(verdict_on(table).sentence)
            yield from ("", *(wrap(said, look.width) if look.width else [said]))


def _write_report(arguments: Arguments) -> None:
    """Write a report of all runs by the default measures, as `excerpt report --overlap first` does."""
    from excerpt import collection
    from excerpt.cli.report import write_report
    from excerpt.model import Policy
    from excerpt.render.report import report

    name = arguments.collection
    runs = collection.runs(name=name)
    result = report(
        collection.qrels(name),
        [run.path for run in runs],
        None,
        corpus=collection.corpus(name),
        topics=collection.topics(name),
        title=collection.COLLECTIONS[name].title,
        about={run.name: run.unit for run in runs},
        command=f"excerpt demo{'' if name == collection.DEFAULT else f' --collection {name}'} --report",
        policy=Policy(overlap="first"),
        notices=own_notices(),
    )
    write_report(result, arguments.report, "json" if arguments.format == "json" else "table")
    _show_warnings(name, result.world.warnings)


def _ranked(name: str, task: str, scores: ScoreTable) -> Table:
    from excerpt.render.paper_tables import best_places
    from excerpt.render.tables import PLAIN, Table

    units = {run.name: run.unit for run in _runs(name, task)}
    rows = sorted(scores.listed()[1], key=lambda row: -float(row[1] or 0))
    best = best_places(("run", *scores.measures), rows, 1, PLAIN.digits)
    return Table(
        ("run", "unit", *scores.measures),
        tuple((row[0], units[str(row[0])], *row[1:]) for row in rows),
        _TASKS[name][task][0],
        frozenset((row, column + 1) for row, column in best),  # the unit is the second column
    )
