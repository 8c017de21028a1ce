"""Text nodes against a slow walk: text between the children of an element."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.index import OffsetIndex

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
