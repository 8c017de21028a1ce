"""Figures of scores: means with intervals, topics, groups."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ExcerptError, ScoreTable
from excerpt.experiments.curves import Curve, Curves
from excerpt.model.judgments import Question
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.means import panels, scores
from excerpt.render.figures.sheet import FigureOptions
from excerpt.scores.score_views import ScoreView

pytest.importorskip("matplotlib")


def table(runs: int, topics: int = 6) -> ScoreTable:
    """Scores of two measures; the last run is the best, and one score is undefined."""
    values = np.random.default_rng(1).random((runs, topics, 2)) + np.arange(runs)[:, None, None]
    values /= runs + 1
    values[0, 0, 1] = np.nan
    names = tuple(f"run{i}" for i in range(runs))
    found = ScoreTable(names, names, tuple(f"t{i}" for i in range(topics)), ("A", "B<"), values)
    asked = {f"t{i}": Question(f"t{i}", f"Who {i}?", "law" if i % 2 else "news") for i in range(topics)}
    return ScoreTable(found.runs, found.files, found.topics, found.measures, values, questions=asked)


@pytest.mark.parametrize("width", [3.3, 7.0])
def test_means_with_intervals(width: float) -> None:
    """A panel per measure, the best run first, every run with its name; the data are means and limits."""
    shown = table(12)
    with filled(lambda sheet: scores(sheet, shown), FigureOptions(width=width, highlight=("run0",))) as sheet:
        left, right = sheet.figure.axes
        assert [axes.get_title() for axes in (left, right)] == ["A", "B<"]
        names = [text.get_text() for text in left.get_yticklabels()]
        assert names == [f"run{i}" for i in range(11, -1, -1)]
        assert left.get_xlabel() == "mean, 95 % interval"
        assert left.get_xlim()[0] == 0.0
    limits = shown.intervals()
    assert len(sheet.rows) == 24
    for row in sheet.rows:
        assert row["mean"] == shown.mean(row["run"], row["measure"])
        assert (row["low"], row["high"]) == limits[row["run"]][row["measure"]]


def test_many_runs_stand_closer() -> None:
    """A hundred runs are no higher than a page, and emphasised runs have their names."""
    with filled(lambda sheet: scores(sheet, table(100, 2)), FigureOptions(width=3.3, top=3)) as sheet:
        assert sheet.figure.get_size_inches()[1] < 10
        names = [text.get_text() for text in sheet.figure.axes[0].get_yticklabels()]
        assert [name for name in names if name] == ["run99", "run98", "run97"]


def test_topics() -> None:
    """A row per topic, with its question, the easiest first; a mark for every run, a key of the best."""
    shown = table(10)
    with filled(lambda sheet: scores(sheet, shown.by_topic()), FigureOptions()) as sheet:
        axes, (legend,) = sheet.figure.axes[0], sheet.figure.legends
        easy = sorted(range(6), key=lambda topic: -shown.values[:, topic, 0].mean())
        assert [text.get_text() for text in axes.get_yticklabels()] == [f"t{i} Who {i}?" for i in easy]
        assert [text.get_text() for text in legend.get_texts()][-2:] == ["run5", "5 other runs"]
    assert len(sheet.rows) == 120
    found = {(row["measure"], row["topic"], row["run"]): row["score"] for row in sheet.rows}
    assert found["A", "t3", "run7"] == shown["run7", "t3", "A"]


def test_groups() -> None:
    """A row per group with its number of topics, and intervals side by side."""
    shown = table(3)
    view = ScoreView(shown, by="group", interval=0.9)
    with filled(lambda sheet: scores(sheet, view), FigureOptions(width=3.3, grey=True)) as sheet:
        axes = sheet.figure.axes[0]
        assert sorted(text.get_text() for text in axes.get_yticklabels()) == ["law (3)", "news (3)"]
        heights = {round(float(drawn.lines[0].get_window_extent().y0), 3) for drawn in axes.containers}
        assert len(heights) == 3
    law = next(row for row in sheet.rows if row["group"] == "law" and row["run"] == "run1")
    assert law["mean"] == pytest.approx(shown.values[1, 1::2, 0].mean())
    assert law["low"] <= law["mean"] <= law["high"]


def test_scores_that_are_nowhere_defined() -> None:
    """Nothing to see is no mistake."""
    empty = ScoreTable(("a", "b"), ("a", "b"), ("1",), ("A",), np.full((2, 1, 1), np.nan))
    for shown in (empty, empty.by_topic()):
        assert shown.draw("svg").startswith(b"<?xml")
    nothing = ScoreTable(("a",), ("a",), (), ("A",), np.zeros((1, 0, 1)))
    with pytest.raises(ExcerptError, match="a figure needs scores of at least one topic"):
        nothing.by_topic().draw("svg")


def curve(measure: str) -> Curve:
    """A curve of two runs."""
    values = np.array([[0.2, 0.4], [0.1, 0.3]])
    return Curve(
        measure, np.array([1, 2]), ("a", "b"), ("", ""), values, "rank", f"{measure}, mean over topics"
    )


@pytest.mark.parametrize("width", [3.3, 7.0])
def test_parameters_stand_above_their_panel(width: float) -> None:
    """Axes carry what is drawn; long parameters are folded, and stay inside the figure."""
    long = "ideal=full, quantisation=generalised_2005, too_small=50, alpha=0.5"
    several = Curves((curve(f"nxCG({long})"), curve("charF(beta=2)"), curve("iP")))
    with filled(lambda sheet: panels(sheet, several), FigureOptions(width=width)) as sheet:
        drawn = sheet.figure.axes
        titles = [axes.title for axes in drawn]
        places = [title.get_window_extent() for title in titles if title.get_text()]
        above = [axes.get_window_extent().y1 for axes in drawn]
        whole = sheet.figure.bbox
    assert [axes.get_ylabel() for axes in drawn] == [
        f"{name}, mean over topics" for name in ("nxCG", "charF", "iP")
    ]
    assert [axes.get_xlabel() for axes in drawn] == ["rank"] * 3
    assert [" ".join(title.get_text().split("\n")) for title in titles] == [long, "beta=2", ""]
    assert not any("=" in axes.get_ylabel() for axes in drawn)
    for place, top in zip(places, above, strict=False):
        assert place.y0 >= top
        assert whole.x0 <= place.x0 < place.x1 <= whole.x1
        assert place.y1 <= whole.y1
