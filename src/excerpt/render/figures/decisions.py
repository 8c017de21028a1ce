"""Figures of agreement: differences by two measures and where they disagree, error rates of tests.

Figure 1 of Ogilvie & Lalmas, CIKM 2006.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from excerpt.experiments.conclusions import BOTH, CLASSES, FIRST, NONE, OPPOSED, SECOND, Differences
from excerpt.experiments.outcome import Outcome
from excerpt.model.spans import FloatArray
from excerpt.render.figures.drawing import label

_COLOURS = {BOTH: "#0072b2", FIRST: "#e69f00", SECOND: "#d55e00", NONE: "#bbbbbb", OPPOSED: "#000000"}
#: From below in the stack of densities, from behind in the scatter.
_ORDER = (BOTH, FIRST, SECOND, OPPOSED, NONE)
_MARKS = {BOTH: "o", FIRST: ">", SECOND: "^", NONE: ".", OPPOSED: "x"}
_GRID = 256


def differences(figure: Any, outcome: Outcome) -> None:
    """The first measure against each other one: a scatter and a stacked density in each row."""
    first, *others = outcome.details["decisions"]
    figure.set_size_inches(9.6, 3.8 * len(others))
    for axes, other in zip(figure.subplots(len(others), 2, squeeze=False), others, strict=True):
        between = Differences.between(first, other)
        _scatter(axes[0], between)
        _density(axes[1], between)


def _label(kind: int, differences: Differences) -> str:
    """The name of a class with its number of pairs."""
    names = {FIRST: f"only {label(differences.measure)}", SECOND: f"only {label(differences.other)}"}
    return f"{names.get(kind, CLASSES[kind])} ({int((differences.kind == kind).sum())})"


def _present(differences: Differences) -> list[int]:
    """The classes to show: all, but for the contradiction that hardly ever happens."""
    return [kind for kind in _ORDER if kind != OPPOSED or bool((differences.kind == kind).any())]


def _scatter(axes: Any, differences: Differences) -> None:
    """Every pair of runs: its difference by one measure against that by the other."""
    for kind in reversed(_present(differences)):
        chosen = differences.kind == kind
        axes.scatter(
            differences.first[chosen],
            differences.second[chosen],
            s=16,
            marker=_MARKS[kind],
            color=_COLOURS[kind],
            linewidths=0.8,
        )
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set_xlabel(f"difference in {label(differences.measure)}")
    axes.set_ylabel(f"difference in {label(differences.other)}")


def _density(axes: Any, differences: Differences) -> None:
    """Kernel densities of the differences by the first measure, stacked; the whole area is 1."""
    kinds = _present(differences)
    width = bandwidth(differences.first)
    grid = np.linspace(0.0, float(differences.first.max(initial=0.0)) + 3 * width, _GRID)
    layers = [
        kernel_density(differences.first[differences.kind == kind], grid, width) / len(differences.first)
        for kind in kinds
    ]
    labels = [_label(kind, differences) for kind in kinds]
    drawn = axes.stackplot(grid, layers, colors=[_COLOURS[kind] for kind in kinds], alpha=0.85)
    axes.set_xlim(0.0, float(grid[-1]))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel(f"difference in {label(differences.measure)}")
    axes.set_ylabel("density of pairs")
    axes.legend(drawn[::-1], labels[::-1], title="significant by", frameon=False)


def bandwidth(values: FloatArray) -> float:
    """Silverman's rule of thumb; never 0.

    >>> round(bandwidth(np.array([0.0, 0.1, 0.2, 0.3, 0.4])), 4)
    0.0974
    """
    quartiles = np.percentile(values, [25, 75])
    spreads = (float(values.std(ddof=min(1, len(values) - 1))), float(quartiles[1] - quartiles[0]) / 1.34)
    spread = min((value for value in spreads if value > 0), default=0.0)
    return 0.9 * spread * len(values) ** -0.2 or 0.01


def kernel_density(values: FloatArray, grid: FloatArray, width: float) -> FloatArray:
    """Gaussian kernels at the values and, as differences are not negative, at their mirror images below 0.

    The area above 0 is the number of values.

    >>> grid = np.linspace(0, 3, 3001)
    >>> float(kernel_density(np.array([0.0, 1.0]), grid, 0.1).sum() * 0.001).__round__(2)
    2.0
    """
    total = np.zeros(len(grid))
    for value in np.concatenate([values, -values]).tolist():
        total += np.exp(-0.5 * ((grid - value) / width) ** 2)
    return np.asarray(total / (width * np.sqrt(2 * np.pi)))


def error_bars(figure: Any, outcome: Outcome) -> None:
    """Error rate, share of significant pairs and agreement of the halves, by test; a row per measure."""
    shown = {"error_rate": "error rate", "share": "significant pairs", "agreement": "agreement of the halves"}
    measures = list(dict.fromkeys(row["measure"] for row in outcome.rows))
    figure.set_size_inches(9.6, 3.2 * len(measures))
    for line, measure in zip(
        figure.subplots(len(measures), len(shown), squeeze=False), measures, strict=True
    ):
        rows = [row for row in outcome.rows if row["measure"] == measure]
        for axes, (column, title) in zip(line, shown.items(), strict=True):
            axes.bar(
                [row["test"] for row in rows],
                [row[column] or 0.0 for row in rows],
                color="#0072b2",
                width=0.6,
            )
            for place, row in enumerate(rows):
                if row[column] is None:
                    axes.annotate("undefined", (place, 0.0), rotation=90, ha="center", va="bottom")
            axes.tick_params("x", labelrotation=30)
            axes.set_title(title)
            axes.set_ylim(bottom=0.0)
        line[0].set_ylabel(label(measure))
