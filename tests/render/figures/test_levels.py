"""Figures of stability: a line per measure, a panel per measure."""

from __future__ import annotations

import pytest

from excerpt.experiments import Outcome, Record
from excerpt.render.figures import levels

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
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    levels.mean_lines(figure, POOL)
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A", "B"]
    assert axes.containers[0].lines[0].get_xdata().tolist() == [80, 20]
    assert len(axes.containers[1].lines[0].get_xdata()) == 0
    assert axes.get_xlim()[0] > axes.get_xlim()[1]


def test_changes() -> None:
    """A panel per measure, a point per run."""
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    rows = tuple({"measure": m, "score": s, "unpooled_score": s / 2} for m in "AB" for s in (0.0, 0.5))
    levels.changes(figure, Outcome(rows, Record("stability unpooled")))
    assert [axes.get_title() for axes in figure.axes] == ["A", "B"]
    assert figure.axes[0].collections[0].get_offsets().tolist() == [[0.0, 0.0], [0.5, 0.25]]
