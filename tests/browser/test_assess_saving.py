"""Nothing is lost: servers that do not answer, lost answers, two windows with one document."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Tabs, painted, until_ready
from support.fake_campaign import Assessing, FakeCampaign, opened, select, until_saved

LINES = "".join(f"Line {at:03} says something. And of rent, too.\n" for at in range(150))
PLACE = "topic=T1&doc=D1"


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=T1&doc=D1")`: the page of a campaign."""
    yield from opened(tabs)


def highlight(page: Page, line: int) -> tuple[int, int]:
    """Highlight the first words of a line; return their span."""
    start = LINES.index(f"Line {line:03}")
    select(page, start, start + 13)
    page.keyboard.press("h")
    return start, start + 13


def kept(page: Page) -> int:
    """The number of events in the storage of the browser."""
    return int(
        page.evaluate("() => Object.keys(localStorage).filter(key => key.includes(':outbox:')).length")
    )


def test_saving_is_shown(assess: Assessing) -> None:
    """At once as a state, then with its time; it is announced to screen readers."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    saved = page.locator("#saved")
    expect(saved).to_have_attribute("role", "status")
    highlight(page, 0)
    until_saved(page)
    expect(saved).to_contain_text("Saved ")
    assert page.evaluate(
        "() => /^Saved \\d\\d:\\d\\d:\\d\\d$/.test(document.getElementById('saved').innerText.trim())"
    )
    assert kept(page) == 0


def test_work_goes_on_without_a_server(assess: Assessing) -> None:
    """Actions are painted and stored, survive a reload, and arrive once when the server is back."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    first = highlight(page, 0)
    until_saved(page)
    campaign.down = True
    spans = [first, *(highlight(page, line) for line in (1, 2, 3))]
    expect(page.locator("#saved")).to_contain_text("3 not saved, retrying in")
    expect(page.get_by_role("alert")).to_contain_text(
        "The server does not answer. Your last 3 actions are kept"
    )
    assert painted(page)["judged"] == spans
    page.keyboard.press("Control+z")
    assert painted(page)["judged"] == spans[:-1]
    page.keyboard.press("Control+y")
    assert painted(page)["judged"] == spans
    assert kept(page) == 5
    page.reload()
    expect(page.locator("h1")).to_contain_text("The server does not answer.")
    assert kept(page) == 5
    campaign.down = False
    page.reload()
    until_ready(page)
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [list(span) for span in spans]
    assert len(campaign.history("T1", "D1").events) == 6
    assert kept(page) == 0
    page.wait_for_function("() => CSS.highlights.get('judged')?.size === 4")
    assert painted(page)["judged"] == spans
    assert assess.watch(page).take()


def test_open_documents_can_be_gone_on_with(assess: Assessing) -> None:
    """Without a server the last documents stay usable; a page that cannot load one tries again."""
    campaign = FakeCampaign({f"D{number}": LINES for number in range(1, 7)})
    page = assess(campaign, PLACE)
    page.keyboard.press("n")
    page.wait_for_url("**doc=D2")
    until_ready(page)
    campaign.down = True
    span = highlight(page, 0)
    page.go_back()
    page.wait_for_url("**doc=D1")
    until_ready(page)
    other = highlight(page, 1)
    assert painted(page)["judged"] == [other]
    page.go_forward()
    page.wait_for_url("**doc=D2")
    until_ready(page)
    assert painted(page)["judged"] == [span]
    page.locator(".pile a").nth(5).click()
    expect(page.locator("h1")).to_contain_text("The server does not answer.")
    page.reload()
    expect(page.locator("h1")).to_contain_text("The server does not answer.")
    campaign.down = False
    page.wait_for_selector("#text")
    until_saved(page)
    assert [campaign.state(name)["highlights"] for name in ("D1", "D2")] == [[list(other)], [list(span)]]
    assert assess.watch(page).take()


def test_a_lost_answer_makes_no_second_event(assess: Assessing) -> None:
    """The event is on the server, but the page does not know: it sends the same id again."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.losing = True
    span = highlight(page, 0)
    expect(page.locator("#saved")).to_contain_text("1 not saved")
    assert campaign.state("D1")["version"] == 1
    campaign.losing = False
    page.get_by_role("button", name="Try now").click()
    until_saved(page)
    assert campaign.state("D1")["version"] == 1
    assert painted(page)["judged"] == [span]
    expect(page.locator("#banner")).to_be_hidden()
    second = highlight(page, 1)
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [list(span), list(second)]
    assert assess.watch(page).take()


def test_it_tries_again_by_itself(assess: Assessing) -> None:
    """Without any key, after a second or two."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.down = True
    highlight(page, 0)
    page.wait_for_selector("#saved[data-state=waiting]")
    campaign.down = False
    until_saved(page)
    assert campaign.state("D1")["version"] == 1
    assert assess.watch(page).take()


@pytest.mark.parametrize("status", [400, 401, 403, 409, 500, 507])
def test_temporary_errors_are_retried(assess: Assessing, status: int) -> None:
    """The banner shows the sentence of the server; nothing leaves the outbox."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.refusing = (status, "A reason of the server.")
    span = highlight(page, 0)
    expect(page.get_by_role("alert")).to_contain_text("A reason of the server.")
    assert (kept(page), painted(page)["judged"]) == (1, [span])
    campaign.refusing = None
    page.get_by_role("button", name="Try now").click()
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [list(span)]
    assert assess.watch(page).take()


def test_a_final_error_is_shown_and_the_action_withdrawn(assess: Assessing) -> None:
    """The state of the server is painted, and later actions are saved."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.refusing = (422, "This cannot be.")
    highlight(page, 0)
    sentence = "Not saved: your highlight in D1 (T1), “Line 000 says”. This cannot be."
    expect(page.get_by_role("alert")).to_contain_text(sentence)
    expect(page.locator("#saved")).to_have_text("1 not saved")
    assert painted(page) == {}
    assert kept(page) == 0
    campaign.refusing = None
    page.reload()
    until_ready(page)
    expect(page.get_by_role("alert")).to_contain_text(sentence)
    span = highlight(page, 1)
    page.wait_for_function("() => CSS.highlights.get('judged')?.size")
    expect(page.locator("#saved")).to_have_text("1 not saved")
    other = assess.tab(page.context)
    page.get_by_role("button", name="Understood").click()
    for one in (page, other):
        expect(one.locator("#banner")).to_be_hidden()
        until_saved(one)
    assert campaign.state("D1")["highlights"] == [list(span)]
    assert assess.watch(page).take()


def two_tabs(
    assess: Assessing, campaign: FakeCampaign
) -> tuple[Page, Page, tuple[int, int], tuple[int, int]]:
    """Two windows with one document; the second one acts on an old version."""
    one = assess(campaign, PLACE)
    other = assess.tab(one.context, PLACE)
    first = highlight(one, 0)
    until_saved(one)
    second = highlight(other, 1)
    expect(other.get_by_role("dialog")).to_be_visible()
    return one, other, first, second


def test_a_stale_tab_shows_both_versions_and_loses_nothing(assess: Assessing) -> None:
    """Both are quoted; Escape postpones the decision, also over a reload; applying keeps both."""
    campaign = FakeCampaign({"D1": LINES})
    _, other, first, second = two_tabs(assess, campaign)
    dialog = other.get_by_role("dialog", name="This document was changed in another window")
    expect(dialog).to_contain_text("made on version 0; the server has version 1")
    expect(dialog.locator("section").nth(0).locator("mark")).to_have_text(["Line 000 says"])
    expect(dialog.locator("section").nth(1).locator("mark")).to_have_text(["Line 000 says", "Line 001 says"])
    expect(dialog.locator("section").nth(1).locator("mark u")).to_have_text("Line 001 says")
    other.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(other.locator("#saved")).to_contain_text("1 not saved")
    assert campaign.state("D1")["highlights"] == [list(first)]
    other.reload()
    expect(other.get_by_role("dialog")).to_be_visible()
    other.keyboard.press("Escape")
    other.get_by_role("button", name="Choose", exact=True).click()
    other.get_by_role("button", name="Apply my highlight to version 1").click()
    until_saved(other)
    assert campaign.state("D1")["highlights"] == [list(first), list(second)]
    assert painted(other)["judged"] == [first, second]
    assert kept(other) == 0
    assert all("409" in fault for fault in assess.watch(other).take())


def test_the_servers_version_can_be_kept(assess: Assessing) -> None:
    """Then the action of this page is discarded, and the next one is based on the server's version."""
    campaign = FakeCampaign({"D1": LINES})
    one, other, first, _ = two_tabs(assess, campaign)
    other.get_by_role("button", name="Keep the server's").click()
    until_saved(other)
    assert painted(other)["judged"] == [first]
    third = highlight(other, 5)
    until_saved(other)
    assert campaign.state("D1")["highlights"] == [list(first), list(third)]
    assert kept(one) == 0
    assert all("409" in fault for fault in assess.watch(other).take())


def test_several_actions_of_a_stale_tab_follow_in_order(assess: Assessing) -> None:
    """Actions made before the decision are all applied."""
    campaign = FakeCampaign({"D1": LINES, "D2": LINES})
    _, other, first, second = two_tabs(assess, campaign)
    other.keyboard.press("Escape")
    third = highlight(other, 3)
    assert painted(other)["judged"] == [second, third]
    other.keyboard.press("n")
    other.wait_for_url("**doc=D2")
    until_ready(other)
    for _ in range(2):  # little of it was seen
        other.keyboard.press("f")
    other.wait_for_selector(".slot:has-text('Re-open')")
    assert campaign.state("D2")["done"]
    other.get_by_role("button", name="Choose", exact=True).click()
    other.get_by_role("button", name="Apply my 2 actions to version 1").click()
    until_saved(other)
    assert campaign.state("D1")["highlights"] == [list(first), list(second), list(third)]
    assert all("409" in fault for fault in assess.watch(other).take())


def test_a_decision_in_one_window_counts_in_all(assess: Assessing) -> None:
    """A window with the same dialog closes it."""
    campaign = FakeCampaign({"D1": LINES})
    _, other, first, second = two_tabs(assess, campaign)
    third = assess.tab(other.context, PLACE)
    third.get_by_role("button", name="Apply my highlight to version 1").click()
    until_saved(third)
    assert campaign.state("D1")["highlights"] == [list(first), list(second)]
    expect(other.get_by_role("dialog")).to_have_count(0)
    until_saved(other)
    assert campaign.state("D1")["version"] == 2
    for page in (other, third):
        assert all("409" in fault for fault in assess.watch(page).take())


def test_a_full_storage_is_shown(assess: Assessing) -> None:
    """If the browser stores nothing, the banner says that the window must stay open."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    campaign.down = True
    highlight(page, 0)
    expect(page.get_by_role("alert")).to_contain_text("do not close the window")
    campaign.down = False
    until_saved(page)
    assert campaign.state("D1")["version"] == 1
    assert assess.watch(page).take()


def test_working_time_is_sent(assess: Assessing) -> None:
    """Leaving a document sends the seconds between user events to the server."""
    campaign = FakeCampaign({"D1": LINES, "D2": LINES})
    page = assess(campaign, PLACE)
    began = time.monotonic()
    for _ in range(12):
        page.mouse.wheel(0, 40)
        page.wait_for_timeout(100)
    page.keyboard.press("n")
    page.wait_for_url("**doc=D2")
    until_ready(page)
    page.wait_for_timeout(50)
    assert 1 <= campaign.work <= time.monotonic() - began
