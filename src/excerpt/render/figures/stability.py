"""Figures of stability experiments: a line per measure over the levels, with error bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from excerpt.experiments.outcome import Outcome

_LABELS = {
    "level": "sample (% of the whole)",
    "depth": "pool depth",
    "mean": "Kendall's tau-b with the full ranking",
    "error_rate": "error rate",
    "tau_b": "Kendall's tau-b with the full ranking",
}


def lines(outcome: Outcome, x: str, y: str) -> Callable[[Any], None]:
    """Draws `y` over `x` for each measure; standard errors become bars."""

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        for number, measure in enumerate(dict.fromkeys(row["measure"] for row in outcome.rows)):
            rows = [row for row in outcome.rows if row["measure"] == measure and row[y] is not None]
            bars = [row.get("standard_error") or 0.0 for row in rows]
            axes.errorbar(
                [row[x] for row in rows],
                [row[y] for row in rows],
                yerr=bars if any(bars) else None,
                label=measure,
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

    return fill


def changes(outcome: Outcome) -> Callable[[Any], None]:
    """Draws score and unpooled score of every run, a panel per measure."""

    def fill(figure: Any) -> None:
        measures = list(dict.fromkeys(row["measure"] for row in outcome.rows))
        for panel, (axes, measure) in enumerate(
            zip(figure.subplots(1, len(measures), squeeze=False)[0], measures, strict=True)
        ):
            rows = [row for row in outcome.rows if row["measure"] == measure]
            axes.scatter([row["score"] for row in rows], [row["unpooled_score"] for row in rows], s=14)
            top = max((row["score"] for row in rows), default=1.0) or 1.0
            axes.plot([0, top], [0, top], color="0.6", linewidth=0.8)
            axes.set_title(measure)
            axes.set_xlabel("score")
            if not panel:
                axes.set_ylabel("score without its own pool")

    return fill
