"""Figures of stability, power and analysis of variance."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.sheet import SeriesStyle, Sheet

_TAU = r"Kendall's $\tau_b$ with the full ranking"
_LABELS = {
    "level": "sample (% of the whole)",
    "depth": "pool depth",
    "mean": _TAU,
    "error_rate": "error rate",
    "tau_b": _TAU,
    "topics": "topics",
    "tau": _TAU,
    "rate": "sample (proportion of the other documents)",
    "coverage": "coverage of 95 % intervals",
}
_ROUNDS = [step * 10**power for power in range(7) for step in (1, 2, 5)]  # round numbers of topics
#: Labels and colours of the sources of variance; the colours also differ in grey.
_SOURCES = {"run": ("runs", "#0072b2"), "topic": ("topics", "#e69f00"), "residual": ("residual", "#d9d9d9")}


def _lines(sheet: Sheet, outcome: Outcome, x: str, y: str) -> None:
    """Draw `y` over `x` per measure and group, with standard errors as bars side by side."""
    (axes,) = sheet.panels(1, height=2.15 if sheet.narrow else 3.2)
    series: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in outcome.rows:
        series.setdefault(tuple(row[name] for name in ("measure", "group") if name in row), []).append(row)
    handles: list[Any] = []
    gap = min(3.2, 16 / max(len(series) - 1, 1))  # many series stay inside the panel
    for style, found in zip(sheet.styles(len(series)), series.values(), strict=True):
        rows = [row for row in found if row[y] is not None]
        bars = [row.get("standard_error") or 0.0 for row in rows]
        handles.append(
            sheet.bars(
                axes,
                [row[x] for row in rows],
                [row[y] for row in rows],
                yerr=bars if any(bars) else None,
                aside=sheet.dodge(len(handles), len(series), points=gap) if any(bars) else 0.0,
                elinewidth=0.7,
                **style.line(),
            )
        )
        for row in rows:
            columns = ("measure", "group", x, y, "standard_error")
            sheet.mark(**{name: row[name] for name in columns if name in row})
    axes.set_xlabel(_LABELS[x])
    text = _LABELS[y].replace(" with", "\nwith") if sheet.narrow else _LABELS[y]
    axes.set_ylabel(text, parse_math=True)
    axes.grid(visible=True, axis="y")
    axes.margins(x=0.06)
    axes.locator_params(axis="y", steps=[1, 2, 5, 10])
    if x == "depth":  # depths are spaced by factors
        axes.set_xscale("log")
    sheet.measured(axes.xaxis, [row[x] for row in outcome.rows], most=12)
    if x == "level":
        axes.invert_xaxis()
    measures = list(dict.fromkeys(measure for measure, *_ in series))
    sheet.factor(measures)
    names = [(sheet.label(measure), *group) for measure, *group in series]
    parts = (own if len(measures) > 1 else own[-1:] for own in names)
    sheet.key(handles, sheet.keep([", ".join(own) for own in parts]))


#: Figures of tau, error rate and coverage by sample size, and of tau by pool depth.
mean_lines = partial(_lines, x="level", y="mean")
error_lines = partial(_lines, x="level", y="error_rate")
depth_lines = partial(_lines, x="depth", y="tau_b")
coverage_lines = partial(_lines, x="rate", y="coverage")


def effort_lines(sheet: Sheet, outcome: Outcome) -> None:
    """Draw tau over the number of topics, a line per budget, strategy and measure."""
    rows = tuple(
        {
            **row,
            "group": ", ".join(filter(None, (row.get("procedure"), f"{row['budget']:g}", row["strategy"]))),
        }
        for row in sorted(outcome.rows, key=lambda row: row["topics"])
    )
    _lines(sheet, replace(outcome, rows=rows), x="topics", y="tau")


def changes(sheet: Sheet, outcome: Outcome) -> None:
    """Draw score changes of runs left out of the pool, by score and measure; the largest are emphasised."""
    measured: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in outcome.rows:
        measured.setdefault((row["measure"], row.get("within", "")), []).append(row)
    sheet.factor([measure for measure, _ in measured])
    most: dict[str, float] = {}
    for rows in measured.values():
        largest = max(abs(row["change"] or 0.0) for row in rows) or 1.0
        for row in rows:
            most[row["run"]] = max(most.get(row["run"], 0.0), abs(row["change"] or 0.0) / largest)
    chosen = sheet.chosen(list(most), list(most.values()))
    panels = sheet.panels(len(measured), least=1.9, height=1.7 if sheet.narrow else 2.3)
    handles: dict[int, Any] = {}
    for axes, ((measure, group), rows) in zip(panels, measured.items(), strict=True):
        by_run = {row["run"]: row for row in rows}
        axes.axhline(0.0, color=sheet.shade("#999999"), linewidth=0.6, zorder=1.0)
        for place in chosen.drawn:
            row = by_run.get(chosen.runs[place], {"change": None})  # a group of runs has some of them
            if row["change"] is None:
                continue
            look = chosen.styles[place].dots()
            handles[place] = axes.plot([row["score"]], [row["change"]], clip_on=False, **look)[0]
            columns = ("measure", "within", "run", "score", "unpooled_score", "change")
            sheet.mark(**{name: row[name] for name in columns if name in row})
        axes.set_title(", ".join(filter(None, (sheet.name(measure, 0.45), group))))
        axes.set_xlim(left=0.0)
        axes.locator_params(nbins=5, steps=[1, 2, 5, 10])
        axes.ticklabel_format(axis="y", scilimits=(-3, 4))
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel("change outside the pool")
    sheet.below(panels, "score")
    sheet.key_of_runs(chosen, handles)


def chances(sheet: Sheet, outcome: Outcome) -> None:
    """Draw power by number of topics: a panel per measure, a line per difference or run."""
    curves: tuple[dict[str, Any], ...] = outcome.details["curves"]
    target = outcome.details["plan"].power
    sheet.factor([curve["measure"] for curve in curves])
    panels = _panels(sheet, curves)
    styles = _styles(sheet, curves)
    drawn: dict[str, Any] = {}
    for axes, (title, lines) in zip(
        sheet.panels(len(panels), height=2.4 if sheet.narrow else 3.0), panels.items(), strict=True
    ):
        for curve in [curve for curve in lines if curve["chances"]]:
            style, name = styles[_name(curve)], _name(curve)
            line = axes.plot(curve["numbers"], curve["chances"], markevery=(3, 5), **style.line())
            if not style.rest:
                drawn[name] = line[0]
            for number, chance in zip(curve["numbers"], curve["chances"], strict=True):
                sheet.mark(panel=title, series=name, topics=number, power=chance)
        for rule, place in ((axes.axhline, target), (axes.axvline, lines[0]["topics"])):
            rule(place, color=sheet.shade("0.5"), linewidth=0.8, linestyle=":", zorder=0)
        axes.set_xscale("log")
        axes.set_ylim(0.0, 1.04)
        most = max(curve["numbers"][-1] for curve in lines)
        sheet.ticks(axes.xaxis, [number for number in _ROUNDS if 2 <= number <= most])
        axes.set_xlabel(f"topics (dotted: {lines[0]['topics']}, and a power of {target:g})")
        axes.set_ylabel("power")
        axes.set_title(sheet.name(title, 0.9 / len(panels)))
    ordered = [name for name in styles if name in drawn]
    title = "run" if "run" in curves[0] else "difference"
    sheet.key([drawn[name] for name in ordered], ordered, title=title)


def _panels(sheet: Sheet, curves: tuple[dict[str, Any], ...]) -> dict[str, list[dict[str, Any]]]:
    """Curves by panel: one per measure, or per measure and difference if runs have several."""
    pairs = [(curve["measure"], curve.get("run")) for curve in curves]
    several = "run" in curves[0] and len(set(pairs)) < len(pairs)
    panels: dict[str, list[dict[str, Any]]] = {}
    for curve in curves:
        more = f", difference {curve['difference']:.4g}" if several else ""
        panels.setdefault(f"{sheet.label(curve['measure'])}{more}", []).append(curve)
    sheet.keep(list(panels))
    return panels


def _styles(sheet: Sheet, curves: tuple[dict[str, Any], ...]) -> dict[str, SeriesStyle]:
    """Style of each line: all differences, or the chosen runs of many, are emphasised."""
    best = {_name(curve): curve["power"] or 0.0 for curve in reversed(curves)}
    names = list(dict.fromkeys(map(_name, curves)))
    if "run" not in curves[0]:
        return dict(zip(names, sheet.styles(len(names)), strict=True))
    chosen = sheet.chosen(names, [best[name] for name in names])
    return {names[place]: chosen.styles[place] for place in (*chosen.places, *chosen.rest)}


def _name(curve: dict[str, Any]) -> str:
    return str(curve["run"]) if "run" in curve else f"{curve['difference']:.4g}"


def shares(sheet: Sheet, outcome: Outcome) -> None:
    """Draw the proportions of the sum of squares due to runs, topics and residual: a bar per measure."""
    parts = {source: {row["measure"]: row["eta2"] for row in outcome.rows if row["source"] == source}
             for source in _SOURCES}  # fmt: skip
    _bars(sheet, parts, dict(_SOURCES))


def shares_of_factors(sheet: Sheet, outcome: Outcome) -> None:
    """Draw the proportions due to factors and pairs of them; what depends on topics comes last."""
    parts: dict[str, dict[str, float]] = {}
    for row in outcome.rows:
        source, (name, _) = row["source"], _SOURCES["residual"]
        own = parts.setdefault(source if row["f"] is not None or source == "topic" else name, {})
        own[row["measure"]] = own.get(row["measure"], 0.0) + (row["eta2"] or 0.0)
    rest = parts.pop("residual", {})
    styles = zip(parts, sheet.styles(len(parts)), strict=True)
    looks = {source: (_SOURCES.get(source, (source,))[0], style.colour) for source, style in styles}
    _bars(sheet, {**parts, "residual": rest}, {**looks, "residual": ("with topics", "#d9d9d9")})


def _bars(sheet: Sheet, parts: dict[str, dict[str, float]], looks: dict[str, tuple[str, str]]) -> None:
    """Draw a bar per measure of parts by source; `looks` has the label and colour of each source."""
    measures = list(dict.fromkeys(measure for own in parts.values() for measure in own))
    sheet.factor(measures)
    (axes,) = sheet.panels(1, height=0.9 + 0.32 * len(measures))
    handles = []
    before = [0.0] * len(measures)  # the sum of the parts of each bar so far
    for source, (_, colour) in looks.items():
        sizes = [parts[source].get(measure) or 0.0 for measure in measures]
        look = {"color": sheet.shade(colour), "edgecolor": "white", "height": 0.7}
        handles.append(axes.barh(range(len(sizes)), sizes, left=before, **look))
        before = [sum(pair) for pair in zip(before, sizes, strict=True)]
        for measure in measures:
            sheet.mark(measure=measure, source=source, share=parts[source].get(measure))
    sheet.ticks(axes.yaxis, range(len(measures)), [sheet.name(measure, 0.25) for measure in measures])
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("proportion of the variation of scores")
    sheet.key(handles, [name for name, _ in looks.values()], title="due to")
