"""excerpt explore, the real command: signing in, the same view as the file, documents on demand."""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from support.browsing import OPEN, Server, Tabs, Watch, go, painted, text_of, until_ready

from excerpt import Corpus, collection

RUNS = ("sent-bm25", "p-bm25")
FILES = [collection.folder() / "runs" / f"{run}.fol.gz" for run in RUNS]
EXPLORE = ("explore", collection.qrels(), *FILES, "-m", "MAiP", "-m", "charR", "--no-browser")
DEMO = (*EXPLORE, "--corpus", collection.corpus(), "--port", "0")
DOCUMENT = "topic=CU17&runs=sent-bm25&m=MAiP&doc=C0115"
_CELLS = (
    """cells => cells.map(({dataset: {run, topic, measure, value}}) => [run, topic, measure, value]).sort()"""
)


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The embedded collection, served."""
    server = Server(tmp_path_factory.mktemp("explore"), *DEMO)
    yield server
    server.close()


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Callable[..., tuple[Page, Watch]]]:
    """Opens a page of a server; an error if it sent other requests, or wrote errors that no test expected."""
    opened: list[tuple[Page, Watch]] = []

    def start(server: Server, link: str = "") -> tuple[Page, Watch]:
        page = tabs.take(width=1280, height=800, dark=False, offline=False)
        opened.append((page, Watch(page, f"{server.address}/")))
        page.goto(link or server.link)
        return opened[-1]

    yield start
    faults = [fault for _, watch in opened for fault in watch.faults]
    for page, watch in opened:
        watch.end()
        tabs.give_back(page)
    assert faults == []


def _ask(server: Server, path: str, **headers: str) -> tuple[int, bytes]:
    """Answer of the server to a program."""
    request = urllib.request.Request(f"{server.address}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_signing_in_by_the_link(explorer: Server, visit: Callable[..., tuple[Page, Watch]]) -> None:
    """The token leaves the address at once; the cookie is not for scripts; the view is there."""
    page, _ = visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    until_ready(page)
    assert explorer.token not in page.url
    assert page.evaluate("() => document.cookie") == ""
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert cookie["name"] == f"excerpt-{explorer.address.rpartition(':')[2]}"
    assert page.evaluate("() => history.length") <= 3
    expect(page.locator("main h1")).to_be_visible()


def test_the_view_is_that_of_the_file(
    explorer: Server, visit: Callable[..., tuple[Page, Watch]], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """The same words and the same numbers in every view."""
    from excerpt.cli import main

    given = [str(part) for part in DEMO[1:] if part not in {"--no-browser", "--port", "0"}]
    assert main(["report", *given, "-o", str(tmp_path / "report.html")]) == 0
    file = open_page(tmp_path / "report.html")
    page, _ = visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    until_ready(page)
    page.evaluate(OPEN)
    for view in ("", "m=charR", "view=pair&m=charR", "view=pair", "topic=CU17", DOCUMENT, "view=passages"):
        for one in (file, page):
            go(one, view)
        assert page.locator("main").inner_text() == file.locator("main").inner_text()
        cells = [
            one.locator("[data-run][data-topic][data-measure]").evaluate_all(_CELLS) for one in (page, file)
        ]
        assert cells[0] == cells[1]
    go(page, DOCUMENT)
    go(file, DOCUMENT)
    assert painted(page) == painted(file)
    assert text_of(page) == Corpus.read(collection.corpus())["C0115"]


def test_what_is_copied_has_a_link_in_the_explorer_alone(
    explorer: Server, visit: Callable[..., tuple[Page, Watch]], open_page: Callable[..., Page], demo: Path
) -> None:
    """Every table, a row of a pair, the ranks of a topic, a passage; a file has no address for others."""
    file, (page, _) = open_page(demo), visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    until_ready(page)
    page.evaluate(OPEN)
    buttons = {"": 3, "pair": 2, "pairs": 1, "documents": 1, "topic=CU17": 1, f"{DOCUMENT}&at=4000-4100": 1}
    for view, least in buttons.items():
        in_file, in_explorer = copied(file, view), copied(page, view)
        assert len(in_explorer) >= least, view
        assert all(f"](<{explorer.address}/#" in text for text in in_explorer), view
        assert not any("http" in text or "](" in text for text in in_file), view
        assert len(in_file) >= least, view


def copied(page: Page, view: str) -> list[str]:
    """The Markdown of each button of a view that copies."""
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied.push(text); }; }")
    go(page, view)
    page.evaluate("() => { window.copied = []; }")
    buttons = page.get_by_role("button", name="Copy as Markdown")
    number = buttons.count()
    for done in range(1, number + 1):
        buttons.first.click()  # afterwards it has another name
        expect(page.get_by_role("button", name="Copied as Markdown").last).to_be_visible()
        page.wait_for_function("done => window.copied.length >= done", arg=done)
    texts: list[str] = page.evaluate("() => window.copied")
    assert len(texts) == number
    return texts


def test_the_first_view_is_never_blank(explorer: Server, visit: Callable[..., tuple[Page, Watch]]) -> None:
    """While the server compares, the page has its bar, what is compared, and how far it is."""
    page, _ = visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    until_ready(page)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/overview", hold)
    first = page.request.get(f"{explorer.address}/").text().partition("<script")[0]
    assert re.search("<p class=.page.>Comparing [0-9]+ pairs? over 41 topics …</p></main>", first)
    progress = {"pairs": 66, "topics": 472, "done": 0.25}
    page.route("**/api/progress", lambda route: route.fulfill(json=progress))
    page.reload()
    expect(page.locator("main")).to_contain_text("Comparing 66 pairs over 472 topics …")
    assert page.locator("main progress").evaluate("bar => bar.value") == 0.25
    expect(page.locator("#bar")).to_contain_text("excerpt")
    held[0].continue_()
    until_ready(page)
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("main progress")).to_have_count(0)
    page.unroute_all(behavior="wait")


def test_a_link_to_a_place_works_for_who_has_signed_in(
    explorer: Server, visit: Callable[..., tuple[Page, Watch]]
) -> None:
    """Another tab of the same browser needs no token."""
    page, _ = visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    other = page.context.new_page()
    other.goto(f"{explorer.address}/#{DOCUMENT}")
    until_ready(other)
    expect(other.locator("#text")).to_be_visible()


def test_strangers_see_how_to_sign_in(explorer: Server, visit: Callable[..., tuple[Page, Watch]]) -> None:
    """Without a cookie there is a page of words; a wrong token is said; the right one can be pasted."""
    page, watch = visit(explorer, f"{explorer.address}/#{DOCUMENT}")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Link or token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("This link does not work.")
    page.get_by_label("Link or token").fill(explorer.link)
    page.keyboard.press("Enter")
    page.wait_for_selector("#text")
    until_ready(page)
    assert all("401" in fault for fault in watch.take())


def test_what_is_missing_is_said_in_the_page(
    explorer: Server, visit: Callable[..., tuple[Page, Watch]]
) -> None:
    """An unknown document is one sentence, and the page is ready all the same."""
    page, watch = visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    go(page, "topic=CU17&doc=C9999")
    expect(page.locator("main h1")).to_contain_text("C9999")
    assert all("404" in fault for fault in watch.take())


def test_the_policy_is_in_force(explorer: Server, visit: Callable[..., tuple[Page, Watch]]) -> None:
    """No script but the page's own, no request elsewhere, no frame around it."""
    page, watch = visit(explorer)
    page.wait_for_url(f"{explorer.address}/")
    until_ready(page)
    ran = page.evaluate(
        """async () => {
          const script = document.createElement("script");
          try { script.textContent = "window.ran = 1"; document.body.append(script); } catch { }
          await fetch("http://elsewhere.test/").then(() => { window.ran = 2; }).catch(() => null);
          return window.ran ?? 0;
        }"""
    )
    assert ran == 0
    assert watch.take()
    frame = page.context.new_page()
    frame.set_content(f"<iframe src='{explorer.address}/'></iframe>")
    frame.wait_for_timeout(100)
    assert frame.locator("iframe").content_frame.locator("main").count() == 0


@pytest.mark.parametrize("page_name", ["", "login"])
def test_a_place_is_kept_over_signing_in(
    explorer: Server, visit: Callable[..., tuple[Page, Watch]], page_name: str
) -> None:
    """A link into the view leads there once the token is given."""
    page, watch = visit(explorer, f"{explorer.address}/{page_name}#{DOCUMENT}")
    page.get_by_label("Link or token").fill(explorer.link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("#text")
    until_ready(page)
    assert page.url == f"{explorer.address}/#{DOCUMENT}"
    assert all("401" in fault for fault in watch.take())


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/overview", {}, 401),
        ("/api/overview?token={token}", {}, 401),
        ("/api/overview", {"Authorization": "Bearer {token}"}, 200),
        ("/api/overview", {"Authorization": "Bearer {token}", "Host": "evil.test"}, 400),
        ("/api/overview", {"Authorization": "Bearer {token}", "Origin": "http://evil.test"}, 403),
        ("/api/document?document=C9999", {"Authorization": "Bearer {token}"}, 404),
        ("/..%2f..%2fetc/passwd", {"Authorization": "Bearer {token}"}, 404),
    ],
)
def test_programs_at_the_door(explorer: Server, path: str, headers: dict[str, str], status: int) -> None:
    """The guards also protect the real server."""
    filled = {name: value.format(token=explorer.token) for name, value in headers.items()}
    found, body = _ask(explorer, path.format(token=explorer.token), **filled)
    assert found == status
    if path.startswith("/api") and status != 200:
        assert list(json.loads(body)) == ["error"]


def test_a_file_that_changes_while_it_is_served(
    server: Callable[..., Server], visit: Callable[..., tuple[Page, Watch]], tmp_path: Path
) -> None:
    """Its text is not shown with offsets of another text: a sentence explains it, and all else works."""
    (tmp_path / "docs").mkdir()
    for name in ("A", "B"):
        (tmp_path / "docs" / f"{name}.txt").write_text(f"some text of {name}", encoding="utf-8")
    (tmp_path / "qrels").write_text("1 Q0 A 4 14 0 0:4\n1 Q0 B 4 14 0 0:4\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r 0 9\n1 Q0 B 2 1 r 2 9\n", encoding="utf-8")
    started = server(
        *("explore", tmp_path / "qrels", tmp_path / "run", "-m", "charP"),
        *("--corpus", tmp_path / "docs", "--no-browser"),
    )
    page, watch = visit(started)
    page.wait_for_url(f"{started.address}/")
    go(page, "topic=1&doc=B")
    assert text_of(page) == "some text of B"
    changed = tmp_path / "docs" / "A.txt"
    changed.write_text("another text, and longer", encoding="utf-8")
    os.utime(changed, (1, 1))
    go(page, "topic=1&doc=A")
    expect(page.locator("main")).to_contain_text("has changed")
    assert "another text" not in page.locator("body").inner_text()
    status, body = _ask(started, "/api/document?document=A", Authorization=f"Bearer {started.token}")
    assert (status, json.loads(body)["text"]) == (200, None)
    page.reload()
    go(page, "topic=1&doc=B")
    assert text_of(page) == "some text of B"
    go(page, "topic=1")
    expect(page.locator("main")).to_contain_text("me text o")
    assert watch.take() == []


def test_a_page_says_that_its_server_is_gone(
    server: Callable[..., Server], visit: Callable[..., tuple[Page, Watch]]
) -> None:
    """Views that were read before can still be shown."""
    started = server(*DEMO)
    page, watch = visit(started)
    page.wait_for_url(f"{started.address}/")
    go(page, DOCUMENT)
    assert started.stop() == 0
    go(page, "topic=CU17&doc=C0079")
    expect(page.locator("main")).to_contain_text("The server does not answer. Is it still running?")
    go(page, DOCUMENT)
    assert text_of(page) == Corpus.read(collection.corpus())["C0115"]
    assert watch.take()


def test_the_end_by_interrupt_is_clean(server: Callable[..., Server], tmp_path: Path) -> None:
    """Ctrl-C is how it ends: status 0, no traceback, also with a page that keeps its connection open."""
    (tmp_path / "qrels").write_text("1 Q0 A 4 14 0 0:4\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r 0 9\n", encoding="utf-8")
    started = server(
        "explore", tmp_path / "qrels", tmp_path / "run", "-m", "charP", "--no-text", "--no-browser"
    )
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", started.address)
    assert _ask(started, "/api/overview", Authorization=f"Bearer {started.token}")[0] == 200
    assert started.stop() == 0
    assert "Traceback" not in started.told
    assert len(started.told.splitlines()) == 1
