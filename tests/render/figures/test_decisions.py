"""Figures of agreement and of tests that err."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.experiments import Outcome, Record
from excerpt.experiments.conclusions import agreement
from excerpt.render.figures import decisions


def test_differences() -> None:
    """The first measure against each other one; the densities have an area of 1."""
    figures = pytest.importorskip("matplotlib.figure")
    values = np.random.default_rng(2).random((6, 9, 3)) + np.arange(6)[:, None, None] / 5
    runs = tuple("abcdef")
    outcome = agreement(ScoreTable(runs, runs, tuple("123456789"), tuple("ABC"), values), test="t")
    figure = figures.Figure()
    decisions.differences(figure, outcome)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "difference in B",
        "density of pairs",
        "difference in C",
        "density of pairs",
    ]
    points = sum(len(drawn.get_offsets()) for drawn in figure.axes[0].collections)
    assert points == 15
    top = np.max([path.vertices[:, 1].max() for path in figure.axes[1].collections[-1].get_paths()])
    assert top > 0


def test_error_bars() -> None:
    """A row of panels per measure; a rate that is undefined is said in words."""
    figures = pytest.importorskip("matplotlib.figure")
    rows = tuple(
        {"measure": m, "test": t, "error_rate": None, "share": 0.5, "agreement": 1.0}
        for m in "AB"
        for t in ("t", "sign")
    )
    figure = figures.Figure()
    decisions.error_bars(figure, Outcome(rows, Record("testerror")))
    assert len(figure.axes) == 6
    assert [text.get_text() for text in figure.axes[0].texts] == ["undefined"] * 2
    assert [bar.get_height() for bar in figure.axes[4].patches] == [0.5, 0.5]
    assert figure.axes[3].get_ylabel() == "B"
