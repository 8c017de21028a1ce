"""Scores as a table for papers: the best in bold, and marks where runs differ significantly.

The tests are those of `excerpt compare`; they are made only where marks are shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import plural
from excerpt.experiments.comparison import compare
from excerpt.model.score_views import Estimate, ScoreView
from excerpt.notices import Notices
from excerpt.render import escape
from excerpt.render.latex import Emphasis, Marks, document, number, tabular
from excerpt.render.procedure import in_words
from excerpt.render.tables import Cell, Table

if TYPE_CHECKING:
    from excerpt.model.scores import ScoreTable
    from excerpt.render.tables import Look

#: More runs than this would have more letters than anyone reads.
_LETTERED = 12
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
BETTER, WORSE = r"\dag", r"\ddag"
#: Measures of which less is better.
_LESS = {"cut"}
#: Measures of which neither less nor more is better: how much there is to read.
_NEITHER = re.compile(r"read\b")


def latex(result: ScoreTable | ScoreView, look: Look) -> str:
    """The scores with what stands out of them, explained below."""
    view = result if isinstance(result, ScoreView) else ScoreView(result)
    columns, rows = view.listed()
    first = len(columns) - len(view.table.measures)
    bold = best_places(columns, rows, first, look.digits)
    marks, notes, remarks = _marks(view, look.marks or Marks())
    last = {row[0]: place for place, row in enumerate(rows)}  # the mean of each run stands after all else
    cells: Any = rows
    lettered = any(symbol in _LETTERS for found in marks.values() for symbol in found)
    if lettered:
        letters = dict(zip(view.table.runs, _LETTERS, strict=False))
        columns, cells = ("", *columns), [(letters[str(row[0])], *row) for row in rows]
    emphasis = Emphasis(
        frozenset((row, column + lettered) for row, column in bold),
        {(last[run], first + place + lettered): found for (run, place), found in marks.items()},
    )
    if bold:
        notes.append("Bold: the best value.")
    notes += [f"{escape.latex(name)} is {escape.latex(meant)}." for name, meant in view.table.aliases.items()]
    table = Table(columns, tuple(map(tuple, cells)))
    return document([tabular(table, look, emphasis)], look.latex, notes, remarks)


def best_places(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], first: int, digits: int
) -> set[tuple[int, int]]:
    """The best of the rows that differ in their run only; what is printed alike is equally good."""
    alike: dict[tuple[Cell, ...], list[int]] = {}
    for place, row in enumerate(rows):
        alike.setdefault(tuple(row[1:first]), []).append(place)
    found = set()
    for places in alike.values():
        for column in range(first, len(columns)):
            values = {place: _value(rows[place][column]) for place in places}
            known = {place: value for place, value in values.items() if not np.isnan(value)}
            if len(places) < 2 or len(known) < 2 or _NEITHER.match(columns[column]):
                continue
            best = (min if columns[column] in _LESS else max)(known.values())
            shown = number(best, digits)
            found |= {(place, column) for place, value in known.items() if number(value, digits) == shown}
    return found


def _value(cell: Cell) -> float:
    if isinstance(cell, Estimate):
        return cell.value
    return cell if isinstance(cell, float | int) else np.nan


def _marks(view: ScoreView, asked: Marks) -> tuple[dict[tuple[str, int], list[str]], list[str], list[str]]:
    """Symbols by run and place of the measure, what they mean, and remarks."""
    table = view.table
    tested = [
        place
        for place, measure in enumerate(table.measures)
        if not _NEITHER.match(measure) and (asked.baseline is not None or _testable(table)[place])
    ]
    if not asked.marks or not tested:
        return {}, [], []
    if asked.baseline is None and len(table.runs) > _LETTERED:
        many = plural(len(table.runs), "run")
        return {}, [], [f"no marks of significance: {many}, expected {_LETTERED} at most, or a baseline"]
    letters = dict(zip(table.runs, _LETTERS, strict=False))
    found: dict[tuple[str, int], list[str]] = {}
    said: dict[str, None] = {}
    for place in tested:
        measure = table.measures[place]
        outcome = compare(
            table.select([measure]),
            baseline=asked.baseline,
            test=asked.test,
            correction=asked.correction,
            alpha=asked.alpha,
            samples=view.samples,
            seed=view.seed,
            notices=Notices(),
        )
        said |= dict.fromkeys(in_words(one.summary()) for one in outcome.details["comparisons"])
        for row in outcome.rows:
            if not row["significant"]:
                continue
            better = (row["difference"] > 0) != (measure in _LESS)
            if asked.baseline is not None:
                found[row["run"], place] = [BETTER if better else WORSE]
            else:
                run, other = (row["run"], row["other"]) if better else (row["other"], row["run"])
                found.setdefault((run, place), []).append(letters[other])
    used = {symbol for symbols in found.values() for symbol in symbols}
    note = f"{_explained(used, outcome.rows[0]['other'], asked)} ({escape.latex('; '.join(said))})."
    return {key: sorted(symbols) for key, symbols in found.items()}, [note], []


def _explained(used: set[str], baseline: str, asked: Marks) -> str:
    """What the symbols mean that are used."""
    if asked.baseline is None:
        better = "Letters: significantly better than the run of that letter"
        return better if used else "No two runs differ significantly"
    words = {BETTER: "better", WORSE: "worse"}
    found = [f"\\textsuperscript{{{mark}}}: significantly {words[mark]}" for mark in sorted(used)]
    return f"{', '.join(found) or 'No run is significantly better or worse'} than {escape.latex(baseline)}"


def _testable(table: ScoreTable) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """By which measures runs can be compared: two of them, on two topics that both have a score for."""
    complete = (~np.isnan(table.values)).all(axis=0).sum(axis=0)
    return np.asarray((complete >= 2) & (len(table.runs) >= 2))
