"""Paths of elements, and who contains whom."""

from __future__ import annotations

from excerpt.assess.structure import Structure
from excerpt.corpus import Element


def structure_of(*elements: tuple[str, int]) -> Structure:
    """Elements of names and depths, all of them at the same place."""
    return Structure([Element(tag, depth, 0, 1) for tag, depth in elements])


def test_positions_count_siblings_of_one_name() -> None:
    """Each name is counted by itself, and anew in every parent."""
    found = structure_of(("a", 0), ("b", 1), ("c", 2), ("d", 1), ("b", 1), ("c", 2), ("c", 2))
    assert [part.path for part in found.parts] == [
        "/a[1]",
        "/a[1]/b[1]",
        "/a[1]/b[1]/c[1]",
        "/a[1]/d[1]",
        "/a[1]/b[2]",
        "/a[1]/b[2]/c[1]",
        "/a[1]/b[2]/c[2]",
    ]


def test_relatives() -> None:
    """Ancestors, children and all that is inside."""
    found = structure_of(("a", 0), ("b", 1), ("c", 2), ("d", 1), ("b", 1), ("c", 2), ("c", 2))
    assert list(found.ancestors(5)) == [4, 0]
    assert found.children[0] == [1, 3, 4]
    assert [list(found.inside(row)) for row in range(5)] == [
        [0, 1, 2, 3, 4, 5, 6],
        [1, 2],
        [2],
        [3],
        [4, 5, 6],
    ]


def test_plain_text_has_no_elements() -> None:
    """None and nothing are the same."""
    assert Structure(None).parts == Structure([]).parts == []
