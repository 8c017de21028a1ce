"""SGML made well-formed: known documents, any soup of tags, and XML, which means the same as before."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.parse.sgml import decode, well_formed
from excerpt.parse.text import read_document


def shown(text: str) -> str:
    """Text of the inside of a document."""
    return well_formed(f"<DOC>{text}</DOC>".encode()).decode().removeprefix("<DOC>").removesuffix("</DOC>")


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("AT&T < 3 > 2 &", "AT&amp;T &lt; 3 &gt; 2 &amp;"),
        ("&amp;lt; &sect; &blank;&hyph; &zzz; &#233;&#xe9;&#147;", "&amp;lt; §  - \ufffd éé“"),
        ("a<!-- <P> & -->b<!DOCTYPE x>c<?pi?>d", "abcd"),
        ("<P>one<P>two", "<P>one</P><P>two</P>"),
        ("<UL><LI>a<LI>b<UL><LI>c</UL></UL>", "<UL><LI>a</LI><LI>b<UL><LI>c</LI></UL></LI></UL>"),
        ("<SEC>a<SEC>b</SEC>c</SEC>", "<SEC>a<SEC>b</SEC>c</SEC>"),
        ("<b><i>x</b>y</i></zz>", "<b><i>x</i></b>y"),
        ("<p>x</P>", "<p>x</p>"),
        ("<br>x<HR/><img src=a.gif>", '<br/>x<HR/><img src="a.gif"/>'),
        ("<F P=100 Q='a\"b' P=2>z</F>", '<F P="100" Q="a&quot;b">z</F>'),
        ("\x01\x0b ]]>", "\ufffd\ufffd ]]&gt;"),
        ("a < b <", "a &lt; b &lt;"),
        ("a<DOC>b<DOC x>c", "a<DOC>b<DOC>c</DOC></DOC>"),
    ],
)
def test_known_cases(given: str, made: str) -> None:
    """Tags, ends that are missing or too many, entities, attributes, what XML does not allow."""
    assert shown(given) == made


def test_encodings() -> None:
    """Bytes that are not UTF-8 are Latin-1; missing end tags are added."""
    assert decode("é".encode("latin-1")) == decode("é".encode()) == "é"
    assert well_formed(b"<DOC>\xe9<P>") == "<DOC>é<P></P></DOC>".encode()
    assert well_formed(b"<DOC>x</DOC> and more <b>") == b"<DOC>x</DOC>"


def test_many_tags_without_ends() -> None:
    """They take no more time than their number, and are not nested without measure."""
    text = "".join(f"<T{number}>x" for number in range(20_000)) + "</NONE>" * 20_000
    document = read_document([well_formed(f"<DOC>{text}</DOC>".encode())])
    assert (len(document.text), len(document.elements.start)) == (20_000, 20_001)
    assert document.elements.level.max() <= 202


TAGS = [
    "<DOC>",
    "<P>",
    "</P>",
    "<b>",
    "</b>",
    "<B>",
    "<UL>",
    "</UL>",
    "<br>",
    "<a href=x>",
    "</a>",
    "<!-- <P> -->",
]
TEXTS = ["x", " y\n", "&amp;", "&", "<", ">", "&no;", "é", "]]>", "<3", "&#65;"]
PIECES = st.lists(st.sampled_from([*TAGS, *TEXTS]), max_size=30)


@settings(max_examples=60)
@given(PIECES)
def test_any_soup(pieces: list[str]) -> None:
    """It is well-formed, and its text is what is left without tags, entities as their characters."""
    text = "".join(pieces)
    found = read_document([well_formed(f"<DOC>{text}</DOC>".encode())])
    plain = re.sub(r"(?s)<!--.*?-->|</?[A-Za-z][^<>]*>", "", text)
    assert found.text == html.unescape(plain.replace("&no;", "\ufffd"))


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> str:
    """An element in XML, without empty ones of HTML."""
    name = draw(st.sampled_from(["a", "b", "sec"]))
    inside = st.one_of(st.sampled_from(["x", "&amp;", " "]), trees(depth - 1) if depth else st.just("y"))
    return f"<{name}>{''.join(draw(st.lists(inside, max_size=4)))}</{name}>"


@settings(max_examples=40)
@given(trees())
def test_xml_means_the_same(tree: str) -> None:
    """Elements and text of a well-formed document are those that the parser finds in it."""
    data = f"<DOC>{tree}</DOC>".encode()
    one, other = read_document([data]), read_document([well_formed(data)])
    assert one.text == other.text
    for name in ("tag", "level", "start", "end"):
        assert getattr(one.elements, name).tolist() == getattr(other.elements, name).tolist()
