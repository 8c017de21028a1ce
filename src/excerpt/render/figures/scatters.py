"""Figures of correlations: a point per run, the line through them, its equation and the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from excerpt.experiments.correlation import Pair
from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.point_names import Point, name_points
from excerpt.render.figures.sheet import Sheet

#: Up to so many runs all have names; of more only those that stand out.
_NAMED = 12
_REST = "#777777"
#: Points of the line that names avoid.
_STEPS = 24
_COEFFICIENTS = (
    ("\N{GREEK SMALL LETTER TAU}b", "tau_b"),
    ("\N{GREEK SMALL LETTER RHO}", "spearman"),
    ("r", "pearson"),
)


def scatters(sheet: Sheet, outcome: Outcome) -> None:
    """One panel per pair of rankings."""
    pairs: tuple[Pair, ...] = outcome.details["pairs"]
    height = 2.7 if len(pairs) > 1 or sheet.narrow else 4.2
    panels = sheet.panels(len(pairs), least=2.3, height=height)
    for axes, pair, row in zip(panels, pairs, outcome.rows, strict=True):
        _panel(sheet, axes, pair, row)


def _panel(sheet: Sheet, axes: Any, pair: Pair, row: dict[str, Any]) -> None:
    x, y = pair.drawn
    chosen = sheet.chosen(pair.runs, (pair.x + pair.y).tolist())
    small = {"marker": "o", "markersize": 2.2, "color": _REST, "linestyle": "none", "zorder": 2.5}
    for place in chosen.drawn:
        axes.plot([x[place]], [y[place]], **small if place in chosen.rest else chosen.pens[place].dots())
        spot = {"x": float(x[place]), "y": float(y[place])}
        sheet.mark(first=pair.first, second=pair.second, run=pair.runs[place], **spot)
    line, along = pair.line(), []
    if line is not None:
        slope, intercept = line
        steps = np.linspace(x.min(), x.max(), _STEPS)
        along = list(zip(steps.tolist(), (slope * steps + intercept).tolist(), strict=True))
        axes.plot(*zip(*along, strict=True), color=sheet.ink("#555555"), linewidth=0.8, zorder=2)
    axes.set_title(_said(row, line, ranks=pair.ranks), fontsize=0.88 * sheet.font)
    kind = "rank by " if pair.ranks else ""
    axes.set_xlabel(kind + sheet.name(pair.first, 0.6, axes=axes))
    axes.set_ylabel(kind + sheet.name(pair.second, 0.4, axes=axes))
    axes.grid(visible=True)
    axes.margins(0.08)
    if pair.ranks:  # the best are above and at the right
        axes.invert_xaxis()
        axes.invert_yaxis()
        for axis in (axes.xaxis, axes.yaxis):
            sheet.measured(axis, range(1, len(pair.runs) + 1))
    named = (*chosen.places, *chosen.rest) if len(pair.runs) <= _NAMED else chosen.places
    points = [
        Point(
            float(x[at]), float(y[at]), pair.runs[at], _REST if at in chosen.rest else chosen.pens[at].colour
        )
        for at in named
    ]
    others = [(float(x[at]), float(y[at])) for at in chosen.rest if at not in named]
    name_points(sheet, axes, points, others, along)


def _said(row: dict[str, Any], line: tuple[float, float] | None, *, ranks: bool) -> str:
    """The coefficients (of ranks only those of ranks), and below them the equation of the line."""
    asked = _COEFFICIENTS[:2] if ranks else _COEFFICIENTS
    shown = [f"{sign} = {row[name]:.3f}" for sign, name in asked if row[name] is not None]
    equation = []
    if line is not None:
        slope, intercept = line
        sign = "\N{MINUS SIGN}" if intercept < 0 else "+"
        equation = [f"y = {slope:.3g} x {sign} {abs(intercept):.3g}".replace("-", "\N{MINUS SIGN}")]
    return "\n".join([", ".join(shown), *equation])
