"""Reproducible figure files (PNG, SVG, PDF) and the data of their marks."""

from __future__ import annotations

import base64
import io
import logging
import math
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from excerpt.documents.outputs import FIGURE
from excerpt.errors import ExcerptError, UnknownName, short, short_list
from excerpt.render.figures.fonts import fonts_with
from excerpt.render.figures.sheet import FigureOptions, Sheet
from excerpt.score_files.saved_scores import csv_line

#: Settings that a style file may change.
_STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.labelsize": "medium",
    "axes.titlesize": "medium",
    "axes.axisbelow": True,
    "axes.grid": False,
    "errorbar.capsize": 1.6,
    "font.size": 8.0,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "legend.fontsize": 7.0,
    "legend.title_fontsize": 7.0,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.8,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.6,
    "ytick.major.size": 2.6,
}
#: Settings that no style file changes: given size, text as text, no date, nothing random.
_FIXED = {
    "svg.hashsalt": "excerpt",  # ids inside the file are random otherwise
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "pdf.use14corefonts": False,
    "text.parse_math": False,  # a dollar sign in a run's name is a dollar sign
    "text.usetex": False,
    "axes.formatter.use_mathtext": False,
    "savefig.bbox": None,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.042,
}
#: Sizes relative to the font size.
_RELATIVE = {name: 0.88 for name in _STYLE if name.endswith(("labelsize", "fontsize")) and "axes" not in name}
_DPI = 300
_LACKING = re.compile(r"Glyph (\d+) .*missing from (?:current )?font")
#: Metadata with dates or versions, which are left out; a PDF says what it is, since it is no document.
_METADATA: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": FIGURE, "Producer": None},
}


class Picture(bytes):
    """Bytes of a figure file, which notebooks display."""

    format: str

    def __repr__(self) -> str:
        return f"<figure: {self.format}, {len(self)} bytes>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Formats for notebooks."""
        if self.format == "svg":
            return {"image/svg+xml": self.decode()}
        return {"image/png": base64.b64encode(self).decode()} if self.format == "png" else {}


class Drawing(NamedTuple):
    """A figure file, and one row of data per mark."""

    picture: Picture
    rows: list[dict[str, Any]]
    #: Characters that no installed font has, drawn as boxes; none in an SVG, whose viewer chooses the font.
    boxes: str = ""

    def data(self) -> str:
        """Rows as CSV with every digit; undefined values are empty fields."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        lines = ([_cell(row.get(name)) for name in columns] for row in self.rows)
        return "".join(map(csv_line, (columns, *lines)))


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)


def require_drawing(format_: str) -> None:
    """Raise an error if matplotlib is not installed."""
    try:
        import matplotlib as _  # noqa: F401, ICN001 - only to see whether it is installed
    except ImportError:
        raise ExcerptError(
            f"{format_} needs matplotlib, which is not installed", hint="pip install 'excerpt[plot]'"
        ) from None


def draw(fill: Callable[[Sheet], None], format_: str, options: FigureOptions | None = None) -> Drawing:
    """Draw a figure with `fill`, as svg, pdf or png.

    Characters that its font lacks are drawn with another that is installed; if there is none, the figure
    says which they are.
    """
    if format_ not in _METADATA:
        raise UnknownName("format of a figure", str(format_), _METADATA)
    require_drawing(format_)
    own = options or FigureOptions()
    drawn = _draw(fill, format_, own)
    if drawn.boxes and (fonts := fonts_with(drawn.boxes)):
        own = replace(own, fonts=fonts)
        drawn = _draw(fill, format_, own)
    return _draw(fill, format_, replace(own, missing=drawn.boxes)) if drawn.boxes else drawn


def _draw(fill: Callable[[Sheet], None], format_: str, own: FigureOptions) -> Drawing:
    """Draw a figure with the fonts of its options."""
    try:
        with filled(fill, own) as sheet, warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            written = io.BytesIO()
            sheet.figure.savefig(written, format=format_, metadata=_METADATA[format_], dpi=_DPI)
    except ExcerptError:
        raise
    except Exception as error:
        if not own.style:
            raise
        # matplotlib accepts each value of the style, but cannot draw with all combinations.
        reason = short(f"{type(error).__name__}: {error}")
        raise ExcerptError(
            f"matplotlib cannot draw with this style ({reason})",
            hint="remove settings from ⟨style⟩ one by one",
        ) from error
    picture = Picture(written.getvalue())
    picture.format = format_
    lacking = [match for each in messages if (match := _LACKING.match(str(each.message)))]
    boxes = "" if format_ == "svg" else "".join(dict.fromkeys(chr(int(match[1])) for match in lacking))
    return Drawing(picture, sheet.rows, boxes)


def _require_font(settings: Any) -> None:
    """Raise an error if no font of a style is installed: matplotlib would silently use another font."""
    from matplotlib.font_manager import get_font_names

    families = ["sans-serif" if each in {"sans", "sans serif"} else each for each in settings["font.family"]]
    named = [name for each in families for name in settings.get(f"font.{each}", [each])]
    installed = {name.lower() for name in get_font_names()}
    if not any(name.lower() in installed for name in named):
        raise ExcerptError(f"the style needs a font that is not installed: {short_list(named, 3)}")


@contextmanager
def _without_font_messages() -> Iterator[None]:
    """Suppress messages about missing fonts if another font of the list is installed."""
    logger = logging.getLogger("matplotlib.font_manager")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def filled(fill: Callable[[Sheet], None], options: FigureOptions) -> Iterator[Sheet]:
    """Finished sheet drawn by `fill`; the settings of `options` apply inside the context."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings(), _without_font_messages():
        warnings.simplefilter("ignore")
        mpl.rcdefaults()  # not the user's settings, so that the same drawing gives the same file everywhere
        settings: Any = mpl.rcParams
        settings.update(_STYLE)
        settings.update(options.style or {})
        if options.font_size is not None:
            settings["font.size"] = options.font_size
        for name, factor in _RELATIVE.items():
            if name not in (options.style or {}):
                settings[name] = factor * settings["font.size"]
        settings.update(_FIXED)
        settings["font.family"] = [*settings["font.family"], *options.fonts]
        if options.style:
            _require_font(settings)
        sheet = Sheet(Figure(dpi=_DPI, layout="constrained"), options, settings)
        fill(sheet)
        sheet.finish()
        yield sheet
