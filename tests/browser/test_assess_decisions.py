"""Adjudication in the browser: disputed passages, entry points, names; three documents by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.barriers import check
from support.browsing import Modules, Tabs, painted, until_ready
from support.fake_campaign import Assessing, opened, select, until_saved
from support.judged_campaign import judge
from support.kept_campaign import KeptCampaign
from support.small_campaign import do, small_campaign

from excerpt.assess.export import exported


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=7&doc=a")`: the page of a campaign."""
    yield from opened(tabs)


def disputed(folder: Path, procedure: str = "inex2007", third: str = "letter.txt") -> KeptCampaign:
    """Ann and bob differ on three documents of topic 7; eve decides."""
    campaign = small_campaign(folder, procedure=procedure)
    for name in ("ann", "bob <b>"):
        campaign.add_person(name)
    first, second = ("ann", "bob <b>")
    judge(campaign, first, (5, 20), (60, 70), document="a")
    judge(campaign, second, (10, 30), document="a")
    judge(campaign, first, (0, 5), document="b")
    judge(campaign, second, document="b")
    judge(campaign, first, (0, 12), document=third)
    judge(campaign, second, (0, 400), document=third)
    return KeptCampaign(campaign, "eve", "adjudicator")


def test_three_documents_are_decided_by_keyboard(assess: Assessing, tmp_path: Path) -> None:
    """From the list to the last document: no pointer, every passage decided, names shown at the end."""
    kept = disputed(tmp_path / "c")
    page = assess(kept)
    expect(page.locator("h1")).to_have_text("0 of 3 documents are finished")
    expect(page.locator(".who")).to_have_text("Adjudicator eve")
    page.keyboard.press("n")  # the document that differs most
    _until(page, "letter.txt")
    expect(page.locator(".decisions h2")).to_have_text("To decide: 1 of 1")
    assert "ann" not in str(page.locator(".decisions").text_content())
    page.keyboard.press("u")
    _entry(page)
    page.keyboard.press("f")
    _decided(page, "ann, bob <b>")
    page.keyboard.press("n")
    _until(page, "a")
    page.keyboard.press("j")
    for key in ("h", "u", "h"):
        page.keyboard.press(key)
    expect(page.locator(".decisions h2")).to_have_text("All passages are decided")
    _entry(page)
    page.keyboard.press("f")
    _decided(page, "ann, bob <b>")
    page.keyboard.press("n")
    _until(page, "b")
    page.keyboard.press("u")
    expect(page.locator("[data-key=slot]")).to_have_text("Nothing relevantf")
    page.keyboard.press("f")
    _decided(page, "ann, bob <b>")
    until_saved(page)
    page.keyboard.press("n")
    expect(page.locator("#status.why")).to_have_text("All other documents are finished.")
    rows = exported(kept.campaign, to="jsonl", merge="adjudicated").opinions
    found = {one.pair.document: one.highlights for one in rows}
    assert found == {"a": ((5, 20), (60, 70)), "b": (), "letter.txt": ((0, 12),)}
    assert {one.adjudicator for one in rows} == {"eve"}


def _until(page: Page, document: str) -> None:
    until_ready(page)
    expect(page.locator("#bar [aria-current]")).to_have_text(document)


def _entry(page: Page) -> None:
    page.keyboard.press("b")
    page.keyboard.press("Enter")


def _decided(page: Page, names: str) -> None:
    expect(page.locator("[data-key=slot]")).to_have_text("Re-openf")
    expect(page.locator(".judged-by")).to_contain_text("Judged by")
    for name in names.split(", "):
        expect(page.locator(".judged-by")).to_contain_text(name)


def test_passages_are_painted_by_who_marked_them(assess: Assessing, tmp_path: Path) -> None:
    """Text of one assessor in that colour, agreed text as highlights, refused text struck out; undo."""
    kept = disputed(tmp_path / "c")
    page = assess(kept, "topic=7&doc=a")
    shown = kept.campaign.document_for("eve", "7", "a")
    first = next(number for number, one in enumerate(shown["opinions"]) if one["bep"] == 5)
    layers = painted(page)
    assert layers["judged"] == [(10, 20)]
    assert layers[f"only-{first + 1}"] == [(5, 10), (60, 70)]
    assert layers[f"only-{2 - first}"] == [(20, 30)]
    page.locator("[data-key='decision 1']").click()
    page.get_by_role("button", name="Not relevant u").first.click()
    assert painted(page)["refused"] == [(20, 30)]
    until_saved(page)
    page.keyboard.press("Control+z")
    until_saved(page)
    assert painted(page).get("refused", []) == []
    page.get_by_role("button", name="Take the entry point of A").click()
    until_saved(page)
    assert kept.state("a")["bep"] == shown["opinions"][0]["bep"]
    select(page, 20, 23)
    page.keyboard.press("h")
    until_saved(page)
    ((start, end, relevant),) = kept.state("a")["decided"]
    text = kept.campaign.corpus["a"]
    assert (start <= 20, relevant) == (True, True)
    assert end == 30 or not text[end].isspace()


def test_a_stale_decision_is_said(assess: Assessing, tmp_path: Path) -> None:
    """In the list and on the document; it is decided again."""
    kept = disputed(tmp_path / "c")
    for start, end in ((5, 10), (20, 30), (60, 70)):
        do(kept.campaign, "eve", "decide", start, end, relevant=True)
    do(kept.campaign, "eve", "bep", 5)
    do(kept.campaign, "eve", "done")
    do(kept.campaign, "ann", "reopen")
    do(kept.campaign, "ann", "done")
    page = assess(kept, "topic=7&doc=a")
    expect(page.locator(".pile [aria-current]")).to_contain_text("opened again")
    expect(page.locator(".stale")).to_contain_text("has opened this document again")
    page.keyboard.press("f")
    expect(page.locator("[data-key=slot]")).to_have_text("Re-openf")
    expect(page.locator(".stale")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_the_page_has_no_barriers(assess: Assessing, tmp_path: Path, width: int) -> None:
    """By axe, light and dark, before and after the decision."""
    kept = disputed(tmp_path / "c", "evidence")
    page = assess(kept, "topic=7&doc=a", width=width, height=844)
    check(page)


def test_the_page_knows_what_the_server_will_say(js: Modules) -> None:
    """Decisions are shown before the answer: text, undecided passages, decided ones; undo takes them back."""
    state = {"version": 3, "highlights": [[10, 20]], "undecided": [[5, 10], [20, 30]], "decided": []}
    state |= {"undo": 0, "redo": 0, "labels": []}
    sent = [
        {"kind": "decide", "base": 3, "start": 5, "end": 10, "relevant": True},
        {"kind": "decide", "base": 4, "start": 7, "end": 12, "relevant": False},
    ]
    (found,) = js("assess/rules", "projectState", [[state, sent]])
    assert (found["highlights"], found["undecided"]) == ([[5, 7], [12, 20]], [[20, 30]])
    assert found["decided"] == [[5, 7, True], [7, 12, False]]
    (found,) = js("assess/rules", "projectState", [[state, [sent[0], {"kind": "undo", "base": 4}]]])
    assert (found["highlights"], found["decided"]) == ([[10, 20]], [])
    passages = [[5, 7], [5, 10], [20, 30], [7, 10]]
    state = {"decided": [[5, 7, True], [7, 12, False]], "undecided": [[20, 30]]}
    decided = js("assess/decisions", "decisionOn", [[passage, state] for passage in passages])
    assert decided == [True, None, None, False]
