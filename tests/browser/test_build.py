"""The text of a document as elements: every character once, in order, and nothing else."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from support.browsing import Modules, text_of
from support.text_views import Block, frame, pages, show, style

EASY = settings(max_examples=60, suppress_health_check=list(HealthCheck))
TAGS = {
    "section": "section",
    "heading": "h3",
    "paragraph": "p",
    "list": "ul",
    "quote": "blockquote",
    "code": "pre",
}
TAGS |= {"figure": "figure", "table": "table", "row": "tr", "cell": "td", "head": "th"}
TAGS |= {"text": "div"}


def elements(text: str, blocks: list[Block]) -> list[list[str]]:
    """The elements that blocks should be, in preorder, each with its text."""
    found = []
    above: list[str] = []
    for kind, depth, start, end, *_ in blocks:
        del above[depth:]
        here = {"table": {"caption": "caption"}, "list": {"item": "li"}}.get("".join(above[-1:]), {})
        found.append([TAGS.get(kind) or here.get(kind, "div"), text[start:end]])
        above.append(kind)
    return found


@EASY
@given(page=pages())
def test_the_text_is_the_canonical_text(js: Modules, page: tuple[str, list[Block]]) -> None:
    """Character for character, whatever its blocks; each of them is an element with its own slice."""
    text, blocks = page
    show(js, text, blocks)
    assert text_of(js.page) == text
    nodes = js.page.evaluate(
        """() => Array.from(document.querySelectorAll("#text *:not(.wide, .bare)"),
          node => [node.localName, node.textContent])"""
    )
    assert [node for node in nodes if node[0] != "div"] == [
        node for node in elements(text, blocks) if node[0] != "div"
    ]
    plain = [node for node in elements(text, blocks) if node[0] == "div"]
    assert len([node for node in nodes if node[0] == "div"]) >= len(plain)


@EASY
@given(page=pages())
def test_lists_contain_items_only(js: Modules, page: tuple[str, list[Block]]) -> None:
    """And items are in lists only, as screen readers expect; all else in a list is wrapped."""
    text, blocks = page
    show(js, text, [["list", 0, 0, len(text)], *([kind, depth + 1, *rest] for kind, depth, *rest in blocks)])
    assert text_of(js.page) == text
    for wrong in ("#text ul > :not(li)", "#text :not(ul) > li"):
        assert js.page.locator(wrong).count() == 0
    loose = js.page.evaluate(
        """() => [...document.querySelectorAll("#text ul")].flatMap(list =>
          [...list.childNodes].flatMap(({data}) => data?.trim() || []))"""
    )
    assert loose == []


def test_cells_span_and_nothing_else_is_taken_over(js: Modules) -> None:
    """Columns and rows of a cell are attributes; a heading has its level below that of the page."""
    text = "Title12 tail"
    blocks: list[Block] = [
        ["heading", 0, 0, 5, 1],
        ["table", 0, 5, 7],
        ["row", 1, 5, 7],
        ["cell", 2, 5, 6, [2, 3]],
    ]
    blocks += [["head", 2, 6, 7]]
    show(js, text, blocks)
    names = js.page.evaluate(
        "() => Array.from(document.querySelector('#text td').attributes, one => one.name)"
    )
    assert sorted(names) == ["class", "colspan", "rowspan"]
    assert js.page.locator("#text h2").inner_text() == "Title"
    assert js.page.locator("#text tr > th").inner_text() == "2"


def test_white_space_between_blocks_makes_no_boxes(js: Modules) -> None:
    """Rows of a table, items and paragraphs follow each other as without it."""
    style(js)

    def height(text: str, blocks: list[Block]) -> float:
        show(js, text, blocks)
        frame(js)
        found: float = js.page.evaluate(
            "() => document.querySelector('#text').getBoundingClientRect().height"
        )
        return found

    tight: list[Block] = [
        ["table", 0, 0, 2],
        ["row", 1, 0, 1],
        ["cell", 2, 0, 1],
        ["row", 1, 1, 2],
        ["cell", 2, 1, 2],
    ]
    tight += [["list", 0, 2, 4], ["item", 1, 2, 3], ["item", 1, 3, 4]]
    wide: list[Block] = [
        ["table", 0, 0, 9],
        ["row", 1, 2, 4],
        ["cell", 2, 3, 4],
        ["row", 1, 6, 7],
        ["cell", 2, 6, 7],
    ]
    wide += [["list", 0, 11, 19], ["item", 1, 13, 14], ["item", 1, 17, 18]]
    assert height("\n\n\ta\n\nb\n\n\n\n\n\nc\n\n\nd\n\n\n", wide) == height("abcd", tight)
