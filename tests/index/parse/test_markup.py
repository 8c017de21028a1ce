"""Where markup is: brackets that mean something, and those that do not."""

from __future__ import annotations

import pyexpat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_documents import SECTIONS

from excerpt.index.parse.joined_text import Doubtful, JoinedText
from excerpt.index.parse.markup import end_of_section, find_markup


def found(*documents: str) -> list[str]:
    """Everything that is taken for markup."""
    joined = JoinedText([document.encode() for document in documents])
    markup = find_markup(joined)
    places = zip(markup.opens.tolist(), markup.closes.tolist(), strict=True)
    return [joined.data[low : high + 1].decode() for low, high in places]


@pytest.mark.parametrize(
    "pieces",
    [
        ["<a>", "1 > 0 >", "</a>"],
        ["<a b='>'>", "</a>"],
        ["<a b='>' c=\"x > y\">", ">>", "<b d='/>'/>", "</a>"],
        ["<a>", "<!-- <b> > -->", "x", "<![CDATA[<b>]]>", ">", "<?p <b> ?>", "</a>"],
        ["<!-- <a> -->", "<a>", "</a>", "<!-- </a> -->"],
        ["<a>", "<![CDATA[]]]]>", "</a>"],
    ],
)
def test_markup_is_known_by_place(pieces: list[str]) -> None:
    """Brackets in sections, values and text are none of it, in this document or in its neighbours."""
    document = "".join(pieces)
    expected = [piece for piece in pieces if piece.startswith("<")]
    assert found(document) == expected
    assert found("<x></x>", document, "<y></y>") == ["<x>", "</x>", *expected, "<y>", "</y>"]


@pytest.mark.parametrize(
    "document",
    [
        "",
        "text",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a><!-- </a>",
        "<a><![CDATA[</a>",
        "<a><?p</a>",
        "<a",
        "<a><b</a>",
        ">",
        "<a></a><",
        "<a><?xml?></a>",
    ],
)
def test_brackets_that_do_not_fit_are_doubtful(document: str) -> None:
    """Only the document that has them, not its neighbours."""
    with pytest.raises(Doubtful) as caught:
        found("<x></x>", document, "<y></y>")
    assert caught.value.documents.tolist() == [False, True, False]


_PIECES = st.lists(
    st.sampled_from(
        [
            b"<!--",
            b"-->",
            b"--",
            b"-",
            b">",
            b"<![CDATA[",
            b"]]>",
            b"]",
            b"<?",
            b"?>",
            b"p",
            b" ",
            b"xml",
            b"<a/>",
        ]
    ),
    max_size=9,
).map(b"".join)


@settings(max_examples=300)
@given(_PIECES)
def test_a_section_is_one_for_the_parser_too(pieces: bytes) -> None:
    """What ends where the answer says is accepted between two tags, and stands for no element."""
    end = end_of_section(pieces, 0, len(pieces))
    if end:
        elements: list[str] = []
        parser = pyexpat.ParserCreate()
        parser.StartElementHandler = lambda name, _: elements.append(name)
        parser.Parse(b"<r>" + pieces[:end] + b"</r>", True)
        assert elements == ["r"]


@pytest.mark.parametrize("section", SECTIONS)
def test_sections_end_where_they_end(section: str) -> None:
    """Whatever follows; and not where the limit comes before."""
    data = section.encode()
    assert end_of_section(data + b"-->]]>?>", 0, len(data) + 8) == len(data)
    assert end_of_section(data, 0, len(data) - 1) == 0
