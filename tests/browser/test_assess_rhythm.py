"""Fast work: from document to document, and from sentence to sentence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Tabs, until_ready
from support.fake_campaign import Assessing, FakeCampaign, opened, select, until_saved

TEXT = "One is due. Two is paid.\r\n\r\nThree is late. Four."


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=T1&doc=D1")`: the page of a campaign."""
    yield from opened(tabs)


def passages(campaign: FakeCampaign, text: str = TEXT) -> list[str]:
    """Highlighted text on the server."""
    return [text[start:end] for start, end in campaign.state("D1")["highlights"]]


@pytest.mark.parametrize("wait", [0, 400])
def test_nothing_is_done_to_a_document_that_was_left(assess: Assessing, wait: int) -> None:
    """Until the next document is shown, keys and clicks do nothing, also while it is being loaded."""
    campaign = FakeCampaign({"D1": TEXT, "D2": TEXT, "D3": TEXT})
    page = assess(campaign, "topic=T1&doc=D1")
    place = page.locator(".slot").bounding_box()
    assert place is not None
    page.keyboard.press("f")
    page.wait_for_selector(".slot:has-text('Re-open')")
    campaign.held = []
    page.keyboard.press("n")
    page.wait_for_timeout(wait)
    for key in ("f", "Control+z", "n", "b", "Enter", "u"):
        page.keyboard.press(key)
    page.mouse.click(place["x"] + 5, place["y"] + 5)
    page.wait_for_timeout(50)
    assert campaign.state("D1")["version"] == 1
    campaign.let_go()
    until_ready(page)
    expect(page.locator("h1")).to_contain_text("D2")
    page.keyboard.press("f")
    page.wait_for_selector(".slot:has-text('Re-open')")
    assert [campaign.state(name)["version"] for name in ("D1", "D2", "D3")] == [1, 1, 0]
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def next_sentence(page: Page, *keys: str) -> None:
    """Go to the next sentence and press keys."""
    for key in ("ArrowRight", *keys):
        page.keyboard.press(key)
    until_saved(page)


def test_neighbouring_units_are_one_passage(assess: Assessing) -> None:
    """Whitespace between them is highlighted and removed with them."""
    campaign = FakeCampaign({"D1": TEXT})
    page = assess(campaign, "topic=T1&doc=D1")
    page.keyboard.press("s")
    for _ in range(3):
        next_sentence(page, "h")
    assert passages(campaign) == ["One is due. Two is paid.\r\n\r\nThree is late."]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("u")
    until_saved(page)
    assert passages(campaign) == ["One is due.", "Three is late."]
    select(page, 0, len(TEXT))
    page.keyboard.press("u")
    until_saved(page)
    assert passages(campaign) == []


def test_exact_selections_stay_exact(assess: Assessing) -> None:
    """With Alt, and next to text that has its own label."""
    campaign = FakeCampaign({"D1": TEXT})
    page = assess(campaign, "topic=T1&doc=D1")
    for start, end in ((0, 3), (4, 6)):
        select(page, start, end)
        page.keyboard.press("Alt+h")
        until_saved(page)
    assert passages(campaign) == ["One", "is"]
    campaign = FakeCampaign({"D1": TEXT}, procedure="evidence")
    page = assess(campaign, "topic=T1&doc=D1")
    page.keyboard.press("s")
    next_sentence(page, "h", "1")
    next_sentence(page, "h")
    assert passages(campaign) == ["One is due.", "Two is paid."]
    next_sentence(page, "h")
    assert passages(campaign) == ["One is due.", "Two is paid.\r\n\r\nThree is late."]
