"""Overlap-aware gain: text that was seen before brings less (INEX 2005, focused).

Kazai, Lalmas, de Vries: "The Overlap Problem in Content-Oriented XML Retrieval Evaluation", SIGIR 2004.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from excerpt.model.elements import GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.memory import remember
from excerpt.model.spans import FloatArray, IntArray


def remaining_value(
    gain: float, size: int, children: Sequence[tuple[float, int]], alpha: float, *, seen: str
) -> float:
    """The value of an element of which nothing, a part or all was seen.

    `children` are the remaining values and sizes of its assessed children: all that is left of a part.

    >>> remaining_value(0.5, 100, [(0.0, 40), (0.25, 60)], 1, seen="part")
    0.15
    """
    if seen == "nothing":
        return gain
    rest = sum(value * length for value, length in children) / size if seen == "part" and size else 0.0
    return alpha * rest + (1 - alpha) * gain


def remaining_gains(judgments: Judgments, gains: FloatArray, elements: IntArray, alpha: float) -> FloatArray:
    """What each result brings, given the results before it."""
    graded = judgments.elements
    assert graded is not None
    children = _children(graded)
    seen: set[int] = set()
    touched: set[int] = set()
    found = np.zeros(len(elements))

    def value(element: int) -> float:
        state = "all" if element in seen else "part" if element in touched else "nothing"
        below = (
            [(value(child), int(graded.size[child])) for child in children.get(element, ())]
            if state == "part"
            else []
        )
        return remaining_value(float(gains[element]), int(graded.size[element]), below, alpha, seen=state)

    for rank in np.flatnonzero(elements >= 0).tolist():
        element = int(elements[rank])
        found[rank] = value(element)
        _mark(element, graded.parents, children, seen, touched)
    return found


@remember
def _children(elements: GradedElements) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for child in np.flatnonzero(elements.parents >= 0).tolist():
        found.setdefault(int(elements.parents[child]), []).append(child)
    return found


def _mark(
    element: int, parents: IntArray, children: Mapping[int, Sequence[int]], seen: set[int], touched: set[int]
) -> None:
    """An element and all below it are seen; a part of all above it is."""
    waiting = [element]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting.extend(children.get(here, ()))
    up = int(parents[element])
    while up >= 0:
        touched.add(up)
        up = int(parents[up])
