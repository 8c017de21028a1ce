"""The page on which questions with quotes are written: the real command, by keyboard, mouse and touch."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.barriers import check
from support.browsing import Tabs, Watch, painted, until_ready
from support.payloads import PAYLOADS
from support.served_gold import DOCUMENTS, MARKDOWN, NOTICE, ServedGold, rows_in, write_documents

Open = Callable[..., Page]
_RIGHT = "Shift+ArrowRight"


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ServedGold]]:
    """`serve("--drafts", file)`: the command for a file in a folder of its own."""
    running: list[ServedGold] = []

    def start(*options: object, documents: dict[str, str] | None = None) -> ServedGold:
        docs = write_documents(tmp_path, documents)
        running.append(ServedGold(tmp_path / "gold.jsonl", docs, *options))
        return running[-1]

    yield start
    for served in running:
        served.__exit__(None, None, None)


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Open]:
    """Opens the page; raises an error for other requests, and for errors of the page."""
    opened: list[tuple[Page, Watch]] = []

    def start(served: ServedGold, *, width: int = 1440, height: int = 900) -> Page:
        page = tabs.take(width=width, height=height, dark=False, offline=False)
        opened.append((page, Watch(page, f"http://127.0.0.1:{served.port}/")))
        page.goto(served.link)
        until_ready(page)
        return page

    yield start
    faults = [fault for _, watch in opened for fault in watch.faults if "Failed to load" not in fault]
    for page, watch in opened:
        watch.end()
        tabs.give_back(page)
    assert faults == []


def press(page: Page, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def until_saved(page: Page, count: int) -> None:
    """Wait until the server has confirmed everything, and the file has so many questions."""
    page.wait_for_selector("#saved[data-state=saved]")
    expect(page.locator(".who")).to_have_text(f"{count} question{'' if count == 1 else 's'}")


def gold_of(served: ServedGold) -> list[dict[str, Any]]:
    """The rows of the file."""
    return rows_in(served.folder)


def select(page: Page, words: str) -> None:
    """Select words of the text, as a mouse would."""
    page.evaluate(
        """words => {
          const nodes = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
          while (nodes.nextNode()) {
            const at = nodes.currentNode.data.indexOf(words);
            if (at < 0) continue;
            getSelection().setBaseAndExtent(nodes.currentNode, at, nodes.currentNode, at + words.length);
            return;
          }
          throw new Error("no such words");
        }""",
        words,
    )


def test_questions_by_keyboard_alone(serve: Callable[..., ServedGold], visit: Open) -> None:
    """A question, one with an alternative in another document, one without an answer; nothing else."""
    served = serve()
    page = visit(served)
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", _RIGHT, _RIGHT, _RIGHT, "h", "q")
    page.keyboard.type("When is the rent due?")
    press(page, "Enter")
    until_saved(page, 1)
    press(page, "/")
    page.keyboard.type("landlord repairs")
    press(page, "Enter")
    page.wait_for_url("**#doc=roof.txt*")
    until_ready(page)
    press(page, "s", "h")
    page.wait_for_selector("text=The same text is also in 2 other places")
    press(page, "/")
    page.keyboard.type("Tiles")
    press(page, "Enter")
    page.wait_for_url("**#doc=sub%2Fb.txt*")
    until_ready(page)
    press(page, "w", "a", "q")
    page.keyboard.type("Who mends it?")
    press(page, "Escape", "t")
    page.keyboard.type("money, hard")
    press(page, "Enter")
    until_saved(page, 2)
    press(page, "x", "Enter")
    page.keyboard.type("Why?")
    press(page, "Enter")
    until_saved(page, 3)
    press(page, "n", "N")
    served.end()
    first, second, third = gold_of(served)
    assert (first["quote"], first["document"]) == ("**rent** is due", "a.md")
    assert MARKDOWN[first["start"] : first["end"]] == first["quote"]
    assert [one["quote"] for one in second["any_of"]] == [NOTICE, "Tiles"]
    assert second["tags"] == ["money", "hard"]
    assert third == {"question_id": "q3", "question": "Why?", "answerable": False}


def test_documents_are_shown_as_people_read_them(serve: Callable[..., ServedGold], visit: Open) -> None:
    """Markdown without its marks, of which the text still has every character; HTML as its visible text."""
    served = serve()
    page = visit(served)
    shown = page.inner_text("#text").split()
    assert (
        shown
        == "Rent The rent is due in May , see the law . one x two".replace(" ,", ",")
        .replace(" .", ".")
        .split()
    )
    assert page.evaluate("() => document.getElementById('text').textContent") == MARKDOWN
    assert page.locator("#text h2").inner_text() == "Rent"
    assert page.locator("#text li.leaf, #text li").count() == 2
    page.get_by_role("link", name="page.html").click()
    page.wait_for_url("**#doc=page.html")
    until_ready(page)
    assert page.inner_text("#text").split() == ["Heat", "It", "is", "cold", "in", "here."]


def test_quotes_by_mouse_and_copies_as_alternatives(serve: Callable[..., ServedGold], visit: Open) -> None:
    """The button marks the selection; all copies are added at once; a quote is taken back."""
    served = serve()
    page = visit(served)
    page.get_by_role("link", name="sub/b.txt").click()
    page.wait_for_url("**#doc=sub%2Fb.txt")
    until_ready(page)
    select(page, NOTICE)
    page.get_by_role("button", name="Mark").click()
    page.get_by_role("button", name="All 2 are alternatives").click()
    assert page.locator(".needs > li").count() == 1
    assert page.locator(".needs .quote").count() == 3
    select(page, "Tiles")
    page.keyboard.press("h")
    at = DOCUMENTS["sub/b.txt"].index(NOTICE)
    assert painted(page)["judged"] == [(0, 5), (at, at + len(NOTICE))]
    page.get_by_role("button", name="Take back this quote").last.click()
    page.fill('[data-key="question"]', "Who?")
    page.get_by_role("button", name="Keep").click()
    until_saved(page, 1)
    (row,) = gold_of(served)
    assert [(one["document"], one["quote"].split()) for one in row["any_of"]] == [
        ("sub/b.txt", NOTICE.split()),
        ("roof.txt", NOTICE.split()),
        ("roof.txt", NOTICE.split()),
    ]


def test_a_question_is_changed_and_deleted(serve: Callable[..., ServedGold], visit: Open) -> None:
    """From the list; a version that another window has replaced is not overwritten, and comes back."""
    served = serve()
    page = visit(served)
    press(page, "ArrowRight", "h", "q")
    page.keyboard.type("One?")
    press(page, "Enter")
    until_saved(page, 1)
    page.get_by_role("button", name="One?").click()
    until_ready(page)
    page.fill('[data-key="question"]', "Uno?")
    press(page, "Enter")
    page.wait_for_selector("button:has-text('Uno?')")
    page.get_by_role("button", name="Uno?").click()
    until_ready(page)
    served.post(
        {"id": "o", "kind": "keep", "question": "q1", "base": 2, "text": "Eins?", "answerable": False}
    )
    page.fill('[data-key="question"]', "Un?")
    press(page, "Enter")
    expect(page.locator("#banner")).to_contain_text("was changed in another window")
    assert gold_of(served)[0]["question"] == "Eins?"
    page.evaluate("() => dispatchEvent(new Event('focus'))")
    page.wait_for_selector("button:has-text('Eins?')")
    page.get_by_role("button", name="Back to the question").click()
    assert page.input_value('[data-key="question"]') == "Un?"
    press(page, "Enter")
    page.wait_for_selector("button:has-text('Un?')")
    page.get_by_role("button", name="Un?").click()
    until_ready(page)
    page.get_by_role("button", name="Delete").click()
    until_saved(page, 0)
    assert gold_of(served) == []


def test_what_is_impossible_is_said(serve: Callable[..., ServedGold], visit: Open) -> None:
    """No words, no quote, twice the same: a sentence that is seen, and nothing is sent."""
    page = visit(serve())
    for keys, words in {
        ("q", "Enter"): "Write the question first",
        ("Escape", "a"): "Select some text first",
        ("u",): "no quote to take back",
        ("y",): "no draft here",
        ("N",): "the first document",
        ("ArrowRight", "h", "ArrowLeft", "h"): "marked already",
    }.items():
        press(page, *keys)
        expect(page.locator("#status")).to_contain_text(words)
    press(page, "u", "q")
    page.keyboard.type("When?")
    press(page, "Enter")
    expect(page.locator("#status")).to_contain_text("Mark the text that answers it")


DRAFTS = [
    {"question": "What do tiles cost?", "document": "sub/b.txt", "quote": "Tiles 😀 cost much."},
    {"question": "When is the rent due?", "document": "a.md", "quote": "The rent is due in May"},
    {"question": "Who pays?", "document": "a.md", "quote": "The tenant pays."},
    {"question": "What is cold?", "document": "page.html", "quote": "It is cold"},
]


def test_drafts_by_keyboard_alone(serve: Callable[..., ServedGold], visit: Open, tmp_path: Path) -> None:
    """Accepted, mended and rejected; those that are not literal come first, and all are counted."""
    path = tmp_path / "drafts.jsonl"
    path.write_text("".join(json.dumps(draft) + "\n" for draft in DRAFTS), encoding="utf-8")
    served = serve("--drafts", path)
    page = visit(served)
    expect(page.locator(".draft")).to_contain_text("but for markup")
    start = MARKDOWN.index("The **rent**")
    assert painted(page)["suggested"] == [(start, start + len("The **rent** is due in *May"))]
    press(page, "y")
    expect(page.locator(".draft")).to_contain_text("not found: does not occur")
    until_saved(page, 1)
    press(page, "y")
    expect(page.locator("#status")).to_contain_text("is in no document")
    press(page, "e", "ArrowRight", "ArrowRight", "h", "q", "Enter")
    until_saved(page, 2)
    expect(page.locator(".draft")).to_contain_text("literal")
    page.wait_for_url("**#doc=sub%2Fb.txt*")
    until_ready(page)
    press(page, "r")
    expect(page.locator(".draft")).to_contain_text("What is cold?")
    until_ready(page)
    press(page, "y")
    until_saved(page, 3)
    said = "4 drafts, 2 not literal: 2 accepted, 1 mended, 1 rejected, 0 open"
    expect(page.locator(".rail")).to_contain_text(said)
    rows = gold_of(served)
    assert [row["question"] for row in rows] == [
        "When is the rent due?",
        "Who pays?",
        "What is cold?",
    ]
    assert rows[0]["quote"] == "The **rent** is due in *May"
    page.get_by_role("button", name="What do tiles cost?").click()
    page.get_by_role("button", name="Open again").click()
    expect(page.locator(".rail")).to_contain_text("0 rejected, 1 open")


def test_a_server_that_is_killed_loses_nothing(serve: Callable[..., ServedGold], visit: Open) -> None:
    """What was kept meanwhile waits in the browser; it is sent when the server is back."""
    served = serve()
    page = visit(served)
    press(page, "ArrowRight", "h", "q")
    page.keyboard.type("One?")
    press(page, "Enter")
    until_saved(page, 1)
    served.end(signal.SIGKILL)
    press(page, "ArrowRight", "h", "q")
    page.keyboard.type("Two?")
    press(page, "Enter")
    page.wait_for_selector("#saved[data-state=waiting]")
    expect(page.locator("#banner")).to_contain_text("kept in this browser")
    press(page, "ArrowRight", "h", "q")
    page.keyboard.type("Thr")
    again = serve()
    assert again.port == served.port
    page.goto(again.link)
    until_ready(page)
    until_saved(page, 2)
    assert page.input_value('[data-key="question"]') == "Thr"
    assert page.locator(".needs .quote").count() == 1
    assert [row["question"] for row in gold_of(again)] == ["One?", "Two?"]


@pytest.mark.parametrize("payload", PAYLOADS[:6])
def test_documents_names_and_questions_are_data(
    serve: Callable[..., ServedGold], visit: Open, payload: str, tmp_path: Path
) -> None:
    """Payloads in a text, in Markdown, in a draft and in a question are seen as text; nothing runs."""
    path = tmp_path / "drafts.jsonl"
    draft = {"question": payload, "document": "z.md", "quote": payload}
    path.write_text(json.dumps(draft) + "\n", encoding="utf-8")
    name = "".join(character for character in payload if character not in "/\0\\")[:60] + ".txt"
    text = f"# {payload}\n\n**marked** {payload}\n\n- {payload}\n"
    served = serve("--drafts", path, documents={"z.md": text, name: payload})
    page = visit(served)
    assert page.evaluate("() => document.getElementById('text').textContent") == text
    select(page, "marked")
    press(page, "h")
    page.fill('[data-key="question"]', f"{payload}?")
    page.fill('[data-key="tags"]', payload[:50])
    press(page, "Enter")
    until_saved(page, 1)
    assert gold_of(served)[0]["question"] == " ".join(f"{payload}?".split())
    assert page.evaluate("() => document.querySelectorAll('#main script,#main img,#main iframe').length") == 0


VIEWS = {"text": (), "question": ("ArrowRight", "h", "q"), "found": ("/",), "keys": ("?",)}


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_page_has_no_barriers(
    serve: Callable[..., ServedGold], visit: Open, tmp_path: Path, width: int
) -> None:
    """Text, question, drafts, search and help, in light and dark; nothing reaches over the edge."""
    path = tmp_path / "drafts.jsonl"
    path.write_text("".join(json.dumps(draft) + "\n" for draft in DRAFTS), encoding="utf-8")
    page = visit(serve("--drafts", path), width=width, height=844)
    for name, keys in VIEWS.items():
        press(page, *keys)
        if name == "found":
            page.keyboard.type("the")
            page.wait_for_selector("text=Found")
        if name not in {"question", "keys"} or width > 899:  # on a phone these cover the text
            check(page)
        over = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, name
        if name == "question" and width <= 899:
            page.get_by_role("button", name="Question (1)").click()
        press(page, "Escape")


def test_a_phone_can_write_a_question(serve: Callable[..., ServedGold], visit: Open) -> None:
    """Select, mark, open the panel, type, keep: all within 390 pixels."""
    served = serve()
    page = visit(served, width=390, height=844)
    select(page, "is due")
    page.get_by_role("button", name="Mark").click()
    page.get_by_role("button", name="Question (1)").click()
    field = page.locator('[data-key="question"]')
    expect(field).to_be_focused()
    field.fill("When?")
    page.get_by_role("button", name="Keep").click()
    page.wait_for_selector("#saved[data-state=saved]")
    expect(page.locator(".side")).to_be_hidden()
    assert gold_of(served)[0]["quote"] == " is due".strip()


def test_the_summary_says_the_drop(serve: Callable[..., ServedGold], visit: Open) -> None:
    """With its assumption; it follows each question."""
    served = serve()
    quote = {"document": "roof.txt", "start": 0, "end": 5, "quote": DOCUMENTS["roof.txt"][:5]}
    for number in range(4):
        event = {"id": f"{number}", "kind": "keep", "text": f"{number}?", "needs": [[quote]]}
        assert served.post(event)[0] == 200
    page = visit(served)
    said = (
        "4 questions; a gate sees drops from 0.37 on, assuming a spread of 0.3 between the scores of two runs"
    )
    expect(page.locator("#summary")).to_have_text(said)
