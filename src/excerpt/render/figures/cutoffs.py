"""Curves as figures: a line per run along the cut-offs of a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from excerpt.evaluation.curves import Curve, Curves
from excerpt.model.scores import exact_means
from excerpt.model.spans import FloatArray
from excerpt.render.figures.line_ends import name_ends
from excerpt.render.figures.pens import Chosen, Pen, others
from excerpt.render.figures.sheet import Sheet

#: More points than this are not all marked.
_MARKED = 12


def lines(sheet: Sheet, curve: Curve) -> None:
    """One line per run."""
    panels(sheet, Curves((curve,)))


def panels(sheet: Sheet, curves: Curves) -> None:
    """A panel per measure; the same runs stand out in all of them, by the first measure."""
    several = curves.curves
    chosen = sheet.chosen(several[0].runs, exact_means(several[0].values).tolist())
    height = 2.2 if sheet.narrow else 3.4 if len(several) == 1 else 2.6
    found = sheet.panels(len(several), least=3.2, height=height)
    for axes, curve in zip(found, several, strict=True):
        handles = _fill(sheet, axes, curve, chosen)
    if not chosen.direct and len(chosen.runs) > 1:
        sheet.key_of_runs(chosen, handles)


def _fill(sheet: Sheet, axes: Any, curve: Curve, chosen: Chosen) -> dict[int, Any]:
    """Lines, ticks, names; the lines by the places of their runs."""
    every = max(1, -(-len(curve.x) // _MARKED))
    handles: dict[int, Any] = {}
    for place in chosen.drawn:
        look = chosen.pens[place].line()
        if every > 1 and not chosen.pens[place].rest:  # each starts elsewhere, so markers do not meet
            look["markevery"] = (
                chosen.places.index(place) * every // max(len(chosen.places), 1) % every,
                every,
            )
        handles[place] = axes.plot(curve.x, curve.values[place], **look)[0]
        if curve.limits is not None and not chosen.pens[place].rest:
            axes.fill_between(curve.x, *curve.limits[place].T, **chosen.pens[place].band())
        _keep(sheet, curve, place)
    axes.set_xlabel(curve.x_label)
    axes.set_ylabel(sheet.name(curve.y_label, 0.6))
    axes.grid(visible=True, axis="y")
    highest = _highest(curve, chosen)
    axes.set_ylim(0.0, 1.05 * highest if highest > 0 else 1.0)
    axes.margins(x=0.02)
    axes.locator_params(axis="y", steps=[1, 2, 5, 10])
    sheet.measured(axes.xaxis, curve.x.tolist())
    if chosen.direct:
        name_ends(sheet, axes, _ends(curve, chosen))
    return handles


def _keep(sheet: Sheet, curve: Curve, place: int) -> None:
    """The points of a line as data."""
    for point, (x, y) in enumerate(zip(curve.x.tolist(), curve.values[place].tolist(), strict=True)):
        sheet.mark(measure=curve.measure, run=curve.runs[place], x=x, y=y)
        if curve.limits is not None:
            low, high = curve.limits[place, point].tolist()
            sheet.rows[-1] |= {"low": low, "high": high}


def _highest(curve: Curve, chosen: Chosen) -> float:
    """The highest point that is drawn."""
    highest = float(np.nanmax(curve.values, initial=0.0))
    if curve.limits is None:
        return highest
    return max(highest, float(np.nanmax(curve.limits[list(chosen.places)], initial=0.0)))


def _ends(curve: Curve, chosen: Chosen) -> list[tuple[float, str, Pen]]:
    """The last values of the lines with their names; the rest is named once, at the middle of its ends."""
    last = {place: _last(curve.values[place]) for place in range(len(chosen.runs))}
    named = [
        (end, chosen.runs[place], chosen.pens[place])
        for place in chosen.places
        if (end := last[place]) is not None
    ]
    rest = [end for place in chosen.rest if (end := last[place]) is not None]
    if rest:
        named.append((float(np.median(rest)), others(len(rest)), chosen.pens[chosen.rest[0]]))
    return named


def _last(scores: FloatArray) -> float | None:
    defined = scores[~np.isnan(scores)]
    return float(defined[-1]) if len(defined) else None
