"""Documents and their elements."""

from __future__ import annotations

import pytest

from excerpt.corpus.document import LAYOUT, Document, Element, from_xml, tidy
from excerpt.index.parse.text import read_document


def document(xml: str) -> Document:
    """A document of this XML."""
    return from_xml("d", read_document([xml.encode()], keep=LAYOUT))


def test_elements_come_in_the_order_of_their_start_tags() -> None:
    """A sequence of elements: by number, from the end, in slices, one by one."""
    elements = document('<a>x<t><td colspan="2" id="1">yé</td><td/></t></a>').elements
    assert elements is not None
    expected = [
        Element("a", 0, 0, 3),
        Element("t", 1, 1, 3),
        Element("td", 2, 1, 3, {"colspan": "2"}),
        Element("td", 2, 3, 3),
    ]
    assert list(elements) == expected
    assert [elements[number] for number in range(4)] == expected
    assert elements[-1] == expected[-1]
    assert elements[1:3] == expected[1:3]
    with pytest.raises(IndexError):
        elements[4]


@pytest.mark.parametrize(
    ("xml", "title"),
    [
        (
            "<a><title>Of a part</title><article-title>The <i>real</i>\n title</article-title></a>",
            "The real title",
        ),
        ("<article><name>Wikipedia</name><title/></article>", ""),
        ("<article><name>Wikipedia</name></article>", "Wikipedia"),
        ("<article><p>Text</p></article>", ""),
    ],
)
def test_titles_are_found_by_the_names_of_elements(xml: str, title: str) -> None:
    """Of the elements that hold titles in known collections the surest counts."""
    assert document(xml).title == title


def test_kind_is_the_root() -> None:
    """The kind of an XML document is the name of its root."""
    assert document("<report/>").kind == "report"


def test_titles_can_be_written_anywhere() -> None:
    """A title has a bound, and no half of a surrogate pair."""
    assert len(tidy("x" * 1000)) == 300
    assert tidy("a\ud800b").encode() == b"a?b"
