"""Figures of stability experiments: a line per measure over the levels, with error bars."""

from __future__ import annotations

from functools import partial
from typing import Any

from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.drawing import label

_LABELS = {
    "level": "sample (% of the whole)",
    "depth": "pool depth",
    "mean": "Kendall's tau-b with the full ranking",
    "error_rate": "error rate",
    "tau_b": "Kendall's tau-b with the full ranking",
}


def _lines(figure: Any, outcome: Outcome, x: str, y: str) -> None:
    """Draws `y` over `x` for each measure; standard errors become bars."""
    axes = figure.add_subplot()
    for number, (measure, measured) in enumerate(_by_measure(outcome).items()):
        rows = [row for row in measured if row[y] is not None]
        bars = [row.get("standard_error") or 0.0 for row in rows]
        axes.errorbar(
            [row[x] for row in rows],
            [row[y] for row in rows],
            yerr=bars if any(bars) else None,
            label=label(measure),
            color=f"C{number % 10}",
            marker="o",
            markersize=4,
            capsize=3,
        )
    axes.set_xlabel(_LABELS[x])
    axes.set_ylabel(_LABELS[y])
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    if x == "level":
        axes.invert_xaxis()


#: Tau over the levels, error rates over the levels, tau over the depths of the pool.
mean_lines = partial(_lines, x="level", y="mean")
error_lines = partial(_lines, x="level", y="error_rate")
depth_lines = partial(_lines, x="depth", y="tau_b")


def _by_measure(outcome: Outcome) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in outcome.rows:
        found.setdefault(row["measure"], []).append(row)
    return found


def changes(figure: Any, outcome: Outcome) -> None:
    """Score and unpooled score of every run, a panel per measure."""
    measured = _by_measure(outcome)
    figure.set_size_inches(3.6 * max(len(measured), 2), 3.6)
    for panel, (axes, (measure, rows)) in enumerate(
        zip(figure.subplots(1, len(measured), squeeze=False)[0], measured.items(), strict=True)
    ):
        axes.scatter([row["score"] for row in rows], [row["unpooled_score"] for row in rows], s=14)
        top = max((row["score"] for row in rows), default=1.0) or 1.0
        axes.plot([0, top], [0, top], color="0.6", linewidth=0.8)
        axes.set_title(label(measure))
        axes.set_xlabel("score")
        if not panel:
            axes.set_ylabel("score when left out of the pool")
