"""Figure of the effects of factors: a panel per factor, a row per level."""

from __future__ import annotations

from typing import Any

from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.sheet import SeriesStyle, Sheet

#: Inches of a row and of the space around the rows, and of the lowest panel.
_ROW, _AROUND, _LEAST = 0.155, 0.66, 1.1
_BLUE = "#0072b2"
_DATA = ("measure", "factor", "level", "effect", "low", "high", "p", "adjusted", "significant")


def effects(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a panel per factor (and measure) with the intervals of its levels, filled if significant."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in outcome.rows:
        groups.setdefault((row.get("measure", ""), row["factor"]), []).append(row)
    measures = list(dict.fromkeys(measure for measure, _ in groups if measure))
    if measures:
        sheet.factor(measures)
    sheet.together([row["level"] for row in outcome.rows])
    alpha = outcome.details["alpha"]
    most = max(map(len, groups.values()))
    height = max(most * _ROW + _AROUND, _LEAST)
    panels = sheet.panels(len(groups), least=2.4, height=height, sharex=not measures)
    handles: dict[str, Any] = {}
    for axes, ((measure, factor), rows) in zip(panels, groups.items(), strict=True):
        handles |= _panel(sheet, axes, rows, alpha)
        name = sheet.name(factor, 0.3, axes=axes)
        axes.set_title(f"{name}, {sheet.name(measure, 0.3, axes=axes)}" if measure else name)
    sheet.below(panels, f"effect on the mean ({100 * (1 - alpha):g} % intervals)")
    order = sorted(handles, reverse=True)
    sheet.key([handles[name] for name in order], order, below=True)


def _panel(sheet: Sheet, axes: Any, rows: list[dict[str, Any]], alpha: float) -> dict[str, Any]:
    style = SeriesStyle(sheet.shade(_BLUE), "o", "-")
    axes.axvline(0.0, color=sheet.shade("#555555"), linewidth=0.7, zorder=1)
    handles: dict[str, Any] = {}
    for place, row in enumerate(rows):
        look = style.dots() | {"markerfacecolor": style.colour if row["significant"] else "#ffffff"}
        ends = [[max(row["effect"] - row["low"], 0.0)], [max(row["high"] - row["effect"], 0.0)]]
        drawn = axes.errorbar([row["effect"]], [place], xerr=ends, elinewidth=0.9, **look)
        handles.setdefault(f"adjusted p {'<' if row['significant'] else '≥'} {alpha:g}", drawn)
        sheet.mark(**{name: row[name] for name in _DATA if name in row})
    axes.set_yticks(range(len(rows)), [sheet.name(row["level"], 0.3, axes=axes) for row in rows])
    axes.tick_params("y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=True, axis="x")
    axes.spines["left"].set_visible(False)
    axes.locator_params("x", nbins=5)
    return handles
