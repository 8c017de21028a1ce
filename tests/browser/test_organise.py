"""The organiser's page: what is said, drawn and downloaded, and that it keeps itself fresh."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.browsing import Modules, Tabs
from support.organiser_desk import STATUS, Board
from support.panel_desk import sideways

HOSTILE = "\"><img src=x onerror=alert(1)>\u202e{{7*7}}' a-name-so-long-that-it-has-to-be-cut-somewhere"


@pytest.fixture
def board(tabs: Tabs) -> Iterator[Callable[..., Board]]:
    """`board(status, width=390, dark=True)`: the page with a status."""
    boards: list[Board] = []

    def show(status: dict[str, Any] | int = STATUS, **how: Any) -> Board:
        boards.append(Board(tabs, status, **how))
        return boards[-1]

    yield show
    for one in boards:
        one.close()


def changed(**changes: Any) -> dict[str, Any]:
    """The status with some parts changed, other parts of dictionaries kept."""
    status = copy.deepcopy(STATUS)
    for name, value in changes.items():
        status[name] = status[name] | value if isinstance(value, dict) and status[name] else value
    return status


@pytest.mark.parametrize(
    ("changes", "headline"),
    [
        ({}, "41\u00a0% finished; at this pace the last document will be finished on 28 November 2031"),
        ({"finish": None}, "41\u00a0% finished; too early to estimate the end"),
        ({"documents": {"done": 1640}}, "All 1\u202f640 documents are finished"),
        ({"documents": {"total": 1, "done": 1}}, "All 1 document is finished"),
        ({"documents": {"total": 0, "done": 0}}, "There is nothing to judge yet"),
    ],
)
def test_the_headline_says_when_it_ends(js: Modules, changes: dict[str, Any], headline: str) -> None:
    """Or why that cannot be said."""
    assert js("organise/status", "sayEnd", [(changed(**changes), 2026)]) == [headline]


def test_figures_say_what_they_are(js: Modules) -> None:
    """Also where there is nothing to say yet."""
    [figures] = js("organise/status", "figuresOf", [(STATUS,)])
    assert [number for number, _ in figures] == ["672 of 1\u202f640", "31", "2.9 min", "0.71"]
    assert (
        figures[3][1]
        == "agreement on documents (alpha), 0.58 on characters (Jaccard), 64 documents judged twice"
    )
    none = changed(agreement=None, seconds_per_document=None, documents={"stale": 0})
    [figures] = js("organise/status", "figuresOf", [(none,)])
    assert [number for number, _ in figures[1:]] == ["31", "\u2013", "\u2013"]
    assert figures[1][1] == "in progress"


CHOICE = {"to": "fol", "merge": "majority", "assessor": "", "unfinished": False}


@pytest.mark.parametrize(
    ("choice", "counts", "href", "said"),
    [
        (
            {},
            {},
            "api/export?to=fol&merge=majority",
            (
                "672 pairs of topic and document are finished. "
                "937 unjudged pairs and 31 pairs in progress will be left out."
            ),
        ),
        (
            {"unfinished": True, "to": "jsonl"},
            {"open": 1},
            "api/export?to=jsonl&merge=majority&unfinished=1",
            (
                "672 pairs of topic and document are finished. 937 unjudged pairs will be left out. "
                "1 pair in progress will be included."
            ),
        ),
        (
            {"merge": "one"},
            {},
            "api/export?to=fol",
            (
                "64 pairs of topic and document were finished by several assessors: "
                "choose how to merge them, or one assessor."
            ),
        ),
        (
            {"merge": "one", "assessor": "a&b=c é"},
            {"open": 0, "todo": 0},
            "api/export?to=fol&assessor=a%26b%3Dc%20%C3%A9",
            "All assessors together: 672 pairs of topic and document are finished. Nothing will be left out.",
        ),
    ],
)
def test_an_export_says_what_it_leaves_out(
    js: Modules, choice: dict[str, Any], counts: dict[str, Any], href: str, said: str
) -> None:
    """And cannot be made where two assessors finished a pair, and nothing says whose judgment counts."""
    status = changed(export=counts)
    assert js("organise/status", "exportOf", [(CHOICE | choice,)])[0]["href"] == href
    assert js("organise/status", "sayLeftOut", [(status, CHOICE | choice)]) == [said]


def test_the_page_shows_who_did_what(board: Callable[..., Board]) -> None:
    """Assessors, and each topic for each of them, as tables that say it in words too."""
    page = board().page
    assert page.get_by_role("heading", level=1).inner_text().startswith("41\u00a0% finished")
    rows = page.locator(".assessors tbody tr")
    assert [rows.nth(i).get_by_role("rowheader").inner_text() for i in range(3)] == ["anna", "ben", "chen"]
    assert rows.nth(0).locator("td").nth(1).inner_text() == "188 / 480"
    assert (
        rows.nth(0).get_by_role("img").get_attribute("aria-label") == "188 finished, 3 in progress, 289 to do"
    )
    cells = page.locator(".cells tbody tr")
    states = [
        cells.nth(i).locator("td .hidden").evaluate_all("all => all.map(one => one.textContent)")
        for i in range(3)
    ]
    assert states == [
        ["finished", "finished", "finished"],
        ["in progress", "finished", "not assigned"],
        ["to do", "finished", "in progress"],
    ]
    assert page.locator(".cautions li").all_inner_texts() == [
        "!\nchen finished 22 documents in under 10 seconds each."
    ]


def test_the_export_is_a_link_that_downloads(board: Callable[..., Board]) -> None:
    """The address of the link contains the choices; without a way to merge there is no link."""
    shown = board()
    page, link = shown.page, shown.page.get_by_role("link", name="Download")
    assert link.get_attribute("href") == "api/export?to=fol&merge=union"
    page.get_by_label("Several assessors").select_option("not merged")
    assert link.get_attribute("href") is None
    assert link.get_attribute("aria-disabled") == "true"
    page.get_by_label("Assessor", exact=True).select_option("ben")
    page.get_by_label("Format").select_option("JSON Lines")
    page.get_by_label("include documents in progress").check()
    assert link.get_attribute("href") == "api/export?to=jsonl&assessor=ben&unfinished=1"
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "judgments.jsonl"
    assert download.value.url.endswith("/api/export?to=jsonl&assessor=ben&unfinished=1")


def test_it_asks_anew_when_it_is_looked_at(board: Callable[..., Board]) -> None:
    """Choices and focus stay; if the server is gone, the page says so and keeps the old numbers."""
    shown = board()
    page = shown.page
    page.get_by_label("Format").select_option("TREC")
    page.get_by_label("Format").focus()
    shown.status = changed(documents={"done": 1640})
    shown.refresh()
    page.get_by_text("All 1\u202f640 documents are finished").wait_for()
    assert page.evaluate("() => document.activeElement.dataset.key") == "Format"
    assert page.get_by_label("Format").input_value() == "TREC"
    shown.status = None
    shown.refresh()
    assert (
        page.get_by_role("alert").inner_text() == "The server does not answer. The page may be out of date."
    )
    assert page.get_by_text("All 1\u202f640 documents are finished").is_visible()
    shown.status = STATUS
    shown.refresh()
    page.get_by_role("alert").wait_for(state="detached")
    assert [fault for fault in shown.watch.take() if "ERR_FAILED" not in fault] == []


def test_it_asks_anew_by_itself(tabs: Tabs) -> None:
    """Every thirty seconds, by a clock that the test turns."""
    shown = Board(tabs, STATUS)
    tabs.spoil(shown.page)
    shown.page.clock.install()
    shown.page.reload()
    shown.page.get_by_text("41\u00a0% finished").wait_for()
    shown.status = changed(documents={"done": 1640})
    shown.page.clock.fast_forward(31_000)
    shown.page.get_by_text("All 1\u202f640 documents are finished").wait_for()
    shown.close()


@pytest.mark.parametrize(
    ("status", "said"), [(401, "This link has expired"), (500, "The server answered 500")]
)
def test_a_refusal_is_a_sentence(board: Callable[..., Board], status: int, said: str) -> None:
    """Also where nothing was shown before."""
    shown = board(status)
    assert shown.page.get_by_role("alert").inner_text().startswith(said)
    assert all("status of" in fault for fault in shown.watch.take())


def test_names_are_only_text(board: Callable[..., Board]) -> None:
    """Of the campaign, topics, assessors, and cautions about them."""
    assessors = [STATUS["assessors"][0] | {"name": HOSTILE, "cautions": [f"{HOSTILE} hurries"]}]
    topics = [STATUS["topics"][0] | {"id": HOSTILE, "title": HOSTILE}]
    status = changed(title=HOSTILE, assessors=assessors, topics=topics, cautions=[HOSTILE])
    status["cells"] = {HOSTILE: {HOSTILE: "done"}}
    shown = board(status, width=390)
    assert shown.page.locator("img").count() == 0
    assert shown.page.locator(".cells tbody th").get_attribute("title") == HOSTILE
    assert shown.page.locator(".cautions li").nth(1).inner_text().endswith("hurries")
    assert sideways(shown.page) <= 0


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_its_window(board: Callable[..., Board], dark: bool) -> None:
    """No sideways scrolling of the page; the grid of many assessors scrolls in itself."""
    many = [STATUS["assessors"][0] | {"name": f"assessor number {number}"} for number in range(40)]
    shown = board(changed(assessors=many), width=320, dark=dark)
    assert shown.page.locator("html").get_attribute("data-theme") == ("dark" if dark else "light")
    for width in (320, 390, 1024, 1440):
        shown.page.set_viewport_size({"width": width, "height": 900})
        assert sideways(shown.page) <= 0, width


def test_an_empty_campaign_is_no_fault(board: Callable[..., Board]) -> None:
    """No assessors, no topics, no documents."""
    none = {"total": 0, "done": 0, "open": 0, "todo": 0, "stale": 0}
    status = changed(
        assessors=[], topics=[], cells={}, cautions=[], agreement=None, seconds_per_document=None
    )
    status |= {"documents": none, "finish": None, "cells": {}}
    page = board(status).page
    assert page.get_by_role("heading", level=1).inner_text() == "There is nothing to judge yet"
    assert page.get_by_text("No assessors yet").is_visible()


def test_no_judgments_are_asked_for(board: Callable[..., Board]) -> None:
    """Only the page and its status."""
    assert set(board().asked) <= {"/", "/api/status", "/favicon.ico"}
