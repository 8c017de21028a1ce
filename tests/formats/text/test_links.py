"""Links: ids of pages, anchors with and without a place, what is told of a file."""

from __future__ import annotations

from excerpt.formats.text.links import Link, distinct, page


def test_pages() -> None:
    """Some files write the extension of a page, some do not."""
    assert [page(name) for name in ("12.xml", " 12\n", "a.xml.xml", None)] == ["12", "12", "a.xml", ""]


def test_distinct() -> None:
    """By target or by anchor, inside of a topic, the first one counts."""
    links = [
        Link("1", "A", 5, 0, 3, 1),
        Link("1", "A", 9, 4, 6, 2),
        Link("2", "A", 7, 0, 3, 3),
        Link("1", "B", 0, 0, 3, 4),
    ]
    assert [link.line for link in distinct(links, "target")] == [1, 3, 4]
    assert [link.line for link in distinct(links, "anchor")] == [1, 2, 3]
