"""Figures of every experiment, with names that break XML."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from excerpt import ExcerptError, ScoreTable, collection, pool
from excerpt.experiments import EXPERIMENTS, Outcome
from excerpt.experiments.curves import Curve, Curves
from excerpt.pooling.statistics import describe
from excerpt.render.figures.drawing import require_drawing

HOSTILE = ("a\x1b[31m\x00b", "line\nend --> <b>&", "\ufffe\x9b$x$\udc80", "n" * 5000)


def outcome(name: str) -> Outcome:
    """Outcome of an experiment on runs with hostile names."""
    values = np.random.default_rng(1).random((4, 12, 2))
    table = ScoreTable(HOSTILE, HOSTILE, tuple(map(str, range(12))), ("A\x1b", "B<"), values)
    runs = [run.path for run in collection.runs("focused")][:3]
    experiment = EXPERIMENTS[name]
    given: Any = (collection.qrels(), runs, ["MAiP", "charF"]) if experiment.passages else (table,)
    options = {"samples": 20} if "samples" in experiment.load("options").__dataclass_fields__ else {}
    found: Outcome = experiment.load("function")(*given, **options)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_figures_are_well_formed(name: str) -> None:
    """Whatever runs and measures are called, the SVG is XML, and the same each time."""
    pytest.importorskip("matplotlib")
    drawn = outcome(name)
    svg = drawn.draw("svg")
    ET.fromstring(svg)
    assert svg == drawn.draw("svg")


def test_curves_are_well_formed() -> None:
    """So are figures of curves."""
    pytest.importorskip("matplotlib")
    values = np.linspace(0, 1, 8).reshape(4, 2)
    curve = Curve("iP", np.array([1, 2]), HOSTILE, HOSTILE, values, "x", "topic \x1b")
    ET.fromstring(curve.draw())
    ET.fromstring(Curves.of([curve, curve]).draw())


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExcerptError, match=r"pip install 'excerpt\[plot\]'"):
        require_drawing("svg")


@pytest.mark.slow
def test_every_experiment_is_drawn_as_every_format(tmp_path: Path) -> None:
    """As each of the formats."""
    pytest.importorskip("matplotlib")
    drawn = outcome("compare")
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    for ending, start in starts.items():
        assert drawn.draw(ending).startswith(start)


def test_what_has_no_figure() -> None:
    """A pool is no drawing."""
    with pytest.raises(ExcerptError, match="has no figure; expected scores, a curve or the outcome"):
        describe(pool([b"1 Q0 A 1 1 r\n"], depth=1)).draw()


def test_unknown_formats() -> None:
    """A format that is not drawn is an error that lists those that are."""
    curve = Curve("P", np.array([1]), ("a",), ("a",), np.array([[0.5]]), "rank", "P")
    for name in ("gif", "f.gif"):
        with pytest.raises(ExcerptError, match=f"unknown format of a figure '{name}'.*known: pdf, png, svg"):
            curve.draw(name)


def test_a_style_that_cannot_be_drawn_with(tmp_path: Path) -> None:
    """Values that matplotlib takes and then fails on are one line; without a style it would be our fault."""
    pytest.importorskip("matplotlib")
    style = tmp_path / "own.mplstyle"
    style.write_text("figure.subplot.left: 0.95\n")
    curve: Any = Curve("P", np.array([1]), ("a",), ("a",), np.array([[0.5]]), "rank", "P")
    with pytest.raises(ExcerptError, match=r"cannot draw with this style \(ValueError: left"):
        curve.draw("svg", style=str(style))


def test_fonts_of_a_style(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One that is not here is one line; of several that are named, one is enough, and nothing is said."""
    pytest.importorskip("matplotlib")
    style = tmp_path / "own.mplstyle"
    curve: Any = Curve("P", np.array([1]), ("a",), ("a",), np.array([[0.5]]), "rank", "P")
    for lines in ("font.family: NoSuchFont", "font.family: serif\nfont.serif: NoSuchFont, Nor This"):
        style.write_text(lines)
        with pytest.raises(ExcerptError, match=r"the style needs a font that is not installed: NoSuchFont"):
            curve.draw("svg", style=str(style))
    style.write_text("font.family: sans")
    assert "DejaVu Sans" in curve.draw("svg", style=str(style)).decode()
    style.write_text("font.family: NoSuchFont, DejaVu Serif")
    assert "DejaVu Serif" in curve.draw("svg", style=str(style)).decode()
    assert not caplog.records


def test_notebooks_show_figures() -> None:
    """A drawing at the end of a cell is a picture there; a PDF is said in words."""
    pytest.importorskip("matplotlib")
    curve: Any = Curve("P", np.array([1]), ("a",), ("a",), np.array([[0.5]]), "rank", "P")
    svg, png, pdf = (curve.draw(format_) for format_ in ("svg", "png", "pdf"))
    assert svg._repr_mimebundle_() == {"image/svg+xml": svg.decode()}
    assert base64.b64decode(png._repr_mimebundle_()["image/png"]) == png
    assert pdf._repr_mimebundle_() == {}
    assert repr(pdf) == f"<figure: pdf, {len(pdf)} bytes>"
