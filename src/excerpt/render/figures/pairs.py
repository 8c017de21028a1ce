"""Comparisons and correlations of runs, as figures and as a matrix of signs."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.experiments.comparison import Comparison
from excerpt.experiments.correlation import Pair
from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.drawing import label
from excerpt.render.tables import PLAIN, Look, Table, render
from excerpt.stats import CORRECTIONS_IN_WORDS

#: More runs than this have no names beside a heat map, only their places.
_NAMED = 70
#: More runs than this have a number at every fifth column only.
_NUMBERED = 30
_COLUMNS = 3


def matrices(outcome: Outcome, look: Look = PLAIN) -> str:
    """For each measure, who is better than whom, and in one line how many pairs differ."""
    found: tuple[Comparison, ...] = outcome.details["comparisons"]
    return "\n".join(f"{render(matrix(one), 'table', look)}\n{_wrap(summary(one), look)}\n" for one in found)


def _wrap(text: str, look: Look) -> str:
    return text if look.width is None else textwrap.fill(text, look.width)


def matrix(comparison: Comparison) -> Table:
    """Runs by their means with a sign for each other: `>` significantly better, `<` worse, `.` neither."""
    rejected = comparison.corrected.rejected
    signs = np.where(rejected, ">", np.where(rejected.T, "<", "."))
    np.fill_diagonal(signs, "-")
    rows = [
        (str(place), name, float(mean), "".join(line))
        for place, (name, mean, line) in enumerate(
            zip(comparison.runs, comparison.means, signs.tolist(), strict=True), start=1
        )
    ]
    heading = "".join(str(place % 10) for place in range(1, len(rows) + 1))
    return Table(("place", "run", comparison.measure, heading), tuple(rows))


def summary(comparison: Comparison) -> str:
    """How many pairs differ significantly, and by which procedure, in one line."""
    found = comparison.summary()
    return (
        f"{found['significant']} of {plural(found['pairs'], 'pair')} ({100 * found['share']:.1f} %) "
        f"differ significantly: {found['test']} test, {found['tests']} comparisons "
        f"{CORRECTIONS_IN_WORDS[found['correction']]}, "
        f"alpha {found['alpha']}, {plural(found['topics'], 'topic')}"
    )


def heat_maps(figure: Any, outcome: Outcome) -> None:
    """Adjusted p-values of all ordered pairs, a map per measure; a dot where they are significant."""
    found: tuple[Comparison, ...] = outcome.details.get("comparisons", ())
    if not found:
        raise ExcerptError("found runs beside a baseline, expected all pairs for a figure")
    columns = min(_COLUMNS, len(found))
    rows = -(-len(found) // columns)
    if len(found) > 1:
        figure.set_size_inches(6.0 * columns, 4.5 * rows)
    for place, comparison in enumerate(found, start=1):
        _heat_map(figure, figure.add_subplot(rows, columns, place), comparison, numbered=_NUMBERED // columns)


def _heat_map(figure: Any, axes: Any, comparison: Comparison, *, numbered: int) -> None:
    """Runs by their means from top to bottom and from left to right; up to some of them are `numbered`."""
    from matplotlib.colors import PowerNorm

    adjusted, size = comparison.corrected.adjusted, len(comparison.runs)
    # A root brings out the small values, which decide.
    shown = axes.imshow(adjusted, cmap="viridis", norm=PowerNorm(0.35, 0.0, 1.0), aspect="equal")
    row, column = np.nonzero(comparison.corrected.rejected)
    axes.scatter(column, row, s=min(18.0, 1200.0 / size**1.4), color="white", linewidths=0)
    names = [f"{place} {label(name)}" for place, name in enumerate(comparison.runs, start=1)]
    if size <= _NAMED:
        points = min(9.0, 260.0 / size)
        axes.set_yticks(range(size), names, fontsize=points)
        shown_places = range(1, size + 1) if size <= numbered else range(5, size + 1, 5)
        axes.set_xticks([place - 1 for place in shown_places], list(map(str, shown_places)), fontsize=9)
    axes.set_xlabel(f"other run, by mean {label(comparison.measure)}")
    axes.set_ylabel("better run")
    figure.colorbar(shown, ax=axes, label="adjusted p-value", fraction=0.046)


def scatters(figure: Any, outcome: Outcome) -> None:
    """One panel per pair of rankings: a point per run, the least-squares line, the coefficients."""
    pairs: tuple[Pair, ...] = outcome.details["pairs"]
    columns = min(_COLUMNS, len(pairs))
    rows = -(-len(pairs) // columns)
    if len(pairs) > 1:
        figure.set_size_inches(3.6 * columns, 3.4 * rows)
    for place, (pair, row) in enumerate(zip(pairs, outcome.rows, strict=True), start=1):
        _panel(figure.add_subplot(rows, columns, place), pair, row)


def _panel(axes: Any, pair: Pair, row: dict[str, Any]) -> None:
    axes.scatter(pair.x, pair.y, s=16, color="C0", alpha=0.8, linewidths=0)
    line = pair.line()
    if line is not None:
        slope, intercept = line
        ends = np.array([pair.x.min(), pair.x.max()])
        axes.plot(ends, slope * ends + intercept, color="0.3", linewidth=1.2)
    coefficients = (("\N{GREEK SMALL LETTER TAU}b", "tau_b"), ("r", "pearson"))
    shown = [f"{sign} = {row[name]:.3f}" for sign, name in coefficients if row[name] is not None]
    axes.set_title(", ".join(shown), fontsize=9)
    axes.set_xlabel(label(pair.first))
    axes.set_ylabel(label(pair.second))
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
