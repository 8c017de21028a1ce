"""Figures of comparisons: a map of all pairs, differences from a baseline, differences by topic."""

from __future__ import annotations

from typing import Any

import numpy as np

from excerpt.experiments.comparison import Comparison
from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.forest import forest
from excerpt.render.figures.sheet import Sheet
from excerpt.render.figures.topic_bars import topic_bars

#: Inches of a row of few runs and of many, and of what stands around the rows.
_ROW, _SMALL_ROW, _AROUND = 0.14, 0.1, 0.8
_FEW = 25
#: Inches of the lowest map.
_LOWEST = 1.2
#: Round p-values beside alpha on the colour bar.
_TICKS = (0.0, 0.01, 0.1, 0.3, 1.0)


def compared(sheet: Sheet, outcome: Outcome) -> None:
    """What was asked for: topics, runs beside a baseline, or all pairs."""
    if "topics" in outcome.details:
        topic_bars(sheet, outcome)
    elif outcome.details["comparisons"][0].baseline is not None:
        forest(sheet, outcome)
    else:
        heat_maps(sheet, outcome)


def heat_maps(sheet: Sheet, outcome: Outcome) -> None:
    """Adjusted p-values of all pairs, a map per measure; a dot where they are significant."""
    found: tuple[Comparison, ...] = outcome.details["comparisons"]
    size, alpha = len(found[0].runs), found[0].procedure["alpha"]
    row = _ROW if size <= _FEW else _SMALL_ROW
    panels = sheet.panels(len(found), least=3.2, height=max(size * row, _LOWEST) + _AROUND)
    dots = [_heat_map(sheet, axes, comparison) for axes, comparison in zip(panels, found, strict=True)]
    line = sheet.figure.axes[-1].lines[-1]
    sheet.figure.legend(
        [dots[0], line],
        [f"row significantly better than column, adjusted p < {alpha:g}", "alpha, on the bar"],
        loc="outside lower center",
        ncols=1 if sheet.narrow else 2,
        frameon=False,
    )


def _heat_map(sheet: Sheet, axes: Any, comparison: Comparison) -> Any:
    """Runs by their means from top to bottom and from left to right; the better one is that of the row."""
    from matplotlib.colors import PowerNorm

    size, alpha = len(comparison.runs), comparison.procedure["alpha"]
    decided = comparison.corrected
    shown = np.ma.masked_where(np.tri(size, dtype=np.bool_), decided.adjusted)
    # A root brings out the small values, which decide.
    image = axes.pcolormesh(
        *(np.arange(size + 1) - 0.5,) * 2,
        shown,
        cmap=sheet.map,
        norm=PowerNorm(0.35, 0.0, 1.0),
    )
    steps, last = np.arange(size - 1) + 0.5, size - 0.5
    edges = {"color": "#d0d0d0", "linewidth": 0.3}
    axes.hlines([-0.5, *steps], [0.5, *steps], last, **edges)
    axes.vlines([*steps, last], -0.5, [*steps, last - 1], **edges)
    pairs = np.argwhere(np.triu(np.ones((size, size), np.bool_), 1)).tolist()
    better = [(i, j) for i, j in pairs if decided.rejected[i, j]]
    dots = axes.scatter(
        [j for _, j in better],
        [i for i, _ in better],
        s=min(9.0, 900.0 / size**1.5),
        color="#ffffff",
        edgecolors="#000000",
        linewidths=0.35,
    )
    for i, j in pairs:
        sheet.mark(
            measure=comparison.measure,
            run=comparison.runs[i],
            other=comparison.runs[j],
            adjusted=float(decided.adjusted[i, j]),
            significant=bool(decided.rejected[i, j]),
        )
    places = range(1, size + 1)
    names = [f"{name}  {place}" for place, name in zip(places, _names(sheet, axes, comparison), strict=True)]
    axes.set_yticks(range(size), names)
    sheet.ticks(axes.xaxis, range(size), [str(place) for place in places])
    axes.set_ylim(size - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.tick_params(
        "y", labelsize=min(0.88 * sheet.font, (_ROW if size <= _FEW else _SMALL_ROW) * 72 * 0.86)
    )
    axes.spines[:].set_visible(False)
    axes.set_xlabel(f"runs by mean {sheet.name(comparison.measure, 0.5, axes=axes)}")
    _bar(sheet, axes, image, alpha)
    return dots


def _bar(sheet: Sheet, axes: Any, image: Any, alpha: float) -> None:
    """The colour bar, with a line at alpha."""
    ticks = sorted({*(tick for tick in _TICKS if not alpha / 2 < tick < alpha * 2), alpha})
    bar = sheet.figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03)
    bar.set_label("adjusted p", labelpad=1.0)
    bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    for colour, width in (("#ffffff", 2.4), ("#000000", 1.0)):
        bar.ax.axhline(alpha, color=colour, linewidth=width)
    bar.ax.get_yticklabels()[ticks.index(alpha)].set_fontweight("bold")


def _names(sheet: Sheet, axes: Any, comparison: Comparison) -> list[str]:
    """Names that leave room for the map; where runs were asked for, theirs only."""
    names = [sheet.name(name, 0.3, axes=axes) for name in comparison.runs]
    if sheet.paper.top is None and not sheet.paper.highlight:
        return names
    places = sheet.chosen(comparison.runs, comparison.means.tolist()).places
    return [name if place in places else "" for place, name in enumerate(names)]
