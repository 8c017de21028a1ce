"""Markdown that is copied: a reader of Markdown shows the text, with found and missed parts marked."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.browsing import Modules

EASY = settings(max_examples=80, suppress_health_check=list(HealthCheck))
#: Texts rich in what means something in Markdown.
TEXT = st.lists(
    st.sampled_from(
        ["a", "B ", "1. ", "- ", "# ", "*", "_", "**", "~~", "`", "[x](y)", "<b>", "&amp;", "|", "\\", "\n\n"]
    )
    | st.sampled_from(["é", "😀", "> ", "+ ", "http://x.y", "$1$", "=\n", "!", ".", " "]),
    max_size=12,
).map("".join)
PIECES = st.lists(st.tuples(st.sampled_from(["hit", "missed", ""]), TEXT), min_size=1, max_size=5)
READER = MarkdownIt("commonmark").enable(["strikethrough", "table"])


def one_line(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def read(markdown: str) -> list[Token]:
    """The tokens of Markdown; links, images and HTML do not come from content."""
    tokens = READER.parse(markdown)
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "s_open", "s_close"}, kinds
    return tokens


@EASY
@given(pieces=PIECES)
def test_a_passage_is_text_with_marks(js: Modules, pieces: list[tuple[str, str]]) -> None:
    """All words of it, letters bold where they are found and struck through where they are missed."""
    (markdown,) = js("markdown", "quoteMarkdown", [(pieces, ["where"])])
    tokens = read(markdown)
    blocks = [token.type for token in tokens if token.nesting == 1]
    assert set(blocks) == {"blockquote_open", "paragraph_open"}
    lines = [token for token in tokens if token.type == "inline"]
    text = one_line("".join(re.sub(r"\s+", " ", piece) for _, piece in pieces))
    if text:
        shown = lines[0].children or []
        assert one_line("".join(token.content for token in shown)) == text
    found, missed = (
        "".join(c for state, piece in pieces if state == name for c in piece if c.isalnum())
        for name in ("hit", "missed")
    )
    assert (marked(lines[0], "strong") if text else "") == found
    assert (marked(lines[0], "s") if text else "") == missed
    assert "strong_open strong_close" not in " ".join(token.type for token in lines[0].children or ())
    assert lines[1 if text else 0].content == "where"


def marked(line: Token, kind: str) -> str:
    """Letters and digits of a line inside of marks."""
    inside, letters = False, ""
    for token in line.children or ():
        if token.type in {f"{kind}_open", f"{kind}_close"}:
            inside = token.nesting == 1
        elif inside:
            letters += "".join(c for c in token.content if c.isalnum())
    return letters


@EASY
@given(rows=st.lists(st.lists(TEXT, min_size=2, max_size=2), min_size=1, max_size=4))
def test_a_table_has_the_given_cells(js: Modules, rows: list[list[str]]) -> None:
    """Whatever they hold; columns of numbers are at the right."""
    (markdown,) = js("markdown", "tableMarkdown", [(["Name | of", "Score"], rows)])
    cells = [token for token in read(markdown) if token.type == "inline"]
    texts = [one_line("".join(child.content for child in cell.children or ())) for cell in cells]
    assert texts == ["Name | of", "Score", *(one_line(cell) for row in rows for cell in row)]


def test_numbers_are_at_the_right_and_links_where_there_is_an_address(js: Modules) -> None:
    """As the page shows them."""
    rows = [["a", "0.25", "12\u202f000"], ["b", "\u20130", "3\u00a0%"]]
    (table,) = js("markdown", "tableMarkdown", [(["Run", "x", "y"], rows)])
    assert table.split("\n")[1] == "| :-- | --: | --: |"
    links = js("markdown", "linkMarkdown", [("a [b]", "http://h/#x=(1)"), ("1. a", "")])
    assert links == ["[a \\[b\\]](<http://h/#x=(1)>)", "1\\. a"]
