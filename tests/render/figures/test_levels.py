"""Figures of stability: a line per measure, a panel per measure."""

from __future__ import annotations

import numpy as np
import pytest

import excerpt
from excerpt.experiments import Outcome, Record
from excerpt.render.figures import levels
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions
from excerpt.scores.score_table import ScoreTable

POOL = Outcome(
    tuple(
        {
            "measure": m,
            "level": level,
            "mean": None if m == "B" else 0.5,
            "standard_error": 0.1,
            "error_rate": 0.2,
        }
        for m in "AB"
        for level in (80, 20)
    ),
    Record("stability pool"),
)


def test_lines() -> None:
    """Every measure has its line with error bars; undefined means have no point; the whole is at the left."""
    pytest.importorskip("matplotlib")
    with filled(lambda sheet: levels.mean_lines(sheet, POOL), FigureOptions()) as sheet:
        (axes,), (legend,) = sheet.figure.axes, sheet.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["A", "B"]
    assert axes.containers[0].lines[0].get_xdata().tolist() == [80, 20]
    assert len(axes.containers[1].lines[0].get_xdata()) == 0
    assert axes.get_xlim()[0] > axes.get_xlim()[1]


def test_changes() -> None:
    """A panel per measure, and for every run what it loses over its score."""
    pytest.importorskip("matplotlib")
    scores = {"bad": 0.0, "good": 0.5}
    rows = tuple(
        {"measure": m, "run": run, "score": s, "unpooled_score": s / 2, "change": -s / 2}
        for m in "AB"
        for run, s in scores.items()
    )
    outcome = Outcome(rows, Record("stability unpooled"))
    with filled(lambda sheet: levels.changes(sheet, outcome), FigureOptions()) as sheet:
        figure = sheet.figure
    assert [axes.get_title() for axes in figure.axes] == ["A", "B"]
    points = [line.get_xydata().tolist() for line in figure.axes[0].lines[1:]]
    assert sorted(points) == [[[0.0, 0.0]], [[0.5, -0.25]]]
    assert sheet.rows[0] == {**rows[1], "measure": "A"}


NAMES = tuple(f"r{i}" for i in range(11))
SCORES = np.random.default_rng(1).random((11, 12, 2)) + np.arange(11)[:, None, None] / 20
TABLE = ScoreTable(NAMES, NAMES, tuple(map(str, range(12))), ("P", "R"), SCORES)


def test_a_line_per_difference() -> None:
    """In a panel per measure, with the wanted power and the topics at hand; each point is a row of data."""
    pytest.importorskip("matplotlib")
    outcome = excerpt.power(TABLE, difference=(0.1, 0.3))
    with filled(lambda sheet: levels.chances(sheet, outcome), FigureOptions(width=3.3)) as sheet:
        panels, (legend,) = sheet.figure.axes, sheet.figure.legends
        rows = sheet.rows
    assert [axes.get_title() for axes in panels] == ["P", "R"]
    assert [text.get_text() for text in legend.get_texts()] == ["0.1", "0.3"]
    for axes in panels:
        assert len(axes.lines) == 4
        assert axes.lines[2].get_ydata()[0] == 0.8
        assert axes.lines[3].get_xdata()[0] == 12
    first = outcome.details["curves"][0]
    assert panels[0].lines[0].get_ydata().tolist() == first["chances"]
    assert [row["power"] for row in rows if (row["panel"], row["series"]) == ("P", "0.1")] == first["chances"]


def test_many_runs_beside_a_baseline() -> None:
    """The best runs are emphasised and named; several differences have a panel each."""
    pytest.importorskip("matplotlib")
    outcome = excerpt.power(TABLE, "P", baseline="r0", difference=(0.1, 0.3))
    with filled(lambda sheet: levels.chances(sheet, outcome), FigureOptions(highlight=("r1",))) as sheet:
        panels, (legend,) = sheet.figure.axes, sheet.figure.legends
        named = [text.get_text() for text in legend.get_texts()]
    assert [axes.get_title() for axes in panels] == ["P, difference 0.1", "P, difference 0.3"]
    assert "r1" in named
    assert len(named) < 10
    assert len(panels[0].lines) == 12


def test_shares_of_variance() -> None:
    """Bars of three parts that fill the whole."""
    pytest.importorskip("matplotlib")
    outcome = excerpt.anova(TABLE)
    with filled(lambda sheet: levels.shares(sheet, outcome), FigureOptions(grey=True)) as sheet:
        (axes,), rows = sheet.figure.axes, sheet.rows
        names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["P", "R"]
    ends = [bar.get_x() + bar.get_width() for bar in axes.containers[2]]
    assert ends == pytest.approx([1.0, 1.0])
    assert len(rows) == 6
    assert outcome.draw("svg") == outcome.draw("svg")
