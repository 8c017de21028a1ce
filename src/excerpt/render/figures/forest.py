"""Forest plots: how far each run is from a baseline, with the interval of the difference."""

from __future__ import annotations

from typing import Any

from excerpt.experiments.comparison import Comparison
from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.pens import Pen
from excerpt.render.figures.sheet import Sheet

#: Inches of a row, of what stands above and below the rows, and of the lowest panel.
_ROW, _AROUND, _LEAST = 0.155, 0.66, 1.45
_INK = "#0072b2"
#: Columns of the data of a mark, out of a row of the comparison.
_DATA = ("measure", "run", "other", "difference", "low", "high", "p", "adjusted", "significant")


def forest(sheet: Sheet, outcome: Outcome) -> None:
    """A panel per measure with a row per run, the best above; filled where the difference is significant."""
    found: tuple[Comparison, ...] = outcome.details["comparisons"]
    size = len(found[0].runs) - 1
    panels = sheet.panels(len(found), least=3.0, height=max(size * _ROW + _AROUND, _LEAST))
    handles: dict[str, Any] = {}
    for axes, comparison in zip(panels, found, strict=True):
        handles |= _panel(sheet, axes, comparison)
    order = sorted(handles, reverse=True)
    sheet.key([handles[name] for name in order], order, below=True)


def _panel(sheet: Sheet, axes: Any, comparison: Comparison) -> dict[str, Any]:
    rows = comparison.rows()
    alpha = comparison.procedure["alpha"]
    pens = _pens(sheet, [row["run"] for row in rows], [row["difference"] for row in rows])
    axes.axvline(0.0, color=sheet.ink("#555555"), linewidth=0.7, zorder=1)
    handles: dict[str, Any] = {}
    for place, (row, pen) in enumerate(zip(rows, pens, strict=True)):
        look = pen.dots() | {"marker": "o", "markersize": 3.8, "markeredgewidth": 0.8}
        look["markerfacecolor"] = pen.colour if row["significant"] else "#ffffff"
        ends = [[row["difference"] - row["low"]], [row["high"] - row["difference"]]]
        drawn = axes.errorbar([row["difference"]], [place], xerr=ends, elinewidth=0.9, **look)
        handles.setdefault(f"adjusted p {'<' if row['significant'] else '≥'} {alpha:g}", drawn)
        sheet.mark(**{name: row[name] for name in _DATA})
    axes.set_yticks(range(len(rows)), [sheet.name(row["run"], 0.3, axes=axes) for row in rows])
    axes.tick_params("y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=True, axis="x")
    axes.spines["left"].set_visible(False)
    axes.locator_params("x", nbins=5)
    names = (sheet.name(name, 0.36, axes=axes) for name in (comparison.measure, rows[0]["other"]))
    axes.set_xlabel(f"{' minus that of '.join(names)}\n({100 * (1 - alpha):g} % intervals)")
    return handles


def _pens(sheet: Sheet, runs: list[str], scores: list[float]) -> list[Pen]:
    """One colour for all, as every run has its row; where runs were asked for, the others stand back."""
    if sheet.paper.top is None and not sheet.paper.highlight:
        return [Pen(sheet.ink(_INK), "o", "-")] * len(runs)
    chosen = sheet.chosen(runs, scores)
    out = Pen(sheet.ink(_INK), "o", "-")
    return [out if place in chosen.places else chosen.pens[place] for place in range(len(runs))]
