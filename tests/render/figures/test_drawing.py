"""Figures of every experiment, with names that break XML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from excerpt import ExcerptError, ScoreTable, collection
from excerpt.evaluation.curves import Curve, Curves
from excerpt.experiments import EXPERIMENTS, Outcome
from excerpt.render.figures.drawing import label, require_drawing

HOSTILE = ("a\x1b[31m\x00b", "line\nend --> <b>&", "\ufffe\x9b$x$\udc80", "n" * 5000)


def outcome(name: str) -> Outcome:
    """What an experiment gives on runs with hostile names."""
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


def test_labels() -> None:
    """Control characters are visible and long names cut."""
    assert label("a\x1b") == "a\\x1b"
    assert len(label("n" * 5000)) == 60


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
    """A table of scores is no drawing."""
    with pytest.raises(ExcerptError, match="has no figure, expected a curve or the outcome"):
        ScoreTable.from_scores({("r", "1", "A"): 0.5}).draw()


def test_unknown_formats() -> None:
    """A format that is not drawn is an error that lists those that are."""
    curve = Curve("P", np.array([1]), ("a",), ("a",), np.array([[0.5]]), "rank", "P")
    for name in ("gif", "f.gif"):
        with pytest.raises(ExcerptError, match=f"unknown format of a figure '{name}'.*known: pdf, png, svg"):
            curve.draw(name)
