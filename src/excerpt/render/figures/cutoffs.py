"""Curves as figures: a line per run along the cut-offs of a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from excerpt.evaluation.curves import Curve, Curves
from excerpt.render.figures.drawing import label

#: More runs than this have their legend beside the axes; more points than this are not marked.
_INSIDE = 5
_MARKED = 25
_LEGEND_ROWS = 24
_DASHES = ("-", "--", "-.", ":")


def lines(figure: Any, curve: Curve) -> None:
    """One line per run."""
    _fill(figure.add_subplot(), curve)


def panels(figure: Any, curves: Curves) -> None:
    """A panel per measure."""
    count = len(curves.curves)
    figure.set_size_inches(7.2, 4.0 * count)
    for axes, curve in zip(figure.subplots(count, 1, squeeze=False)[:, 0], curves.curves, strict=True):
        _fill(axes, curve)


def _fill(axes: Any, curve: Curve) -> None:
    """Lines, labels, grid and legend."""
    mark = "." if len(curve.x) <= _MARKED else ""
    lines = [
        axes.plot(curve.x, scores, mark, color=f"C{i % 10}", linestyle=_DASHES[i // 10 % 4], linewidth=1.4)[0]
        for i, scores in enumerate(curve.values)
    ]
    axes.set_xlabel(curve.x_label)
    axes.set_ylabel(label(curve.y_label))
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    defined = curve.values[~np.isnan(curve.values)]
    highest = float(defined.max(initial=0.0))
    axes.set_ylim(0.0, 1.05 * highest if highest > 0 else 1.0)
    axes.margins(x=0.02)
    if np.issubdtype(curve.x.dtype, np.integer):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _add_legend(axes, lines, curve.runs)


def _add_legend(axes: Any, lines: list[Any], names: tuple[str, ...]) -> None:
    # matplotlib leaves out names that start with an underscore.
    labels = [f" {label(name)}" if name.startswith("_") else label(name) for name in names]
    if len(names) <= _INSIDE:
        axes.legend(lines, labels, loc="best", framealpha=0.9)
        return
    columns = -(-len(names) // _LEGEND_ROWS)
    axes.legend(lines, labels, loc="upper left", bbox_to_anchor=(1.02, 1.0), ncols=columns, frameon=False)
