"""Where markup is: brackets that mean something, and those that do not."""

from __future__ import annotations

import pytest

from excerpt.index.parse.joined_text import Doubtful, JoinedText
from excerpt.index.parse.markup import find_markup


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
