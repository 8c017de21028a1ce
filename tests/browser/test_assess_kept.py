"""Unsaved work: it is shown until it is saved or dismissed, for any assessor and after any rejection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Tabs, painted, until_ready
from support.fake_campaign import Assessing, FakeCampaign, opened, select, until_saved
from support.kept_campaign import KeptCampaign
from support.small_campaign import small_campaign

LINES = "".join(f"Line {at:03} says something. And of rent, too.\n" for at in range(50))
PLACE = "topic=T1&doc=D1"


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=T1&doc=D1")`: the page of a campaign."""
    yield from opened(tabs)


def highlight(page: Page, line: int) -> list[int]:
    """Highlight the first words of a line; return their span."""
    start = LINES.index(f"Line {line:03}")
    select(page, start, start + 13)
    page.keyboard.press("h")
    return [start, start + 13]


def test_another_person_in_the_same_browser_is_noticed(assess: Assessing) -> None:
    """Nothing of theirs is shown or recorded; the banner links to signing in."""
    campaign = FakeCampaign({"D1": LINES, "D2": LINES})
    page = assess(campaign, PLACE)
    campaign.assessor = "bob"
    page.keyboard.press("p")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("bob has signed in with this browser; this page belongs to anna.")
    assert page.get_by_role("link", name="Sign in again").get_attribute("href") == f"login#{PLACE}"
    assert campaign.shown == []
    page.keyboard.press("n")
    expect(page.locator("h1")).to_contain_text("bob has signed in")
    page.go_back()
    campaign.assessor = "anna"
    page.reload()
    until_ready(page)
    expect(alert).to_be_hidden()
    campaign.assessor = "bob"
    page.keyboard.press("f")
    expect(alert).to_contain_text("bob has signed in with this browser")
    assert all("403" in fault for fault in assess.watch(page).take())


def test_a_note_is_stored_at_every_character(assess: Assessing) -> None:
    """After a reload in the middle of a word the note is there, and is sent."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    field = page.get_by_label("Note on this document")
    field.focus()
    page.keyboard.type("typed in a hurry 😀")
    assert page.locator("#saved").get_attribute("data-state") == "saving"
    page.reload()
    until_ready(page)
    until_saved(page)
    assert field.input_value() == "typed in a hurry 😀"
    assert campaign.state("D1")["note"] == "typed in a hurry 😀"


def test_a_note_is_one_event(assess: Assessing) -> None:
    """Not one per character; the next action comes after it; a note that is typed back is no event."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    field = page.get_by_label("Note on this document")
    field.press_sequentially("two words")
    page.get_by_role("button", name="Nothing relevant").click()
    page.wait_for_selector(".slot:has-text('Re-open')")
    until_saved(page)
    assert [event["kind"] for event in campaign.history("T1", "D1").events] == ["note", "done"]
    field.press_sequentially("!")
    field.press("Backspace")
    until_saved(page)
    field.press_sequentially("!")
    field.blur()
    page.keyboard.press("Control+z")
    until_saved(page)
    assert campaign.state("D1")["note"] == "two words"
    assert [event["kind"] for event in campaign.history("T1", "D1").events[2:]] == ["note", "undo"]


def test_a_note_is_sent_when_the_page_is_left(assess: Assessing) -> None:
    """A note is sent when another document or another window is opened."""
    campaign = FakeCampaign({"D1": LINES, "D2": LINES})
    page = assess(campaign, PLACE)
    field = page.get_by_label("Note on this document")
    field.press_sequentially("one")
    page.locator(".pile a").nth(1).click()
    page.wait_for_url("**doc=D2")
    until_ready(page)
    until_saved(page)
    assert campaign.state("D1")["note"] == "one"
    page.evaluate("() => Object.defineProperty(document, 'hidden', {value: true})")
    assess.spoil(page)
    page.clock.install()
    page.clock.pause_at(page.evaluate("() => Date.now() + 1000"))
    field.press_sequentially("two")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    page.wait_for_selector("#saved[data-state=saved]")
    assert campaign.state("D2")["note"] == "two"


def test_the_note_of_a_label_is_stored_at_every_character(assess: Assessing, tmp_path: Path) -> None:
    """Before its field is left; offline it stays visible."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="evidence"))
    page = assess(campaign, "topic=7&doc=a")
    select(page, 0, 4)
    page.keyboard.press("h")
    page.keyboard.press("1")
    until_saved(page)
    campaign.down = True
    field = page.get_by_label("Note on this passage")
    field.press_sequentially("because")
    field.blur()
    expect(page.locator("#saved")).to_contain_text("1 not saved")
    expect(page.locator(".passages-labelled small")).to_have_text("supports · because")
    page.keyboard.press("f")
    expect(page.locator("#saved")).to_contain_text("2 not saved")
    campaign.down = False
    page.reload()
    until_ready(page)
    until_saved(page)
    state = campaign.state("a")
    assert [label[2:] for label in state["labels"]] == [["supports", "because"]]
    assert state["done"]
    assert assess.watch(page).take()


def test_actions_after_a_rejected_one_need_a_decision(assess: Assessing) -> None:
    """A document must not be finished without the rejected action, nor an older action be undone."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    first = highlight(page, 0)
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    until_saved(page)
    campaign.down = True
    highlight(page, 1)
    page.keyboard.press("Control+z")
    highlight(page, 2)
    page.keyboard.press("f")
    expect(page.locator("#saved")).to_contain_text("4 not saved")
    campaign.documents["D1"] = campaign.documents["D1"]._replace(text=LINES.replace("001 says", "001 said"))
    campaign.down = False
    dialog = page.get_by_role("dialog", name="The server rejected your highlight")
    expect(dialog).to_contain_text(
        "Your 2 actions were made after the rejected highlight; the server has version 2."
    )
    expect(page.get_by_role("alert")).to_contain_text("in D1 (T1), “Line 001 says”.")
    assert campaign.state("D1")["highlights"] == [first]
    dialog.get_by_role("button", name="Keep the server's").click()
    page.get_by_role("button", name="Understood").click()
    until_saved(page)
    assert painted(page)["judged"] == [tuple(first)]
    assert campaign.state("D1")["version"] == 2
    assert assess.watch(page).take()


def test_unsaved_actions_are_counted_at_once(assess: Assessing) -> None:
    """Not only at the next attempt."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.down = True
    for line in range(4):
        highlight(page, line)
        expect(page.locator("#saved")).to_contain_text(f"{line + 1} not saved", timeout=900)
    campaign.down = False
    until_saved(page)
    assert assess.watch(page).take()


def test_events_saved_by_another_window_are_followed(assess: Assessing) -> None:
    """Highlights stay painted; the next action is sent at once and is no conflict."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.down = True
    first = highlight(page, 0)
    page.wait_for_selector("#saved[data-state=waiting]")
    campaign.down = False
    other = assess.tab(page.context, PLACE)
    until_saved(other)
    until_saved(page)
    second = highlight(page, 1)
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [first, second]
    assert painted(page)["judged"] == [tuple(first), tuple(second)]
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert assess.watch(page).take()


def test_a_conflict_is_not_decided_by_a_stray_key(assess: Assessing) -> None:
    """The heading of the dialog has the focus, not a button."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    other = assess.tab(page.context, PLACE)
    first = highlight(page, 0)
    until_saved(page)
    highlight(other, 1)
    expect(other.get_by_role("dialog")).to_be_visible()
    expect(other.locator("#conflict-title")).to_be_focused()
    for key in ("Space", "Enter", "h"):
        other.keyboard.press(key)
    expect(other.get_by_role("dialog")).to_be_visible()
    assert campaign.state("D1")["highlights"] == [first]
    assert all("409" in fault for fault in assess.watch(other).take())


def test_unsaved_events_do_not_go_to_another_campaign(assess: Assessing) -> None:
    """With the same address and names: an open page shows a warning, a new one sends nothing."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, PLACE)
    campaign.down = True
    page.keyboard.press("f")
    page.wait_for_selector("#saved[data-state=waiting]")
    campaign.identity = "c2"
    campaign.down = False
    expect(page.get_by_role("alert")).to_contain_text("Another campaign is now served here")
    page.reload()
    until_ready(page)
    until_saved(page)
    assert campaign.state("D1")["version"] == 0
    campaign.identity = "c1"
    page.reload()
    until_ready(page)
    page.wait_for_selector(".slot:has-text('Re-open')")
    assert campaign.state("D1")["done"]
    assert assess.watch(page).take()


def test_a_page_without_storage_warns(assess: Assessing) -> None:
    """If the browser has no storage for the page, the banner says that the window must stay open."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign)
    assess.spoil(page)
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('closed'); }})"
    )
    page.goto("about:blank")
    page.goto(f"http://campaign.test/#{PLACE}")
    until_ready(page)
    campaign.down = True
    highlight(page, 0)
    expect(page.get_by_role("alert")).to_contain_text("do not close the window")
    campaign.down = False
    until_saved(page)
    assert assess.watch(page).take()


def test_the_reason_of_an_impossible_action_is_visible(assess: Assessing) -> None:
    """Until the next key."""
    page = assess(FakeCampaign({"D1": LINES}), PLACE)
    for key, why in (("u", "This text is not highlighted."), ("n", "All other documents are finished.")):
        page.keyboard.press(key)
        expect(page.locator("#status.why")).to_have_text(why)
    page.keyboard.press("s")
    expect(page.locator("#status.why")).to_have_count(0)
    expect(page.locator("#status")).to_have_text("Select whole sentences.")


def test_only_the_topic_of_a_finished_document_is_requested(assess: Assessing) -> None:
    """The whole list may be long."""
    topics = [{"id": "T1", "title": "Rent"}, {"id": "T 2", "title": "Lease"}]
    campaign = FakeCampaign({"D1": LINES, "D2": LINES}, topics=topics)
    page = assess(campaign, "topic=T%202&doc=D1")
    with page.expect_request("**/api/pool*") as asked:
        page.keyboard.press("f")
    assert asked.value.url.endswith("/api/pool?topic=T%202")
    page.keyboard.press("n")
    page.wait_for_url("**#topic=T%202&doc=D2")
    until_ready(page)


def test_a_narrow_window_shows_the_text_first(assess: Assessing) -> None:
    """The list of documents closes when a window becomes narrow, and opens when it becomes wide."""
    page = assess(FakeCampaign({"D1": LINES}), PLACE)
    aside = page.locator("details.aside")
    expect(aside).to_have_attribute("open", "")
    page.set_viewport_size({"width": 800, "height": 800})
    expect(aside).not_to_have_attribute("open", "")
    aside.locator("summary").first.click()
    expect(aside).to_have_attribute("open", "")
    page.set_viewport_size({"width": 1300, "height": 800})
    expect(aside).to_have_attribute("open", "")
