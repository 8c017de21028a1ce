"""The finder and the choice of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from support.browsing import Modules, Pages, until_ready
from support.page_reports import AWKWARD, HOSTILE, UNJUDGED, hostile_report
from support.seen_study import page_of, study


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as a file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(hostile_report().html())
    return path


def entry(kind: str, name: str, about: str = "") -> dict[str, Any]:
    """What the finder searches."""
    return {"kind": kind, "name": name, "about": about, "changes": {}}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", []),
        ("b", ["b", "bc", "ab", "x"]),
        ("BC", ["bc"]),
        ("big cat", ["x"]),
        ("cat big", ["x"]),
        ("dog", []),
    ],
)
def test_the_nearest_names_come_first(js: Modules, query: str, names: list[str]) -> None:
    """Equal, beginning, containing, then words of the description, in any order and case."""
    entries = [entry("T", "x", "a Big cat"), entry("T", "ab"), entry("T", "bc"), entry("T", "b")]
    [found] = js("finder", "search", [[entries, query]])
    assert [one["name"] for kind in found for one in kind["shown"]] == names


def test_only_the_first_are_listed_and_all_are_counted(js: Modules) -> None:
    """By kind."""
    entries = [entry(kind, f"{kind}{i}") for kind in "ab" for i in range(20)]
    [found] = js("finder", "search", [[entries, "1"]])
    assert [(kind["kind"], len(kind["shown"]), kind["total"]) for kind in found] == [
        ("a", 8, 11),
        ("b", 8, 11),
    ]


@pytest.mark.parametrize(
    ("key", "query", "address"),
    [
        ("/", "second", "#topic=T2"),
        ("Control+k", "t1", "#topic=T1"),
        ("Meta+k", "d3", "#topic=T2&doc=D3"),
        ("/", "beta", "#pair&runs=beta"),
        ("/", "all pairs", "#pairs"),
        ("/", "nowhere", ""),
    ],
)
def test_everything_is_found_by_keys(
    open_page: Pages, report: Path, key: str, query: str, address: str
) -> None:
    """Ctrl+K or `/`, an id or words, Enter; Escape and a query without an answer change nothing."""
    page = open_page(report)
    page.keyboard.press(key)
    field = page.get_by_role("combobox", name="Find a topic, a document or a run")
    expect(field).to_be_focused()
    page.keyboard.type(query)
    if address:
        expect(page.get_by_role("listbox").get_by_role("option").first).to_be_visible()
        page.keyboard.press("Enter")
        until_ready(page)
        expect(page.get_by_role("dialog")).to_have_count(0)
    else:
        expect(page.get_by_text("Nothing matches.")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("location.hash") == address


def test_arrows_choose_and_the_field_tells_which(open_page: Pages, report: Path) -> None:
    """The options are named whole, whatever their names are; documents without relevant text open, too."""
    page = open_page(report)
    page.get_by_role("button", name="Find").click()
    page.keyboard.type("img")
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options).to_have_count(2)
    page.keyboard.press("ArrowDown")
    chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
    assert chosen.get_attribute("id") == page.locator(".search").get_attribute("aria-activedescendant")
    assert HOSTILE in (chosen.text_content() or "")
    page.keyboard.press("ArrowDown")
    assert options.first.get_attribute("aria-selected") == "true"
    page.locator(".search").fill("template")
    page.get_by_role("option", name=UNJUDGED).click()
    until_ready(page)
    assert page.locator("#text").text_content().startswith("Nobody judged")  # type: ignore[union-attr]


def test_runs_are_searched_all_and_none(open_page: Pages, report: Path) -> None:
    """All and None are of what the search shows; without any run the last choice stays."""
    page = open_page(report)
    page.get_by_role("button", name="Runs").click()
    dialog = page.get_by_role("dialog", name="Runs")
    dialog.get_by_role("button", name="None").click()
    assert dialog.get_by_role("checkbox", checked=True).count() == 0
    expect(dialog.get_by_text("Choose at least one run")).to_be_visible()
    assert page.evaluate("location.hash") == ""
    dialog.get_by_label("Search runs").fill("TA")
    assert dialog.get_by_role("checkbox").count() == 1
    dialog.get_by_role("button", name="All").click()
    until_ready(page)
    assert page.evaluate("location.hash") == "#runs=beta"
    dialog.get_by_label("Search runs").fill("")
    dialog.get_by_role("button", name="All").click()
    until_ready(page)
    assert "4 of 4 runs chosen." in dialog.inner_text()
    dialog.get_by_label(AWKWARD).uncheck()
    until_ready(page)
    assert page.locator(".heat thead th").count() == 5


LONG = "a" * 150 + "-one-" + "b" * 150


def test_long_names_are_cut_in_the_middle_and_named_whole(open_page: Pages) -> None:
    """300 characters: whole on hover and for screen readers; in tables, selects and the headline."""
    page = open_page(page_of(study([LONG, LONG.replace("one", "two"), "c"], 9)))
    link = page.locator(".ranking tbody a").first
    shown = link.inner_text()
    assert (shown[0], "…" in shown, shown[-1], len(shown)) == ("a", True, "b", 28)
    assert page.locator(".ranking").get_by_role("link", name=LONG).count() == 1
    assert page.locator(".heat thead bdi").first.get_attribute("title") == LONG
    assert len(page.locator("h1").inner_text()) < 200
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Compare two runs").click()
    until_ready(page)
    select = page.get_by_label("A", exact=True)
    assert select.get_attribute("title") == LONG
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
