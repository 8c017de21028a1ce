"""Names of lines where they end, right of the axes: direct labels instead of a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from excerpt.render.figures.fitting import apart
from excerpt.render.figures.pens import Pen
from excerpt.render.figures.sheet import Sheet


def name_ends(sheet: Sheet, axes: Any, lines: Sequence[tuple[float, str, Pen]]) -> None:
    """Names right of the axes, each at the height where its line ends, moved apart where they collide.

    Where all lines end at about the same height, the names stand below each other as they are given.
    """
    gap, points = 1.18 * sheet.small, 5.0
    edge = axes.get_yaxis_transform()
    texts = [
        axes.annotate(
            sheet.name(name),
            (1.0, y),
            (points + 9.0, 0.0),
            xycoords=edge,
            textcoords="offset points",
            va="center",
            fontsize=sheet.small,
            annotation_clip=False,
        )
        for y, name, _ in lines
    ]

    def settle() -> None:
        scale = 72 / sheet.figure.dpi
        box = axes.get_window_extent()
        low, high = box.y0 * scale, box.y1 * scale
        ends = [axes.transData.transform((0.0, y))[1] * scale for y, _, _ in lines]
        bunched = max(ends, default=0.0) - min(ends, default=0.0) < 0.4 * gap * (len(ends) - 1)
        listed = [high - (n + 0.5) * gap for n in range(len(ends))]
        places = listed if bunched else apart(ends, gap, low, high)
        for text, (y, _, pen), end, place in zip(texts, lines, ends, places, strict=True):
            text.xyann = (points + 9.0, place - end)
            if not bunched:
                _stroke(axes, y, (points, place - end), pen)
            _marker(sheet, axes, y, (points + 4.5, place - end), pen)

    sheet.after(settle)


def _stroke(axes: Any, y: float, offset: tuple[float, float], pen: Pen) -> None:
    """A thin line from the edge of the axes, where a line ends, towards its name."""
    look = {"arrowstyle": "-", "color": pen.colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0}
    place = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    axes.annotate("", (1.0, y), offset, arrowprops=look, annotation_clip=False, **place)


def _marker(sheet: Sheet, axes: Any, y: float, offset: tuple[float, float], pen: Pen) -> None:
    """The marker of a line before its name."""
    from matplotlib.transforms import ScaledTranslation

    move = ScaledTranslation(offset[0] / 72, offset[1] / 72, sheet.figure.dpi_scale_trans)
    axes.plot([1.0], [y], transform=axes.get_yaxis_transform() + move, clip_on=False, **pen.dots())
