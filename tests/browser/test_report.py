"""The report of the embedded collection, from a file with the network off: what a reader does with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Pages, go, painted, text_of, until_ready

import excerpt
from excerpt import Corpus, Policy, ScoreTable, collection

MEASURES = ("MAiP", "iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]")
VIEWS = {
    "overview": "",
    "pair": "view=pair&runs=sent-bm25,p-bm25",
    "topic": "topic=CU17&runs=sent-bm25,p-bm25&m=MAiP",
    "document": "topic=CU17&runs=sent-bm25&m=MAiP&doc=C0115",
    "passages": "view=passages",
}


@pytest.fixture(scope="module")
def scores() -> ScoreTable:
    """The scores that the report shows, from the evaluation itself."""
    files = [run.path for run in collection.runs()]
    return excerpt.evaluate(
        collection.qrels(), files, MEASURES, policy=Policy(overlap="first"), notices=excerpt.Notices()
    )


def _cells(page: Page) -> dict[tuple[str, str, str], str]:
    """The score cells that a page has, by run, topic and measure."""
    rows = page.locator("[data-run][data-topic][data-measure]").evaluate_all(
        "cells => cells.map(({dataset: {run, topic, measure, value}}) => [run, topic, measure, value])"
    )
    return {(run, topic, measure): value for run, topic, measure, value in rows}


def test_the_first_view_has_the_means_of_all_runs(open_page: Pages, demo: Path, scores: ScoreTable) -> None:
    """Every digit of every mean, from a file, without any request."""
    cells = _cells(open_page(demo))
    for run, mean in zip(scores.runs, scores.means()[:, 0].tolist(), strict=True):
        assert json.loads(cells[run, "all", "MAiP"]) == mean


def test_cells_are_the_scores(open_page: Pages, demo: Path, scores: ScoreTable) -> None:
    """Whatever measure is chosen, each cell carries the score of its run and topic, all digits."""
    page = open_page(demo)
    for place, measure in enumerate(scores.measures):
        go(page, f"m={measure}")
        checked = 0
        for (run, topic, name), value in _cells(page).items():
            if name != measure:
                continue
            row = scores.runs.index(run)
            exact = (
                scores.means()[row, place]
                if topic == "all"
                else scores.values[row, scores.topics.index(topic), place]
            )
            shown = float("nan" if value in {"", "null"} else value)
            assert shown == pytest.approx(exact, abs=0, nan_ok=True), (measure, run, topic)
            checked += 1
        assert checked >= len(scores.runs), measure


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_by_its_address(open_page: Pages, demo: Path, view: str) -> None:
    """A link says all: the view is drawn, has one heading, and a title of its own."""
    page = open_page(demo, VIEWS[view])
    assert page.locator("main h1").count() == 1
    assert page.locator("main h1").inner_text().strip()
    assert page.title()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_the_documents_text_is_the_canonical_text(open_page: Pages, demo: Path) -> None:
    """Character for character, and what is painted are the characters of judgments and run."""
    corpus = Corpus.read(collection.corpus())
    judgments = excerpt.read_judgments(collection.qrels())
    run = excerpt.read_run(collection.folder() / "runs" / "sent-bm25.fol.gz")
    page = open_page(demo, VIEWS["document"])
    assert text_of(page) == corpus["C0115"]
    pair = next(
        number
        for number, (topic, document) in enumerate(
            zip(judgments.pair_topic, judgments.pair_document, strict=True)
        )
        if (judgments.topics[topic], judgments.documents[document]) == ("CU17", "C0115")
    )
    mine = judgments.spans.group == pair
    relevant = {
        at
        for start, end in zip(judgments.spans.start[mine], judgments.spans.end[mine], strict=True)
        for at in range(start, end)
    }
    found = {
        at
        for result in run
        if (result.topic, result.document) == ("CU17", "C0115")
        for at in range(result.start, result.end)
    }
    shown = {
        name: {at for start, end in spans for at in range(start, end)}
        for name, spans in painted(page).items()
    }
    assert shown.get("hit", set()) == relevant & found
    assert shown.get("missed", set()) == relevant - found
    assert shown.get("vain", set()) == found - relevant


def test_the_link_of_the_specification_works(open_page: Pages, demo: Path) -> None:
    """Topic, runs, measure, document and place, also of a document that this topic does not have."""
    page = open_page(demo, "topic=CU07&runs=sent-bm25,p-bm25&m=MAiP&doc=C0112&at=6363-6797")
    assert text_of(page) == Corpus.read(collection.corpus())["C0112"]
    assert page.url.endswith("#topic=CU07&runs=sent-bm25,p-bm25&m=MAiP&doc=C0112&at=6363-6797")


def test_what_an_address_names_in_vain_is_said(open_page: Pages, demo: Path) -> None:
    """The page is ready all the same, and offers a way on."""
    page = open_page(demo, "topic=CU17&doc=C9999")
    for hash_, said in (
        ("topic=CU17&doc=C9999", "C9999"),
        ("topic=CU99", "CU99"),
        ("topic=CU17&runs=nobody", "nobody"),
        ("topic=CU17&m=MAP", "MAP"),
    ):
        go(page, hash_)
        expect(page.locator("main h1"), hash_).to_contain_text(said)
        assert page.locator("main a").count() >= 1, hash_


def test_back_and_forward(open_page: Pages, demo: Path) -> None:
    """Each view that was opened is one step back."""
    page = open_page(demo)
    for view in ("topic", "document", "passages"):
        go(page, VIEWS[view])
    heading = page.locator("main h1").inner_text()
    page.go_back()
    until_ready(page)
    assert page.url.endswith(VIEWS["document"])
    expect(page.locator("#text")).to_be_visible()
    page.go_back()
    until_ready(page)
    assert page.url.endswith(VIEWS["topic"])
    expect(page.locator("#text")).to_have_count(0)
    page.go_forward()
    page.go_forward()
    until_ready(page)
    assert page.locator("main h1").inner_text() == heading


def _press(page: Page, key: str, expected: str) -> None:
    """Press a key; the address is then one that matches, and its view is drawn."""
    page.keyboard.press(key)
    page.wait_for_url(re.compile(expected))
    until_ready(page)


def test_a_topic_is_read_without_a_mouse(open_page: Pages, demo: Path) -> None:
    """Topics, documents, missed passages, runs, relevant text, filters and help, by single keys."""
    page = open_page(demo, "topic=CU17&runs=sent-bm25")
    _press(page, "]", "topic=CU18")
    _press(page, "[", "topic=CU17")
    assert page.evaluate("() => document.activeElement.tagName") == "H1"
    _press(page, "n", "topic=CU17.*&doc=")
    first = page.url
    _press(page, "n", "&doc=(?!" + re.escape(first.rpartition("doc=")[2]) + ")")
    _press(page, "p", re.escape(first))
    _press(page, "j", r"&at=\d+-\d+")
    _press(page, "J", r"&at=\d+-\d+")
    start, end = map(int, page.url.rpartition("at=")[2].split("-"))
    assert (start, end) in painted(page)["missed"]
    page.keyboard.press("g")
    until_ready(page)
    assert {"hit", "missed"} & painted(page).keys() == set()
    page.keyboard.press("g")
    until_ready(page)
    assert "missed" in painted(page)
    _press(page, "2", "runs=sent-bm25,")
    assert any(name.startswith("runs-") for name in painted(page))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_role("dialog", name="Find")).to_be_visible()


def test_a_topic_is_reached_by_tab_and_enter(open_page: Pages, demo: Path) -> None:
    """From the first view, with the keys that every browser has."""
    page = open_page(demo)
    for _ in range(200):
        page.keyboard.press("Tab")
        if "topic=" in page.evaluate(
            "() => document.activeElement.closest('[href]')?.getAttribute('href') ?? ''"
        ):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("topic="))
    until_ready(page)


def test_the_browsers_search_finds_the_text(open_page: Pages, demo: Path) -> None:
    """Ctrl+F sees all of the open document, also what is far below: beginning, middle and end."""
    text = Corpus.read(collection.corpus())["C0115"]
    words = re.findall(r"[A-Za-z]{4,} [A-Za-z]{4,} [A-Za-z]{4,}", text)
    page = open_page(demo, VIEWS["document"])
    for sought in (words[0], words[len(words) // 2], words[-1]):
        found = page.evaluate(
            """sought => {
              getSelection().removeAllRanges();
              return find(sought, false, false, true)
                && document.getElementById("text").contains(getSelection().anchorNode);
            }""",
            sought,
        )
        assert found, sought


def test_dark_and_light_differ(open_page: Pages, demo: Path) -> None:
    """Ink and ground change places, in every view; text can be read in both."""
    for dark in (False, True):
        page = open_page(demo, dark=dark)
        for view, hash_ in VIEWS.items():
            go(page, hash_)
            ground, ink = page.evaluate(
                """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.body).color]"""
            )
            assert (_light(ground) > _light(ink)) != dark, view


def _light(colour: str) -> float:
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3])


def test_a_document_is_printed_whole(open_page: Pages, demo: Path, tmp_path: Path) -> None:
    """On paper fixed parts of the screen are gone, and the text continues over the pages."""
    page = open_page(demo, VIEWS["document"])
    page.emulate_media(media="print")
    for part in (".text-map", ".margin", ".inspector", ".steps"):
        assert not page.locator(part).first.is_visible()
    assert page.locator("#text").is_visible()
    printed = page.pdf()
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > len(text_of(page)) / 10_000


@pytest.mark.parametrize("width", [320, 768])
def test_narrow_windows_do_not_scroll_sideways(open_page: Pages, demo: Path, width: int) -> None:
    """Wide content scrolls in itself, in every view."""
    page = open_page(demo, width=width)
    for view, hash_ in VIEWS.items():
        go(page, hash_)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, view


#: What foreign code would try in the page; each sets `ran` if it succeeds.
ATTEMPTS = (
    "add('script', {textContent: 'window.ran = 1'})",
    "add('script', {src: 'data:text/javascript,window.ran=1'})",
    "document.body.setAttribute('onclick', 'window.ran = 1'); document.body.click()",
    "document.body.innerHTML += '<img src=x onerror=window.ran=1>'",
    "setTimeout('window.ran = 1')",
    "const p = add('p', {}); p.setAttribute('style', 'position: fixed'); ran(position(p) === 'fixed')",
    "add('style', {textContent: 'body {position: fixed}'}); ran(position(document.body) === 'fixed')",
    "return fetch('http://elsewhere.test/').then(() => ran(true))",
    "const image = new Image(); image.onload = () => ran(true); image.src = 'http://elsewhere.test/x.png'",
    "add('iframe', {src: 'http://elsewhere.test/'})",
    "add('form', {action: 'http://elsewhere.test/'}).submit()",
    "add('base', {href: 'http://elsewhere.test/'}); ran(document.baseURI.startsWith('http'))",
)
_TRY = """async () => {
  const ran = succeeded => { if (succeeded) window.ran = 1; };
  const position = element => getComputedStyle(element).position;
  const add = (tag, values) => {
    const element = Object.assign(document.createElement(tag), values);
    document.body.append(element);
    return element;
  };
  try { await (() => {%s})(); } catch (error) { return `stopped: ${error.message}`; }
  await new Promise(done => setTimeout(done, 30));
  return window.ran ? "ran" : "nothing";
}"""


def test_nothing_foreign_runs(open_page: Pages, demo: Path) -> None:
    """The policy is in force: no script or style but the page's own, no request, no frame."""
    page = open_page(demo)
    for attempt in ATTEMPTS:
        assert page.evaluate(_TRY % attempt) != "ran", attempt
    faults = open_page.watch(page).take()
    assert len(faults) > len(ATTEMPTS) / 2
    sent = [fault for fault in faults if fault.startswith("dialog")]
    assert sent == []
    assert page.url.startswith("file:")


def test_the_file_says_nothing_of_this_machine(demo: Path) -> None:
    """The same input gives the same bytes, wherever and whenever."""
    content = demo.read_bytes()
    assert len(content) <= 1_200_000
    assert str(demo.parent).encode() not in content
    policy = re.search(rb'http-equiv="Content-Security-Policy" content="([^"]+)"', content)
    assert policy is not None
    assert policy[1].startswith(b"default-src 'none'; script-src 'sha256-")
    assert b"unsafe" not in policy[1]
