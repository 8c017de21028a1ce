"""Markdown as people read it: blocks and types lie in the source, and hide markup only."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from excerpt.placing.markup import seen_of
from excerpt.render.markdown_blocks import markdown_blocks, markdown_types

PIECES = some.sampled_from(
    [
        *(
            "# ",
            "## A",
            "\n",
            "\n\n",
            "- ",
            "  - ",
            "1. ",
            "> ",
            "```\n",
            "~~~",
            "    code",
            "|",
            "|---|---|",
        ),
        *("**", "*", "_", "`", "[a](b)", "![c][d]", "<b>", "</b>", "&amp;", "word ", "é", "😀", "---", "==="),
        *("\\*", "[^1]", "\t", "<https://a.b>", "~~", "\r\n", "***", "* * *", "well-\nknown"),
    ]
)
TEXTS = some.lists(PIECES, max_size=40).map("".join)

CASES = {
    "# A #\ntext": [["heading", 0, 0, 5, 1], ["paragraph", 0, 6, 10]],
    "A\n===\nB\n---\n": [["heading", 0, 0, 5, 1], ["heading", 0, 6, 11, 2]],
    "one\ntwo\n\nthree": [["paragraph", 0, 0, 7], ["paragraph", 0, 9, 14]],
    "- a\n  - b\n- c": [
        ["list", 0, 0, 13],
        ["item", 1, 0, 9],
        ["list", 2, 4, 9],
        ["item", 3, 4, 9],
        ["item", 1, 10, 13],
    ],
    "> said\n> so": [["quote", 0, 0, 11], ["paragraph", 1, 0, 11]],
    "```py\nx\n```\nafter": [["code", 0, 0, 11], ["paragraph", 0, 12, 17]],
    "a\n\n    x = 1\n": [["paragraph", 0, 0, 1], ["code", 0, 3, 12]],
    "```\nnever closed": [["code", 0, 0, 16]],
    "---\na: 1\n---\nb": [["code", 0, 0, 12], ["paragraph", 0, 13, 14]],
    "|a|b|\n|-|-|\n|1|2|": [
        ["table", 0, 0, 17],
        ["row", 1, 0, 5],
        ["head", 2, 1, 2],
        ["head", 2, 3, 4],
        ["row", 1, 12, 17],
        ["cell", 2, 13, 14],
        ["cell", 2, 15, 16],
    ],
    "***\n": [],
    "": [],
}


@pytest.mark.parametrize("text", CASES)
def test_blocks_by_hand(text: str) -> None:
    """Kind, number of blocks around it, start, end; the level of a heading."""
    assert markdown_blocks(text) == CASES[text]


@given(TEXTS)
@example("- \n\n  - ")
def test_blocks_lie_inside_of_each_other(text: str) -> None:
    """In the order of their starts; each lies in the block around it, and none is empty."""
    around: list[tuple[int, int]] = [(0, len(text))]
    last = [0]
    for _, depth, start, end, *_ in markdown_blocks(text):
        del around[depth + 1 :], last[depth + 1 :]
        assert len(around) == depth + 1
        low, high = around[-1]
        assert max(low, last[-1]) <= start < end <= high
        last[-1] = end
        around.append((start, end))
        last.append(start)


@given(TEXTS)
def test_types_are_disjoint_and_hide_markup_only(text: str) -> None:
    """What is not hidden is what a reader sees, but for entities and for words parted at a line's end."""
    at, left = 0, ""
    for start, end, name in markdown_types(text):
        assert isinstance(start, int)
        assert isinstance(end, int)
        assert at <= start < end <= len(text)
        left += text[at:start] + ("" if name == "markup" else text[start:end])
        at = end
    left += text[at:]
    seen = seen_of(text).replace("wellknown", "well-known")
    assert "".join(left.replace("&amp;", "&").split()) == "".join(seen.replace("&amp;", "&").split())


def test_words_have_their_type() -> None:
    """Nested types are named together; markup is markup."""
    text = "**a `b`** *c* ~~d~~ [e](f)"
    types = [(text[int(str(start)) : int(str(end))], name) for start, end, name in markdown_types(text)]
    assert [(words, name) for words, name in types if name != "markup"] == [
        ("a ", "strong"),
        ("b", "code.strong"),
        ("c", "emphasis"),
        ("d", "deleted"),
        ("e", "link"),
    ]
