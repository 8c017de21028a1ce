"""Figures of agreement and of tests that err."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import Notices, ScoreTable
from excerpt.experiments import Outcome, Record
from excerpt.experiments.conclusions import agreement
from excerpt.render.figures import scatters
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions


def test_differences() -> None:
    """The first measure against each other one, with the pairs that one of them rejects, or all pairs."""
    pytest.importorskip("matplotlib")
    values = np.random.default_rng(2).random((6, 9, 3)) + np.arange(6)[:, None, None] / 5
    runs = tuple("abcdef")
    table = ScoreTable(runs, runs, tuple("123456789"), tuple("ABC"), values)
    outcome = agreement(table, test="t", notices=Notices())
    every = agreement(table, test="t", notices=Notices(), all_pairs=True)
    with filled(lambda sheet: scatters.differences(sheet, every), FigureOptions()) as sheet:
        assert sum(len(drawn.get_offsets()) for drawn in sheet.figure.axes[0].collections) == 15
        assert len(sheet.rows) == 30
        kinds = {row["significant"] for row in sheet.rows}
        assert kinds >= {"hit", "not significant"}
    with filled(lambda sheet: scatters.differences(sheet, outcome), FigureOptions()) as sheet:
        figure = sheet.figure
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "difference in B",
        "density of pairs",
        "difference in C",
        "density of pairs",
    ]
    points = sum(len(drawn.get_offsets()) for drawn in figure.axes[0].collections)
    shown = [row for row in sheet.rows if row["other"] == "B"]
    assert points == len(shown) == 9
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    counts = {
        name: sum(row["significant"] == name for row in shown) for name in ("miss", "false alarm", "hit")
    }
    assert texts == [f"{name} ({number})" for name, number in counts.items()]
    top = np.max([path.vertices[:, 1].max() for path in figure.axes[1].collections[-1].get_paths()])
    assert top > 0


def test_no_significant_pair() -> None:
    """Empty panels, with counts of 0."""
    pytest.importorskip("matplotlib")
    values = np.random.default_rng(2).random((3, 12, 2))
    table = ScoreTable(tuple("abc"), tuple("abc"), tuple(map(str, range(12))), tuple("AB"), values)
    outcome = agreement(table, min_difference=0.99, samples=20)
    with filled(lambda sheet: scatters.differences(sheet, outcome), FigureOptions()) as sheet:
        texts = [text.get_text() for text in sheet.figure.axes[1].get_legend().get_texts()]
    assert texts == ["hit (0)", "false alarm (0)", "miss (0)"]
    assert sheet.rows == []


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
