"""The real command and the real page: signing in, judging, a server that is killed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from support.browsing import Tabs, Watch, painted, text_of, until_ready
from support.fake_campaign import select, until_saved
from support.served_campaign import DOCUMENTS, Served, make_campaign

Visit = Callable[..., tuple[Page, Watch]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign of two topics and three documents."""
    return make_campaign(tmp_path)


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Visit]:
    """Opens a page by a link; raises an error for other requests, and for errors that no test expects."""
    opened: list[tuple[Page, Watch]] = []
    taken: list[Page] = []

    def start(served: Served, link: str, context: BrowserContext | None = None) -> tuple[Page, Watch]:
        page = context.new_page() if context else tabs.take(width=1280, height=800, dark=False, offline=False)
        if context is None:
            taken.append(page)
        opened.append((page, Watch(page, f"http://127.0.0.1:{served.port}/")))
        page.goto(link)
        until_ready(page)
        return opened[-1]

    yield start
    faults = [fault for _, watch in opened for fault in watch.faults]
    for _, watch in opened:
        watch.end()
    for page in taken:  # with the others of its context
        tabs.give_back(page)
    assert faults == []


def link(served: Served, token: str) -> str:
    """The link by which a user signs in."""
    return f"http://127.0.0.1:{served.port}/login#token={token}"


def state(served: Served, token: str, document: str = "A", topic: str = "1") -> dict[str, Any]:
    """The state of a document on the server."""
    reply = served.ask(f"/api/document?topic={topic}&document={document}", token)
    found: dict[str, Any] = reply.json["state"]
    return found


def test_a_document_from_the_link_to_finishing(folder: Path, visit: Visit) -> None:
    """The token is removed from the address; keys are enough; the server has the painted text."""
    with Served(folder) as served:
        token = served.add("ann")["ann"]
        page, _ = visit(served, link(served, token))
        assert token not in page.url
        expect(page.locator("h1")).to_have_text("0 of 6 documents are finished")
        page.keyboard.press("n")
        page.wait_for_url("**#topic=1&doc=A")
        until_ready(page)
        assert text_of(page) == DOCUMENTS["A"]
        for key in (
            "ArrowRight",
            "ArrowRight",
            "Shift+ArrowRight",
            "Shift+ArrowRight",
            "Shift+ArrowRight",
            "h",
        ):
            page.keyboard.press(key)
        until_saved(page)
        ((start, end),) = state(served, token)["highlights"]
        assert DOCUMENTS["A"][start:end] == "😀 beta\r\ngamma"
        assert painted(page)["judged"] == [(start, end)]
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        until_saved(page)
        page.keyboard.press("f")
        page.wait_for_selector(".slot:has-text('Re-open')")
        found = state(served, token)
        assert (found["bep"], found["done"]) == (start, True)
        page.keyboard.press("n")
        page.wait_for_url("**#topic=1&doc=B")
        until_ready(page)
        assert text_of(page) == DOCUMENTS["B"]


def test_a_server_that_is_killed_loses_nothing(folder: Path, visit: Visit) -> None:
    """Killed with unsent work, and back after a reload: every action is there, once."""
    with Served(folder) as served:
        token = served.add("ann")["ann"]
        page, watch = visit(served, link(served, token))
        page.goto(f"http://127.0.0.1:{served.port}/#topic=1&doc=C")
        until_ready(page)
        _highlight(page, 10)
        until_saved(page)
        served.end(signal.SIGKILL)
        _highlight(page, 30)
        page.wait_for_selector("#saved[data-state=waiting]")
        _highlight(page, 50)
        expect(page.locator("#saved")).to_contain_text("2 not saved")
        assert painted(page)["judged"] == [(10, 15), (30, 35), (50, 55)]
    with Served(folder) as again:
        assert again.port == served.port
        page.goto(link(again, token))  # the session ended with the server
        until_ready(page)
        page.goto(f"http://127.0.0.1:{again.port}/#topic=1&doc=C")
        until_ready(page)
        until_saved(page)
        page.wait_for_function("() => CSS.highlights.get('judged')?.size === 3")
        found = state(again, token, "C")
        assert (found["version"], found["highlights"]) == (3, [[10, 15], [30, 35], [50, 55]])
        assert watch.take()


def test_saving_resumes_when_the_server_is_back(folder: Path, visit: Visit) -> None:
    """Without a reload; the session ended with the server, so another tab opens the link again."""
    with Served(folder) as served:
        token = served.add("ann")["ann"]
        page, watch = visit(served, link(served, token))
        page.goto(f"http://127.0.0.1:{served.port}/#topic=1&doc=C")
        until_ready(page)
        served.end(signal.SIGKILL)
        _highlight(page, 10)
        page.wait_for_selector("#saved[data-state=waiting]")
    with Served(folder) as again:
        visit(again, link(again, token), page.context)
        until_saved(page)
        assert state(again, token, "C")["highlights"] == [[10, 15]]
        assert watch.take()


def test_two_tabs_of_one_browser_have_a_conflict(folder: Path, visit: Visit) -> None:
    """The second one acts on an old version: both versions are shown, and both are kept."""
    with Served(folder) as served:
        token = served.add("ann")["ann"]
        one, _ = visit(served, link(served, token))
        place = f"http://127.0.0.1:{served.port}/#topic=1&doc=C"
        one.goto(place)
        until_ready(one)
        other, watch = visit(served, place, one.context)
        _highlight(one, 10)
        until_saved(one)
        _highlight(other, 30)
        dialog = other.get_by_role("dialog")
        expect(dialog).to_contain_text("the server has version 1")
        other.get_by_role("button", name="Apply my highlight to version 1").click()
        until_saved(other)
        assert state(served, token, "C")["highlights"] == [[10, 15], [30, 35]]
        assert all("409" in fault for fault in watch.take())


def test_another_person_in_the_same_browser(folder: Path, visit: Visit) -> None:
    """Work of the first assessor is not saved for the second; it waits until the first is back."""
    with Served(folder) as served:
        tokens = served.add("ann", "ben")
        page, watch = visit(served, link(served, tokens["ann"]))
        page.goto(f"http://127.0.0.1:{served.port}/#topic=1&doc=C")
        until_ready(page)
        other, _ = visit(served, link(served, tokens["ben"]), page.context)
        _highlight(page, 10)
        page.wait_for_selector("#saved[data-state=waiting]")
        expect(page.get_by_role("alert")).to_be_visible()
        assert [state(served, token, "C")["version"] for token in tokens.values()] == [0, 0]
        other.goto(link(served, tokens["ann"]))
        until_ready(other)
        page.get_by_role("button", name="Try now").click()
        until_saved(page)
        assert [state(served, token, "C")["version"] for token in tokens.values()] == [1, 0]
        assert watch.take()


def _highlight(page: Page, start: int) -> None:
    """Highlight exactly five characters."""
    select(page, start, start + 5)
    page.keyboard.press("Alt+h")
