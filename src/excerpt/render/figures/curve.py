"""Curves as figures: PNG, SVG and PDF, the same bytes for the same curve."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.evaluation.curves import Curve

FORMATS = ("png", "svg", "pdf")

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
#: More runs than this have their legend beside the axes; more points than this are not marked.
_INSIDE = 5
_MARKED = 25
_LEGEND_ROWS = 24
_DASHES = ("-", "--", "-.", ":")


def require(format_: str) -> None:
    """An error of the user's where matplotlib is missing."""
    try:
        import matplotlib as _  # noqa: F401, ICN001 - only whether it is there
    except ImportError:
        raise ExcerptError(
            f"{format_} needs matplotlib, which is not installed", hint="pip install 'excerpt[plot]'"
        ) from None


def draw(curve: Curve, format_: str) -> bytes:
    """A figure with one line per run, in one of `FORMATS`."""
    return render_figure(lambda figure: _fill(figure.add_subplot(), curve), format_)


def render_figure(
    fill: Callable[[Any], None], format_: str, *, size: tuple[float, float] = (7.2, 4.5)
) -> bytes:
    """The figure that `fill` draws, in one of `FORMATS`; the same drawing gives the same bytes."""
    require(format_)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters of run names that the font lacks become boxes
        mpl.rcdefaults()  # not the user's own settings: the same curve gives the same figure everywhere
        settings: Any = mpl.rcParams
        settings.update(_STYLE)
        figure: Any = Figure(figsize=size, dpi=150, layout="constrained")
        fill(figure)
        written = io.BytesIO()
        figure.savefig(written, format=format_, metadata=_NO_METADATA[format_], bbox_inches="tight")
        return written.getvalue()


def _fill(axes: Any, curve: Curve) -> None:
    """Lines, labels, grid and legend."""
    mark = "." if len(curve.x) <= _MARKED else ""
    lines = [
        axes.plot(curve.x, scores, mark, color=f"C{i % 10}", linestyle=_DASHES[i // 10 % 4], linewidth=1.4)[0]
        for i, scores in enumerate(curve.values)
    ]
    axes.set_xlabel(curve.x_label)
    axes.set_ylabel(curve.y_label)
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    defined = curve.values[~np.isnan(curve.values)]
    highest = float(defined.max(initial=0.0))
    axes.set_ylim(0.0, 1.05 * highest if highest > 0 else 1.0)
    axes.margins(x=0.02)
    if np.issubdtype(curve.x.dtype, np.integer):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _add_legend(axes, lines, curve.runs)


def _add_legend(axes: Any, lines: list[Any], names: tuple[str, ...]) -> None:
    # matplotlib leaves out names that start with an underscore.
    labels = [f" {name}" if name.startswith("_") else name for name in names]
    if len(names) <= _INSIDE:
        axes.legend(lines, labels, loc="best", framealpha=0.9)
        return
    columns = -(-len(names) // _LEGEND_ROWS)
    axes.legend(lines, labels, loc="upper left", bbox_to_anchor=(1.02, 1.0), ncols=columns, frameon=False)
