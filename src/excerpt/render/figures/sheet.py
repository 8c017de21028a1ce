"""The sheet that a figure is drawn on: size, styles of series, fitting text."""

from __future__ import annotations

import math
import os
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, listed, plural, short
from excerpt.files import read_bytes
from excerpt.render.layout import plain

#: Inches of a unit.
_UNITS = {"in": 1.0, "mm": 1 / 25.4, "cm": 1 / 2.54, "pt": 1 / 72}
_LENGTH = re.compile(r"\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*([a-z]*)\s*", re.IGNORECASE)
#: Inches that a figure may be wide or high, and points that its letters may have.
_SIZES = (1.0, 40.0)
_POINTS = (4.0, 36.0)


@dataclass(frozen=True)
class Paper:
    """The options of a figure; what is None is up to the figure.

    >>> Paper.of({"width": "84mm", "highlight": "bm25, mine"}).highlight
    ('bm25', 'mine')
    """

    #: Inches.
    width: float | None = None
    height: float | None = None
    grey: bool = False
    #: Points.
    font_size: float | None = None
    title: str = ""
    #: Settings of matplotlib from a style file, as text.
    style: Mapping[str, str] | None = None
    #: How many of the best runs stand out, and which others do.
    top: int | None = None
    highlight: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Paper:
        """A paper from options by name, each of them checked; None stands for one that is not given."""
        known = {item.name for item in fields(cls)}
        for name in given:
            if name not in known:
                raise UnknownName("option of a figure", name, known)
        told = {name: value for name, value in given.items() if value is not None}
        checks: dict[str, Callable[[Any], Any]] = {
            "width": length,
            "height": length,
            "grey": bool,
            "font_size": _font_size,
            "title": str,
            "style": read_style,
            "top": _count,
            "highlight": _names,
        }
        return cls(**{name: checks[name](value) for name, value in told.items()})


def length(value: object) -> float:
    """A length in inches: a number, or text with a unit.

    >>> length("3.3in"), length(7), length("72pt"), round(length("84mm"), 3)
    (3.3, 7.0, 1.0, 3.307)
    """
    match = _LENGTH.fullmatch(str(value)) if isinstance(value, int | float | str) else None
    unit = match[2].lower() or "in" if match else ""
    if match is None or isinstance(value, bool) or unit not in _UNITS:
        raise ExcerptError(
            f"found {short(str(value))!r} as length, expected inches or a number with in, mm, cm or pt",
            hint="such as 3.3in or 84mm",
        )
    inches = float(match[1]) * _UNITS[unit]
    least, most = _SIZES
    if not least <= inches <= most:
        raise ExcerptError(
            f"found {short(str(value))!r} as length, expected from {least:g} to {most:g} inches",
            hint="such as 3.3in or 84mm",
        )
    return inches


def _font_size(value: object) -> float:
    """Points."""
    text = str(value).strip().removesuffix("pt")
    try:
        points = math.nan if isinstance(value, bool) else float(text)
    except ValueError:
        points = math.nan
    least, most = _POINTS
    if not least <= points <= most:
        raise ExcerptError(
            f"found {short(str(value))!r} as size of letters, expected from {least:g} to {most:g} points"
        )
    return points


def _count(value: object) -> int:
    """How many runs; 0 for none."""
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ExcerptError(f"found {short(text)!r} as number of best runs, expected a whole number from 0 on")
    return int(text)


def _names(value: object) -> tuple[str, ...]:
    """Names of runs: a list, or text with commas between them."""
    given = value.split(",") if isinstance(value, str) else value
    names = (name.strip() for name in listed(given, str, "highlight", "names of runs"))
    return tuple(dict.fromkeys(filter(None, names)))


def read_style(path: str | os.PathLike[str]) -> Mapping[str, str]:
    """The settings of a style file of matplotlib, by name; every one is checked."""
    if not isinstance(path, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(path))} as style, expected the name of a file")
    from excerpt.render.figures.drawing import require_drawing

    require_drawing("a style")
    import matplotlib as mpl

    name = os.fspath(path)
    try:
        lines = read_bytes(name).decode().splitlines()
    except UnicodeDecodeError:
        raise ExcerptError(
            "found bytes that are no text, expected a style of matplotlib", path=name
        ) from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        text = _without_comment(line)
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not text.strip():
            continue
        if not colon:
            raise ExcerptError(f"found {short(text)!r}, expected `setting: value`", path=name, line=number)
        if key not in mpl.rcParams:
            unknown = UnknownName("setting of matplotlib", key, mpl.rcParams)
            raise ExcerptError(
                unknown.message, path=name, line=number, hint=unknown.hint.partition(" known")[0]
            )
        try:
            checked: Any = mpl.RcParams({key: _unquoted(value)})
            if key == "figure.figsize":
                list(map(length, checked[key]))
        except ExcerptError as error:
            raise ExcerptError(error.message, path=name, line=number) from None
        except (ValueError, TypeError):
            raise ExcerptError(
                f"found {short(value)!r} as {key}, expected a value that matplotlib takes",
                path=name,
                line=number,
            ) from None
        found[key] = _unquoted(value)
    return found


def _without_comment(line: str) -> str:
    """A line up to a # that does not stand between quotes."""
    quoted = False
    for place, character in enumerate(line):
        quoted ^= character == '"'
        if character == "#" and not quoted:
            return line[:place]
    return line


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


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
        look = {"color": self.colour, "linestyle": self.dash, "linewidth": 1.1, "zorder": 3.0}
        return {**look, **self._marker()}

    def dots(self, scale: float = 1.0) -> dict[str, Any]:
        """Keyword arguments of `axes.plot` and `axes.errorbar` for markers alone, perhaps smaller."""
        look = {"color": self.colour, "linestyle": "none", "zorder": 1.5 if self.rest else 3.0}
        return {**look, **self._marker(scale)}

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
    every = range(len(runs))
    if not asked and len(runs) <= MANY:
        return Chosen(tuple(runs), tuple(every), tuple(pens(len(runs), paper, colours)), direct=False)
    best = sorted(every, key=lambda place: math.inf if math.isnan(scores[place]) else -scores[place])
    top = paper.top if paper.top is not None else _BEST_OF_MANY if len(runs) > MANY else 0
    out = {*best[:top], *(place for place, name in enumerate(runs) if name in paper.highlight)}
    places = tuple(place for place in best if place in out)
    own = dict(zip(places, pens(len(places), paper, colours), strict=True))
    rest = Pen(_REST, "o", "-", rest=True)
    return Chosen(tuple(runs), places, tuple(own.get(place, rest) for place in range(len(runs))), direct=True)


#: Letters of the longest name that a figure shows.
LONGEST_NAME = 60


def label(name: str, most: int = LONGEST_NAME) -> str:
    """A name as figures show it: no control characters, which no XML may hold, and not too long."""
    return short(plain(name), most)


def balanced(count: int, most: int) -> int:
    """How many columns some items have: at most so many, and no row much shorter than the others.

    >>> balanced(4, 3), balanced(3, 3), balanced(5, 9)
    (2, 3, 5)
    """
    columns = max(1, min(count, most))
    return -(-count // -(-count // columns)) if count else 1


def numerals(values: Sequence[float]) -> list[str]:
    """Numbers with as many digits after the point as the longest needs.

    >>> numerals([0, 0.25, 1]), numerals([1, 10, 50])
    (['0.00', '0.25', '1.00'], ['1', '10', '50'])
    """
    digits = max((len(f"{value:.6g}".partition(".")[2]) for value in values), default=0)
    return [f"{value:.{digits}f}" for value in values]


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as needed to be a gap apart, between limits where there is room.

    >>> apart([0.0, 1.0, 9.0], 2.0, 0.0, 10.0)
    [0.0, 2.0, 9.0]
    >>> apart([5.0, 5.0], 2.0, 0.0, 10.0)
    [4.0, 6.0]
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    groups: list[list[float]] = []  # centre, number
    for i in order:
        groups.append([min(max(places[i], low), high), 1])
        while True:
            centre, count = groups[-1]
            reach = (count - 1) * gap / 2
            groups[-1][0] = centre = min(max(centre, low + reach), max(high - reach, low + reach))
            if len(groups) < 2 or groups[-2][0] + (groups[-2][1] - 1) * gap / 2 + gap <= centre - reach:
                break
            other, more = groups.pop(-2)
            groups[-1] = [(other * more + centre * count) / (more + count), more + count]
    settled = [centre + (n - (count - 1) / 2) * gap for centre, count in groups for n in range(int(count))]
    found = [0.0] * len(places)
    for i, place in zip(order, settled, strict=True):
        found[i] = place
    return found


def thin(axis: Any) -> None:
    """Leave out labels of ticks that touch the one before; the ticks stay."""
    last = None
    horizontal = axis.axis_name == "x"
    shown = [tick.label1 for tick in axis.get_major_ticks() if tick.label1.get_text()]
    boxes = [(text, text.get_window_extent()) for text in shown]
    boxes.sort(key=lambda item: item[1].x0 if horizontal else item[1].y0)
    for text, box in boxes:
        start, end = (box.x0, box.x1) if horizontal else (box.y0, box.y1)
        if last is not None and start < last + (0.3 * box.height if horizontal else 0):
            text.set_visible(False)
        else:
            last = end


#: Inches; figures of a book's width where nobody asks for another.
_WIDTH = 7.0
#: Narrower figures have their key below the panels, not beside them.
_NARROW = 5.0
#: Mean width of a letter in heights of the font.
_LETTER = 0.58
#: Panels smaller than this, in inches, show nothing.
_SMALLEST = 0.35
#: What matplotlib says, and lays out nothing, where names leave no room for panels.
_COLLAPSED = "collapsed to zero"
#: Length of lines in a key, in heights of its letters: a gap of every dash shows beside the marker.
_STROKE = 3.4


class Sheet:
    """A figure of matplotlib on its paper, with one row of data for every mark that is drawn."""

    def __init__(self, figure: Any, paper: Paper, settings: Any) -> None:
        self.figure = figure
        self.paper = paper
        self.rows: list[dict[str, Any]] = []
        self._settings = settings
        #: What is done when all has a place, and may make others move; and what is done in the end.
        self._later: list[Callable[[], None]] = []
        self._last: list[Callable[[], None]] = []
        self._asked = paper.top is not None or bool(paper.highlight)
        styled = paper.style or {}
        self._colours: Sequence[str] = COLOURS
        if "axes.prop_cycle" in styled:
            self._colours = settings["axes.prop_cycle"].by_key().get("color") or COLOURS
        width, height = settings["figure.figsize"] if "figure.figsize" in styled else (_WIDTH, None)
        self.width = paper.width or width
        self._height = paper.height or height
        figure.set_size_inches(self.width, self._height or 0.62 * self.width)

    @property
    def font(self) -> float:
        """Points of the letters."""
        return float(self._settings["font.size"])

    @property
    def narrow(self) -> bool:
        """Whether the figure is for one column of text."""
        return bool(self.width < _NARROW)

    def resize(self, height: float) -> None:
        """The height in inches that suits the content; one that was asked for stays."""
        self.figure.set_size_inches(self.width, self._height or min(height, 40.0))

    def panels(self, count: int, *, least: float = 2.2, height: float = 2.2, **more: Any) -> list[Any]:
        """Axes side by side and below each other, none narrower than `least` inches where that can be.

        `height` is that of a row of panels in inches; `more` are keyword arguments of `figure.subplots`.
        """
        columns = balanced(count, int(self.width / least))
        rows = -(-count // columns)
        self.resize(rows * height)
        found = self.figure.subplots(rows, columns, squeeze=False, **more).ravel().tolist()
        for axes in found[count:]:
            axes.remove()
        return list(found[:count])

    def pens(self, count: int) -> list[Pen]:
        """A pen for each of some series that all stand out, such as measures."""
        return pens(count, self.paper, self._colours)

    def chosen(self, runs: Sequence[str], scores: Sequence[float]) -> Chosen:
        """The runs that stand out, by their scores and by what was asked, and the pens of all."""
        self._asked = False
        return choose(runs, scores, self.paper, self._colours)

    def ink(self, colour: str) -> str:
        """A colour, or on grey paper the grey that is as dark."""
        from matplotlib.colors import to_hex, to_rgb

        if not self.paper.grey:
            return str(to_hex(colour))
        red, green, blue = to_rgb(colour)
        return str(to_hex(str(0.2126 * red + 0.7152 * green + 0.0722 * blue)))

    @property
    def map(self) -> str:
        """The colour map of matplotlib for amounts, from little (dark) to much (light)."""
        return "gray" if self.paper.grey else "viridis"

    def below(self, panels: Sequence[Any], text: str) -> None:
        """A label of the x axis for all panels together, in the middle below them."""
        if len(panels) == 1:
            panels[0].set_xlabel(text)
            return
        host = next(axes for axes in panels if axes.get_subplotspec().is_last_row())
        host.set_xlabel(text)

        def settle() -> None:
            boxes = [axes.get_position() for axes in panels]
            middle = (min(box.x0 for box in boxes) + max(box.x1 for box in boxes)) / 2
            own = host.get_position()
            host.xaxis.label.set_x((middle - own.x0) / own.width)

        self._last.append(settle)

    def mark(self, **row: Any) -> None:
        """Keep the data of one mark: a row of the CSV file beside the figure."""
        self.rows.append(row)

    def name(self, text: str, share: float = 0.36, *, axes: Any = None, tail: bool = True) -> str:
        """A name within a share of the width, or of that of `axes`; a long one loses middle or tail."""
        share /= 1 if axes is None else axes.get_gridspec().ncols
        most = max(8, min(LONGEST_NAME, int(share * self.width * 72 / (_LETTER * self.font))))
        text = plain(text)
        if len(text) <= most:
            return text
        if not tail:
            return short(text, most)
        end = most // 3
        return f"{text[: most - end - 1]}…{text[-end:]}"

    def key(
        self, handles: Sequence[Any], names: Sequence[str], *, title: str | None = None, below: bool = False
    ) -> None:
        """A legend outside of all panels: beside them, or `below`, as in every narrow figure."""
        # matplotlib leaves out names that start with an underscore.
        shown = [f" {name}" if name.startswith("_") else name for name in map(self.name, names)]
        dots = all(_lineless(handle) for handle in handles)
        stroke = 1.0 if dots else _STROKE
        look = {"frameon": False, "title": title, "borderaxespad": 0.2, "handlelength": stroke}
        if not (self.narrow or below):
            self.figure.legend(handles, shown, loc="outside right upper", **look)
            return
        widest = max(map(len, shown), default=1) * _LETTER * 0.85 * self.font + (40 if dots else 46)
        columns = balanced(len(shown), int(self.width * 72 / widest))
        lines = -(-len(shown) // columns) + bool(title)
        self.resize(self.figure.get_size_inches()[1] + (1.5 * lines * self.small + 6) / 72)
        self.figure.legend(
            handles, shown, loc="outside lower center", ncols=columns, columnspacing=1.2, **look
        )

    def key_of_runs(self, chosen: Chosen, handles: Mapping[int, Any]) -> None:
        """A legend of the runs that stand out, and one entry for all others, as far as they were drawn."""
        names = {place: chosen.runs[place] for place in chosen.places}
        names |= {place: plural(len(chosen.rest), "other run") for place in chosen.rest[:1]}
        shown = [place for place in names if place in handles]
        self.key([handles[place] for place in shown], [names[place] for place in shown])

    def bars(self, axes: Any, x: Any, y: Any, *, aside: float = 0.0, **look: Any) -> Any:
        """Points with error bars (`xerr` or `yerr`), moved `aside` by some points so that bars do not meet.

        Bars along x are moved down, those along y to the right; see `dodge`. The rest of the keyword
        arguments are those of `axes.errorbar`, such as `**pen.line()`.
        """
        from matplotlib.transforms import ScaledTranslation

        xerr, yerr = look.get("xerr"), look.get("yerr")
        move = (aside / 72, 0.0) if xerr is None else (0.0, -aside / 72)
        moved = axes.transData + ScaledTranslation(*move, self.figure.dpi_scale_trans)
        drawn = axes.errorbar(x, y, transform=moved, **look)
        for sign, part in ((-1, 0), (1, -1)):  # matplotlib does not see how far moved points reach
            ends = [
                np.asarray(at, float)
                + sign * np.nan_to_num(0.0 if bars is None else np.atleast_2d(bars)[part])
                for at, bars in ((x, xerr), (y, yerr))
            ]
            axes.update_datalim(np.column_stack(np.broadcast_arrays(*ends)))
        axes.autoscale_view()
        return drawn

    def dodge(self, place: int, count: int, *, points: float = 3.2) -> float:
        """How far one of `count` series is moved aside, in points."""
        return (place - (count - 1) / 2) * points

    def ticks(self, axis: Any, values: Sequence[float], names: Sequence[str] | None = None) -> None:
        """Ticks at these values and nowhere else; of labels that would collide some are left out."""
        from matplotlib.ticker import NullLocator

        axis.set_ticks(list(values), numerals(values) if names is None else list(names))
        axis.set_minor_locator(NullLocator())
        self.after(lambda: thin(axis))

    def measured(self, axis: Any, values: Sequence[float], *, most: int = 7) -> None:
        """Ticks at round ones of many values, or at all of a few, but only where something was measured."""
        from matplotlib.ticker import MaxNLocator

        known = sorted(set(values))
        if len(known) > most:
            whole = all(float(value).is_integer() for value in known)
            ticks = MaxNLocator(most - 1, integer=whole, steps=[1, 2, 5, 10]).tick_values(known[0], known[-1])
            shown = [
                value for value in known if any(math.isclose(value, tick, abs_tol=1e-9) for tick in ticks)
            ]
            known = shown if known[0] in shown or not whole else [known[0], *shown]
        self.ticks(axis, known)

    @property
    def small(self) -> float:
        """Points of small letters: names at lines, ticks, keys."""
        return 0.88 * self.font

    def after(self, settle: Callable[[], None]) -> None:
        """Call a function when everything has its place, to move what collides."""
        self._later.append(settle)

    def finish(self) -> None:
        """Add the title, lay all out, move apart what collides; an error on paper that is too small."""
        if self._asked:
            raise ExcerptError(
                "found best or highlighted runs, expected none: this figure does not show runs"
            )
        if self.paper.title:
            wide = max(10, int(self.width * 72 / (0.62 * self.font * 1.1)))
            title = "\n".join(textwrap.wrap(label(self.paper.title, 4 * wide), wide))
            self.figure.suptitle(title, fontsize=1.1 * self.font)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.figure.draw_without_rendering()
            for settle in self._later:
                settle()
            self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")
        for settle in self._last:
            settle()
        width, height = self.figure.get_size_inches()
        panels = [axes.get_position() for axes in self.figure.axes if "colorbar" not in str(axes.get_label())]
        small = any(box.width * width < _SMALLEST or box.height * height < _SMALLEST for box in panels)
        if small or any(_COLLAPSED in str(each.message) for each in said):
            raise ExcerptError(
                f"found {width:.3g} by {height:.3g} inches, too few for this figure, expected more",
                hint="try more ⟨height⟩ or ⟨width⟩, or a smaller ⟨font_size⟩",
            )


def _lineless(handle: Any) -> bool:
    """Whether what a key shows is a marker without a line."""
    drawn = handle[0] if isinstance(handle, tuple) else handle
    return str(getattr(drawn, "get_linestyle", lambda: "")()) == "None"
