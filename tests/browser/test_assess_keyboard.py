"""The assessor's keyboard on a new document, search, text that was not seen, and work without the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.barriers import check
from support.browsing import Modules, Tabs, Watch, painted, until_ready
from support.fake_campaign import Assessing, FakeCampaign, opened, select, until_saved
from support.served_campaign import Served, make_campaign

#: Long enough for several windows.
LONG = "".join(f"Line {number} says that the rent is due.\n" for number in range(400))
TEXTS: dict[str, Any] = {
    "D1": "The tenant pays the rent. Nobody else does.",
    "D2": LONG,
    "D3": "Short. The rent again.",
}
CARET = """() => {
  const caret = document.querySelector(".own-caret"), box = caret.getBoundingClientRect();
  return !caret.hidden && box.top >= 0 && box.bottom <= innerHeight;
}"""


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=T1&doc=D1")`: the page of a campaign."""
    yield from opened(tabs)


def test_the_first_key_acts_on_every_document(assess: Assessing) -> None:
    """Without a pointer and without Tab: h marks at the caret, n opens the next, h marks there."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D1")
    page.keyboard.press("h")
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [[0, 3]]
    page.keyboard.press("n")
    page.wait_for_selector("#bar [aria-current]:has-text('D2')")
    until_ready(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("h")
    until_saved(page)
    assert campaign.state("D2")["highlights"] == [[5, 6]]
    page.keyboard.press("s")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("h")
    until_saved(page)
    assert len(campaign.state("D2")["highlights"]) == 2
    page.locator("[data-key=note]").focus()
    page.keyboard.press("h")
    assert page.locator("[data-key=note]").input_value() == "h"


def test_arrows_work_from_a_button_and_the_caret_stays_in_view(assess: Assessing) -> None:
    """Down moves the caret, PageDown and Space scroll, and the caret is where the window is."""
    page = assess(FakeCampaign(TEXTS), "topic=T1&doc=D2", height=600)
    page.locator("[data-key=next]").focus()
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    page.wait_for_function(CARET)
    assert page.evaluate("() => scrollY") > 200
    before = page.evaluate("() => scrollY")
    for key in ("PageDown", "Space", "PageDown"):
        page.keyboard.press(key)
    page.wait_for_function(f"() => scrollY > {before} + 600")
    page.wait_for_function(CARET)
    page.keyboard.press("h")
    until_saved(page)
    assert painted(page)["judged"][0][0] > 2000


def test_little_of_a_text_was_seen(assess: Assessing) -> None:
    """f asks once; a document that is read to its end is not asked about, nor a short one."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D2", height=600)
    page.keyboard.press("f")
    expect(page.locator("#status.why")).to_contain_text("% of this text. To finish it all the same, press f")
    assert not campaign.state("D2")["done"]
    page.keyboard.press("f")
    expect(page.locator("[data-key=slot]")).to_have_text("Re-openf")
    page.keyboard.press("n")
    page.wait_for_selector("#bar [aria-current]:has-text('D3')")
    until_ready(page)
    page.keyboard.press("f")
    expect(page.locator("[data-key=slot]")).to_have_text("Re-openf")


def test_a_text_that_was_read_is_finished_at_once(assess: Assessing) -> None:
    """What was seen counts, also from an earlier visit."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D2", height=800)
    for _ in range(40):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(40)
    page.keyboard.press("n")
    page.wait_for_selector("#bar [aria-current]:has-text('D3')")
    until_ready(page)
    page.keyboard.press("Shift+N")
    page.wait_for_selector("#bar [aria-current]:has-text('D2')")
    until_ready(page)
    page.keyboard.press("f")
    expect(page.locator("[data-key=slot]")).to_have_text("Re-openf")


def test_search_goes_to_hits(assess: Assessing) -> None:
    """The first at or after the caret, Enter and Shift+Enter in the field and in the text, ticks, no hit."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D2", height=700)
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("/")
    page.keyboard.type("rent")
    page.keyboard.press("Enter")
    hit = page.locator("#hit")
    expect(hit).to_have_text("rent: 30 of 400")
    page.keyboard.press("Enter")
    expect(hit).to_have_text("rent: 31 of 400")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    expect(hit).to_have_text("rent: 29 of 400")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(hit).to_have_text("rent: 30 of 400")
    page.keyboard.press("h")
    until_saved(page)
    ((start, end),) = campaign.state("D2")["highlights"]
    assert (LONG[start:end], LONG[:start].count("rent")) == ("rent", 29)
    assert page.locator(".text-map path.is-term-1").get_attribute("d")
    page.keyboard.press("/")
    page.keyboard.type("nowhere")
    page.keyboard.press("Enter")
    expect(page.locator("#status.why")).to_have_text("“nowhere” does not occur in this document.")


def test_hits_by_their_definition(js: Modules) -> None:
    """At or after the caret; after the one at the caret if it was stepped to; around the ends."""
    spans = [[2, 4], [6, 8], [9, 11]]
    cases: list[list[Any]] = [
        [spans, 0, False, 1],
        [spans, 6, False, 1],
        [spans, 6, True, 1],
        [spans, 9, True, 1],
        [spans, 10, False, 1],
        [spans, 2, True, -1],
        [spans, 7, False, -1],
    ]
    assert js("assess/terms", "nextHit", cases) == [0, 1, 2, 0, 0, 2, 1]


def test_a_button_beside_the_selection(assess: Assessing) -> None:
    """It marks what is selected, or removes the mark; without a selection there is none."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D1")
    marker = page.locator(".marker")
    expect(marker).to_be_hidden()
    select(page, 4, 10)
    expect(marker).to_have_text("Mark")
    check(page)
    marker.click()
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [[4, 10]]
    expect(marker).to_be_hidden()
    select(page, 4, 10)
    expect(marker).to_have_text("Unmark")
    marker.click()
    until_saved(page)
    assert campaign.state("D1")["highlights"] == []


def test_the_next_document_opens_without_the_server(assess: Assessing) -> None:
    """It was read ahead; what is judged there is sent when the server is back."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D1")
    page.wait_for_load_state("networkidle")
    campaign.down = True
    page.keyboard.press("n")
    page.wait_for_selector("#bar [aria-current]:has-text('D2')")
    until_ready(page)
    page.keyboard.press("h")
    expect(page.locator("#saved")).to_contain_text("not saved")
    campaign.down = False
    until_saved(page)
    assert campaign.state("D2")["highlights"] == [[0, 4]]
    assert assess.watch(page).take()  # requests that failed


@pytest.mark.parametrize("by_itself", [True, False])
def test_a_page_that_could_not_load_comes_back(assess: Assessing, by_itself: bool) -> None:
    """By a button, and by itself."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D1")
    page.wait_for_load_state("networkidle")
    campaign.down = True
    page.evaluate("() => { location.hash = 'topic=T1&doc=D3'; }")
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    check(page)
    campaign.down = False
    if not by_itself:
        again.click()
    page.wait_for_selector("#text:has-text('Short')")
    expect(again).to_have_count(0)
    assert assess.watch(page).take()  # requests that failed


def test_a_phone_judges_a_document(assess: Assessing) -> None:
    """390 pixels, touch: select, the button beside the selection, the entry point, finish."""
    campaign = FakeCampaign(TEXTS)
    page = assess(campaign, "topic=T1&doc=D1", width=390, height=844, touch=True)
    select(page, 4, 10)
    page.locator(".marker").tap()
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [[4, 10]]
    page.locator("[data-key=slot]").tap()
    page.locator("#text").tap(position={"x": 40, "y": 10})
    until_saved(page)
    assert campaign.state("D1")["bep"] is not None
    page.locator("[data-key=slot]").tap()
    expect(page.locator("[data-key=next]")).to_be_visible()
    until_saved(page)
    assert campaign.state("D1")["done"]
    check(page)
    page.locator("[data-key=next]").tap()
    page.wait_for_selector("#bar [aria-current]:has-text('D2')")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """The real server of a campaign of two topics and three documents."""
    with Served(make_campaign(tmp_path)) as running:
        yield running


def test_five_documents_by_keyboard_from_the_link_to_the_end(tabs: Tabs, served: Served) -> None:
    """Signing in, going on, marking, entry points, finishing: no pointer, no Tab."""
    token = served.add("ann")["ann"]
    page = tabs.take(width=1280, height=800, dark=False, offline=False)
    watch = Watch(page, f"http://127.0.0.1:{served.port}/")
    page.goto(f"http://127.0.0.1:{served.port}/login#token={token}")
    until_ready(page)
    judged: list[Callable[[Page], None]] = [_mark, _mark, _nothing, _mark, _nothing]
    for number, judge in enumerate(judged):
        page.keyboard.press("n")
        page.wait_for_selector(f".pile li:nth-child({number % 3 + 1}) [aria-current]")
        until_ready(page)
        judge(page)
        expect(page.locator("[data-key=slot]")).to_have_text("Re-openf")
        until_saved(page)
    watch.end()
    assert watch.faults == []
    tabs.give_back(page)
    topics = served.ask("/api/pool", token).json["topics"]
    rows = [row for topic in topics for row in topic["documents"]]
    assert [row["state"] for row in rows] == ["done"] * 5 + ["todo"]
    assert [row["relevant"] for row in rows] == [True, True, False, True, False, False]


def _mark(page: Page) -> None:
    for key in ("ArrowRight", "h", "b", "Enter", "f"):
        page.keyboard.press(key)


def _nothing(page: Page) -> None:
    page.keyboard.press("f")
    page.wait_for_timeout(200)
    if "seen" in str(page.locator("#status").text_content()):
        page.keyboard.press("f")
