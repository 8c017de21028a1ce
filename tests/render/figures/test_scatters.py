"""Scatter plots of rankings."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.experiments.correlation import correlate
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.scatters import scatters
from excerpt.render.figures.sheet import FigureOptions

pytest.importorskip("matplotlib")

LISTS = {"A": (0.3, 0.2, 0.1), "B": (0.5, 0.9, 0.2)}
TABLE = ScoreTable.from_scores(
    {(f"r{i}", "1", name): score for name, row in LISTS.items() for i, score in enumerate(row)}
)


def test_points_names_and_the_equation() -> None:
    """Every run is named; the line of least squares is said with the coefficients."""
    with filled(lambda sheet: scatters(sheet, correlate(TABLE)), FigureOptions(width=3.3)) as sheet:
        (axes,) = sheet.figure.axes
    assert {text.get_text() for text in axes.texts} - {""} == {"r0", "r1", "r2"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("A", "B")
    assert axes.get_title() == "τb = 0.333, \N{GREEK SMALL LETTER RHO} = 0.500, r = 0.427\ny = 1.5 x + 0.233"
    assert [(row["x"], row["y"]) for row in sheet.rows] == [(0.1, 0.2), (0.2, 0.9), (0.3, 0.5)]


def test_ranks() -> None:
    """The best is above and at the right, and has rank 1."""
    with filled(
        lambda sheet: scatters(sheet, correlate(TABLE, ranks=True)), FigureOptions(grey=True)
    ) as sheet:
        (axes,) = sheet.figure.axes
    assert [(row["x"], row["y"]) for row in sheet.rows] == [(3.0, 3.0), (2.0, 1.0), (1.0, 2.0)]
    assert axes.xaxis_inverted()
    assert axes.yaxis_inverted()
    assert axes.get_xlabel() == "rank by A"
    assert axes.get_title().endswith("y = 0.5 x + 1")


def test_many_runs() -> None:
    """Only emphasised runs are named; all are drawn."""
    names = tuple(f"r{i:02}" for i in range(20))
    values = np.random.default_rng(1).random((20, 1, 2))
    outcome = correlate(ScoreTable(names, names, ("1",), ("A", "B"), values))
    with filled(lambda sheet: scatters(sheet, outcome), FigureOptions(top=2, highlight=("r07",))) as sheet:
        (axes,) = sheet.figure.axes
    shown = {text.get_text() for text in axes.texts} - {""}
    best = [names[place] for place in np.argsort(-values.sum(axis=2)[:, 0])[:2]]
    assert shown == {*best, "r07"}
    assert len(sheet.rows) == 20
