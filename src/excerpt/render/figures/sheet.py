"""Sheets for figures: size, styles of series, legends, labels that fit."""

from __future__ import annotations

import math
import os
import re
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, listed, plural, short
from excerpt.files import read_bytes
from excerpt.render.figures.fonts import say_missing
from excerpt.render.layout import plain

_UNITS = {"in": 1.0, "mm": 1 / 25.4, "cm": 1 / 2.54, "pt": 1 / 72}  # inches of a unit
_COMMENT = re.compile(r'^((?:[^#"]|"[^"]*(?:"|$))*)#.*')  # a # in quotes begins none
_LENGTH = re.compile(r"\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*([a-z]*)\s*", re.IGNORECASE)
#: Limits of width and height in inches, and of the font size in points.
_SIZES = (1.0, 40.0)
_POINTS = (4.0, 36.0)
#: Okabe & Ito's colours for colour-blind readers, without yellow, which is invisible on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f4f24")
#: Dark and light greys alternate, so that neighbours differ most.
_GREYS = ("#000000", "#8c8c8c", "#4d4d4d", "#a6a6a6", "#1f1f1f", "#777777", "#333333", "#999999")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Lengths of dashes and gaps in line widths.
_DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.4, 1.2, 1.4))),
    *((0, (2.6, 1.3)), (0, (8, 2)), (0, (4, 1.2, 1.2, 1.2, 1.2, 1.2)), (0, (1.2, 2.4))),
)
#: Colour of runs that are not emphasised.
_REST = "#b0b0b0"
MANY = 8  # most runs that all have their own style; of more runs only the best are emphasised
_BEST_OF_MANY = 5
LONGEST_NAME = 60  # most characters of a name in a figure
_MEASURE = re.compile(r"(?P<head>[^()\[\]@]+)\((?P<parameters>[^()=]*=[^()]*)\)(?P<tail>.*)")
#: Values that say nothing without the name of their parameter.
_UNTOLD = re.compile(r"=(?:[\d.]+|true|false)$")
_WIDTH = 7.0  # default width in inches: that of a page
_NARROW = 5.0  # narrower figures have their legend below the panels, not at the right
_LETTER = 0.58  # mean width of a letter in font heights
_SMALLEST = 0.35  # minimum size of a panel in inches
_COLLAPSED = "collapsed to zero"  # message of matplotlib if names leave no room for panels
_STROKE = 3.4  # length of lines in a legend in font heights: long enough for a gap next to the marker


@dataclass(frozen=True)
class FigureOptions:
    """Options of a figure; None is the default of the figure.

    >>> FigureOptions.of({"width": "84mm", "highlight": "bm25, mine"}).highlight
    ('bm25', 'mine')
    """

    #: Inches.
    width: float | None = None
    height: float | None = None
    grey: bool = False
    font_size: float | None = None  # points
    title: str = ""
    style: Mapping[str, str] | None = None  # settings of matplotlib from a style file, as text
    #: Number of best runs that are emphasised, and names of further emphasised runs.
    top: int | None = None
    highlight: tuple[str, ...] = ()
    #: Further fonts, for characters that the first one lacks; and characters that none has.
    fonts: tuple[str, ...] = ()
    missing: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> FigureOptions:
        """Check options given by name; None means not given."""
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
        for unknown in [name for name in given if name not in checks]:
            raise UnknownName("option of a figure", unknown, checks)
        return cls(**{name: checks[name](value) for name, value in given.items() if value is not None})


def length(value: object) -> float:
    """Length in inches, from a number or a text with a unit.

    >>> length("3.3in"), length(7), length("72pt"), round(length("84mm"), 3)
    (3.3, 7.0, 1.0, 3.307)
    """
    match = _LENGTH.fullmatch(str(value)) if isinstance(value, int | float | str) else None
    unit = match[2].lower() or "in" if match else ""
    least, most = _SIZES
    if match is None or isinstance(value, bool) or unit not in _UNITS:
        expected = "inches or a number with in, mm, cm or pt"
    elif least <= (inches := float(match[1]) * _UNITS[unit]) <= most:
        return inches
    else:
        expected = f"from {least:g} to {most:g} inches"
    message = f"found {short(str(value))!r} as length, expected {expected}"
    raise ExcerptError(message, hint="such as 3.3in or 84mm")


def _font_size(value: object) -> float:
    """Font size in points."""
    text = str(value).strip().removesuffix("pt")
    try:
        points = math.nan if isinstance(value, bool) else float(text)
    except ValueError:
        points = math.nan
    least, most = _POINTS
    if not least <= points <= most:
        raise ExcerptError(
            f"found {short(str(value))!r} as font size, expected from {least:g} to {most:g} points"
        )
    return points


def _count(value: object) -> int:
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ExcerptError(
            f"found {short(text)!r} as number of best runs, expected a whole number of at least 0"
        )
    return int(text)


def _names(value: object) -> tuple[str, ...]:
    """Names of runs, from a list or a text with commas."""
    names = value.split(",") if isinstance(value, str) else value
    stripped = (name.strip() for name in listed(names, str, "highlight", "names of runs"))
    return tuple(dict.fromkeys(filter(None, stripped)))


def read_style(path: str | os.PathLike[str]) -> Mapping[str, str]:
    """Read and check the settings of a matplotlib style file."""
    if not isinstance(path, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(path))} as style, expected a path")
    from excerpt.render.figures.drawing import require_drawing

    require_drawing("a style")
    import matplotlib as mpl

    name = os.fspath(path)
    try:
        lines = read_bytes(name).decode().splitlines()
    except UnicodeDecodeError:
        raise ExcerptError("is not text; expected a matplotlib style file", path=name) from None
    style: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        text = _COMMENT.sub(r"\1", line)
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not text.strip():
            continue
        if not colon:
            raise ExcerptError(f"found {short(text)!r}, expected `setting: value`", path=name, line=number)
        if key not in mpl.rcParams:
            unknown = UnknownName("matplotlib setting", key, mpl.rcParams, path=name, line=number)
            unknown.hint = unknown.hint.partition(" known")[0]
            raise unknown
        bare = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
        try:
            checked: Any = mpl.RcParams({key: bare})
            if key == "figure.figsize":
                list(map(length, checked[key]))
        except ExcerptError as error:
            raise ExcerptError(error.message, path=name, line=number) from None
        except (ValueError, TypeError):
            raise ExcerptError(
                f"found {short(value)!r} as {key}, expected a value that matplotlib accepts",
                path=name,
                line=number,
            ) from None
        style[key] = bare
    return style


@dataclass(frozen=True)
class SeriesStyle:
    """Style of one series: colour, marker and dash."""

    colour: str
    marker: str
    dash: Any
    #: Whether the series is not emphasised: thin, light, behind the others, without markers.
    rest: bool = False
    hollow: bool = False

    def line(self) -> dict[str, Any]:
        """Keyword arguments of `axes.plot` and `axes.errorbar`."""
        if self.rest:
            return {"color": self.colour, "linestyle": "-", "linewidth": 0.5, "zorder": 1.5}
        look = {"color": self.colour, "linestyle": self.dash, "linewidth": 1.1, "zorder": 3.0}
        return {**look, **self._marker()}

    def dots(self, scale: float = 1.0) -> dict[str, Any]:
        """Keyword arguments of `axes.plot` and `axes.errorbar` for markers without lines."""
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


def styles(count: int, options: FigureOptions, colours: Sequence[str] = COLOURS) -> list[SeriesStyle]:
    """Styles of several series; no two have the same colour, marker and dash.

    >>> first, second = styles(2, FigureOptions())
    >>> first.colour != second.colour, first.marker != second.marker, first.dash != second.dash
    (True, True, True)
    """
    shades = _GREYS if options.grey else colours
    return [
        SeriesStyle(
            shades[i % len(shades)],
            _MARKERS[(i + i // len(_MARKERS)) % len(_MARKERS)],
            _DASHES[(i + 3 * (i // len(_DASHES))) % len(_DASHES)],
            hollow=(i // len(_MARKERS)) % 2 == 1 if not options.grey else i % 2 == 1,
        )
        for i in range(count)
    ]


@dataclass(frozen=True)
class StyledRuns:
    """Runs of a figure with their styles: emphasised runs, and the rest."""

    runs: tuple[str, ...]
    places: tuple[int, ...]  # indices of the emphasised runs, in the order of the legend
    styles: tuple[SeriesStyle, ...]  # styles of all runs
    direct: bool  # whether names are written at the lines, since a legend would be too long

    @property
    def rest(self) -> tuple[int, ...]:
        """Indices of the other runs, which are drawn first."""
        return tuple(place for place in range(len(self.runs)) if place not in self.places)

    @property
    def drawn(self) -> tuple[int, ...]:
        """All indices in drawing order: the rest, then the emphasised runs, the first one last."""
        return (*self.rest, *reversed(self.places))


def choose(
    runs: Sequence[str], scores: Sequence[float], options: FigureOptions, colours: Sequence[str] = COLOURS
) -> StyledRuns:
    """Choose the emphasised runs: all of a few; of more than eight, or on request, the best and highlighted.

    >>> names = [f"r{i}" for i in range(12)]
    >>> choose(names, range(12), FigureOptions(top=1, highlight=("r3",))).places
    (11, 3)
    """
    for name in options.highlight:
        if name not in runs:
            raise UnknownName("run", name, runs)
    requested = options.top is not None or bool(options.highlight)
    every = range(len(runs))
    if not requested and len(runs) <= MANY:
        return StyledRuns(tuple(runs), tuple(every), tuple(styles(len(runs), options, colours)), direct=False)
    best = sorted(every, key=lambda place: math.inf if math.isnan(scores[place]) else -scores[place])
    top = options.top if options.top is not None else _BEST_OF_MANY if len(runs) > MANY else 0
    emphasised = {*best[:top], *(place for place, name in enumerate(runs) if name in options.highlight)}
    places = tuple(place for place in best if place in emphasised)
    own = dict(zip(places, styles(len(places), options, colours), strict=True))
    rest = SeriesStyle(_REST, "o", "-", rest=True)
    return StyledRuns(
        tuple(runs), places, tuple(own.get(place, rest) for place in range(len(runs))), direct=True
    )


def label(name: str, most: int = LONGEST_NAME) -> str:
    """Name for a figure: shortened, and without control characters, which XML forbids."""
    return short(plain(name), most)


def factored(measures: Sequence[str]) -> tuple[str, list[str]]:
    """Common part of the names of measures with parameters, and what remains of each name.

    Nothing is common if the measures have no parameters, or if names without the common part would be equal.

    >>> factored(["nxCG(quantisation=strict)[5]", "nxCG(quantisation=sog)[5]"])
    ('nxCG[5]', ['strict', 'sog'])
    >>> factored(["ep(alpha=0.5)", "ep(alpha=1)"])
    ('ep', ['alpha=0.5', 'alpha=1'])
    >>> factored(["MAep(too_small=50)", "nxCG(too_small=50)[5]"])
    ('too_small=50', ['MAep', 'nxCG[5]'])
    """
    names = list(dict.fromkeys(measures))
    found = [match for match in map(_MEASURE.fullmatch, names) if match]
    if len(names) < 2 or len(found) < len(names):
        return "", list(measures)
    given = [match["parameters"].split(", ") for match in found]
    common = [item for item in given[0] if all(item in other for other in given)]
    own = [[item for item in items if item not in common] for items in given]
    heads, tails = {match["head"] for match in found}, {match["tail"] for match in found}
    if len(heads) == 1:
        shared = _named(found[0]["head"], common, found[0]["tail"] if len(tails) == 1 else "")
        keys = {item.partition("=")[0] for items in own for item in items}
        bare = len(keys) == 1 and not any(_UNTOLD.search(item) for items in own for item in items)
        values = [[item.partition("=")[2] for item in items] if bare else items for items in own]
        labels = [
            ", ".join(items) + (match["tail"] if len(tails) > 1 else "")
            for items, match in zip(values, found, strict=True)
        ]
    else:
        shared = ", ".join(common)
        labels = [
            _named(match["head"], items, match["tail"]) for items, match in zip(own, found, strict=True)
        ]
    if not shared or not all(labels) or len(set(labels)) < len(labels):
        return "", list(measures)
    by_name = dict(zip(names, labels, strict=True))
    return shared, [by_name[name] for name in measures]


def _named(head: str, parameters: Sequence[str], tail: str) -> str:
    return f"{head}({', '.join(parameters)}){tail}" if parameters else head + tail


def split_parameters(measure: str) -> tuple[str, str]:
    """Name of a measure without its parameters, and the parameters.

    >>> split_parameters("nxCG(ideal=full, quantisation=sog)[25]"), split_parameters("iP")
    (('nxCG[25]', 'ideal=full, quantisation=sog'), ('iP', ''))
    """
    match = _MEASURE.fullmatch(measure)
    return (match["head"] + match["tail"], match["parameters"]) if match else (measure, "")


def folded(measure: str, most: int) -> str:
    """Name of a measure in lines of at most `most` characters, broken between its parameters.

    >>> print(folded("nxCG(ideal=full, quantisation=sog)[25]", 20))
    nxCG(ideal=full,
    quantisation=sog)
    [25]
    """
    lines = [""]
    for part in re.split(r"(?<=\()|(?<=, )|(?<=\))", measure):
        if lines[-1] and len((lines[-1] + part).rstrip()) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def balanced(count: int, most: int) -> int:
    """Number of columns, at most `most`, such that no row is much shorter than the others.

    >>> balanced(4, 3), balanced(3, 3), balanced(5, 9)
    (2, 3, 5)
    """
    columns = max(1, min(count, most))
    return -(-count // -(-count // columns)) if count else 1


def numerals(values: Sequence[float]) -> list[str]:
    """Numbers with as many decimals as the longest needs.

    >>> numerals([0, 0.25, 1]), numerals([1, 10, 50])
    (['0.00', '0.25', '1.00'], ['1', '10', '50'])
    """
    digits = max((len(f"{value:.6g}".partition(".")[2]) for value in values), default=0)
    return [f"{value:.{digits}f}" for value in values]


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as needed to be `gap` apart, between limits if there is room.

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
    moved = [0.0] * len(places)
    for i, place in zip(order, settled, strict=True):
        moved[i] = place
    return moved


def thin(axis: Any) -> None:
    """Hide tick labels that touch the previous one; the ticks stay."""
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


class Sheet:
    """A matplotlib figure with its options, and one row of data per mark."""

    def __init__(self, figure: Any, options: FigureOptions, settings: Any) -> None:
        self.figure = figure
        self.options = options
        self.rows: list[dict[str, Any]] = []
        self._settings = settings
        #: Functions called after the layout, which may change it; and functions called at the end.
        self._later: list[Callable[[], None]] = []
        self._last: list[Callable[[], None]] = []
        self._unused = options.top is not None or bool(options.highlight)
        #: Common part of the names of measures, their labels without it, and the full name of each label.
        self._shared = ""
        self._labels: dict[str, str] = {}
        self._named: dict[str, str] = {}
        #: Runs of the figure, and letters of those whose shortened names would be equal.
        self._runs: dict[str, None] = {}
        self._letters: dict[str, str] = {}
        styled = options.style or {}
        self._colours: Sequence[str] = COLOURS
        if "axes.prop_cycle" in styled:
            self._colours = settings["axes.prop_cycle"].by_key().get("color") or COLOURS
        width, height = settings["figure.figsize"] if "figure.figsize" in styled else (_WIDTH, None)
        self.width = options.width or width
        self._height = options.height or height
        figure.set_size_inches(self.width, self._height or 0.62 * self.width)

    @property
    def font(self) -> float:
        """Font size in points."""
        return float(self._settings["font.size"])

    @property
    def narrow(self) -> bool:
        """Return whether the figure is for one column of text."""
        return bool(self.width < _NARROW)

    def resize(self, height: float) -> None:
        """Set the height in inches unless the options give one."""
        self.figure.set_size_inches(self.width, self._height or min(height, 40.0))

    def panels(self, count: int, *, least: float = 2.2, height: float = 2.2, **more: Any) -> list[Any]:
        """Make a grid of axes, if possible at least `least` inches wide, with rows of a height in inches."""
        columns = balanced(count, int(self.width / least))
        rows = -(-count // columns)
        self.resize(rows * height)
        found = self.figure.subplots(rows, columns, squeeze=False, **more).ravel().tolist()
        for axes in found[count:]:
            axes.remove()
        return list(found[:count])

    def styles(self, count: int) -> list[SeriesStyle]:
        """Styles of series that are all emphasised, such as measures."""
        return styles(count, self.options, self._colours)

    def chosen(self, runs: Sequence[str], scores: Sequence[float]) -> StyledRuns:
        """Choose the emphasised runs by their scores and the options, with the styles of all runs."""
        self._unused = False
        self.together(runs)
        return choose(runs, scores, self.options, self._colours)

    def shade(self, colour: str) -> str:
        """Colour, or with the option `grey` a grey of the same luminance."""
        from matplotlib.colors import to_hex, to_rgb

        if not self.options.grey:
            return str(to_hex(colour))
        red, green, blue = to_rgb(colour)
        return str(to_hex(str(0.2126 * red + 0.7152 * green + 0.0722 * blue)))

    def below(self, panels: Sequence[Any], text: str) -> None:
        """Add one x label for all panels, centred below them."""
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
        """Add the data of one mark: a row of the CSV file of the figure."""
        self.rows.append(row)

    def factor(self, measures: Sequence[str]) -> None:
        """Leave the common part of these measures out of their labels, and write it above the figure."""
        self._shared, labels = factored(measures)
        if self._shared:
            self._labels |= dict(zip(measures, labels, strict=True))

    def together(self, runs: Sequence[str]) -> None:
        """Add runs of the figure, whose shortened names stay different."""
        self._runs |= dict.fromkeys(map(plain, runs))

    def keep(self, names: Sequence[str]) -> list[str]:
        """Names that are not shortened."""
        self._labels |= dict(zip(names, names, strict=True))
        return list(names)

    def label(self, measure: str) -> str:
        """Name of a measure without the part that all measures of the figure have in common."""
        return self._labels.get(measure, measure)

    def name(self, text: str, share: float = 0.36, *, axes: Any = None, tail: bool = True) -> str:
        """Name shortened to a proportion of the width, or measure folded; different names stay different."""
        most = self._letters_in(share / (1 if axes is None else axes.get_gridspec().ncols))
        whole = text in self._labels or _MEASURE.match(text)
        text = plain(self.label(text))
        if whole:
            return folded(text, most)
        if text in self._runs:
            return self._name_of_run(text, most)
        shown = _shortened(text, most, tail=tail)
        while self._named.setdefault(shown, text) != text and len(shown) < len(text):
            most += 1
            shown = _shortened(text, most, tail=tail)
        return shown

    def entitle(self, axes: Any, parameters: str) -> None:
        """Write the parameters of a measure above a panel, in lines that fit it."""
        axes.set_title(folded(parameters, self._letters_in(0.85 / axes.get_gridspec().ncols)))

    def _letters_in(self, share: float) -> int:
        """Number of letters that fit a proportion of the width."""
        return max(8, min(LONGEST_NAME, int(share * self.width * 72 / (_LETTER * self.font))))

    def _name_of_run(self, run: str, most: int) -> str:
        """Name of a run without the words that all runs share, marked where it is cut; else a letter.

        A name with marks fits one run of the figure only.
        """
        runs = list(self._runs)
        if max(map(len, runs)) <= most:
            return run
        names = dict(zip(runs, without_shared(runs), strict=True))
        cut = {name: _marked(name, own, most) for name, own in names.items()}
        for text in [text for text, count in Counter(cut.values()).items() if count > 1]:
            same = [name for name in runs if cut[name] == text]
            for name, own in zip(same, without_shared([names[name] for name in same]), strict=True):
                cut[name] = _marked(name, own, most)
        if all(sum(_fits(shown, name) for name in runs) == 1 for shown in cut.values()):
            return cut[run]
        return self._letters.setdefault(run, _lettered(len(self._letters)))

    def _add_below(self, entries: Sequence[str]) -> None:
        """Add lines below the figure, such as the key of the letters."""
        wide = max(20, int(self.width * 72 / (0.6 * self.small)))
        lines = [line for entry in entries for line in textwrap.wrap(entry, wide, subsequent_indent="   ")]
        inches = (1.25 * self.small * len(lines) + 6) / 72
        self.resize(self.figure.get_size_inches()[1] + inches)
        share = inches / self.figure.get_size_inches()[1]
        room = (0.0, share, 1.0, 1.0 - share)
        self.figure.get_layout_engine().set(rect=room)
        for legend in self.figure.legends:  # after the layout, which leaves room only for legends at the edge
            self._last.append(partial(legend.set_bbox_to_anchor, room, transform=self.figure.transFigure))
        look = {"va": "top", "fontsize": self.small, "linespacing": 1.2, "in_layout": False}
        self.figure.text(0.02, share - 3 / 72 / self.figure.get_size_inches()[1], "\n".join(lines), **look)

    def key(
        self, handles: Sequence[Any], names: Sequence[str], *, title: str | None = None, below: bool = False
    ) -> None:
        """Add a legend at the right of all panels or, with `below` and in narrow figures, below them."""
        # matplotlib omits names that start with an underscore.
        wide = 0.75 if self.narrow or below else 0.36
        labels = [self.name(name, wide if name in self._labels else 0.36) for name in names]
        shown = [f" {name}" if name.startswith("_") else name for name in labels]
        dots = all(_lineless(handle) for handle in handles)
        stroke = 1.0 if dots else _STROKE
        look = {"frameon": False, "title": title, "borderaxespad": 0.2, "handlelength": stroke}
        if not (self.narrow or below):
            self.figure.legend(handles, shown, loc="outside right upper", **look)
            return
        widest = max(
            (len(line) for name in shown for line in name.split("\n")), default=1
        ) * _LETTER * 0.85 * self.font + (40 if dots else 46)
        columns = balanced(len(shown), int(self.width * 72 / widest))
        tall = max((name.count("\n") + 1 for name in shown), default=1)
        lines = -(-len(shown) // columns) * tall + bool(title)
        self.resize(self.figure.get_size_inches()[1] + (1.5 * lines * self.small + 6) / 72)
        self.figure.legend(
            handles, shown, loc="outside lower center", ncols=columns, columnspacing=1.2, **look
        )

    def key_of_runs(self, chosen: StyledRuns, handles: Mapping[int, Any]) -> None:
        """Add a legend of the emphasised runs, with one entry for all others, if they were drawn."""
        names = {place: chosen.runs[place] for place in chosen.places}
        names |= {place: plural(len(chosen.rest), "other run") for place in chosen.rest[:1]}
        shown = [place for place in names if place in handles]
        self.key([handles[place] for place in shown], [names[place] for place in shown])

    def bars(self, axes: Any, x: Any, y: Any, *, aside: float = 0.0, **look: Any) -> Any:
        """Draw points as `axes.errorbar`, moved `aside` (see `dodge`): bars along x down, along y right."""
        from matplotlib.transforms import ScaledTranslation

        xerr, yerr = look.get("xerr"), look.get("yerr")
        move = (aside / 72, 0.0) if xerr is None else (0.0, -aside / 72)
        moved = axes.transData + ScaledTranslation(*move, self.figure.dpi_scale_trans)
        drawn = axes.errorbar(x, y, transform=moved, **look)
        for sign, part in ((-1, 0), (1, -1)):  # matplotlib ignores the shift in its limits
            ends = [
                np.asarray(at, float)
                + sign * np.nan_to_num(0.0 if bars is None else np.atleast_2d(bars)[part])
                for at, bars in ((x, xerr), (y, yerr))
            ]
            axes.update_datalim(np.column_stack(np.broadcast_arrays(*ends)))
        axes.autoscale_view()
        return drawn

    def dodge(self, place: int, count: int, *, points: float = 3.2) -> float:
        """Shift of one of `count` series, in points."""
        return (place - (count - 1) / 2) * points

    def ticks(self, axis: Any, values: Sequence[float], names: Sequence[str] | None = None) -> None:
        """Set ticks at these values only; labels that would collide are hidden."""
        from matplotlib.ticker import NullLocator

        axis.set_ticks(list(values), numerals(values) if names is None else list(names))
        axis.set_minor_locator(NullLocator())
        self.after(lambda: thin(axis))

    def measured(self, axis: Any, values: Sequence[float], *, most: int = 7) -> None:
        """Set ticks at measured values: at all of a few, or at the round ones of many."""
        from matplotlib.ticker import MaxNLocator

        chosen = sorted(set(values))
        if len(chosen) > most:
            whole, low, high = all(float(value).is_integer() for value in chosen), chosen[0], chosen[-1]
            ticks = MaxNLocator(most - 1, integer=whole, steps=[1, 2, 5, 10]).tick_values(low, high)
            chosen = [
                value for value in chosen if any(math.isclose(value, tick, abs_tol=1e-9) for tick in ticks)
            ]
            chosen = chosen if low in chosen or not whole else [low, *chosen]
        self.ticks(axis, chosen)

    @property
    def small(self) -> float:
        """Font size of names at lines, ticks and legends, in points."""
        return 0.88 * self.font

    def after(self, settle: Callable[[], None]) -> None:
        """Call a function after the layout, to move colliding texts."""
        self._later.append(settle)

    def finish(self) -> None:
        """Add the title, lay out the figure, move colliding texts; raise an error if it is too small."""
        if self._unused:
            raise ExcerptError("this figure shows no runs", hint="leave out ⟨top⟩ and ⟨highlight⟩")
        if self.options.title or self._shared:
            wide = max(10, int(self.width * 72 / (0.62 * self.font * 1.1)))
            title = textwrap.wrap(label(self.options.title, 4 * wide), wide)
            lines = [*title, *([folded(self._shared, wide)] if self._shared else [])]
            self.figure.suptitle("\n".join(lines), fontsize=1.1 * self.font)
        entries = [f"{letter} {run}" for run, letter in self._letters.items()]
        if self.options.missing:
            entries.append(say_missing(self.options.missing))
        if entries:
            self._add_below(entries)
        with warnings.catch_warnings(record=True) as messages:
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
        if small or any(_COLLAPSED in str(each.message) for each in messages):
            raise ExcerptError(
                f"{width:.3g} by {height:.3g} inches are too small for this figure",
                hint="try a larger ⟨height⟩ or ⟨width⟩, or a smaller ⟨font_size⟩",
            )


def without_shared(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin or end with.

    >>> without_shared(["inex09-sent-bm25", "inex09-p-bm25"]), without_shared(["a-1", "a"])
    (['sent', 'p'], ['a-1', 'a'])
    """
    words = [re.findall(r"[^\W_]+|[\W_]", name) for name in names]
    least = min(map(len, words)) - 1
    begin = min(least, _shared_words(words))
    end = min(least - begin, _shared_words([own[::-1] for own in words]))
    kept = ["".join(own[begin : len(own) - end]) for own in words]
    bare = [re.sub(r"^[\W_]+|[\W_]+$", "", name) or name for name in kept]
    return next((found for found in (bare, kept) if len(set(found)) == len(set(names))), list(names))


def _shared_words(names: Sequence[Sequence[str]]) -> int:
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*names, strict=False)))


def _lettered(place: int) -> str:
    """Letters of a run in a figure: A to Z, then AA, AB and so on."""
    return (_lettered(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)


def _marked(name: str, own: str, most: int) -> str:
    """Part of a name, marked at the ends where the name is cut, of at most `most` characters.

    >>> _marked("inex09-sent-bm25", "sent", 20), _marked("inex09-sent", "sent", 20)
    ('…sent…', '…sent')
    """
    start = name.find(own)
    before, after = "…" * (start > 0), "…" * (start + len(own) < len(name))
    return _shortened(f"{before}{own}{after}", most, tail=True)


def _fits(shown: str, name: str) -> bool:
    """Return whether a name may be meant by a shortened one.

    >>> _fits("…bm25…", "sent-bm25-b"), _fits("…bm25", "sent-bm25-b")
    (True, False)
    """
    return bool(re.fullmatch(".*".join(map(re.escape, shown.split("…"))), name, re.DOTALL))


def _shortened(text: str, most: int, *, tail: bool) -> str:
    """Text of at most `most` characters, without its middle or, if its `tail` does not matter, its end."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}…{text[-end:]}" if tail else short(text, most)


def _lineless(handle: Any) -> bool:
    """Return whether a legend entry is a marker without a line."""
    drawn = handle[0] if isinstance(handle, tuple) else handle
    return str(getattr(drawn, "get_linestyle", lambda: "")()) == "None"
