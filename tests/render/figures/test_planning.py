"""Figures of power and of variance: lines, what stands out, the data beside them."""

from __future__ import annotations

import numpy as np
import pytest

import excerpt
from excerpt.model.scores import ScoreTable
from excerpt.render.figures import planning
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.paper import Paper

NAMES = tuple(f"r{i}" for i in range(11))
SCORES = np.random.default_rng(1).random((11, 12, 2)) + np.arange(11)[:, None, None] / 20
TABLE = ScoreTable(NAMES, NAMES, tuple(map(str, range(12))), ("P", "R"), SCORES)


def test_a_line_per_difference() -> None:
    """In a panel per measure, with the wanted power and the topics at hand; each point is a row of data."""
    pytest.importorskip("matplotlib")
    outcome = excerpt.power(TABLE, difference=(0.1, 0.3))
    with filled(lambda sheet: planning.chances(sheet, outcome), Paper(width=3.3)) as sheet:
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
    """The best stand out and are named; several differences have a panel each."""
    pytest.importorskip("matplotlib")
    outcome = excerpt.power(TABLE, "P", baseline="r0", difference=(0.1, 0.3))
    with filled(lambda sheet: planning.chances(sheet, outcome), Paper(highlight=("r1",))) as sheet:
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
    with filled(lambda sheet: planning.shares(sheet, outcome), Paper(grey=True)) as sheet:
        (axes,), rows = sheet.figure.axes, sheet.rows
        names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["P", "R"]
    ends = [bar.get_x() + bar.get_width() for bar in axes.containers[2]]
    assert ends == pytest.approx([1.0, 1.0])
    assert len(rows) == 6
    assert outcome.draw("svg") == outcome.draw("svg")
