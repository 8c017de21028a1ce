"""Documents and their elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.corpus.document import LAYOUT, Document, Element, decode, require_text, tidy
from excerpt.documents.sources import from_xml
from excerpt.errors import FormatError
from excerpt.parse.text import read_document


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
        ("<article><name>Wikipedia</name><title/></article>", "Wikipedia"),
        ("<article><title>21</title><sec><title>A section</title></sec></article>", ""),
        (
            "<html><head><title>1984, a page</title></head><body><title>x</title></body></html>",
            "1984, a page",
        ),
        (
            (
                "<article><front><article-meta><title-group><article-title>Pain</article-title></title-group>"
                "</article-meta></front><back><ref><article-title>Cited</article-title></ref></back></article>"
            ),
            "Pain",
        ),
        ("<article><back><ref><article-title>Cited</article-title></ref></back></article>", ""),
        ("<DOC><HEADER><H3><TI>News of the day</TI></H3></HEADER></DOC>", "News of the day"),
        ("<article><name>Wikipedia</name></article>", "Wikipedia"),
        ("<article><p>Text</p></article>", ""),
    ],
)
def test_titles_are_found_by_the_names_of_elements(xml: str, title: str) -> None:
    """Of the elements that hold titles in known collections the surest counts, never a heading."""
    assert document(xml).title == title


def test_kind_is_the_root() -> None:
    """The kind of an XML document is the name of its root."""
    assert document("<report/>").kind == "report"


def test_titles_can_be_written_anywhere() -> None:
    """A title has a bound, and no half of a surrogate pair."""
    assert len(tidy("x" * 1000)) == 300
    assert tidy("a\ud800b").encode() == b"a?b"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_plain_text_stays_as_it_is(text: str) -> None:
    """Only a byte order mark at the beginning is taken away."""
    assert decode(text.encode(), "a") == text.removeprefix("\ufeff")
    assert decode(text.encode("utf-8-sig"), "a") == text
    assert require_text(text, "a") == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"caf\xe9",
            "a.txt: found 0xe9 at byte 3, expected UTF-8 text; convert the file to UTF-8, or leave it out",
        ),
        (b"\xef\xbb\xbfx\xff", "a.txt: found 0xff at byte 4, expected UTF-8 text"),
        (b"\xed\xa0\x80", "a.txt: found 0xed at byte 0, expected UTF-8 text"),
        (
            b"PNG\0\1",
            r"a.txt: found a binary file \(a NUL at byte 3\), expected UTF-8 text; leave the file out",
        ),
        (b"\xff\xfea", "a.txt: found broken UTF-16 at byte 2, expected text"),
    ],
)
def test_other_bytes_are_an_error_with_name_and_place(data: bytes, message: str) -> None:
    """Other encodings and binary files give a one-line error."""
    with pytest.raises(FormatError, match=message):
        decode(data, "a.txt")


@pytest.mark.parametrize("value", [None, 7, b"x", "a\ud800"])
def test_other_values_are_no_text(value: object) -> None:
    """Bytes, numbers and halves of surrogate pairs are refused."""
    with pytest.raises(FormatError, match=r"a.jsonl:3: found .*, expected text"):
        require_text(value, "a.jsonl", 3)
