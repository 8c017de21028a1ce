"""Names of measures in figures: no two are equal, and no parameter is cut."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from excerpt import Notices, ScoreTable
from excerpt.experiments.comparison import compare
from excerpt.experiments.conclusions import agreement, judge_tests
from excerpt.experiments.correlation import correlate
from excerpt.experiments.power import anova, power
from excerpt.experiments.stability import errors, topics
from excerpt.measures import registry
from excerpt.quantise import quantisations
from excerpt.render.figures.drawing import filled
from excerpt.render.figures.sheet import FigureOptions, Sheet, factored, folded
from excerpt.render.tables import FIGURES as FIGURES_OF
from excerpt.render.tables import load
from excerpt.scores.score_table import ScoreTable as Table

FEW: dict[str, Any] = {"samples": 50, "notices": Notices()}
FIGURES: dict[str, Any] = {
    "scores": lambda table: table,
    "topics": lambda table: topics(table, samples=3, levels=(50,)),
    "groups": lambda table: errors(table, samples=3, levels=(50,), within="difficulty"),
    "agreement": lambda table: agreement(table, **FEW),
    "pairs": lambda table: compare(table, **FEW),
    "forest": lambda table: compare(table, baseline="b", **FEW),
    "correlate": lambda table: correlate(
        table, pair=[(table.measures[0], name) for name in table.measures[1:]]
    ),
    "power": power,
    "anova": anova,
    "testerror": lambda table: judge_tests(table, tests=["t"], splits=2, **FEW),
}
QUANTISED = tuple(
    f"nxCG(quantisation={name})[25]" for name in dict.fromkeys(each.name for each in quantisations())
)
FAMILY = tuple(
    f"{name}(quantisation=binary_exhaustivity, ideal=full){cut}"
    for name, cut in {
        name: "[25]" if name == "nxCG" else ""
        for name, kind in registry().items()
        if kind.__module__.endswith(".xcg")
    }.items()
)


def scores(measures: tuple[str, ...]) -> Table:
    """Scores of four runs on twelve topics."""
    values = np.random.default_rng(1).random((4, 12, len(measures))) + np.arange(4)[:, None, None] / 4
    return ScoreTable(tuple("abcd"), tuple("abcd"), tuple(map(str, range(12))), measures, values / 2)


@pytest.mark.parametrize(
    ("measures", "width"), [(QUANTISED, 3.3), (FAMILY, 7.0)], ids=["quantisations", "family"]
)
@pytest.mark.parametrize("name", FIGURES)
def test_every_measure_has_its_label(name: str, measures: tuple[str, ...], width: float) -> None:
    """Whole, once for each measure, and drawn in the figure."""
    text = pytest.importorskip("matplotlib.text")
    outcome = FIGURES[name](scores(measures))
    fill = load(FIGURES_OF[outcome.drawn_as()])
    with filled(lambda sheet: fill(sheet, outcome), FigureOptions(width=width)) as sheet:
        drawn = [each.get_text() for each in sheet.figure.findobj(text.Text) if each.get_text()]
        labels = [sheet.name(measure) for measure in measures]
    assert len(measures) > 5
    assert len(set(labels)) == len(measures)
    assert not [each for each in drawn if "…" in each]
    for label in labels:
        assert any(re.search(rf"(?<![\w(=]){re.escape(label)}(?![\w\[])", each) for each in drawn), label


def test_common_part() -> None:
    """It is what all names have; names stay whole where nothing is common, or where one would vanish."""
    assert factored(QUANTISED)[0] == "nxCG[25]"
    assert factored(FAMILY)[0] == "quantisation=binary_exhaustivity, ideal=full"
    assert factored(["nxCG(ideal=full, quantisation=a)[5]", "nxCG(quantisation=b, ideal=full)[9]"]) == (
        "nxCG(ideal=full)",
        ["a[5]", "b[9]"],
    )
    assert factored(["ep(alpha=1, ideal=full)", "ep(quantisation=b)"]) == (
        "ep",
        ["alpha=1, ideal=full", "quantisation=b"],
    )
    for names in (
        ["iP@0.01", "iP@0.05"],
        ["MAep", "MAep(alpha=1)"],
        ["ep(alpha=1)"],
        ["ep(a=1)", "R(b=1)"],
        [],
    ):
        assert factored(names) == ("", names)
    twice = ["ep(alpha=1)", "ep(alpha=1)", "ep(alpha=2)"]
    assert factored(twice) == ("ep", ["alpha=1", "alpha=1", "alpha=2"])


def test_folding_keeps_every_character() -> None:
    """Lines are broken between parameters only."""
    name = "nxCG(ideal=full, quantisation=binary_exhaustivity, too_small=50)[25]"
    for most in range(1, 80):
        assert folded(name, most).replace(",\n", ", ").replace("\n", "") == name
    assert folded(name, 80) == name


def test_different_runs_have_different_names() -> None:
    """Long names that differ in the middle are shortened less; the same name gets the same label."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    settings = {"font.size": 8.0, "figure.figsize": (3.3, 2.0)}
    sheet = Sheet(figure, FigureOptions(width=3.3), settings)
    names = [f"university-of-somewhere-run-{letter}-with-a-long-ending" for letter in "abc"]
    labels = [sheet.name(name, 0.2) for name in names]
    assert len(set(labels)) == 3
    assert [sheet.name(name, 0.2) for name in names] == labels
    assert "…" in labels[0]
    assert sheet.name(labels[0], 0.2)  # a name that is the label of another one


def test_names_of_runs_show_where_they_differ() -> None:
    """Names that would be shortened to the same label show where they differ, marked where they are cut."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    sheet = Sheet(figure, FigureOptions(width=3.3), {"font.size": 8.0, "figure.figsize": (3.3, 2.0)})
    names = [f"university-of-somewhere-run-v1{number}-with-a-long-ending" for number in range(3)]
    sheet.chosen([*names, "university-of-nowhere-which-ends-otherwise"], [1.0, 2.0, 3.0, 4.0])
    assert [sheet.name(name, 0.2) for name in names] == ["…v10…", "…v11…", "…v12…"]
    sheet = Sheet(figure, FigureOptions(width=3.3), {"font.size": 8.0, "figure.figsize": (3.3, 2.0)})
    sheet.chosen(names, [1.0, 2.0, 3.0])
    assert [sheet.name(name, 0.2) for name in names] == ["…v10…", "…v11…", "…v12…"]
