"""The assessor's page: selections by pointer and by keys, and the judgments that are saved."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Tabs, painted, text_of, until_ready
from support.fake_campaign import Assessing, FakeCampaign, opened, select, until_saved
from support.payloads import PAYLOADS

from excerpt.corpus import Document, Element

#: Two paragraphs and a table cell, with characters of two units, combining ones, right to left, CR LF.
PARTS = (
    "Rent 😀 is due,\r\ne\u0301 monthly. ",
    "\u05e9\u05dc\u05d5\u05dd pays 𝒎 rent.\r\n",
    "None is 👩\u200d🔬 due.",
)
TEXT = "".join(PARTS)
ENDS = [len("".join(PARTS[: count + 1])) for count in range(3)]
ARTICLE = Document(
    "X1",
    TEXT,
    "",
    "xml",
    [
        Element("article", 0, 0, len(TEXT)),
        Element("p", 1, 0, ENDS[0]),
        Element("p", 1, ENDS[0], ENDS[1]),
        Element("p", 1, ENDS[1], ENDS[2]),
    ],
)
LINES = "".join(f"Line {at:03} says something. And of rent, too.\n" for at in range(150))
FIRST = LINES.index("something")


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=T1&doc=D1")`: the page of a campaign."""
    yield from opened(tabs)


def press(page: Page, *keys: str) -> None:
    """Press keys, then wait until all is saved."""
    for key in keys:
        page.keyboard.press(key)
    until_saved(page)


def announced(page: Page) -> str:
    """The last announcement to screen readers."""
    return page.locator("#status").inner_text()


def test_selection_across_blocks_with_emoji_is_saved_as_code_points(assess: Assessing) -> None:
    """Exact selections: the server has the characters that are painted."""
    chance = random.Random(11)
    campaign = FakeCampaign({"X1": ARTICLE})
    page = assess(campaign, "topic=T1&doc=X1")
    assert text_of(page) == TEXT
    for _ in range(12):
        start = chance.randrange(len(TEXT) - 1)
        end = chance.randrange(start + 1, len(TEXT) + 1)
        select(page, start, end)
        press(page, chance.choice(["Alt+h", "Alt+h", "Alt+u"]))
        state = campaign.state("X1")
        assert painted(page).get("judged", []) == [tuple(span) for span in state["highlights"]]
    events = campaign.history("T1", "X1").events
    assert len(events) > 6
    assert all(event["quote"] == TEXT[event["start"] : event["end"]] for event in events)


def test_a_long_selection_is_quoted_by_its_hash(assess: Assessing) -> None:
    """Over 1,000 characters: 64 hexadecimal digits instead of the text."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    select(page, 0, 1500)
    press(page, "h")
    (event,) = campaign.history("T1", "D1").events
    assert event["quote"] == hashlib.sha256(LINES[event["start"] : event["end"]].encode()).hexdigest()


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ([], "something. And of"),
        (["s"], "Line 000 says something. And of rent, too."),
        (["Alt"], "ething. And o"),
    ],
)
def test_a_pointer_selects_units(assess: Assessing, keys: list[str], wanted: str) -> None:
    """Words by default, sentences after a key, exactly with Alt; the selection grows at once."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    alt = keys == ["Alt"]
    if keys == ["s"]:
        press(page, "s")
    boxes = page.evaluate(
        """([start, end]) => { const node = document.querySelector("#text .leaf").firstChild;
          return [start, end].map(at => { const range = document.createRange();
            range.setStart(node, at); range.setEnd(node, at + 1);
            const {left, top, height} = range.getBoundingClientRect();
            return [left + 1, top + height / 2]; }); }""",
        [FIRST + 3, FIRST + 16],
    )
    if alt:
        page.keyboard.down("Alt")
    page.mouse.move(*boxes[0])
    page.mouse.down()
    page.mouse.move(*boxes[1])
    page.mouse.up()
    if alt:
        page.keyboard.up("Alt")
    page.wait_for_function("wanted => String(getSelection()) === wanted", arg=wanted)
    press(page, "h")
    ((start, end),) = campaign.state("D1")["highlights"]
    assert LINES[start:end] == wanted
    assert page.evaluate("() => getSelection().isCollapsed")


def test_elements_are_selected_on_a_key(assess: Assessing) -> None:
    """A word selects its paragraph; in a text without elements the key is impossible."""
    campaign = FakeCampaign({"X1": ARTICLE, "D1": LINES})
    page = assess(campaign, "topic=T1&doc=X1")
    select(page, ENDS[0] + 6, ENDS[0] + 8)
    press(page, "e", "h")
    assert campaign.state("X1")["highlights"] == [[ENDS[0], ENDS[1]]]
    press(page, "n")
    until_ready(page)
    press(page, "e")
    assert announced(page) == "This text has no elements."


def test_undo_and_redo_of_any_depth(assess: Assessing) -> None:
    """Also of actions before a reload; buttons are disabled if there is nothing to undo."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    for start in (0, 100, 200):
        select(page, start, start + 20)
        press(page, "h")
    three = painted(page)["judged"]
    press(page, "Control+z", "Control+z")
    assert painted(page)["judged"] == three[:1]
    press(page, "Control+y")
    assert painted(page)["judged"] == three[:2]
    press(page, "Control+Shift+Z")
    assert painted(page)["judged"] == three
    page.reload()
    until_ready(page)
    press(page, "Control+z", "Control+z", "Control+z")
    assert painted(page) == {}
    press(page, "Control+z")
    assert announced(page) == "There is nothing to undo."
    page.get_by_role("button", name="Redo").click()
    until_saved(page)
    assert painted(page)["judged"] == three[:1]
    assert campaign.state("D1")["highlights"] == [list(three[0])]


def test_a_document_is_assessed_without_a_mouse(assess: Assessing) -> None:
    """From the list of topics to the next document: only keys."""
    campaign = FakeCampaign({"D1": LINES, "D2": LINES, "D3": LINES})
    page = assess(campaign)
    page.keyboard.press("n")
    page.wait_for_url("**#topic=T1&doc=D1")
    until_ready(page)
    expect(page.locator("h1")).to_be_focused()
    press(page, "ArrowRight", "ArrowRight")
    expect(page.locator("#text")).to_be_focused()
    press(page, "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft", "h")
    ((start, end),) = campaign.state("D1")["highlights"]
    assert LINES[start:end] == "000 says "[:8]
    press(page, "f")
    expect(page.locator(".flag.returned")).to_have_text("here?")
    press(page, "ArrowRight", "ArrowLeft", "ArrowLeft", "Enter")
    assert campaign.state("D1")["bep"] == 0
    expect(page.locator(".flag.judged")).to_have_text("BEP")
    press(page, "f", "f")  # little of it was seen
    assert campaign.state("D1")["done"]
    expect(page.get_by_role("button", name="Re-open")).to_be_visible()
    press(page, "n")
    page.wait_for_url("**#topic=T1&doc=D2")
    until_ready(page)
    press(page, "f", "f")  # little of it was seen
    assert announced(page) == "Nothing relevant."
    assert campaign.state("D2")["done"]
    press(page, "n")
    page.wait_for_url("**#topic=T1&doc=D3")
    until_ready(page)
    press(page, "N")
    assert announced(page) == "All earlier documents are finished."
    marks = page.locator(".pile li").all_inner_texts()
    assert [" ".join(mark.split()) for mark in marks] == [
        "D1 finished 1 passage", "D2 finished nothing relevant", "D3 to do",
    ]  # fmt: skip


def test_the_caret_moves_by_units_and_lines(assess: Assessing) -> None:
    """Right and left by words or sentences, up and down by lines, Alt by characters; all announced."""
    page = assess(FakeCampaign({"D1": LINES}), "topic=T1&doc=D1")
    page.locator("#text").focus()
    heard = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
        heard.append(announced(page))
    assert heard == ["Line", "000", "001", "002", "001", "Line"]
    press(page, "s")
    page.keyboard.press("ArrowDown")
    assert announced(page) == "And of rent, too."
    page.keyboard.press("Alt+ArrowRight")
    page.keyboard.press("Alt+Shift+ArrowRight")
    assert page.evaluate("() => String(getSelection())") == "n"
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    line = page.locator(".own-caret").bounding_box()
    assert line is not None
    assert 100 < line["y"] < 760
    page.keyboard.press("Escape")
    expect(page.locator(".own-caret")).to_be_hidden()


def test_the_entry_point_is_at_the_chosen_position(assess: Assessing) -> None:
    """At the selection at once; else a flag follows the pointer, and a click sets it; it can be removed."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    select(page, FIRST + 2, FIRST + 5)
    press(page, "b")
    assert campaign.state("D1")["bep"] == FIRST
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Entry point", exact=False).first).to_have_attribute(
        "aria-pressed", "true"
    )
    box = page.locator("#text").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 45, box["y"] + 27 * 3 + 10)
    page.wait_for_function("() => document.querySelector('.flag.returned')")
    page.mouse.click(box["x"] + 45, box["y"] + 27 * 3 + 10)
    until_saved(page)
    at = campaign.state("D1")["bep"]
    assert LINES[at : at + 3] == "003"
    expect(page.locator(".flag.returned")).to_have_count(0)
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    assert campaign.state("D1")["bep"] == at
    page.get_by_role("button", name="Remove the entry point").click()
    until_saved(page)
    assert campaign.state("D1")["bep"] is None


def test_one_button_finishes_a_document(assess: Assessing) -> None:
    """Its word is its action, and any change re-opens the document."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    slot = page.locator(".slot")
    expect(slot).to_contain_text("Nothing relevant")
    select(page, 0, 9)
    press(page, "h")
    expect(slot).to_contain_text("Set an entry point")
    press(page, "f", "b")
    expect(slot).to_contain_text("Finish")
    met = page.locator(".to-finish li")
    expect(met).to_have_text(["Done: Relevant text is highlighted", "Done: One best entry point is set"])
    slot.click()
    assert "% of this text" in announced(page)
    slot.click()
    until_saved(page)
    expect(slot).to_contain_text("Re-open")
    select(page, 50, 60)
    press(page, "h")
    expect(slot).to_contain_text("Finish")
    assert not campaign.state("D1")["done"]
    press(page, "f")
    assert campaign.state("D1")["done"]
    press(page, "f")
    assert not campaign.state("D1")["done"]


def test_actions_without_effect_are_not_sent(assess: Assessing) -> None:
    """Highlighting twice, removing from text without highlights."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    select(page, 0, 9)
    press(page, "u")
    assert announced(page) == "This text is not highlighted."
    for _ in range(2):
        select(page, 0, 9)
        press(page, "h")
    assert announced(page) == "This text is highlighted already."
    assert len(campaign.posts) == 1


def test_a_click_and_a_key_highlight_a_unit(assess: Assessing) -> None:
    """The word at the caret, if nothing is selected."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    box = page.locator("#text").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 8, box["y"] + 10)
    press(page, "h")
    assert campaign.state("D1")["highlights"] == [[0, 4]]


def test_results_of_runs_are_hidden_at_first(assess: Assessing) -> None:
    """They are requested from the server, which logs it; the same key hides them again."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    assert campaign.shown == []
    press(page, "p")
    page.wait_for_function("() => CSS.highlights.get('returned')?.size === 1")
    assert campaign.shown == ["runs"]
    assert painted(page) == {"returned": [(0, 20)]}
    press(page, "p")
    page.wait_for_function("() => CSS.highlights.get('returned').size === 0")


def test_results_that_cover_most_of_the_text_are_at_the_margin_only(assess: Assessing) -> None:
    """The ranges exist nevertheless, and the panel says so."""
    page = assess(FakeCampaign({"D1": "Only some words of it."}), "topic=T1&doc=D1")
    press(page, "p")
    page.wait_for_function("() => document.documentElement.dataset.quiet === 'returned'")
    assert painted(page) == {"returned": [(0, 20)]}
    expect(page.locator(".returned-note")).to_contain_text("shown at the margin only")


def test_single_keys_can_be_switched_off(assess: Assessing) -> None:
    """The help is the table of keys; without single keys chords and arrows still work."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    select(page, 0, 9)
    press(page, "h", "?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog.locator("kbd").first).to_have_text("h")
    dialog.get_by_label("Single-key shortcuts are on").uncheck()
    page.keyboard.press("h")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    select(page, 30, 39)
    press(page, "h")
    assert len(campaign.history("T1", "D1").events) == 1
    press(page, "Control+z")
    assert campaign.state("D1")["highlights"] == []
    page.keyboard.press("F1")
    expect(dialog).to_be_visible()


def test_keys_are_off_in_fields(assess: Assessing) -> None:
    """A note is text; Escape leaves the field; the note is saved."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1")
    page.get_by_label("Note on this document").fill("")
    page.keyboard.type("huff? no")
    page.keyboard.press("Escape")
    until_saved(page)
    assert campaign.state("D1")["note"] == "huff? no"
    assert campaign.state("D1")["highlights"] == []
    page.keyboard.press("/")
    page.keyboard.type("something")
    page.keyboard.press("Enter")
    page.wait_for_function("() => CSS.highlights.get('term-1')?.size === 150")


def test_addresses_lead_to_documents(assess: Assessing) -> None:
    """A topic leads to its first unfinished document; back restores the position; unknown names are shown."""
    campaign = FakeCampaign({"D1": LINES, "D2": LINES})
    page = assess(campaign, "topic=T1")
    assert page.url.endswith("#topic=T1&doc=D1")
    page.evaluate("() => scrollTo(0, 900)")
    page.locator(".pile a").nth(1).click()
    until_ready(page)
    assert page.evaluate("() => scrollY") == 0
    expect(page).to_have_title("D2 · A small campaign")
    page.go_back()
    until_ready(page)
    assert page.url.endswith("doc=D1")
    assert page.evaluate("() => scrollY") == 900
    for address, sentence in {
        "topic=T9": "There is no topic “T9” here.",
        "topic=T1&doc=D9": "no document “D9”",
    }.items():
        page.evaluate("hash => { location.hash = hash; }", address)
        expect(page.locator("h1")).to_contain_text(sentence)
    assert all("404" in fault for fault in assess.watch(page).take())


@pytest.mark.parametrize("payload", PAYLOADS)
def test_documents_topics_and_names_are_only_text(assess: Assessing, payload: str) -> None:
    """Visible and inert, also in addresses."""
    text = f"before {payload} after\n{payload}"
    topic = {"id": payload, "title": f"title {payload}", "text": payload, "narrative": payload}
    campaign = FakeCampaign({payload: text, "other": text}, topics=[topic], assessor=payload)
    page = assess(campaign)
    page.keyboard.press("n")
    page.wait_for_selector("#text")
    until_ready(page)
    assert text_of(page) == text
    select(page, 0, len(text))
    press(page, "Alt+h", "b")
    assert campaign.state(payload, payload)["highlights"] == [[0, len(text)]]
    page.locator("summary", has_text="List of passages").click()
    campaign.history(payload, payload).add({"id": "x", "kind": "unhighlight", "start": 0, "end": 9})
    select(page, 0, 3)
    page.keyboard.press("u")
    expect(page.get_by_role("dialog")).to_contain_text("On the server")
    assert payload[:4] in page.locator("body").inner_text()
    inert = (
        "main img, main script, main iframe, dialog img, [onerror], [onload], [onclick], a[href^=javascript]"
    )
    assert page.locator(inert).count() == 0
    assert all("409" in fault for fault in assess.watch(page).take())


@pytest.mark.parametrize(
    ("width", "height"), [(320, 640), (390, 800), (768, 1024), (1024, 768), (1440, 900), (2200, 1200)]
)
def test_nothing_scrolls_sideways(assess: Assessing, width: int, height: int) -> None:
    """At any width, with a banner and with the panel; the main tools can be reached."""
    campaign = FakeCampaign({"D" * 60: LINES, "D2": LINES}, assessor="a" * 80)
    page = assess(campaign, f"topic=T1&doc={'D' * 60}", width=width, height=height, touch=width < 900)
    wide = "() => document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) == 0
    for name in ("Highlight", "Remove", "Nothing relevant"):
        box = page.get_by_role("button", name=name, exact=False).first.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    if width < 900:
        assert box is not None
        assert box["y"] > height - 150
        page.get_by_role("button", name="More").click()
        expect(page.get_by_label("Note on this document")).to_be_visible()
    campaign.refusing = (507, "The disk is full.")
    select(page, 0, 9)
    page.keyboard.press("h")
    page.wait_for_selector("#banner:not([hidden])")
    assert page.evaluate(wide) == 0
    campaign.refusing = None
    page.get_by_role("button", name="Try now").click()
    until_saved(page)
    assert all("507" in fault for fault in assess.watch(page).take())


def test_a_tap_on_a_tool_acts_on_the_selection(assess: Assessing) -> None:
    """On a phone the toolbar is at the bottom; the selection at the start of the tap counts."""
    campaign = FakeCampaign({"D1": LINES})
    page = assess(campaign, "topic=T1&doc=D1", width=390, height=800, touch=True)
    select(page, 0, 9)
    page.evaluate("() => addEventListener('pointerdown', () => getSelection().removeAllRanges())")
    page.get_by_role("button", name="Highlight").tap()
    until_saved(page)
    assert campaign.state("D1")["highlights"] == [[0, 8]]
    page.get_by_role("button", name="Entry point", exact=True).tap()
    page.locator("#text").tap(position={"x": 20, "y": 10})
    until_saved(page)
    assert campaign.state("D1")["bep"] == 0


def test_a_long_list_shows_the_open_document(assess: Assessing) -> None:
    """The list is scrolled to it, and a new highlight redraws one row."""
    campaign = FakeCampaign({f"D{at:03}": LINES for at in range(300)})
    page = assess(campaign, "topic=T1&doc=D200")
    row = page.locator(".pile [aria-current]")
    expect(row).to_be_in_viewport()
    page.evaluate("() => { document.querySelectorAll('.pile li').forEach(row => { row.old = true; }); }")
    select(page, 0, 9)
    press(page, "h")
    expect(row).to_contain_text("no entry point")
    assert (
        page.evaluate("() => [...document.querySelectorAll('.pile li')].filter(row => !row.old).length") == 1
    )
