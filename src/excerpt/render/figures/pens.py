"""How series and runs differ on paper: by colour, marker and dash at once; which runs stand out of many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from excerpt.errors import UnknownName
from excerpt.render.figures.paper import Paper

#: Okabe & Ito's colours, which those who are colour-blind tell apart, without the yellow that white swallows.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f4f24")
#: Dark and light by turns: neighbours differ most.
_GREYS = ("#000000", "#8c8c8c", "#4d4d4d", "#a6a6a6", "#1f1f1f", "#777777", "#333333", "#999999")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Lengths of strokes and gaps in widths of the line.
_DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.4, 1.2, 1.4))),
    *((0, (2.6, 1.3)), (0, (8, 2)), (0, (4, 1.2, 1.2, 1.2, 1.2, 1.2)), (0, (1.2, 2.4))),
)
#: What stands back.
_REST = "#b0b0b0"
#: More runs than this are not told apart by their pens: the best stand out.
MANY = 8
_BEST_OF_MANY = 5


@dataclass(frozen=True)
class Pen:
    """How one series is drawn."""

    colour: str
    marker: str
    dash: Any
    #: Whether it stands back: thin, light, behind the others, without markers.
    rest: bool = False
    #: Whether markers are empty, which tells more series apart.
    hollow: bool = False

    def line(self) -> dict[str, Any]:
        """Keyword arguments of `axes.plot` and `axes.errorbar`."""
        if self.rest:
            return {"color": self.colour, "linestyle": "-", "linewidth": 0.5, "zorder": 1.5}
        return {
            "color": self.colour,
            "linestyle": self.dash,
            "linewidth": 1.1,
            "zorder": 3.0,
            **self._marker(),
        }

    def dots(self, scale: float = 1.0) -> dict[str, Any]:
        """Keyword arguments of `axes.plot` and `axes.errorbar` for markers alone, perhaps smaller."""
        return {
            "color": self.colour,
            "linestyle": "none",
            "zorder": 1.5 if self.rest else 3.0,
            **self._marker(scale),
        }

    def band(self) -> dict[str, Any]:
        """Keyword arguments of `axes.fill_between` for the interval around a line."""
        return {"color": self.colour, "alpha": 0.16, "linewidth": 0.0, "zorder": 2.0}

    def _marker(self, scale: float = 1.0) -> dict[str, Any]:
        size = 2.1 if self.rest else 3.8 if self.marker not in "*PX" else 4.8
        return {
            "marker": self.marker,
            "markersize": size * scale,
            "markerfacecolor": "#ffffff" if self.hollow else self.colour,
            "markeredgecolor": self.colour,
            "markeredgewidth": 0.0 if self.rest else 0.8,
        }


def pens(count: int, paper: Paper, colours: Sequence[str] = COLOURS) -> list[Pen]:
    """A pen for each series; no two are alike in colour, marker and dash, however many there are.

    >>> first, second = pens(2, Paper())
    >>> first.colour != second.colour, first.marker != second.marker, first.dash != second.dash
    (True, True, True)
    """
    shades = _GREYS if paper.grey else colours
    return [
        Pen(
            shades[i % len(shades)],
            _MARKERS[(i + i // len(_MARKERS)) % len(_MARKERS)],
            _DASHES[(i + 3 * (i // len(_DASHES))) % len(_DASHES)],
            hollow=(i // len(_MARKERS)) % 2 == 1 if not paper.grey else i % 2 == 1,
        )
        for i in range(count)
    ]


@dataclass(frozen=True)
class Chosen:
    """The runs of a figure: those that stand out, each with its pen, and the rest."""

    runs: tuple[str, ...]
    #: Places of the runs that stand out, in the order in which they are listed.
    places: tuple[int, ...]
    #: By place, also of the rest.
    pens: tuple[Pen, ...]
    #: Whether there is a rest, or more runs than a legend tells apart: names stand at the lines.
    direct: bool

    @property
    def rest(self) -> tuple[int, ...]:
        """Places of the others, which are drawn first."""
        return tuple(place for place in range(len(self.runs)) if place not in self.places)

    @property
    def drawn(self) -> tuple[int, ...]:
        """All places from behind: the rest, then those that stand out, the first of them last."""
        return (*self.rest, *reversed(self.places))


def choose(
    runs: Sequence[str], scores: Sequence[float], paper: Paper, colours: Sequence[str] = COLOURS
) -> Chosen:
    """Which runs stand out: all of a few; of more than eight, or where asked, the best and those highlighted.

    >>> names = [f"r{i}" for i in range(12)]
    >>> choose(names, range(12), Paper(top=1, highlight=("r3",))).places
    (11, 3)
    """
    for name in paper.highlight:
        if name not in runs:
            raise UnknownName("run", name, runs)
    asked = paper.top is not None or bool(paper.highlight)
    if not asked and len(runs) <= MANY:
        return Chosen(
            tuple(runs), tuple(range(len(runs))), tuple(pens(len(runs), paper, colours)), direct=False
        )
    best = sorted(
        range(len(runs)), key=lambda place: math.inf if math.isnan(scores[place]) else -scores[place]
    )
    top = paper.top if paper.top is not None else _BEST_OF_MANY if len(runs) > MANY else 0
    out = {*best[:top], *(place for place, name in enumerate(runs) if name in paper.highlight)}
    places = tuple(place for place in best if place in out)
    own = dict(zip(places, pens(len(places), paper, colours), strict=True))
    rest = Pen(_REST, "o", "-", rest=True)
    return Chosen(tuple(runs), places, tuple(own.get(place, rest) for place in range(len(runs))), direct=True)


def others(count: int) -> str:
    """What the runs that stand back are called together.

    >>> others(1), others(54)
    ('1 other run', '54 other runs')
    """
    return f"{count} other run" + ("" if count == 1 else "s")
