"""Undo and redo that are held down, on fast and slow connections; windows that come to the front."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Tabs, painted
from support.fake_campaign import Assessing, opened, until_saved
from support.kept_campaign import KeptCampaign
from support.small_campaign import do, small_campaign

#: Highlights that can be undone, and presses of a key that is held down.
MADE, PRESSED = 8, 13
SLOW = """wait => {
  const { fetch } = window;
  window.fetch = async (...request) => {
    await new Promise(done => setTimeout(done, wait));
    return fetch(...request);
  };
}"""


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=7&doc=a")`: the page of a campaign."""
    yield from opened(tabs)


@pytest.fixture
def campaign(tmp_path: Path) -> KeptCampaign:
    """A campaign in which a document has highlights, made before the page was opened."""
    kept = KeptCampaign(small_campaign(tmp_path / "campaign"))
    for number in range(MADE):
        do(kept.campaign, "anna", "highlight", 3 * number, 3 * number + 2)
    return kept


def hold(page: Page, key: str, times: int = PRESSED) -> None:
    """Hold a key with Ctrl: it is repeated every 33 ms."""
    page.keyboard.down("Control")
    for _ in range(times):
        page.keyboard.down(key)
        page.wait_for_timeout(33)
    page.keyboard.up(key)
    page.keyboard.up("Control")


def calm(page: Page) -> None:
    """All is saved; there is no banner and no question."""
    until_saved(page)
    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.parametrize("latency", [0, 400])
def test_undo_held_down_stops_at_the_start(assess: Assessing, campaign: KeptCampaign, latency: int) -> None:
    """Nothing is refused, whatever is on its way; redo held down brings all of it back."""
    page = assess(campaign, "topic=7&doc=a")
    before = campaign.state("a")
    assert (before["undo"], before["redo"]) == (MADE, 0)
    page.evaluate(SLOW, latency)
    hold(page, "z")
    expect(page.locator("#status.why")).to_have_text("There is nothing to undo.")
    calm(page)
    state = campaign.state("a")
    assert (state["version"], state["highlights"]) == (2 * MADE, [])
    assert (state["undo"], state["redo"]) == (0, MADE)
    hold(page, "y")
    calm(page)
    state = campaign.state("a")
    assert (state["version"], state["highlights"]) == (3 * MADE, before["highlights"])
    assert [list(span) for span in painted(page)["judged"]] == before["highlights"]


def test_undo_and_redo_without_waiting(assess: Assessing, campaign: KeptCampaign) -> None:
    """Redo is possible at once after an undo whose effect only the server knows."""
    page = assess(campaign, "topic=7&doc=a")
    page.evaluate(SLOW, 400)
    hold(page, "z", 5)
    hold(page, "y", 3)
    calm(page)
    state = campaign.state("a")
    assert (state["undo"], state["redo"]) == (MADE - 2, 2)


def test_a_refused_undo_is_dropped(assess: Assessing, campaign: KeptCampaign) -> None:
    """As an outbox of an earlier version may contain; what was done after it is saved."""
    page = assess(campaign, "topic=7&doc=plain.txt")
    assert campaign.state("plain.txt")["undo"] == 0
    page.evaluate(
        """([campaign, assessor]) => {
          const quote = document.getElementById("text").textContent.slice(0, 2);
          const events = [{kind: "undo"}, {kind: "highlight", start: 0, end: 2, quote}];
          events.forEach((event, base) => {
            const id = `00000000-0000-4000-8000-00000000000${base}`;
            const entry = {number: base + 1, error: "",
              event: {id, assessor, topic: "7", document: "plain.txt", base, ...event}};
            localStorage.setItem(`excerpt:${campaign}:${assessor}:outbox:${id}`, JSON.stringify(entry));
          });
        }""",
        [campaign.pool()["campaign"], "anna"],
    )
    page.reload()
    page.wait_for_selector("html[data-state=ready]", state="attached")
    calm(page)
    assert campaign.state("plain.txt")["highlights"] == [[0, 2]]
    assert assess.watch(page).take() != []  # the browser reports the answer 422


def test_a_window_that_comes_to_the_front_is_up_to_date(assess: Assessing, campaign: KeptCampaign) -> None:
    """The open document, its list, and the list of topics; nothing is asked for twice at a time."""
    page = assess(campaign, "topic=7&doc=a")
    start = assess.tab(page.context)
    assert len(painted(page)["judged"]) == MADE
    do(campaign.campaign, "anna", "unhighlight", 0, 30)
    do(campaign.campaign, "anna", "highlight", 0, 4)
    do(campaign.campaign, "anna", "done", document="b")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.evaluate("() => (dispatchEvent(new Event('focus')), dispatchEvent(new Event('focus')))")
    page.wait_for_function("() => CSS.highlights.get('judged')?.size === 1")
    assert painted(page)["judged"] == [(0, 4)]
    assert [url.split("?")[0] for url in asked] == ["pool", "document"]
    expect(page.locator(".pile")).to_contain_text("nothing relevant")
    asked.clear()
    page.evaluate("() => dispatchEvent(new Event('focus'))")
    page.keyboard.press("Control+z")  # no conflict: it is based on the newest version
    calm(page)
    assert [url.split("?")[0] for url in asked].count("document") == 0
    link = start.locator("[data-key='topic 7']")
    link.focus()
    start.evaluate("() => dispatchEvent(new Event('focus'))")
    expect(start.locator("h1")).to_contain_text("1 of")
    expect(link).to_be_focused()
