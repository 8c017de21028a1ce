"""Paths and pairs of pointers become spans."""

from __future__ import annotations

import numpy as np

from excerpt.formats.paths_to_spans import find_spans
from excerpt.index import OffsetIndex

PATHS = ("/article[1]/name[1]", "/article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[1]/text()[2].2", "/x[1]")


def test_paths_and_pointers_mixed(index: OffsetIndex) -> None:
    """Each row gets its own span; unknown paths and documents get -1."""
    document, path = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
    start, end = find_spans(index, ("A", "nowhere"), document, PATHS, path)
    assert start.tolist() == [0, 5, -1, -1, -1]
    assert end.tolist() == [5, 16, -1, -1, -1]


def test_no_rows(index: OffsetIndex) -> None:
    """An empty run has no spans."""
    none = np.zeros(0, np.int64)
    start, end = find_spans(index, (), none, (), none)
    assert len(start) == len(end) == 0
