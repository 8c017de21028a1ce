"""Assessed elements as columns: looked up, put together, and the nearest one above."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt.errors import ExcerptError
from excerpt.model.elements import GradedElement, GradedElements, canonical

RECORDS = [
    GradedElement("1", "A", "/a", 1, 1),
    GradedElement("1", "A", "/a[1]/b[2]/c[1]", 3, 2),
    GradedElement("1", "B", "/a[1]/b[2]", 2, 2),
]
PAIRS = np.array([0, 0, 1])


def test_elements_are_found_by_path() -> None:
    """Paths without positions mean the first; another document's element is another one."""
    elements = GradedElements.of(RECORDS, PAIRS)
    codes = elements.path_codes(["/a[1]", "/a/b[2]/c", "/a[1]/b[2]", "/nowhere"])
    assert elements.find(np.array([0, 0, 0, 0]), codes).tolist() == [0, 1, -1, -1]
    assert elements.find(np.array([1, 1, -1]), codes[[2, 0, 0]]).tolist() == [2, -1, -1]


def test_the_nearest_assessed_element_above() -> None:
    """Steps that were not assessed are passed over; other documents do not count."""
    assert GradedElements.of(RECORDS, PAIRS).parents.tolist() == [-1, 0, -1]


def test_several_files_together() -> None:
    """Pairs are shifted, paths numbered anew, and everything is found as before; nothing of nothing."""
    one, two = (GradedElements.of(RECORDS[place : place + 2], PAIRS[place : place + 2]) for place in (0, 1))
    both = GradedElements.together([one, None, two], np.array([0, 5, 5]))
    assert both is not None
    assert both.pair.tolist() == [0, 0, 5, 6]
    assert both.exhaustivity.tolist() == [1, 3, 3, 2]
    assert both.find(
        np.array([5, 6, 0]), both.path_codes(["/a[1]/b[2]/c[1]", "/a[1]/b[2]", "/a[1]/b[2]"])
    ).tolist() == [
        2,
        3,
        -1,
    ]
    assert both.parents.tolist() == [-1, 0, -1, -1]
    assert GradedElements.together([None], np.array([0])) is None


def test_mistakes() -> None:
    """An element twice, and grades that cannot be, are errors."""
    with pytest.raises(ExcerptError, match=r"found /a\[1\] of document A for topic 1 again"):
        GradedElements.of([RECORDS[0], GradedElement("1", "A", "/a[1]", 2, 2)], np.array([0, 0]))
    for wrong in (GradedElement("1", "A", "/a", 4), GradedElement("1", "A", "/a", 1, -1, 5, 6)):
        with pytest.raises(ExcerptError, match="expected grades of -1 to 3 and no more relevant characters"):
            GradedElements.of([wrong], np.array([0]))


def test_a_path_has_one_spelling() -> None:
    """Every step gets its position; what has one keeps it."""
    assert canonical("/a/b[3]/c") == "/a[1]/b[3]/c[1]"
    assert canonical("/a[1]/b[12]") == "/a[1]/b[12]"
