"""Labels of points and of line ends, placed without collisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from excerpt.render.figures.sheet import SeriesStyle, Sheet, apart

#: Offsets of a name from its point in font heights, with the alignment of the text.
_SIDES = (
    *((0.55, 0.0, "left", "center"), (-0.55, 0.0, "right", "center")),
    *((0.0, 0.5, "center", "bottom"), (0.0, -0.5, "center", "top")),
    *((0.4, 0.35, "left", "bottom"), (0.4, -0.35, "left", "top")),
    *((-0.4, 0.35, "right", "bottom"), (-0.4, -0.35, "right", "top")),
)
#: Factors of these offsets, and their costs; a thin line connects distant names with their points.
_STEPS = ((1.0, 0.0), (3.0, 0.4), (5.5, 0.8), (8.5, 1.2), (12.0, 1.6), (16.0, 2.0))
_LED = 0.4  # cost factor of a distant name near another point: a line shows which point it belongs to


def name_ends(sheet: Sheet, axes: Any, lines: Sequence[tuple[float, str, SeriesStyle]]) -> None:
    """Write names at the ends of their lines, moved apart, or as a list if all end at the same height."""
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
        for text, (y, _, style), end, place in zip(texts, lines, ends, places, strict=True):
            text.xyann = (points + 9.0, place - end)
            if not bunched:  # a thin line from the end of a line to its name
                to = {"xycoords": edge, "annotation_clip": False}
                _lead(axes, (1.0, y), (points, place - end), style.colour, 0.6, **to)
            _marker(sheet, axes, y, (points + 4.5, place - end), style)

    sheet.after(settle)


def _lead(
    axes: Any, at: tuple[float, float], offset: tuple[float, float], colour: str, width: float, **more: Any
) -> None:
    """Draw a thin line from a point to its name."""
    look = {"arrowstyle": "-", "color": colour, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", at, offset, textcoords="offset points", arrowprops=look, **more)


def _marker(sheet: Sheet, axes: Any, y: float, offset: tuple[float, float], style: SeriesStyle) -> None:
    """Draw the marker of a line before its name."""
    from matplotlib.transforms import ScaledTranslation

    move = ScaledTranslation(offset[0] / 72, offset[1] / 72, sheet.figure.dpi_scale_trans)
    axes.plot([1.0], [y], transform=axes.get_yaxis_transform() + move, clip_on=False, **style.dots())


class Point(NamedTuple):
    """A point with its name and colour."""

    x: float
    y: float
    name: str
    colour: str


def name_points(
    sheet: Sheet,
    axes: Any,
    points: Sequence[Point],
    others: Sequence[tuple[float, float]] = (),
    line: Sequence[tuple[float, float]] = (),
) -> None:
    """Write names of points after the layout; they avoid points of `others` and, if possible, a `line`."""
    size = 0.82 * sheet.font
    texts = [
        axes.annotate(
            sheet.name(point.name, 0.3, axes=axes),
            (point.x, point.y),
            (0.0, 0.0),
            textcoords="offset points",
            fontsize=size,
            color=point.colour,
            zorder=4,
        )
        for point in points
    ]
    for text in texts:
        text.set_in_layout(False)  # names are moved inside the axes

    def settle() -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        # With a renderer of its own, a measurement does not allocate the whole figure.
        renderer = cast("Any", RendererAgg)(1, 1, sheet.figure.dpi)
        frame = axes.get_window_extent()
        dots = [axes.transData.transform(place) for place in [*((p.x, p.y) for p in points), *others]]
        strokes = [axes.transData.transform(place) for place in line]
        taken: list[Any] = []
        for place, (text, point) in enumerate(zip(texts, points, strict=True)):
            rivals = [*dots[:place], *dots[place + 1 :]]
            candidates = []
            for step, (far, cost) in enumerate(_STEPS):
                for side, (x, y, across, along) in enumerate(_SIDES):
                    _put(text, (x * far * size, y * far * size), across, along)
                    box = text.get_window_extent(renderer)
                    hidden = _hidden(box, frame, dots, taken) + 0.15 * box.count_contains(strokes)
                    unclear = _nearer(box, dots[place], rivals) * (_LED if step else 1.0)
                    candidates.append((hidden + unclear + cost, step, side))
            _, step, side = min(candidates)
            x, y, across, along = _SIDES[side]
            offset = (x * _STEPS[step][0] * size, y * _STEPS[step][0] * size)
            _put(text, offset, across, along)
            if step:  # a thin line from a point to a distant name
                _lead(axes, (point.x, point.y), offset, point.colour, 0.4, zorder=2)
            taken.append(text.get_window_extent(renderer))

    sheet.after(settle)


def _put(text: Any, offset: tuple[float, float], across: str, along: str) -> None:
    text.xyann = offset
    text.set_ha(across)
    text.set_va(along)


def _hidden(box: Any, frame: Any, dots: Sequence[Any], taken: Sequence[Any]) -> float:
    """Cost of a name that covers other names or points, or that lies outside the axes."""
    area = box.width * box.height
    outside = round(1 - _shared(box, frame) / area, 3)
    over: float = sum(4 + 8 * shared / area for other in taken if (shared := _shared(box, other)))
    return float(over + box.count_contains(dots) + 8 * outside + (outside > 0))


def _nearer(box: Any, own: Any, others: Sequence[Any]) -> bool:
    """Return whether another point is about as near to a name as its own point."""
    least = 1.3 * _distance(box, own)
    return any(_distance(box, other) <= least for other in others)


def _distance(box: Any, dot: Any) -> float:
    x, y = dot
    return float(math.hypot(max(box.x0 - x, x - box.x1, 0.0), max(box.y0 - y, y - box.y1, 0.0)))


def _shared(one: Any, other: Any) -> float:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    along = min(one.y1, other.y1) - max(one.y0, other.y0)
    return float(max(across, 0.0) * max(along, 0.0))
