"""Curves as figures: the same bytes each time, with every name."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt.experiments.curves import Curve
from excerpt.render.figures import means
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions


def many(count: int) -> Curve:
    """A curve of many runs, with names that a drawing program may trip over."""
    names = ("_hidden", "$x$", "ein_名前", "a<b&c", *(f"run {i}" for i in range(count - 4)))
    values = np.linspace(0.1, 0.9, 3 * count).reshape(count, 3)
    values[0, 1] = np.nan
    return Curve("charP", np.array([1, 2, 3]), names, names, values, "rank", "charP, mean over topics")


@pytest.mark.slow
@pytest.mark.parametrize(("format_", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
@pytest.mark.parametrize("runs", [4, 60])
def test_figures_are_the_same_every_time(format_: str, magic: bytes, runs: int) -> None:
    """The same curve gives the same bytes, without date or version, whatever the user's own settings are."""
    mpl = pytest.importorskip("matplotlib")
    first = many(runs).draw(format_)
    with mpl.rc_context({"lines.linewidth": 9.0, "figure.dpi": 30.0}):
        second = many(runs).draw(format_)
        assert mpl.rcParams["lines.linewidth"] == 9.0
    assert first == second
    assert first.startswith(magic)
    assert mpl.__version__.encode() not in first


def test_figure_shows_axes_and_every_name() -> None:
    """Labels of axes and names of runs are in the figure as they are, ticks only where it was measured."""
    pytest.importorskip("matplotlib")
    with filled(lambda sheet: means.lines(sheet, many(4)), FigureOptions()) as sheet:
        (axes,), (legend,) = sheet.figure.axes, sheet.figure.legends
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("rank", "charP, mean over topics")
        assert [text.get_text().strip() for text in legend.get_texts()] == list(many(4).runs)
        assert axes.get_xticks().tolist() == [1, 2, 3]


def test_the_best_of_many_have_their_names() -> None:
    """Of sixty runs the best five are named at their lines, and every one is in the data."""
    pytest.importorskip("matplotlib")
    curve = many(60)
    with filled(lambda sheet: means.lines(sheet, curve), FigureOptions(highlight=("$x$",))) as sheet:
        (axes,) = sheet.figure.axes
        assert not sheet.figure.legends
        names = [text.get_text() for text in axes.texts if text.get_text()]
        assert names == ["run 55", "run 54", "run 53", "run 52", "run 51", "$x$", "54 other runs"]
    assert len(sheet.rows) == 180
    drawn = {(row["run"], row["x"]): row["y"] for row in sheet.rows}
    assert drawn["run 7", 2] == curve.values[11, 1]


def test_figure_of_nothing() -> None:
    """A topic without relevant text has axes and no line."""
    pytest.importorskip("matplotlib")
    empty = Curve(
        "iP", np.array([0.0, 0.5]), ("a",), ("a",), np.full((1, 2), np.nan), "recall", "iP, topic 3"
    )
    assert empty.draw("svg").startswith(b"<?xml")
