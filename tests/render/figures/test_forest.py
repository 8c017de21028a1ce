"""Forest plots: intervals where they belong, filled where significant."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.errors import UnknownName
from excerpt.experiments.comparison import compare
from excerpt.render.figures.differences import forest
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions

pytest.importorskip("matplotlib")

SCORES = np.array(
    [[0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8, 0.7, 0.9], [0.9, 0.8, 0.8, 0.9, 0.7, 0.8]]
)
NAMES = ("bad", "good", "fair")
TABLE = ScoreTable(NAMES, NAMES, tuple("123456"), ("A",), SCORES[:, :, None])
OUTCOME = compare(TABLE, test="sign", correction="none", baseline="fair")


def test_a_row_per_run() -> None:
    """Markers are at the differences, bars at the limits; significant differences are filled."""
    with filled(lambda sheet: forest(sheet, OUTCOME), FigureOptions(width=3.3)) as sheet:
        (axes,) = sheet.figure.axes
        dots = [line for line in axes.lines if line.get_marker() == "o"]
        bars = [path.vertices[:, 0].tolist() for drawn in axes.collections for path in drawn.get_paths()]
        assert [text.get_text() for text in axes.get_yticklabels()] == ["good", "bad"]
        (key,) = sheet.figure.legends
        said = [text.get_text() for text in key.get_texts()]
    for row, dot, bar in zip(OUTCOME.rows, dots, bars, strict=True):
        assert dot.get_xdata()[0] == row["difference"]
        assert bar == pytest.approx([row["low"], row["high"]])
        assert (dot.get_markerfacecolor() == "#ffffff") == (not row["significant"])
    assert said == ["adjusted p ≥ 0.05", "adjusted p < 0.05"]
    assert "A minus that of fair" in axes.get_xlabel()
    assert [row["run"] for row in sheet.rows] == ["good", "bad"]
    assert sheet.rows[0]["low"] == OUTCOME.rows[0]["low"]


def test_runs_that_stand_out() -> None:
    """The others are grey; unknown ones are named."""
    with filled(lambda sheet: forest(sheet, OUTCOME), FigureOptions(highlight=("bad",))) as sheet:
        dots = [line for line in sheet.figure.axes[0].lines if line.get_marker() == "o"]
    assert dots[0].get_color() != dots[1].get_color()
    with (
        pytest.raises(UnknownName, match="unknown run 'bda'"),
        filled(lambda sheet: forest(sheet, OUTCOME), FigureOptions(highlight=("bda",))),
    ):
        pass
