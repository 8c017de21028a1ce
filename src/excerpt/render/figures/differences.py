"""Figures of comparisons: p-values of pairs, forest plots, bars of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.experiments.comparison import Comparison, TopicDifferences
from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.sheet import SeriesStyle, Sheet

#: Inches of a row, of the space around the rows, and of the lowest panel of runs and of levels.
_ROW, _AROUND, _LEAST, _LEAST_OF_LEVELS = 0.155, 0.66, 1.45, 1.1
_BLUE = "#0072b2"
#: Columns of a comparison, and of effects, that are exported with a mark.
_DATA = ("measure", "run", "other", "difference", "low", "high", "p", "adjusted", "significant", "sides")
_LEVEL_DATA = ("measure", "factor", "level", "effect", "low", "high", "p", "adjusted", "significant")
_PANELS = 12  # most panels of a figure
_NAMED = 45  # most topics with named rows; of more topics only some at both ends are named
_FEW_BARS = 2  # most panels with named rows
_ENDS = {True: 3, False: 2}
#: Inches of a named row, and of the space around the rows.
_BAR_ROW, _BAR_AROUND = 0.125, 0.7
_COLOURS = {"win": "#0072b2", "tie": "#777777", "loss": "#e69f00"}
#: Inches of a row of few runs and of many, and of the space around the rows.
_CELL, _SMALL_CELL, _AROUND_CELLS = 0.14, 0.1, 0.8
_FEW = 25
_LOWEST = 1.2  # minimum height of a map in inches
#: Colours at 0 and alpha of p-values that decide, and at alpha and 1 of the others.
_LOUD, _QUIET = ("#08306b", "#4a98c9"), ("#dfe6ec", "#ffffff")
_POWER = 0.35  # exponent of the scale, which gives the small p-values most of it
_TICKS = (0.0, 0.01, 0.1, 0.3, 1.0)  # round p-values on the colour bar, next to alpha


def forest(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a panel per measure and baseline, a row per run, best on top; filled if it differs."""
    comparisons = [one for every in outcome.details["comparisons"] for one in every.beside_each()]
    size = len(comparisons[0].runs) - 1
    panels = sheet.panels(len(comparisons), least=3.0, height=max(size * _ROW + _AROUND, _LEAST))
    handles: dict[str, Any] = {}
    for axes, comparison in zip(panels, comparisons, strict=True):
        rows, alpha = comparison.rows(), comparison.procedure["alpha"]
        sheet.together(comparison.runs)
        styles = _styles(sheet, [row["run"] for row in rows], [row["difference"] for row in rows])
        handles |= _intervals(sheet, axes, rows, ("run", "difference"), styles, alpha)
        for row in rows:
            sheet.mark(**{name: row[name] for name in _DATA})
        names = (sheet.name(name, 0.36, axes=axes) for name in (comparison.measure, rows[0]["other"]))
        axes.set_xlabel(f"{' minus that of '.join(names)}\n({100 * (1 - alpha):g} % intervals)")
    order = sorted(handles, reverse=True)
    sheet.key([handles[name] for name in order], order, below=True)


def effects(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a panel per factor (and measure) with the intervals of its levels, filled if significant."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in outcome.rows:
        groups.setdefault((row.get("measure", ""), row["factor"]), []).append(row)
    measures = list(dict.fromkeys(measure for measure, _ in groups if measure))
    if measures:
        sheet.factor(measures)
    sheet.together([row["level"] for row in outcome.rows])
    alpha, style = outcome.details["alpha"], SeriesStyle(sheet.shade(_BLUE), "o", "-")
    height = max(max(map(len, groups.values())) * _ROW + _AROUND, _LEAST_OF_LEVELS)
    panels = sheet.panels(len(groups), least=2.4, height=height, sharex=not measures)
    handles: dict[str, Any] = {}
    for axes, ((measure, factor), rows) in zip(panels, groups.items(), strict=True):
        handles |= _intervals(sheet, axes, rows, ("level", "effect"), [style] * len(rows), alpha)
        for row in rows:
            sheet.mark(**{name: row[name] for name in _LEVEL_DATA if name in row})
        name = sheet.name(factor, 0.3, axes=axes)
        axes.set_title(f"{name}, {sheet.name(measure, 0.3, axes=axes)}" if measure else name)
    sheet.below(panels, f"effect on the mean ({100 * (1 - alpha):g} % intervals)")
    order = sorted(handles, reverse=True)
    sheet.key([handles[name] for name in order], order, below=True)


def _intervals(
    sheet: Sheet,
    axes: Any,
    rows: Sequence[Mapping[str, Any]],
    columns: tuple[str, str],
    styles: Sequence[SeriesStyle],
    alpha: float,
) -> dict[str, Any]:
    """Draw a named row with an interval for each row; `columns` are those of names and values."""
    name, value = columns
    axes.axvline(0.0, color=sheet.shade("#555555"), linewidth=0.7, zorder=1)
    handles: dict[str, Any] = {}
    for place, (row, style) in enumerate(zip(rows, styles, strict=True)):
        look = style.dots() | {"marker": "o", "markersize": 3.8, "markeredgewidth": 0.8}
        look["markerfacecolor"] = style.colour if row["significant"] else "#ffffff"
        ends = [[max(row[value] - row["low"], 0.0)], [max(row["high"] - row[value], 0.0)]]
        drawn = axes.errorbar([row[value]], [place], xerr=ends, elinewidth=0.9, **look)
        handles.setdefault(f"adjusted p {'<' if row['significant'] else '≥'} {alpha:g}", drawn)
    _name_rows(axes, [sheet.name(row[name], 0.3, axes=axes) for row in rows])
    axes.locator_params("x", nbins=5)
    return handles


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    """Name rows from the top, without a line at the left."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params("y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=True, axis="x")
    axes.spines["left"].set_visible(False)


def _styles(sheet: Sheet, runs: list[str], scores: list[float]) -> list[SeriesStyle]:
    """One colour for all runs, or grey for those that are not highlighted."""
    blue = SeriesStyle(sheet.shade(_BLUE), "o", "-")
    if sheet.options.top is None and not sheet.options.highlight:
        return [blue] * len(runs)
    chosen = sheet.chosen(runs, scores)
    return [blue if place in chosen.places else chosen.styles[place] for place in range(len(runs))]


def topic_bars(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a panel per measure and pair of runs."""
    pairs: tuple[TopicDifferences, ...] = outcome.details["topics"]
    if len(pairs) > _PANELS:
        raise ExcerptError(
            f"found {len(pairs)} pairs of runs and measures, expected at most {_PANELS} for a figure",
            hint="try ⟨baseline=RUN⟩, fewer runs, or one measure",
        )
    sheet.together([pair.pair[name] for pair in pairs for name in ("run", "other")])
    named = len(pairs) <= _FEW_BARS and max(len(pair.topics) for pair in pairs) <= _NAMED
    height = 2.2 if len(pairs) <= _FEW_BARS else 1.7
    height = len(pairs[0].topics) * _BAR_ROW + _BAR_AROUND if named else height
    for axes, pair in zip(sheet.panels(len(pairs), least=2.3, height=height), pairs, strict=True):
        (_rows if named else _columns)(sheet, axes, pair)
        runs = " minus ".join(sheet.name(pair.pair[name], 0.36, axes=axes) for name in ("run", "other"))
        axes.set_title(f"{runs}\n{pair.in_words}", fontsize=sheet.small)
        for row in pair.topics:
            sheet.mark(**row)


def _rows(sheet: Sheet, axes: Any, pair: TopicDifferences) -> None:
    """Draw a named bar per topic."""
    for place, row in enumerate(pair.topics):
        colour = sheet.shade(_COLOURS[row["outcome"]])
        axes.barh(place, row["difference"], height=0.72, color=colour, linewidth=0)
        if row["outcome"] == "tie":
            axes.plot([0.0], [place], marker="|", color=colour, markersize=3.5)
    names = [f"{row['topic']} {row['title']}".strip() for row in pair.topics]
    _name_rows(axes, [sheet.name(name, 0.4, axes=axes) for name in names])
    axes.tick_params("y", pad=1.5, labelsize=min(sheet.small, _BAR_ROW * 72 * 0.86))
    axes.axvline(0.0, color=sheet.shade("#555555"), linewidth=0.7)
    axes.set_xlabel(f"difference in {sheet.name(pair.pair['measure'], 0.4, axes=axes)}")


def _columns(sheet: Sheet, axes: Any, pair: TopicDifferences) -> None:
    """Draw a thin bar per topic; topics at both ends are named."""
    for place, row in enumerate(pair.topics):
        colour = sheet.shade(_COLOURS[row["outcome"]])
        axes.bar(place, row["difference"], width=0.85, color=colour, linewidth=0)
    axes.axhline(0.0, color=sheet.shade("#555555"), linewidth=0.7)
    axes.grid(visible=True, axis="y")
    axes.set_xticks([])
    axes.margins(x=0.02, y=0.12)
    shown = _ENDS[sheet.narrow or len(sheet.figure.axes) <= _FEW_BARS]
    ends = [pair.topics[:shown], pair.topics[-shown:]]
    first, last = (", ".join(sheet.name(row["topic"], 0.12) for row in rows) for rows in ends)
    axes.set_xlabel(f"{len(pair.topics)} topics: {first} … {last}", fontsize=sheet.small)
    axes.set_ylabel(f"difference in {sheet.name(pair.pair['measure'], 0.25, axes=axes)}")


def compared(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a comparison: differences by topic, runs compared with a baseline, or all pairs."""
    sheet.factor([one.measure for one in outcome.details["comparisons"]])
    if "topics" in outcome.details:
        topic_bars(sheet, outcome)
    elif outcome.details["comparisons"][0].baselines:
        forest(sheet, outcome)
    else:
        heat_maps(sheet, outcome)


def heat_maps(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a map of the adjusted p-values of all pairs per measure, with dots on significant pairs."""
    comparisons: tuple[Comparison, ...] = outcome.details["comparisons"]
    size, alpha = len(comparisons[0].runs), comparisons[0].procedure["alpha"]
    row = _CELL if size <= _FEW else _SMALL_CELL
    panels = sheet.panels(len(comparisons), least=3.2, height=max(size * row, _LOWEST) + _AROUND_CELLS)
    dots = [_heat_map(sheet, axes, comparison) for axes, comparison in zip(panels, comparisons, strict=True)]
    line = sheet.figure.axes[-1].lines[-1]
    sheet.figure.legend(
        [dots[0], line],
        [f"row significantly better than column, adjusted p < {alpha:g}", "alpha, on the bar"],
        loc="outside lower center",
        ncols=1 if sheet.narrow else 2,
        frameon=False,
    )


def _heat_map(sheet: Sheet, axes: Any, comparison: Comparison) -> Any:
    """Draw one map; runs are sorted by mean in rows and columns, and the row has the better run."""
    size, alpha = len(comparison.runs), comparison.procedure["alpha"]
    decided = comparison.corrected
    shown = np.ma.masked_where(np.tri(size, dtype=np.bool_), decided.adjusted)
    cells = np.arange(size + 1) - 0.5
    colours, scale = _colours(sheet, alpha)
    image = axes.pcolormesh(cells, cells, shown, cmap=colours, norm=scale)
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
            sides=comparison.procedure["sides"],
        )
    places = range(1, size + 1)
    names = [f"{name}  {place}" for place, name in zip(places, _names(sheet, axes, comparison), strict=True)]
    axes.set_yticks(range(size), names)
    sheet.ticks(axes.xaxis, range(size), [str(place) for place in places])
    axes.set_ylim(size - 0.5, -0.5)
    axes.tick_params(length=0)
    row = _CELL if size <= _FEW else _SMALL_CELL
    axes.tick_params("y", labelsize=min(sheet.small, row * 72 * 0.86))
    axes.spines[:].set_visible(False)
    axes.set_xlabel(f"runs by mean {sheet.name(comparison.measure, 0.5, axes=axes)}")
    _bar(sheet, axes, image, alpha)
    return dots


def _colours(sheet: Sheet, alpha: float) -> tuple[Any, Any]:
    """Colours of p-values and their scale: dark up to alpha, nearly white above, where nothing differs."""
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    scale = PowerNorm(_POWER, 0.0, 1.0)
    at = (0.0, float(scale(alpha)), float(scale(alpha)), 1.0)
    shades = map(sheet.shade, (*_LOUD, *_QUIET))
    return LinearSegmentedColormap.from_list("p", list(zip(at, shades, strict=True)), 1024), scale


def _bar(sheet: Sheet, axes: Any, image: Any, alpha: float) -> None:
    ticks = sorted({*(tick for tick in _TICKS if not alpha / 2 < tick < alpha * 2), alpha})
    bar = sheet.figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03)
    bar.set_label("adjusted p", labelpad=1.0)
    bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    for colour, width in (("#ffffff", 2.4), ("#000000", 1.0)):
        bar.ax.axhline(alpha, color=colour, linewidth=width)
    bar.ax.get_yticklabels()[ticks.index(alpha)].set_fontweight("bold")


def _names(sheet: Sheet, axes: Any, comparison: Comparison) -> list[str]:
    """Names of the runs, shortened; only highlighted runs if there are any."""
    sheet.together(comparison.runs)
    names = [sheet.name(name, 0.3, axes=axes) for name in comparison.runs]
    if sheet.options.top is None and not sheet.options.highlight:
        return names
    places = sheet.chosen(comparison.runs, comparison.means.tolist()).places
    return [name if place in places else "" for place, name in enumerate(names)]
