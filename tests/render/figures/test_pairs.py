"""Maps of all pairs, and which figure a comparison has."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.experiments.comparison import compare
from excerpt.render.figures.differences import compared, heat_maps
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions

pytest.importorskip("matplotlib")

SCORES = np.array(
    [[0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8, 0.7, 0.9], [0.9, 0.8, 0.8, 0.9, 0.7, 0.8]]
)
TABLE = ScoreTable(
    ("bad", "good", "fair"), ("", "", ""), tuple("123456"), ("A", "B"), np.stack([SCORES, 1 - SCORES], 2)
)


def test_heat_maps() -> None:
    """A map per measure with a dot for each significant pair, a line at alpha, and words for both."""
    outcome = compare(TABLE, test="sign", correction="none", alpha=0.1)
    with filled(lambda sheet: heat_maps(sheet, outcome), FigureOptions()) as sheet:
        maps = [axes for axes in sheet.figure.axes if axes.get_xlabel()]
        bars = [axes for axes in sheet.figure.axes if not axes.get_xlabel()]
        (key,) = sheet.figure.legends
        assert [text.get_text() for text in key.get_texts()] == [
            "row significantly better than column, adjusted p < 0.1",
            "alpha, on the bar",
        ]
        bold = [text.get_text() for text in bars[0].get_yticklabels() if text.get_fontweight() == "bold"]
        lines = {line.get_ydata()[0] for line in bars[0].lines}
        names = [text.get_text() for text in maps[0].get_yticklabels()]
    assert len(maps) == len(bars) == 2
    assert (bold, lines) == (["0.1"], {0.1})
    dots = [drawn for drawn in maps[0].collections if len(drawn.get_offsets()) > 1]
    assert dots[-1].get_offsets().tolist() == [[2.0, 0.0], [2.0, 1.0]]  # good and fair beat bad
    assert names == ["good  1", "fair  2", "bad  3"]
    assert [(row["run"], row["other"], row["significant"]) for row in sheet.rows[:3]] == [
        ("good", "fair", False),
        ("good", "bad", True),
        ("fair", "bad", True),
    ]


def test_names_of_those_that_stand_out() -> None:
    """If runs are named, only their names are written."""
    outcome = compare(TABLE, "A", test="sign")
    with filled(lambda sheet: heat_maps(sheet, outcome), FigureOptions(top=1, highlight=("bad",))) as sheet:
        names = [text.get_text().strip() for text in sheet.figure.axes[0].get_yticklabels()]
    assert names == ["good  1", "2", "bad  3"]


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({}, {"measure", "run", "other", "adjusted", "significant"}),
        ({"baseline": "bad"}, {"low", "high"}),
        ({"per_topic": True}, {"topic", "outcome"}),
    ],
)
def test_what_is_asked_is_drawn(options: dict[str, str | bool], columns: set[str]) -> None:
    """A map of all pairs, a forest for a baseline, bars by topic."""
    outcome = compare(TABLE, "A", test="sign", **options)  # type: ignore[arg-type]
    with filled(lambda sheet: compared(sheet, outcome), FigureOptions(width=3.3, grey=True)) as sheet:
        assert columns <= set(sheet.rows[0])
