"""Figure of the results: peers, targets and growth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from results import Part, Row, Target

from excerpt.render.figures.drawing import draw as render_figure
from excerpt.render.figures.sheet import FigureOptions, Sheet

_OURS, _THEIRS = "C0", "0.7"
_MET, _MISSED = "C2", "C3"
#: Height of a bar in inches.
_LINE = 0.22


def draw(parts: Sequence[Part], format_: str) -> bytes:
    """Draw a panel for each of peers, targets and growth that the parts have results for."""
    compared = [row for part in parts if part.letter in "bc" for row in part.rows if row.cpu is not None]
    targets = [target for part in parts for target in part.targets]
    growth = [row for part in parts if part.letter == "g" for row in part.rows]
    panels: list[tuple[Callable[[Any], None], float]] = []
    if compared:
        panels.append((lambda axes: _compare(axes, compared), _LINE * len(compared) + 1))
    if targets:
        panels.append((lambda axes: _judge(axes, targets), _LINE * len(targets) + 1))
    if growth:
        panels.append((lambda axes: _grow(axes, growth), 4.0))
    heights = [height for _, height in panels]

    def fill(sheet: Sheet) -> None:
        sheet.resize(sum(heights))
        grid = sheet.figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
        for axes, (panel, _) in zip(grid[:, 0], panels, strict=True):
            panel(axes)

    return render_figure(fill, format_, FigureOptions(width=9.0)).picture


def _compare(axes: Any, rows: list[Row]) -> None:
    colours = [_OURS if "excerpt" in row.what else _THEIRS for row in rows]
    _bars(axes, [row.what for row in rows], [row.cpu or 0.0 for row in rows], colours)
    axes.set_xscale("log")
    _plain(axes.xaxis)
    axes.set_xlabel("CPU seconds, whole process (logarithmic)")


def _judge(axes: Any, targets: list[Target]) -> None:
    colours = [_MET if target.met else _MISSED for target in targets]
    _bars(axes, [target.what for target in targets], [target.share for target in targets], colours)
    axes.axvline(1.0, color="black", linewidth=1.0)
    axes.set_xlabel("measured / limit; up to 1 is met")


def _bars(axes: Any, names: list[str], values: list[float], colours: list[str]) -> None:
    places = range(len(names))
    axes.barh(places, values, color=colours)
    axes.set_yticks(places, names, fontsize=7)
    axes.invert_yaxis()
    axes.grid(visible=True, axis="x", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    for place, value in zip(places, values, strict=True):
        axes.text(value, place, f" {value:.2g}", va="center", fontsize=8)


def _plain(axis: Any) -> None:
    """Format a number without powers, since formulae are turned off to keep names as they are."""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter("")


def _grow(axes: Any, rows: list[Row]) -> None:
    """Plot CPU without start-up and size, relative to the smallest, so that one line limits all curves.

    Rows without a start-up are no points of a curve.
    """
    curves: dict[str, dict[float, float]] = {}
    start = {row.what.partition(": ")[0]: row.cpu or 0.0 for row in rows if row.what.endswith(": start-up")}
    for row in rows:
        title, _, size = row.what.partition(": ")
        if title in start and size != "start-up":
            curves.setdefault(title, {})[float(size.replace(",", ""))] = (row.cpu or 0.0) - start[title]
    for number, (title, points) in enumerate(curves.items()):
        first = min(points)
        sizes = [size / first for size in points]
        costs = [cost / points[first] for cost in points.values()]
        axes.plot(sizes, costs, "o-", color=f"C{number}", label=title)
    axes.plot([1, 16], [1, 16**1.1], "--", color="0.5", label="exponent 1.1")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    _plain(axes.xaxis)
    _plain(axes.yaxis)
    axes.set_xlabel("size, relative to the smallest")
    axes.set_ylabel("CPU over start-up, relative")
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.legend(loc="best", framealpha=0.9)
