"""Figures of stability experiments: lines over levels and depths, and what runs lose outside a pool."""

from __future__ import annotations

from functools import partial
from typing import Any

from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.sheet import Sheet

_TAU = r"Kendall's $\tau_b$ with the full ranking"
_LABELS = {
    "level": "sample (% of the whole)",
    "depth": "pool depth",
    "mean": _TAU,
    "error_rate": "error rate",
    "tau_b": _TAU,
}


def _lines(sheet: Sheet, outcome: Outcome, x: str, y: str) -> None:
    """Draws `y` over `x` for each measure; standard errors become bars, side by side."""
    (axes,) = sheet.panels(1, height=2.15 if sheet.narrow else 3.2)
    series = _by_measure(outcome)
    handles = []
    for number, (pen, (measure, found)) in enumerate(
        zip(sheet.pens(len(series)), series.items(), strict=True)
    ):
        rows = [row for row in found if row[y] is not None]
        bars = [row.get("standard_error") or 0.0 for row in rows]
        handles.append(
            sheet.bars(
                axes,
                [row[x] for row in rows],
                [row[y] for row in rows],
                yerr=bars if any(bars) else None,
                aside=sheet.dodge(number, len(series)) if any(bars) else 0.0,
                elinewidth=0.7,
                **pen.line(),
            )
        )
        for row in rows:
            sheet.mark(
                measure=measure, **{name: row[name] for name in (x, y, "standard_error") if name in row}
            )
    axes.set_xlabel(_LABELS[x])
    text = _LABELS[y].replace(" with", "\nwith") if sheet.narrow else _LABELS[y]
    axes.set_ylabel(text, parse_math=True)
    axes.grid(visible=True, axis="y")
    axes.margins(x=0.06)
    axes.locator_params(axis="y", steps=[1, 2, 5, 10])
    if x == "depth":  # depths grow by factors
        axes.set_xscale("log")
    sheet.measured(axes.xaxis, [row[x] for row in outcome.rows], most=12)
    if x == "level":
        axes.invert_xaxis()
    sheet.key(handles, list(series))


#: Tau over the levels, error rates over the levels, tau over the depths of the pool.
mean_lines = partial(_lines, x="level", y="mean")
error_lines = partial(_lines, x="level", y="error_rate")
depth_lines = partial(_lines, x="depth", y="tau_b")


def _by_measure(outcome: Outcome) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in outcome.rows:
        found.setdefault(row["measure"], []).append(row)
    return found


def changes(sheet: Sheet, outcome: Outcome) -> None:
    """What every run loses or gains by not being in the pool, over its score; a panel per measure.

    Those that change most stand out.
    """
    measured = _by_measure(outcome)
    most: dict[str, float] = {}
    for rows in measured.values():
        largest = max(abs(row["change"] or 0.0) for row in rows) or 1.0
        for row in rows:
            most[row["run"]] = max(most.get(row["run"], 0.0), abs(row["change"] or 0.0) / largest)
    chosen = sheet.chosen(list(most), list(most.values()))
    panels = sheet.panels(len(measured), least=1.9, height=1.7 if sheet.narrow else 2.3)
    handles: dict[int, Any] = {}
    for axes, (measure, rows) in zip(panels, measured.items(), strict=True):
        by_run = {row["run"]: row for row in rows}
        axes.axhline(0.0, color=sheet.ink("#999999"), linewidth=0.6, zorder=1.0)
        for place in chosen.drawn:
            row = by_run[chosen.runs[place]]
            if row["change"] is None:
                continue
            look = chosen.pens[place].dots()
            handles[place] = axes.plot([row["score"]], [row["change"]], clip_on=False, **look)[0]
            sheet.mark(
                **{name: row[name] for name in ("measure", "run", "score", "unpooled_score", "change")}
            )
        axes.set_title(sheet.name(measure, 0.45))
        axes.set_xlim(left=0.0)
        axes.locator_params(nbins=5, steps=[1, 2, 5, 10])
        axes.ticklabel_format(axis="y", scilimits=(-3, 4))
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel("change outside the pool")
    sheet.below(panels, "score")
    sheet.key_of_runs(chosen, handles)
