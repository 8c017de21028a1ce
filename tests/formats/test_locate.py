"""Paths and pairs of pointers become spans; a run without an index stays one of elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from excerpt.formats.locate import encode_paths, locate, placed
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex

Open = Callable[..., Source]

PATHS = ("/article[1]/name[1]", "/article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[1]/text()[2].2", "/x[1]")


def test_paths_and_pointers_mixed(index: OffsetIndex) -> None:
    """Each row gets its own span; unknown paths and documents get -1."""
    document, path = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
    start, end = locate(index, ("A", "nowhere"), document, PATHS, path)
    assert start.tolist() == [0, 5, -1, -1, -1]
    assert end.tolist() == [5, 16, -1, -1, -1]


def test_no_rows(index: OffsetIndex) -> None:
    """An empty run has no spans."""
    none = np.zeros(0, np.int64)
    start, end = locate(index, (), none, (), none)
    assert len(start) == len(end) == 0


def test_encode_paths() -> None:
    """No path is -1 and no part of the vocabulary."""
    paths, element = encode_paths(["", "/a[1]", "/b[1]", "", "/a[1]"])
    assert paths == ("/a[1]", "/b[1]")
    assert element.tolist() == [-1, 0, 1, -1, 0]


def test_placed_keeps_what_is_given(opened: Open, index: OffsetIndex) -> None:
    """Only the rows that lack a span are looked up, and the given columns are not written to."""
    given = np.array([3, -1]), np.array([9, -1])
    columns = ("A",), np.array([0, 0]), PATHS, np.array([-1, 0])
    wanting = np.array([False, True])
    start, end, kind = placed(opened("x", index=index), *columns, *given, wanting)
    assert (start.tolist(), end.tolist(), kind) == ([3, 0], [9, 5], "spans")
    assert given[0].tolist() == [3, -1]
    start, end, kind = placed(opened("x"), *columns, *given, wanting)
    assert (start.tolist(), end.tolist(), kind) == ([3, -1], [9, -1], "elements")
    assert placed(opened("x"), *columns, *given, np.array([False, False]))[2] == "spans"
