"""HTML: the text that a reader sees, in lines."""

from __future__ import annotations

import re

import pytest

from excerpt.documents.unreadable import Unreadable
from excerpt.documents.webpage import of_markup, read_html
from excerpt.errors import FormatError


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One <b>two</b>\n  three<p>Four", "One two three\n\nFour"),
        ("<h1>A</h1><div>b</div><div>c<br>d</div>", "A\n\nb\nc\nd"),
        ("a &amp; b &lt;c&gt; &eacute;&nbsp;f", "a & b <c> é\xa0f"),
        ("<table><tr><td>1<td> 2 </tr><tr><th>a</th><td></td><td>b</td></table>", "1\t2\na\tb"),
        ("<ul><li>x<li>y <i>z</i></ul>tail", "x\ny z\n\ntail"),
        ("<pre>  a\n    b</pre>c", "a\n    b\n\nc"),
        ("<script>x()</script><style>p{}</style>seen<!-- no --><template>t</template>", "seen"),
        ("seen<p hidden>no<p style='color: red; display : none'>no<p aria-label=x>yes", "seen\n\nyes"),
        ("<svg><text>no</text></svg><noscript>no</noscript><iframe src='//x'>no</iframe>seen", "seen"),
        ("a<br><br><br><br>b", "a\n\nb"),
        ("<a href='http://x.test'>link</a>, <code>a_b</code>.", "link, a_b."),
        ("one<span> two</span> <span>three </span>four", "one two three four"),
    ],
)
def test_visible_text(markup: str, text: str) -> None:
    """Blocks are lines, cells are separated by tabs, blanks count as one."""
    assert of_markup(markup, "a.html").text == text


def test_the_title_is_no_text() -> None:
    """It is that of the document."""
    found = read_html(b"<title>A  title</title><body>b<svg><title>c</title></svg>", "a.html")
    assert (found.title, found.text, found.kind) == ("A title", "b", "html")


@pytest.mark.parametrize(
    "data",
    [
        "<p>é".encode(),
        "<p>é".encode("utf-8-sig"),
        "<p>é".encode("utf-16"),
        '<meta charset="windows-1252"><p>é'.encode("cp1252"),
        '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>é'.encode("latin-1"),
    ],
)
def test_encodings(data: bytes) -> None:
    """UTF-8, a byte order mark, or what the page declares."""
    assert read_html(data, "a.html").text == "é"


def test_an_encoding_that_is_not_declared() -> None:
    """Is the one that is given, else an error."""
    assert read_html("<p>é".encode("cp1252"), "a.html", "cp1252").text == "é"
    with pytest.raises(FormatError, match="found 0xe9 at byte 3"):
        read_html("<p>é".encode("cp1252"), "a.html")
    with pytest.raises(FormatError, match="found 0xe9"):
        read_html("<meta charset=nonsense><p>é".encode("cp1252"), "a.html")


@pytest.mark.parametrize(
    "markup", ["", "<html>", "<body><script>alert(1)</script>", "<p>  </p>", "<!-- a -->"]
)
def test_a_page_without_text(markup: str) -> None:
    """Is not read, which a folder counts."""
    with pytest.raises(Unreadable, match=re.escape("a.html: no text: the page shows none")) as caught:
        of_markup(markup, "a.html")
    assert caught.value.reason == "no text"


@pytest.mark.parametrize("tag", ["div", "b", "span", "blockquote", "x-y"])
def test_elements_that_are_nested_too_deeply(tag: str) -> None:
    """The parser would need minutes for them."""
    assert of_markup(f"<{tag}>" * 900 + "deep", "a.html").text == "deep"
    with pytest.raises(Unreadable, match="found more than 1000 elements inside each other"):
        of_markup(f"<{tag}>" * 200_000, "a.html")


def test_a_long_page_is_not_deep() -> None:
    """Elements that end are not inside each other, nor those whose end may be left out."""
    assert (
        of_markup("<p>x<br><img src=x><li>y" * 3000 + "<div>z</div>" * 3000, "a.html").text.count("z") == 3000
    )
