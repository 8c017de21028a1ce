"""Drawings as files: PNG, SVG and PDF, the same bytes for the same drawing, and the data of their marks."""

from __future__ import annotations

import base64
import io
import logging
import math
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, UnknownName, short, short_list
from excerpt.model.saved_scores import csv_line
from excerpt.render.figures.sheet import Paper, Sheet

#: What a style may change.
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
#: What no style changes: the size that was asked for, text that stays text, no date and nothing random.
_FIXED = {
    "svg.hashsalt": "excerpt",  # ids inside the file are else drawn at random
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
#: Sizes that follow the size of the letters, in shares of it.
_FOLLOWING = {
    name: 0.88 for name in _STYLE if name.endswith(("labelsize", "fontsize")) and "axes" not in name
}
_DPI = 300
_LACKING = re.compile(r"Glyph (\d+) .*missing from font")
#: What would tell the day or the version that a figure was made with.
_NO_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


class Picture(bytes):
    """The bytes of a file; where a notebook ends a cell with it, it is shown."""

    format: str

    def __repr__(self) -> str:
        return f"<figure: {self.format}, {len(self)} bytes>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What a notebook shows."""
        if self.format == "svg":
            return {"image/svg+xml": self.decode()}
        return {"image/png": base64.b64encode(self).decode()} if self.format == "png" else {}


class Drawing(NamedTuple):
    """A figure as bytes of a file, and a row for each of its marks."""

    picture: Picture
    rows: list[dict[str, Any]]
    #: Characters that the font lacks, which are drawn as boxes; an SVG leaves them to who shows it.
    boxes: str = ""

    def data(self) -> str:
        """The rows as CSV with every digit; what is undefined is an empty field."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        lines = ([_cell(row.get(name)) for name in columns] for row in self.rows)
        return "".join(map(csv_line, (columns, *lines)))


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)


def require_drawing(format_: str) -> None:
    """An error of the user's where matplotlib is missing."""
    try:
        import matplotlib as _  # noqa: F401, ICN001 - only whether it is there
    except ImportError:
        raise ExcerptError(
            f"{format_} needs matplotlib, which is not installed", hint="pip install 'excerpt[plot]'"
        ) from None


def draw(fill: Callable[[Sheet], None], format_: str, paper: Paper | None = None) -> Drawing:
    """The figure that `fill` draws on a sheet, as svg, pdf or png."""
    if format_ not in _NO_METADATA:
        raise UnknownName("format of a figure", str(format_), _NO_METADATA)
    require_drawing(format_)
    own = paper or Paper()
    try:
        with filled(fill, own) as sheet, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            written = io.BytesIO()
            sheet.figure.savefig(written, format=format_, metadata=_NO_METADATA[format_], dpi=_DPI)
    except ExcerptError:
        raise
    except Exception as error:
        if not own.style:
            raise
        # Each value of the style is one that matplotlib takes; not every one can be drawn with.
        what = short(f"{type(error).__name__}: {error}")
        raise ExcerptError(
            f"found a style that matplotlib cannot draw with ({what}), expected sizes and colours that fit",
            hint="leave out settings of ⟨style⟩ one by one",
        ) from error
    picture = Picture(written.getvalue())
    picture.format = format_
    lacking = [match for each in said if (match := _LACKING.match(str(each.message)))]
    boxes = "" if format_ == "svg" else "".join(dict.fromkeys(chr(int(match[1])) for match in lacking))
    return Drawing(picture, sheet.rows, boxes)


def _require_font(settings: Any) -> None:
    """An error where no font of a style is here: matplotlib would take another one."""
    from matplotlib.font_manager import get_font_names

    asked = ["sans-serif" if each in {"sans", "sans serif"} else each for each in settings["font.family"]]
    named = [name for each in asked for name in settings.get(f"font.{each}", [each])]
    known = {name.lower() for name in get_font_names()}
    if not any(name.lower() in known for name in named):
        raise ExcerptError(
            f"found the font {short_list(named, 3)} in the style, expected one that is installed"
        )


@contextmanager
def _without_font_talk() -> Iterator[None]:
    """Nothing is said of fonts of a list that are not here, where another one of it is."""
    logger = logging.getLogger("matplotlib.font_manager")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def filled(fill: Callable[[Sheet], None], paper: Paper) -> Iterator[Sheet]:
    """A sheet that `fill` has drawn on, finished, while the settings of its paper hold."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings(), _without_font_talk():
        warnings.simplefilter("ignore")
        mpl.rcdefaults()  # not the user's own settings: the same drawing gives the same file everywhere
        settings: Any = mpl.rcParams
        settings.update(_STYLE)
        settings.update(paper.style or {})
        if paper.font_size is not None:
            settings["font.size"] = paper.font_size
        for name, share in _FOLLOWING.items():
            if name not in (paper.style or {}):
                settings[name] = share * settings["font.size"]
        settings.update(_FIXED)
        if paper.style:
            _require_font(settings)
        sheet = Sheet(Figure(dpi=_DPI, layout="constrained"), paper, settings)
        fill(sheet)
        sheet.finish()
        yield sheet
