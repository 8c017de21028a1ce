"""Looking up in columns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.index import OffsetIndex
from excerpt.index.lookup import PathParser, Pointer, expand, lower_bound


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


UNKNOWN = Pointer(-2, ())


@pytest.fixture
def parser() -> PathParser:
    """The tag paths /a, /a/b and /a/b/a."""
    return PathParser(["a", "b"], np.array([-1, 0, 1]), np.array([0, 1, 0]))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a[1]", Pointer(0, (1,))),
        ("/a", Pointer(0, (1,))),
        ("/a[1]/b[12]/a[3]", Pointer(2, (1, 12, 3))),
        ("/a/b/text()", Pointer(1, (1, 1), 1)),
        ("/a/b/text()[2].7", Pointer(1, (1, 1), 2, 7)),
        ("/a/text().0", Pointer(0, (1,), 1, 0)),
        ("/b", UNKNOWN),
        ("a", UNKNOWN),
        ("", UNKNOWN),
        ("/", UNKNOWN),
        ("/a[0]", UNKNOWN),
        ("/a[-1]", UNKNOWN),
        ("/a[1", UNKNOWN),
        ("/a/text()[0]", UNKNOWN),
        ("/a/text()[1]/b", UNKNOWN),
        ("//a", UNKNOWN),
        ("/a/c/b", UNKNOWN),
        ("/a[1]/b[99999999999999999999]", UNKNOWN),
    ],
)
def test_paths(parser: PathParser, path: str, expected: Pointer) -> None:
    """A path is a tag path with positions; whatever is none, is unknown and no error."""
    assert parser.parse(path) == expected


def test_many_paths(parser: PathParser) -> None:
    """Equal paths share a row, and each is what it is alone."""
    paths = ["/a[1]/b[2]", "/a", "/a[1]/b[2]", "/x", "/a/b[2]/text()[1].3"]
    found = parser.parse_all(paths)
    assert len(found.path) == 4
    for path, row in zip(paths, found.which.tolist(), strict=True):
        pointer = parser.parse(path)
        assert (found.path[row], found.text[row], found.offset[row]) == (
            pointer.path,
            pointer.text,
            pointer.offset,
        )
        assert found.positions[row] == pointer.positions
        assert found.depth[row] == len(pointer.positions)
