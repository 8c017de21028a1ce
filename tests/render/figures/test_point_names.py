"""Names next to points."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from excerpt.render.figures.drawing import filled
from excerpt.render.figures.labels import Point, name_points
from excerpt.render.figures.sheet import FigureOptions, Sheet

pytest.importorskip("matplotlib")


def test_names_do_not_collide() -> None:
    """Points that nearly meet, some at the edge: names neither overlap nor leave the axes."""
    points = [Point(0.5 + 0.01 * i, 0.5, f"name-{i}", "#000000") for i in range(5)]
    points += [Point(1.0, 1.0, "corner", "#000000"), Point(0.0, 0.0, "other corner", "#000000")]

    def fill(sheet: Sheet) -> None:
        (axes,) = sheet.panels(1)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        name_points(sheet, axes, points, [(0.6, 0.5)], [(0.5, y / 10) for y in range(10)])

    with filled(fill, FigureOptions(width=3.3)) as sheet:
        (axes,) = sheet.figure.axes
        boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
        frame = axes.get_window_extent()
    assert len(boxes) == 7
    assert not any(_overlap(one, two) for one, two in combinations(boxes, 2))
    assert all(frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 for box in boxes)


def test_a_name_stands_at_its_own_point() -> None:
    """Two neighbouring points: each name is nearer to its own, or a line leads from it."""
    points = [Point(0.1, 0.05, "one-name", "#000000"), Point(0.2, 0.06, "two-names", "#000000")]

    def fill(sheet: Sheet) -> None:
        (axes,) = sheet.panels(1)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        name_points(sheet, axes, points)

    with filled(fill, FigureOptions(width=3.3)) as sheet:
        (axes,) = sheet.figure.axes
        led = {text.xy for text in axes.texts if not text.get_text()}
        dots = [axes.transData.transform((point.x, point.y)) for point in points]
        names = [text for text in axes.texts if text.get_text()]
        for place, text in enumerate(names):
            own, other = (_away(text.get_window_extent(), dots[at]) for at in (place, 1 - place))
            assert own < other or text.xy in led


def _away(box: Any, dot: Any) -> float:
    """Distance of a point from the nearest edge of a name."""
    across = max(box.x0 - dot[0], dot[0] - box.x1, 0.0)
    along = max(box.y0 - dot[1], dot[1] - box.y1, 0.0)
    return float(across**2 + along**2)


def _overlap(one: Any, two: Any) -> bool:
    return bool(min(one.x1, two.x1) > max(one.x0, two.x0) and min(one.y1, two.y1) > max(one.y0, two.y0))
