"""Comparisons and correlations as text and figures."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ScoreTable
from excerpt.experiments.comparison import compare
from excerpt.experiments.correlation import correlate
from excerpt.render.figures import pairs

SCORES = np.array(
    [[0.1, 0.2, 0.1, 0.2, 0.1, 0.3], [0.9, 0.8, 0.9, 0.8, 0.7, 0.9], [0.9, 0.8, 0.8, 0.9, 0.7, 0.8]]
)
TABLE = ScoreTable(
    ("bad", "good", "fair"), ("", "", ""), tuple("123456"), ("A", "B"), np.stack([SCORES, 1 - SCORES], 2)
)


def test_matrices() -> None:
    """Runs by their means with a sign for each other, for one measure after the other."""
    text = pairs.matrices(compare(TABLE, test="t", correction="none"))
    first, second = text.split("\n\n")[0], text.split("\n\n")[2]
    assert [line.split()[1:2] + line.split()[3:] for line in first.splitlines()[2:]] == [
        ["good", "-.>"],
        ["fair", ".->"],
        ["bad", "<<-"],
    ]
    assert second.splitlines()[0].split() == ["place", "run", "B", "123"]
    assert (
        "2 of 3 pairs (66.7 %) differ significantly: t test, 6 comparisons not corrected, alpha 0.05, "
        "6 topics" in text
    )


def test_heat_maps_and_scatters() -> None:
    """A map per measure with a dot for each rejected pair; a panel per pair of measures."""
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    outcome = compare(TABLE, test="t", correction="none")
    pairs.heat_maps(figure, outcome)
    maps = [axes for axes in figure.axes if axes.images]
    assert len(maps) == 2
    assert len(maps[0].collections[0].get_offsets()) == 2
    assert [label.get_text() for label in maps[0].get_yticklabels()] == ["1 good", "2 fair", "3 bad"]
    figure = figures.Figure()
    pairs.scatters(figure, correlate(TABLE))
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("A", "B")
    assert axes.get_title().endswith("r = -1.000")
