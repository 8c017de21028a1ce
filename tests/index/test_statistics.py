"""An index in numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from excerpt.index import OffsetIndex
from excerpt.index.statistics import path_depths

Indexed = Callable[..., OffsetIndex]

# "Conversion test" of the INEX format notes; its text is "A & bHello big world⏎x", 22 characters.
CONVERSION = "<article><name>A &amp; b</name><bdy><p>Hello <b>big</b> world</p>\n<p>x</p></bdy></article>"


@pytest.fixture
def index(indexed: Indexed) -> OffsetIndex:
    """Three documents."""
    return indexed({"a.xml": "<x><y/></x>", "d.xml": CONVERSION, "z.xml": "<article><bdy/></article>"})


def test_statistics(index: OffsetIndex) -> None:
    """The numbers are those counted by hand: 10 elements, depths 1 2 1 2 2 3 3 4 1 2."""
    numbers = index.statistics()
    assert (numbers.documents, numbers.elements, numbers.characters, numbers.broken) == (3, 10, 22, 0)
    assert (numbers.max_depth, numbers.mean_depth) == (4, 2.1)
    assert (numbers.mean_length, numbers.mean_elements) == (22 / 3, 10 / 3)
    assert list(numbers.tags.items()) == [
        ("article", 2), ("bdy", 2), ("p", 2), ("b", 1), ("name", 1), ("x", 1), ("y", 1),
    ]  # fmt: skip


def test_depths_of_paths() -> None:
    """A root has depth 1, and every path one more than its parent."""
    assert path_depths(np.array([-1, 0, 1, -1, 3], np.int32)).tolist() == [1, 2, 3, 1, 2]
