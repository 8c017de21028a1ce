"""Text of users' files in every output format: data, never markup or an escape sequence."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from excerpt.render import escape

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    "\\|_*`<>&[]()~$^#%{}\"'-\n\x1b\x9bab ", max_size=12
)


@pytest.mark.parametrize("write", [escape.plain, escape.markdown, escape.latex, escape.html])
@given(text=TEXTS)
def test_no_control_characters(write: object, text: str) -> None:
    """Line ends, terminal escapes and turned writing never come out, in no format."""
    assert callable(write)
    assert not CONTROLS.search(write(text))


@given(TEXTS)
def test_markdown_shows_the_text_itself(text: str) -> None:
    """A Markdown reader shows the cell of a table as the text was, and makes no markup of it."""
    cell = escape.markdown(text)
    rendered = (
        MarkdownIt("commonmark").enable("table").render(f"| a | b |\n| --- | --- |\n| {cell} | end |\n")
    )
    seen: list[str] = []
    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

        def handle_data(self, data: str) -> None:
            seen.append(data)

    Reader().feed(rendered)
    assert set(tags) <= {"table", "thead", "tbody", "tr", "th", "td"}
    expected = " ".join(escape.plain(text).split())
    assert " ".join("".join(seen).split()) == " ".join(f"a b {expected} end".split())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a&b", r"a\&b"),
        ("100%", r"100\%"),
        ("$x$", r"\$x\$"),
        ("#1", r"\#1"),
        ("a_b", r"a\_b"),
        ("{x}", r"\{x\}"),
        ("~", r"\textasciitilde{}"),
        ("x^2", r"x\textasciicircum{}2"),
        ("a\\b", r"a\textbackslash{}b"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("---", r"-{}-{}-"),
        ('"a', r"{\char34}a"),
        ("[1]", r"{[}1]"),
        ("*", r"{*}"),
        ("a[1]*", "a[1]*"),
        ("a\nb", r"a\textbackslash{}nb"),
    ],
)
def test_latex(text: str, written: str) -> None:
    """Every special character of TeX is itself, also those that mean something after the end of a row."""
    assert escape.latex(text) == written


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1"])
def test_spreadsheets(text: str) -> None:
    """A cell that would be computed starts with a quote."""
    assert escape.spreadsheet(text) == "'" + text
    assert escape.spreadsheet("run " + text) == "run " + text
