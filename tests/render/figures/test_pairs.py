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


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5])
def test_differences_are_loud_and_their_absence_is_quiet(alpha: float, grey: bool) -> None:
    """Up to alpha p-values are dark, above it nearly white, and 1 is the paper."""
    from matplotlib.colors import to_rgb

    outcome = compare(TABLE, "A", test="sign", alpha=alpha)
    with filled(lambda sheet: heat_maps(sheet, outcome), FigureOptions(grey=grey)) as sheet:
        (image,) = [one for one in sheet.figure.axes[0].collections if one.get_array() is not None]

    def luminance(p: float) -> float:
        red, green, blue = to_rgb(image.cmap(float(image.norm(p))))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    loud = [luminance(part * alpha) for part in (0.0, 0.1, 0.5, 0.97)]
    quiet = [luminance(p) for p in (alpha * 1.03, (1 + alpha) / 2, 1.0)]
    assert loud == sorted(loud)
    assert quiet == sorted(quiet)
    assert max(loud) < 0.6
    assert min(quiet) > 0.85
    assert quiet[-1] == pytest.approx(1.0)
