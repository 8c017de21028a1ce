"""A figure while it is drawn: panels of the right size, pens, names, ticks, keys, and the data of every mark.

A function that draws a result gets a `Sheet`. Names at the ends of lines and labels of ticks are moved apart
when everything has its place, by `finish`.
"""

from __future__ import annotations

import math
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.render.escape import plain
from excerpt.render.figures.fitting import LONGEST_NAME, balanced, label, numerals, thin
from excerpt.render.figures.paper import Paper
from excerpt.render.figures.pens import COLOURS, Chosen, Pen, choose, others, pens

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
        look = {
            "frameon": False,
            "title": title,
            "borderaxespad": 0.2,
            "handlelength": 1.0 if dots else _STROKE,
        }
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
        names |= {place: others(len(chosen.rest)) for place in chosen.rest[:1]}
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
            round_ = MaxNLocator(most - 1, integer=whole, steps=[1, 2, 5, 10]).tick_values(
                known[0], known[-1]
            )
            shown = [
                value for value in known if any(math.isclose(value, tick, abs_tol=1e-9) for tick in round_)
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
