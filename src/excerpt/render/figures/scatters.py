"""Figures of correlations, of conclusions by two measures, and of error rates of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from excerpt.experiments.conclusions import CLASSES, FALSE_ALARM, HIT, MISS, NONE, OPPOSED, Differences
from excerpt.experiments.correlation import RankingPair
from excerpt.experiments.outcome import Outcome
from excerpt.model.spans import FloatArray
from excerpt.render.figures.labels import Point, name_points
from excerpt.render.figures.sheet import Sheet

_NAMED = 12  # most runs that are all named; of more only the emphasised ones
_REST = "#777777"
_STEPS = 24  # points on the regression line that names avoid
_COEFFICIENTS = (
    ("\N{GREEK SMALL LETTER TAU}b", "tau_b"),
    ("\N{GREEK SMALL LETTER RHO}", "spearman"),
    ("r", "pearson"),
)
_COLOURS = {HIT: "#0072b2", FALSE_ALARM: "#e69f00", MISS: "#d55e00", NONE: "#bbbbbb", OPPOSED: "#000000"}
#: Order of the stacked densities from the bottom, and of the scatter from the back.
_ORDER = (HIT, FALSE_ALARM, MISS, OPPOSED, NONE)
_MARKS = {HIT: "o", FALSE_ALARM: ">", MISS: "^", NONE: ".", OPPOSED: "x"}
#: Hatches distinguish the layers without colour.
_HATCHES = {HIT: "", FALSE_ALARM: "////", MISS: "\\\\\\\\", NONE: "....", OPPOSED: "xxxx"}
_GREYS = {HIT: "#4d4d4d", FALSE_ALARM: "#8c8c8c", MISS: "#1f1f1f", NONE: "#c4c4c4", OPPOSED: "#000000"}
_GRID = 256
_NARROWEST = 0.01  # bandwidth of values that do not vary
#: Columns that are drawn for each test, with their titles.
_RATES = {"error_rate": "error rate", "share": "significant pairs", "agreement": "agreement of the halves"}


def scatters(sheet: Sheet, outcome: Outcome) -> None:
    """Draw a scatter plot per pair of rankings."""
    pairs: tuple[RankingPair, ...] = outcome.details["pairs"]
    sheet.factor([name for pair in pairs for name in (pair.first, pair.second)])
    height = 2.7 if len(pairs) > 1 or sheet.narrow else 4.2
    panels = sheet.panels(len(pairs), least=2.3, height=height)
    for axes, pair, row in zip(panels, pairs, outcome.rows, strict=True):
        _panel(sheet, axes, pair, row)


def _panel(sheet: Sheet, axes: Any, pair: RankingPair, row: dict[str, Any]) -> None:
    x, y = pair.drawn
    chosen = sheet.chosen(pair.runs, (pair.x + pair.y).tolist())
    small = {"marker": "o", "markersize": 2.2, "color": _REST, "linestyle": "none", "zorder": 2.5}
    for place in chosen.drawn:
        axes.plot([x[place]], [y[place]], **small if place in chosen.rest else chosen.styles[place].dots())
        spot = {"x": float(x[place]), "y": float(y[place])}
        sheet.mark(first=pair.first, second=pair.second, run=pair.runs[place], **spot)
    line, along = pair.line(), []
    if line is not None:
        slope, intercept = line
        steps = np.linspace(x.min(), x.max(), _STEPS)
        along = list(zip(steps.tolist(), (slope * steps + intercept).tolist(), strict=True))
        axes.plot(*zip(*along, strict=True), color=sheet.shade("#555555"), linewidth=0.8, zorder=2)
    axes.set_title(_coefficients(row, line, ranks=pair.ranks), fontsize=0.88 * sheet.font)
    kind = "rank by " if pair.ranks else ""
    axes.set_xlabel(kind + sheet.name(pair.first, 0.6, axes=axes))
    axes.set_ylabel(kind + sheet.name(pair.second, 0.4, axes=axes))
    axes.grid(visible=True)
    axes.margins(0.08)
    if pair.ranks:  # the best runs are at the top right
        axes.invert_xaxis()
        axes.invert_yaxis()
        for axis in (axes.xaxis, axes.yaxis):
            sheet.measured(axis, range(1, len(pair.runs) + 1))
    named = (*chosen.places, *chosen.rest) if len(pair.runs) <= _NAMED else chosen.places
    points = [
        Point(
            *(float(x[at]), float(y[at]), pair.runs[at]),
            colour=_REST if at in chosen.rest else chosen.styles[at].colour,
        )
        for at in named
    ]
    others = [(float(x[at]), float(y[at])) for at in chosen.rest if at not in named]
    name_points(sheet, axes, points, others, along)


def _coefficients(row: dict[str, Any], line: tuple[float, float] | None, *, ranks: bool) -> str:
    """Correlation coefficients (only rank correlations for ranks) and the equation of the line."""
    chosen = _COEFFICIENTS[:2] if ranks else _COEFFICIENTS
    shown = [f"{sign} = {row[name]:.3f}" for sign, name in chosen if row[name] is not None]
    equation = []
    if line is not None:
        slope, intercept = line
        sign = "\N{MINUS SIGN}" if intercept < 0 else "+"
        equation = [f"y = {slope:.3g} x {sign} {abs(intercept):.3g}".replace("-", "\N{MINUS SIGN}")]
    return "\n".join([", ".join(shown), *equation])


def differences(sheet: Sheet, outcome: Outcome) -> None:
    """Draw the first measure against each other one: a scatter plot and a stacked density."""
    first, *others = outcome.details["decisions"]
    sheet.factor([first.measure, *(other.measure for other in others)])
    panels = sheet.panels(2 * len(others), least=2.8, height=2.5)
    for left, right, other in zip(panels[::2], panels[1::2], others, strict=True):
        between = Differences.between(first, other)
        between = between if outcome.details["all_pairs"] else between.significant()
        _scatter(sheet, left, between)
        _density(sheet, right, between)


def _label(kind: int, differences: Differences) -> str:
    return f"{CLASSES[kind]} ({int((differences.kind == kind).sum())})"


def _present(differences: Differences) -> list[int]:
    """Classes to show: hit, miss and false alarm, and others if they occur."""
    rare = (OPPOSED, NONE)
    return [kind for kind in _ORDER if kind not in rare or bool((differences.kind == kind).any())]


def _scatter(sheet: Sheet, axes: Any, differences: Differences) -> None:
    """Draw the differences of pairs of runs by one measure against those by the other."""
    for kind in reversed(_present(differences)):
        chosen = differences.kind == kind
        axes.scatter(
            differences.first[chosen],
            differences.second[chosen],
            s=9,
            marker=_MARKS[kind],
            color=_colour(sheet, kind),
            linewidths=0.6,
            zorder=1 if kind in {HIT, NONE} else 2,  # the few disagreements above the many hits
            label=_label(kind, differences),
        )
    for x, y, kind in zip(differences.first, differences.second, differences.kind, strict=True):
        sheet.mark(
            measure=differences.measure,
            other=differences.other,
            difference=float(x),
            difference_other=float(y),
            significant=CLASSES[int(kind)],
        )
    axes.axhline(0.0, color=sheet.shade("#cccccc"), linewidth=0.7, zorder=0)
    axes.set_xlabel(f"difference in {sheet.name(differences.measure, 0.5, axes=axes)}")
    axes.set_ylabel(f"difference in {sheet.name(differences.other, 0.5, axes=axes)}")
    _key(sheet, axes)


def _colour(sheet: Sheet, kind: int) -> str:
    return _GREYS[kind] if sheet.options.grey else _COLOURS[kind]


def _key(sheet: Sheet, axes: Any, handles: Sequence[Any] | None = None) -> None:
    """Add a legend above a panel, with the counts of that panel."""
    own = {} if handles is None else {"handles": handles}
    axes.legend(
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=2,
        fontsize=0.8 * sheet.font,
        handletextpad=0.3,
        columnspacing=1.0,
        borderaxespad=0.1,
        **own,
    )


def _density(sheet: Sheet, axes: Any, differences: Differences) -> None:
    """Draw stacked kernel densities of the differences by the first measure; the total area is 1."""
    kinds = _present(differences)
    width = bandwidth(differences.first)
    grid = np.linspace(0.0, float(differences.first.max(initial=0.0)) + 3 * width, _GRID)
    layers = [
        kernel_density(differences.first[differences.kind == kind], grid, width)
        / max(len(differences.first), 1)
        for kind in kinds
    ]
    drawn = axes.stackplot(grid, layers, labels=[_label(kind, differences) for kind in kinds])
    for layer, kind in zip(drawn, kinds, strict=True):
        layer.set(facecolor=_colour(sheet, kind), hatch=_HATCHES[kind], edgecolor="#ffffff", linewidth=0.0)
    axes.set_xlim(0.0, float(grid[-1]))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel(f"difference in {sheet.name(differences.measure, 0.5, axes=axes)}")
    axes.set_ylabel("density of pairs")
    _key(sheet, axes, drawn)


def bandwidth(values: FloatArray) -> float:
    """Bandwidth by Silverman's rule of thumb; never 0.

    >>> round(bandwidth(np.array([0.0, 0.1, 0.2, 0.3, 0.4])), 4)
    0.0974
    """
    if not len(values):
        return _NARROWEST
    quartiles = np.percentile(values, [25, 75])
    spreads = (float(values.std(ddof=min(1, len(values) - 1))), float(quartiles[1] - quartiles[0]) / 1.34)
    spread = min((value for value in spreads if value > 0), default=0.0)
    return 0.9 * spread * len(values) ** -0.2 or _NARROWEST


def kernel_density(values: FloatArray, grid: FloatArray, width: float) -> FloatArray:
    """Gaussian kernel density, reflected at 0 since differences are not negative.

    The area above 0 is the number of values.

    >>> grid = np.linspace(0, 3, 3001)
    >>> float(kernel_density(np.array([0.0, 1.0]), grid, 0.1).sum() * 0.001).__round__(2)
    2.0
    """
    total = np.zeros(len(grid))
    for value in np.concatenate([values, -values]).tolist():
        total += np.exp(-0.5 * ((grid - value) / width) ** 2)
    return np.asarray(total / (width * np.sqrt(2 * np.pi)))


def error_bars(sheet: Sheet, outcome: Outcome) -> None:
    """Draw error rate, proportion of significant pairs and agreement of the halves by test, with counts."""
    measures = list(dict.fromkeys(row["measure"] for row in outcome.rows))
    sheet.factor(measures)
    tests = len(outcome.rows) // len(measures)
    panels = sheet.panels(len(_RATES) * len(measures), least=2.0, height=0.2 * tests + 0.6)
    places = [(measure, column) for measure in measures for column in _RATES]
    for axes, (measure, column) in zip(panels, places, strict=True):
        _error_panel(sheet, axes, [row for row in outcome.rows if row["measure"] == measure], column)


def _error_panel(sheet: Sheet, axes: Any, rows: Sequence[dict[str, Any]], column: str) -> None:
    rare = column == "error_rate"  # the others have the same scale
    top = (max(row[column] or 0.0 for row in rows) if rare else 1.0) or 1.0
    for place, row in enumerate(rows):
        value, (part, total) = row[column], _counts(row, column)
        axes.barh(place, value or 0.0, height=0.62, color=sheet.shade("#0072b2"))
        axes.annotate(
            f"{'undefined' if value is None else f'{value:.3f}'} ({part}/{total})",
            (value or 0.0, place),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=0.8 * sheet.font,
        )
        sheet.mark(measure=row["measure"], test=row["test"], what=column, value=value, part=part, whole=total)
    axes.set_xlim(0.0, 1.85 * top)  # room for the numbers, which replace an axis
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_yticks(range(len(rows)), [row["test"] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params("y", length=0)
    axes.set_title(
        f"{sheet.name(rows[0]['measure'], 0.4, axes=axes)}: {_RATES[column]}", fontsize=0.88 * sheet.font
    )


def _counts(row: dict[str, Any], column: str) -> tuple[int, int]:
    """Numerator and denominator of a rate: errors, significant pairs, or F1 of the halves."""
    if column == "error_rate":
        return row["errors"], row["rejected"]
    if column == "share":
        return row["rejected"], row["pairs"]
    return 2 * row["both"], row["rejected"] + row["rejected_other"]
