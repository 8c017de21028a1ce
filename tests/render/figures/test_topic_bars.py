"""Bars by topic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.errors import ExcerptError
from excerpt.experiments.comparison import compare
from excerpt.model.judgments import Question
from excerpt.render.figures.differences import topic_bars
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions

pytest.importorskip("matplotlib")


def table(runs: int, topics: int) -> ScoreTable:
    """Random scores."""
    names = tuple(f"r{i}" for i in range(runs))
    values = np.random.default_rng(1).random((runs, topics, 1)).round(1)
    return ScoreTable(names, names, tuple(f"t{i}" for i in range(topics)), ("A",), values)


def test_a_row_per_topic() -> None:
    """Bars in order, with titles where they are known; the wins are counted in the title."""
    few = replace(table(2, 9), questions={"t3": Question("t3", "Who signed?")})
    outcome = compare(few, test="sign", per_topic=True)
    with filled(lambda sheet: topic_bars(sheet, outcome), FigureOptions()) as sheet:
        (axes,) = sheet.figure.axes
        names = [text.get_text() for text in axes.get_yticklabels()]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [row["difference"] for row in outcome.rows] == sorted(widths, reverse=True)
    assert names == [f"{row['topic']} {row['title']}".strip() for row in outcome.rows]
    assert "t3 Who signed?" in names
    assert outcome.details["topics"][0].in_words in axes.get_title()
    assert sheet.rows == list(outcome.rows)


def test_many_topics_are_thin_columns() -> None:
    """Those at the ends are named below."""
    outcome = compare(table(2, 60), test="sign", per_topic=True)
    with filled(lambda sheet: topic_bars(sheet, outcome), FigureOptions(width=3.3)) as sheet:
        (axes,) = sheet.figure.axes
    assert [bar.get_height() for bar in axes.patches] == [row["difference"] for row in outcome.rows]
    ends = [row["topic"] for row in (*outcome.rows[:3], *outcome.rows[-3:])]
    assert axes.get_xlabel() == f"60 topics: {', '.join(ends[:3])} … {', '.join(ends[3:])}"


def test_too_many_pairs() -> None:
    """They are refused, with what to do."""
    outcome = compare(table(6, 5), test="sign", per_topic=True)
    with (
        pytest.raises(ExcerptError, match="found 15 pairs of runs and measures, expected at most 12"),
        filled(lambda sheet: topic_bars(sheet, outcome), FigureOptions()),
    ):
        pass
