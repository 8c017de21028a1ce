"""Names at the ends of lines."""

from __future__ import annotations

import itertools

import pytest

from excerpt.render.figures.drawing import filled
from excerpt.render.figures.labels import name_ends
from excerpt.render.figures.sheet import FigureOptions, Sheet

pytest.importorskip("matplotlib")


def test_names_at_the_ends_do_not_collide() -> None:
    """Each at the height of its line, or moved; in the order of the lines."""

    def fill(sheet: Sheet) -> None:
        (axes,) = sheet.panels(1)
        axes.set_ylim(0, 1)
        name_ends(
            sheet, axes, [(0.5, name, style) for name, style in zip("abc", sheet.styles(3), strict=True)]
        )

    with filled(fill, FigureOptions(width=3.3)) as sheet:
        boxes = sorted(
            (text.get_window_extent() for text in sheet.figure.axes[0].texts if text.get_text()),
            key=lambda box: float(box.y0),
        )
        assert len(boxes) == 3
        assert all(low.y1 <= high.y0 + 1 for low, high in itertools.pairwise(boxes))
        assert all(box.x1 <= 3.3 * sheet.figure.dpi for box in boxes)
