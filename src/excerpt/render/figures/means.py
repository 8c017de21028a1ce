"""Figures of means, intervals and curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.experiments.curves import Curve, Curves
from excerpt.model.spans import FloatArray, exact_means
from excerpt.render.figures.labels import name_ends
from excerpt.render.figures.sheet import SeriesStyle, Sheet, StyledRuns, balanced, label, split_parameters
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import LEVEL, ScoreView

if TYPE_CHECKING:
    from excerpt.trials.trial import Trial

_TALLEST = 8.8  # most inches of the rows of a panel; more rows are closer together, and only some are named
#: Inches of a row (of few, of many), minimum width of a panel; number of rows that are few.
_ROOMY, _DENSE, _PANEL, _FEW = 0.2, 0.135, 0.7, 12
#: Intervals have no caps; dots at 0 are not clipped.
_BARS = {"elinewidth": 0.7, "capsize": 0, "clip_on": False}
_MARKED = 12  # most points of a line that all have markers


def scores(sheet: Sheet, shown: ScoreTable | ScoreView) -> None:
    """Draw a panel per measure with a dot and interval per run, or with a row per topic or group."""
    view = shown if isinstance(shown, ScoreView) else ScoreView(shown)
    table = view.table
    chosen = sheet.chosen(table.runs, view.means()[:, 0].tolist())
    sheet.factor(table.measures)
    if view.per_topic or view.by:
        _crossed(sheet, view, chosen)
    else:
        _dots(sheet, view, chosen)


class _RowLayout(NamedTuple):
    """Positions of rows from the top, and their names; some names are empty."""

    places: FloatArray
    names: list[str]
    height: float  # inches of a panel
    close: float  # scale of the marks in dense rows


def _rows(
    sheet: Sheet, names: Sequence[str], named: Sequence[bool], *, tall: float = 1.0, tail: bool = True
) -> _RowLayout:
    """Lay out rows: `named` rows have full height, the others share the rest and have a name if it fits."""
    pitch = (_ROOMY if len(names) <= _FEW else _DENSE) * tall * sheet.font / 8
    full = pitch * len(names) <= _TALLEST * max(1.0, sheet.font / 8)
    unnamed = sum(not one for one in named)
    left = max(_TALLEST - pitch * (len(names) - unnamed), 0.02 * unnamed)
    heights = np.array([pitch if full or one else left / unnamed for one in named])
    places = (np.cumsum(heights) - heights / 2) / pitch
    shown = [
        sheet.name(name, 0.36 if tail else 0.42, tail=tail) if full or one else ""
        for name, one in zip(names, named, strict=True)
    ]
    return _RowLayout(places, shown, float(heights.sum()), max(0.45, float(heights.min()) / pitch))


def _panels(sheet: Sheet, measures: Sequence[str], layout: _RowLayout, what: str, rows: str) -> list[Any]:
    """Make a panel per measure; rows are named at the left of each line of panels."""
    letters = max(map(len, layout.names), default=1) * 0.52 * sheet.font / 72
    least = _PANEL * sheet.font / 8
    columns = balanced(len(measures), int((sheet.width - letters) / least))
    lines = -(-len(measures) // columns)
    sheet.resize(max(lines * (layout.height + 0.55) + 0.1, 1.4))
    grid = sheet.figure.subplots(lines, columns, squeeze=False, sharey=True)
    found = grid.ravel().tolist()
    for axes in found[len(measures) :]:
        axes.remove()
    for number, (axes, measure) in enumerate(zip(found, measures, strict=False)):
        axes.set_ylim(float(layout.places[-1]) + 0.7, float(layout.places[0]) - 0.6)
        axes.set_title(sheet.name(measure, 0.95 * (1 - letters / sheet.width) / columns))
        axes.grid(visible=True, axis="x")
        axes.tick_params("y", length=0)
        axes.spines["left"].set_visible(False)
        if number % columns == 0:
            sheet.ticks(axes.yaxis, layout.places.tolist(), layout.names)
            axes.set_ylabel("" if all(layout.names) else f"{len(layout.names)} {rows}")
        else:
            axes.tick_params("y", labelleft=False)
    panels = list(found[: len(measures)])
    sheet.below(panels, what)
    return panels


def _dots(sheet: Sheet, view: ScoreView, chosen: StyledRuns) -> None:
    """Draw a dot per run, sorted by the first measure, the best on top."""
    table, means, limits = view.table, view.means(), view.limits()
    order = sorted(range(len(table.runs)), key=lambda run: _falling(means[run, 0]))
    named = [run in chosen.places for run in order]
    layout = _rows(sheet, [table.runs[run] for run in order], named)
    panels = _panels(sheet, table.measures, layout, _interval(view), "runs")
    for column, (axes, measure) in enumerate(zip(panels, table.measures, strict=True)):
        for run, place in zip(order, layout.places.tolist(), strict=True):
            mean, (low, high) = float(means[run, column]), limits[run, column].tolist()
            bars = [[mean - low], [high - mean]]
            sheet.bars(axes, [mean], [place], xerr=bars, **chosen.styles[run].dots(), **_BARS)
            sheet.mark(measure=measure, run=table.runs[run], mean=mean, low=low, high=high)
        _from_zero(sheet, axes)
    for axes in panels if chosen.rest else ():  # names of runs that are not emphasised are grey
        for tick, emphasised in zip(axes.yaxis.get_major_ticks(), named, strict=False):
            tick.label1.set_color(sheet.shade("#000000" if emphasised else "#777777"))


def _interval(view: ScoreView) -> str:
    level = LEVEL if view.interval is None else view.interval
    return f"mean, {100 * level:g} % interval"


def _falling(score: float) -> float:
    return float(np.inf if np.isnan(score) else -score)


def _from_zero(sheet: Sheet, axes: Any) -> None:
    """Start the axis at 0 unless scores are negative, with as many ticks as fit."""
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.0) if low < -0.05 * (high - low) else 0.0, high)

    def settle() -> None:
        room = axes.get_window_extent().width * 72 / sheet.figure.dpi
        ticks = max(2, min(6, int(room / (2.6 * sheet.font))))
        axes.locator_params(axis="x", nbins=ticks, steps=[1, 2, 5, 10])

    sheet.after(settle)


class _Crossed(NamedTuple):
    """Rows of topics or groups of topics: names, and scores by run and measure."""

    kind: str  # column name of the rows in the data
    keys: list[str]
    names: list[str]
    values: FloatArray
    limits: FloatArray  # NaN if there are no intervals

    @classmethod
    def of(cls, view: ScoreView) -> _Crossed:
        """Rows of the topics of a view, or of its groups."""
        table = view.table
        if view.per_topic:
            values = np.moveaxis(table.values, 1, 0)
            names = [_titled(table, topic) for topic in table.topics]
            return cls("topic", list(table.topics), names, values, np.full((*values.shape, 2), np.nan))
        groups = view.groups.values()
        return cls(
            str(view.by),
            list(view.groups),
            [f"{name or 'none'} ({len(topics)})" for name, topics in view.groups.items()],
            np.array([view.means(topics) for topics in groups]),
            np.array([view.limits(topics) for topics in groups]),
        )


def _crossed(sheet: Sheet, view: ScoreView, chosen: StyledRuns) -> None:
    """Draw rows of scored topics or groups with a mark per run, the easiest by the first measure on top."""
    rows, table = _Crossed.of(view), view.table
    if not rows.keys:
        raise ExcerptError("a figure needs scores of at least one topic")
    easy = exact_means(rows.values[:, :, 0]).tolist()
    scored = [row for row in range(len(easy)) if not np.isnan(rows.values[row]).all()] or range(len(easy))
    order = sorted(scored, key=lambda row: _falling(easy[row]))
    tall = 1.0 if view.per_topic else max(1.0, 0.35 * len(chosen.places))
    layout = _rows(sheet, [rows.names[row] for row in order], [False] * len(order), tall=tall, tail=False)
    what = "score" if view.per_topic else _interval(view)
    panels = _panels(sheet, table.measures, layout, what, f"{rows.kind}s")
    handles: dict[int, Any] = {}
    for column, (axes, measure) in enumerate(zip(panels, table.measures, strict=True)):
        for run in chosen.drawn:
            aside = 0.0
            if not view.per_topic and run in chosen.places:
                aside = sheet.dodge(chosen.places.index(run), len(chosen.places), points=4.4)
            marks, limits = rows.values[order, run, column], rows.limits[order, run, column]
            bars = None if np.isnan(limits).all() else np.nan_to_num(np.abs(limits.T - marks))
            look = chosen.styles[run].dots(layout.close) | _BARS
            handles[run] = sheet.bars(axes, marks, layout.places, xerr=bars, aside=aside, **look)
            for row, score, (low, high) in zip(order, marks.tolist(), limits.tolist(), strict=True):
                values = {"score": score} if view.per_topic else {"mean": score, "low": low, "high": high}
                named = {"measure": measure, rows.kind: rows.keys[row], "run": table.runs[run]}
                sheet.mark(**named, **values)
        _from_zero(sheet, axes)
    sheet.key_of_runs(chosen, handles)


def _titled(table: ScoreTable, topic: str) -> str:
    """Topic id with its title or question, if there is one."""
    question = table.questions.get(topic)
    title = question.title or question.text if question else ""
    return label(f"{topic} {title}") if title else topic


def lines(sheet: Sheet, curve: Curve) -> None:
    """Draw a curve: one line per run."""
    panels(sheet, Curves((curve,)))


def trial_lines(sheet: Sheet, trial: Trial) -> None:
    """Draw recall by characters read: one line per setting."""
    if trial.curve is not None:
        lines(sheet, trial.curve)


def panels(sheet: Sheet, curves: Curves) -> None:
    """Draw curves: a panel per measure, below its parameters; the first decides what is emphasised."""
    several = curves.curves
    chosen = sheet.chosen(several[0].runs, exact_means(several[0].values).tolist())
    height = 2.2 if sheet.narrow else 3.4 if len(several) == 1 else 2.6
    found = sheet.panels(len(several), least=3.2, height=height)
    for axes, curve in zip(found, several, strict=True):
        handles = _fill(sheet, axes, curve, chosen)
    if not chosen.direct and len(chosen.runs) > 1:
        sheet.key_of_runs(chosen, handles)


def _fill(sheet: Sheet, axes: Any, curve: Curve, chosen: StyledRuns) -> dict[int, Any]:
    """Draw one panel; return the lines by the index of their runs."""
    every = max(1, -(-len(curve.x) // _MARKED))
    handles: dict[int, Any] = {}
    for place in chosen.drawn:
        look = chosen.styles[place].line()
        if every > 1 and not chosen.styles[place].rest:  # the first markers differ, so none coincide
            first = chosen.places.index(place) * every // max(len(chosen.places), 1) % every
            look["markevery"] = (first, every)
        handles[place] = axes.plot(curve.x, curve.values[place], **look)[0]
        if curve.limits is not None and not chosen.styles[place].rest:
            axes.fill_between(curve.x, *curve.limits[place].T, **chosen.styles[place].band())
        for point, (x, y) in enumerate(zip(curve.x.tolist(), curve.values[place].tolist(), strict=True)):
            limits = () if curve.limits is None else curve.limits[place, point].tolist()
            named = zip(("low", "high"), limits, strict=False)
            sheet.mark(measure=curve.measure, run=curve.runs[place], x=x, y=y, **dict(named))
    axes.set_xlabel(curve.x_label)
    name, parameters = split_parameters(curve.measure)
    axes.set_ylabel(sheet.name(name + curve.y_label.removeprefix(curve.measure), 0.6))
    sheet.entitle(axes, parameters)
    axes.grid(visible=True, axis="y")
    drawn = [curve.values] if curve.limits is None else [curve.values, curve.limits[list(chosen.places)]]
    highest = max(float(np.nanmax(values, initial=0.0)) for values in drawn)
    axes.set_ylim(0.0, 1.05 * highest if highest > 0 else 1.0)
    axes.margins(x=0.02)
    axes.locator_params(axis="y", steps=[1, 2, 5, 10])
    sheet.measured(axes.xaxis, curve.x.tolist())
    if chosen.direct:
        name_ends(sheet, axes, _ends(curve, chosen))
    return handles


def _ends(curve: Curve, chosen: StyledRuns) -> list[tuple[float, str, SeriesStyle]]:
    """Last value, name and style of each line; the other runs have one entry at their median."""
    defined = (values[~np.isnan(values)].tolist() for values in curve.values)
    last = {place: values[-1] for place, values in enumerate(defined) if values}
    named = [(last[at], chosen.runs[at], chosen.styles[at]) for at in chosen.places if at in last]
    if rest := [last[place] for place in chosen.rest if place in last]:
        named.append((float(np.median(rest)), plural(len(rest), "other run"), chosen.styles[chosen.rest[0]]))
    return named
