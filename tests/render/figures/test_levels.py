"""Figures of stability: a line per measure, a panel per measure."""

from __future__ import annotations

import pytest

from excerpt.experiments import Outcome, Record
from excerpt.render.figures import levels
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.paper import Paper

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
    with filled(lambda sheet: levels.mean_lines(sheet, POOL), Paper()) as sheet:
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
    with filled(lambda sheet: levels.changes(sheet, outcome), Paper()) as sheet:
        figure = sheet.figure
    assert [axes.get_title() for axes in figure.axes] == ["A", "B"]
    points = [line.get_xydata().tolist() for line in figure.axes[0].lines[1:]]
    assert sorted(points) == [[[0.0, 0.0]], [[0.5, -0.25]]]
    assert sheet.rows[0] == {**rows[1], "measure": "A"}
