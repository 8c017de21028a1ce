"""Looking up in columns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.index import OffsetIndex
from excerpt.index.lookup import expand, lower_bound


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=12), st.integers(-1, 11)), max_size=20))
def test_bisection_in_slices(queries: list[tuple[list[int], int]]) -> None:
    """The first number of each slice that is not below what is asked for, as the library finds it."""
    slices = [sorted(numbers) for numbers, _ in queries]
    counts = np.array([len(numbers) for numbers in slices], np.int64)
    ends = np.cumsum(counts)
    begins = ends - counts
    column = np.array([number for numbers in slices for number in numbers], np.int64)
    found = lower_bound(column, begins, ends, np.array([value for _, value in queries], np.int64))
    expected = [bisect_left(numbers, value) for numbers, (_, value) in zip(slices, queries, strict=True)]
    assert (found - begins).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5))))
def test_ranges_are_expanded(ranges: list[tuple[int, int]]) -> None:
    """All numbers of all ranges, each with the place of its range."""
    low = np.array([begin for begin, _ in ranges], np.int64)
    query, number = expand(low, low + np.array([size for _, size in ranges], np.int64))
    expected = [(place, begin + step) for place, (begin, size) in enumerate(ranges) for step in range(size)]
    assert list(zip(query.tolist(), number.tolist(), strict=True)) == expected


Indexed = Callable[..., OffsetIndex]


@pytest.mark.parametrize(
    ("document", "nodes"),
    [
        ("<a>one<b/>two<b/>three</a>", [(0, 3), (3, 6), (6, 11)]),
        ("<a><b/>x<b>yy</b></a>", [(0, 1)]),
        ("<a><b/><b/></a>", []),
        ("<a>x<!-- c -->y<?p?><![CDATA[z]]></a>", [(0, 3)]),
        ("<a>x<b>yy</b>z</a>", [(0, 1), (3, 4)]),
        ("<a/>", []),
    ],
)
def test_text_between_children(indexed: Indexed, document: str, nodes: list[tuple[int, int]]) -> None:
    """Each stretch of text that is not empty is a node; comments and the like do not cut it."""
    index = indexed({"d.xml": document})
    paths = [f"/a[1]/text()[{number}]" for number in range(1, len(nodes) + 2)]
    found = index.resolve([0] * len(paths), paths)
    spans = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
    assert spans == [*nodes, (-1, -1)]


def test_nodes_of_many_parents(indexed: Indexed) -> None:
    """Questions for several parents at once, some asked twice, keep their places."""
    index = indexed({"d.xml": "<a><p>x<b/>yy</p><p>zzz</p></a>"})
    paths = [
        "/a/p[2]/text()[1]",
        "/a/p[1]/text()[2]",
        "/a/p[1]/text()[2]",
        "/a/text()[1]",
        "/a/p[1]/text()[1]",
    ]
    found = index.resolve([0] * 5, paths)
    assert found.start.tolist() == [3, 1, 1, -1, 0]
    assert found.end.tolist() == [6, 3, 3, -1, 1]
