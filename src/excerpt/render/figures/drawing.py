"""Drawings as files: PNG, SVG and PDF, the same bytes for the same drawing."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.render.escape import plain

_STYLE = {
    "svg.hashsalt": "excerpt",  # ids inside the file are else drawn at random
    "text.parse_math": False,  # a dollar sign in a run's name is a dollar sign
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 10.0,
}
#: What would tell the day or the version that a figure was made with.
_NO_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_LONGEST_NAME = 60


def require_drawing(format_: str) -> None:
    """An error of the user's where matplotlib is missing."""
    try:
        import matplotlib as _  # noqa: F401, ICN001 - only whether it is there
    except ImportError:
        raise ExcerptError(
            f"{format_} needs matplotlib, which is not installed", hint="pip install 'excerpt[plot]'"
        ) from None


def label(name: str) -> str:
    """A name as figures show it: no control characters, which no XML may hold, and not too long."""
    return short(plain(name), _LONGEST_NAME)


def draw(fill: Callable[[Any], None], format_: str, *, size: tuple[float, float] = (7.2, 4.5)) -> bytes:
    """The figure that `fill` draws, as svg, pdf or png."""
    if format_ not in _NO_METADATA:
        raise UnknownName("format of a figure", str(format_), _NO_METADATA)
    require_drawing(format_)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters of run names that the font lacks become boxes
        mpl.rcdefaults()  # not the user's own settings: the same drawing gives the same file everywhere
        settings: Any = mpl.rcParams
        settings.update(_STYLE)
        figure: Any = Figure(figsize=size, dpi=150, layout="constrained")
        fill(figure)
        written = io.BytesIO()
        figure.savefig(written, format=format_, metadata=_NO_METADATA[format_], bbox_inches="tight")
        return written.getvalue()
