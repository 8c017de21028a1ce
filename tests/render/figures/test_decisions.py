"""Figures of agreement and of tests that err."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.experiments import Outcome, Record
from excerpt.experiments.conclusions import agreement
from excerpt.render.figures import scatters
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions


def test_differences() -> None:
    """The first measure against each other one; the densities have an area of 1."""
    pytest.importorskip("matplotlib")
    values = np.random.default_rng(2).random((6, 9, 3)) + np.arange(6)[:, None, None] / 5
    runs = tuple("abcdef")
    outcome = agreement(ScoreTable(runs, runs, tuple("123456789"), tuple("ABC"), values), test="t")
    with filled(lambda sheet: scatters.differences(sheet, outcome), FigureOptions()) as sheet:
        figure = sheet.figure
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "difference in B",
        "density of pairs",
        "difference in C",
        "density of pairs",
    ]
    points = sum(len(drawn.get_offsets()) for drawn in figure.axes[0].collections)
    assert points == 15
    assert len(sheet.rows) == 30
    top = np.max([path.vertices[:, 1].max() for path in figure.axes[1].collections[-1].get_paths()])
    assert top > 0


def test_error_bars() -> None:
    """A panel per measure and rate, with the counts behind each; what is undefined is said in words."""
    pytest.importorskip("matplotlib")
    counts = {"pairs": 40, "rejected": 20, "errors": 0, "rejected_other": 10, "both": 6}
    rows = tuple(
        {"measure": m, "test": t, "error_rate": None, "share": 0.5, "agreement": 0.4, **counts}
        for m in "AB"
        for t in ("t", "sign")
    )
    outcome = Outcome(rows, Record("testerror"))
    with filled(lambda sheet: scatters.error_bars(sheet, outcome), FigureOptions()) as sheet:
        axes = sheet.figure.axes
    assert len(axes) == 6
    assert [text.get_text() for text in axes[0].texts] == ["undefined (0/20)"] * 2
    assert [text.get_text() for text in axes[1].texts] == ["0.500 (20/40)"] * 2
    assert [text.get_text() for text in axes[5].texts] == ["0.400 (12/30)"] * 2
    assert [bar.get_width() for bar in axes[4].patches] == [0.5, 0.5]
    assert axes[3].get_title() == "B: error rate"
    assert len(sheet.rows) == 12
