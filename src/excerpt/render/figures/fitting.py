"""What fits: names that are not too long, columns of equal length, places that do not collide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from excerpt.errors import short
from excerpt.render.escape import plain

#: Letters of the longest name that a figure shows.
LONGEST_NAME = 60


def label(name: str, most: int = LONGEST_NAME) -> str:
    """A name as figures show it: no control characters, which no XML may hold, and not too long."""
    return short(plain(name), most)


def balanced(count: int, most: int) -> int:
    """How many columns some items have: at most so many, and no row much shorter than the others.

    >>> balanced(4, 3), balanced(3, 3), balanced(5, 9)
    (2, 3, 5)
    """
    columns = max(1, min(count, most))
    return -(-count // -(-count // columns)) if count else 1


def numerals(values: Sequence[float]) -> list[str]:
    """Numbers with as many digits after the point as the longest needs.

    >>> numerals([0, 0.25, 1]), numerals([1, 10, 50])
    (['0.00', '0.25', '1.00'], ['1', '10', '50'])
    """
    digits = max((len(f"{value:.6g}".partition(".")[2]) for value in values), default=0)
    return [f"{value:.{digits}f}" for value in values]


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as needed to be a gap apart, between limits where there is room.

    >>> apart([0.0, 1.0, 9.0], 2.0, 0.0, 10.0)
    [0.0, 2.0, 9.0]
    >>> apart([5.0, 5.0], 2.0, 0.0, 10.0)
    [4.0, 6.0]
    """
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
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
    found = [0.0] * len(places)
    for i, place in zip(order, settled, strict=True):
        found[i] = place
    return found


def thin(axis: Any) -> None:
    """Leave out labels of ticks that touch the one before; the ticks stay."""
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
