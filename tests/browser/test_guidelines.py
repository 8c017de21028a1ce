"""Guidelines on the assessor's page: what becomes an element, and when they are shown; the assignment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Modules, Tabs, Watch, until_ready
from support.served_campaign import Served, make_campaign

HOSTILE = (
    "# Rules\n\nHighlight *only* what **answers**,\nnot <b>more</b>.\n\n"
    "- one <script>window.ran = 1</script>\n  - inner\n- two `*as is*`\n\n3. three\n4. four\n\n"
    "[a](https://example.org/x?y=1) [b](javascript:window.ran=1) ![c](https://example.org/i.png) "
    "[d](data:text/html,x) <img src=x onerror='window.ran=1'> \\*no\\* snake_case_name\n"
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A campaign with guidelines, of ann and bob."""
    (tmp_path / "g.md").write_text(HOSTILE, encoding="utf-8")
    with Served(make_campaign(tmp_path, "--guidelines", tmp_path / "g.md")) as server:
        yield server


def opened(tabs: Tabs, served: Served, token: str, width: int = 1280) -> tuple[Page, Watch]:
    """The page of a user."""
    page = tabs.take(width=width, height=800, dark=False, offline=False)
    watch = Watch(page, f"http://127.0.0.1:{served.port}/")
    page.goto(f"http://127.0.0.1:{served.port}/login#token={token}")
    until_ready(page)
    return page, watch


def test_markdown_becomes_a_few_elements_and_nothing_runs(tabs: Tabs, served: Served) -> None:
    """Shown the first time unasked, then by the key; only paragraphs, lists, emphasis and links are made."""
    token = served.add("ann")["ann"]
    page, watch = opened(tabs, served, token)
    dialog = page.locator("dialog.guidelines .words")
    expect(dialog).to_be_visible()
    tags = dialog.evaluate("node => [...node.querySelectorAll('*')].map(one => one.localName)")
    assert set(tags) == {"p", "strong", "em", "ul", "ol", "li", "a"}
    links = dialog.evaluate("node => [...node.querySelectorAll('a')].map(one => [one.href, one.rel])")
    assert links == [["https://example.org/x?y=1", "noopener noreferrer"]]
    text = dialog.inner_text()
    for part in ("<script>window.ran = 1</script>", "[b](javascript:window.ran=1)", "`*as is*`", "*no*"):
        assert part in text
    assert "![c](https://example.org/i.png)" in text
    assert "snake_case_name" in text
    assert dialog.locator("li li").inner_text() == "inner"
    assert dialog.locator("ol").get_attribute("start") == "3"
    assert page.evaluate("window.ran") is None
    page.keyboard.press("Escape")
    page.reload()
    until_ready(page)
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("g")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog.guide")).to_contain_text("read the guidelines")
    assert watch.faults == []
    watch.end()
    tabs.give_back(page)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", ["plain"]),
        (
            "a **b *c* d** e",
            ["a ", {"tag": "strong", "inside": ["b ", {"tag": "em", "inside": ["c"]}, " d"]}, " e"],
        ),
        ("2 * 3 * 4 and a_b_c", ["2 * 3 * 4 and a_b_c"]),
        ("_x_ __y__", [{"tag": "em", "inside": ["x"]}, " ", {"tag": "strong", "inside": ["y"]}]),
        ("[x](http://a/b)", [{"tag": "a", "href": "http://a/b", "inside": ["x"]}]),
        ("[x](HTTPS://a) [y]( http://a)", ["[x](HTTPS://a) [y]( http://a)"]),
        ("", []),
    ],
)
def test_parts_of_a_line(js: Modules, text: str, expected: list[Any]) -> None:
    """Emphasis needs signs at words, links need an address of the web."""
    found = js("assess/guidelines", "parseInline", [(text,)])[0]
    joined: list[Any] = []
    for part in found:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    assert joined == expected


def test_the_organiser_changes_the_assignment(tabs: Tabs, served: Served) -> None:
    """A click counts at once; the assessor loses the topic."""
    tokens = served.add("ann", "bob")
    page, watch = opened(tabs, served, served.organiser)
    page.get_by_role("button", name="Change assignment").click()
    box = page.get_by_role("checkbox", name="1: ann")
    expect(box).to_be_checked()
    with page.expect_response("**/api/assignment") as answer:
        box.click()
    assert answer.value.status == 204
    expect(box).not_to_be_checked()
    assert [topic["id"] for topic in served.ask("/api/pool", tokens["ann"]).json["topics"]] == ["2"]
    assert served.ask("/api/document?topic=1&document=A", tokens["ann"]).status == 403
    assert served.ask("/api/document?topic=1&document=A", tokens["bob"]).status == 200
    page.get_by_role("button", name="Show progress").click()
    expect(page.locator("[data-state=none]")).to_have_count(1)
    assert watch.faults == []
    watch.end()
    tabs.give_back(page)
