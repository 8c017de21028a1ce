"""Bars of the differences by topic, from the topics where a run wins most to those where it loses most."""

from __future__ import annotations

from typing import Any

from excerpt.errors import ExcerptError
from excerpt.experiments.comparison import TopicDifferences
from excerpt.experiments.outcome import Outcome
from excerpt.render.figures.sheet import Sheet

#: More panels than this are no figure.
_PANELS = 12
#: Topics that each have a row with a name; of more, and in small panels, only some at the ends are named.
_NAMED = 45
#: More panels than this have bars without names.
_FEW = 2
_ENDS = {True: 3, False: 2}
#: Inches of a named row, and of what stands around the rows.
_ROW, _AROUND = 0.125, 0.7
_COLOURS = {"win": "#0072b2", "tie": "#777777", "loss": "#e69f00"}


def topic_bars(sheet: Sheet, outcome: Outcome) -> None:
    """A panel per measure and pair of runs."""
    found: tuple[TopicDifferences, ...] = outcome.details["topics"]
    if len(found) > _PANELS:
        raise ExcerptError(
            f"found {len(found)} pairs of runs and measures, expected at most {_PANELS} for a figure",
            hint="try ⟨baseline=RUN⟩, fewer runs, or one measure",
        )
    named = len(found) <= _FEW and max(len(pair.topics) for pair in found) <= _NAMED
    height = len(found[0].topics) * _ROW + _AROUND if named else 2.2 if len(found) <= _FEW else 1.7
    for axes, pair in zip(sheet.panels(len(found), least=2.3, height=height), found, strict=True):
        (_rows if named else _columns)(sheet, axes, pair)
        axes.set_title(_said(sheet, axes, pair), fontsize=0.88 * sheet.font)
        for row in pair.topics:
            sheet.mark(**row)


def _said(sheet: Sheet, axes: Any, pair: TopicDifferences) -> str:
    """Which runs, and how often the first wins."""
    runs = " minus ".join(sheet.name(pair.pair[name], 0.36, axes=axes) for name in ("run", "other"))
    return f"{runs}\n{pair.in_words}"


def _rows(sheet: Sheet, axes: Any, pair: TopicDifferences) -> None:
    """A bar with its name in each row."""
    for place, row in enumerate(pair.topics):
        colour = sheet.ink(_COLOURS[row["outcome"]])
        axes.barh(place, row["difference"], height=0.72, color=colour, linewidth=0)
        if row["outcome"] == "tie":
            axes.plot([0.0], [place], marker="|", color=colour, markersize=3.5)
    axes.set_yticks(range(len(pair.topics)), [_name(sheet, axes, row) for row in pair.topics])
    axes.tick_params("y", length=0, pad=1.5, labelsize=min(0.88 * sheet.font, _ROW * 72 * 0.86))
    axes.set_ylim(len(pair.topics) - 0.4, -0.6)
    axes.axvline(0.0, color=sheet.ink("#555555"), linewidth=0.7)
    axes.grid(visible=True, axis="x")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"difference in {sheet.name(pair.pair['measure'], 0.4, axes=axes)}")


def _columns(sheet: Sheet, axes: Any, pair: TopicDifferences) -> None:
    """A thin bar for each topic; those at the ends have names."""
    for place, row in enumerate(pair.topics):
        axes.bar(place, row["difference"], width=0.85, color=sheet.ink(_COLOURS[row["outcome"]]), linewidth=0)
    axes.axhline(0.0, color=sheet.ink("#555555"), linewidth=0.7)
    axes.grid(visible=True, axis="y")
    axes.set_xticks([])
    axes.margins(x=0.02, y=0.12)
    shown = _ENDS[sheet.narrow or len(sheet.figure.axes) <= _FEW]
    ends = [pair.topics[:shown], pair.topics[-shown:]]
    first, last = (", ".join(sheet.name(row["topic"], 0.12) for row in rows) for rows in ends)
    axes.set_xlabel(f"{len(pair.topics)} topics: {first} … {last}", fontsize=0.88 * sheet.font)
    axes.set_ylabel(f"difference in {sheet.name(pair.pair['measure'], 0.25, axes=axes)}")


def _name(sheet: Sheet, axes: Any, row: dict[str, Any]) -> str:
    return sheet.name(f"{row['topic']} {row['title']}".strip(), 0.4, axes=axes)
