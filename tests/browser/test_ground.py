"""Foundations of the tests in a browser: forbidden actions of a page, and counting of characters."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error
from support.browsing import LoopAside, Modules, Pages, Tabs, painted, painted_characters, text_of

POLICY = "http-equiv=Content-Security-Policy content=\"style-src 'none'\""
TEXT = "a😀b e\u0301 \u05d0\u05d1 c\U00010000d"


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<img src=http://elsewhere.test/x.png>", "request: http://elsewhere.test/x.png"),
        ("<script>alert(1)</script>", "dialog: 1"),
        ("<script>console.error('no')</script>", "console: no"),
        ("<script>setTimeout(() => {throw new Error('late')})</script>", "error: late"),
        (f"<meta {POLICY}><p style='color:red'>", "console: Applying inline style violates"),
    ],
)
def test_what_a_page_must_not_do_is_seen(open_page: Pages, html: str, fault: str) -> None:
    """Each of these would fail the test that opened the page."""
    page = open_page(html, ready=False)
    page.wait_for_timeout(50)
    faults = open_page.watch(page).take()
    assert faults[0].startswith(fault)


def test_painted_characters_are_code_points(open_page: Pages) -> None:
    """Ranges over several text nodes, after characters of two units, are given in code points."""
    html = f"""<meta charset=utf-8><p id=text><b>{TEXT[:3]}</b>{TEXT[3:]}</p><script>
      const [first, second] = [document.querySelector("b").firstChild, document.querySelector("p").lastChild];
      const range = (...ends) => new StaticRange({{startContainer: ends[0], startOffset: ends[1],
        endContainer: ends[2], endOffset: ends[3]}});
      CSS.highlights.set("hit", new Highlight(range(first, 1, first, 3), range(first, 3, second, 1)));
      CSS.highlights.set("vain", new Highlight());
      document.documentElement.dataset.state = "ready"</script>"""
    page = open_page(html, "doc=x", dark=True)
    assert text_of(page) == TEXT
    assert painted(page) == {"hit": [(1, 2), (2, 4)]}
    assert painted_characters(page) == {"hit": {1, 2, 3}}
    assert page.url.endswith("#doc=x")
    assert page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")


def test_modules_are_called_with_cases(tabs: Tabs, tmp_path: Path) -> None:
    """Modules import each other; what a function throws is raised, typed arrays are lists."""
    (tmp_path / "one.js").write_text("export function twice(x) { return x * 2; }\n", encoding="utf-8")
    (tmp_path / "two.js").write_text(
        'import {twice} from "./one.js";\n'
        "export const pair = (x, y) => ({both: Int32Array.of(twice(x), y), none: undefined});\n"
        "export async function fail() { throw new RangeError('beyond the end'); }\n",
        encoding="utf-8",
    )
    modules = Modules(tabs, tmp_path)
    assert modules("two", "pair", [(1, 2), (3, 4)]) == [
        {"both": [2, 2], "none": None},
        {"both": [6, 4], "none": None},
    ]
    with pytest.raises(Error, match="beyond the end"):
        modules("two", "fail", [()])
    with pytest.raises(Error, match="exports no function nothing"):
        modules("two.js", "nothing", [()])
    assert modules.run(["one", "two"], "(one, two, x) => one.twice(two.pair(x, 1).both[0])", 5) == 20
    modules.close()


def test_other_tests_can_run_loops_of_their_own(browser: Browser) -> None:
    """Between tests in the browser its loop is put aside, and comes back as it was."""

    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    loop = LoopAside()
    loop.aside()
    assert asyncio.run(answer()) == 42
    loop.back()
    page = browser.new_page()
    assert page.evaluate("() => 6 * 7") == 42
    page.close()
