"""The assessor's page with a real campaign: every procedure, from the first key to a finished document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Tabs, painted, text_of, until_ready
from support.fake_campaign import Assessing, opened, select, until_saved
from support.kept_campaign import KeptCampaign
from support.small_campaign import USEFUL, small_campaign, small_pool

from excerpt.assess.procedures import PROCEDURES


@pytest.fixture
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=7&doc=a")`: the page of a campaign."""
    yield from opened(tabs)


def press(page: Page, *keys: str) -> None:
    """Press keys, each when all is saved."""
    for key in keys:
        page.keyboard.press(key)
        until_saved(page)


def mark(page: Page, campaign: KeptCampaign, words: str, document: str = "a") -> tuple[int, int]:
    """Highlight some words of a document."""
    start = campaign.documents[document].text.index(words)
    select(page, start, start + len(words))
    press(page, "h")
    return start, start + len(words)


def test_highlights_and_an_entry_point(assess: Assessing, tmp_path: Path) -> None:
    """INEX 2007, plain text and XML: painted text is stored; the list of documents follows."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign"))
    page = assess(campaign, "topic=7&doc=plain.txt")
    assert text_of(page) == campaign.documents["plain.txt"].text
    span = mark(page, campaign, "Mr. Smith", "plain.txt")
    assert painted(page)["judged"] == [span]
    press(page, "b", "Enter", "f")
    state = campaign.state("plain.txt")
    assert (state["highlights"], state["bep"], state["done"]) == ([list(span)], span[0], True)
    expect(page.locator(".pile [aria-current]")).to_contain_text("1 passage")
    press(page, "n")
    page.wait_for_url("**doc=b")
    until_ready(page)
    press(page, "f")
    assert campaign.state("b")["done"]


def test_exhaustivity_is_graded_by_keys(assess: Assessing, tmp_path: Path) -> None:
    """INEX 2005: highlight, close, grade each element with highlighted text, finish."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="inex2005"))
    page = assess(campaign, "topic=7&doc=a")
    press(page, "c")
    expect(page.locator("#status.why")).to_contain_text("Highlight relevant text first")
    mark(page, campaign, "The tenant shall pay")
    assert (campaign.state("a")["owed"], campaign.state("a")["closed"]) == ([], False)
    expect(page.locator(".slot")).to_contain_text("Start grading")
    expect(page.locator(".grading")).to_contain_text("4 elements with highlighted text are graded here")
    press(page, "2")
    expect(page.locator("#status.why")).to_contain_text("after highlighting is closed")
    press(page, "c")
    assert len(campaign.state("a")["owed"]) == 4
    expect(page.locator(".slot")).to_contain_text("4 grades missing")
    expect(page.locator(":focus")).to_have_attribute("data-key", "grade /article[1]")
    press(page, "2", "1", "1")
    expect(page.locator(".slot")).to_contain_text("1 grade missing")
    press(page, "0")
    assert list(campaign.state("a")["grades"].values()) == [2, 1, 1, 0]
    press(page, "f")
    assert campaign.state("a")["done"]


def test_highlighting_is_closed_and_opened_again(assess: Assessing, tmp_path: Path) -> None:
    """By keys and by buttons; grades are kept, or withdrawn with their text; undo and redo."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="inex2005"))
    page = assess(campaign, "topic=7&doc=a")
    mark(page, campaign, "never")
    mark(page, campaign, "The tenant shall pay")
    page.get_by_role("button", name="Close phase").click()
    until_saved(page)
    assert campaign.state("a")["closed"]
    for _ in range(6):
        press(page, "1")
    graded = campaign.state("a")["grades"]
    assert len(graded) == 6
    press(page, "f")
    expect(page.get_by_role("button", name="Remove")).to_be_disabled()
    select(page, 0, 40)
    press(page, "u")
    expect(page.locator("#status.why")).to_contain_text("Highlighting is closed. The key c re-opens it")
    page.get_by_role("button", name="Re-open phase").click()
    until_saved(page)
    state = campaign.state("a")
    assert (state["done"], state["closed"], state["grades"]) == (False, False, graded)
    expect(page.locator(".grading")).to_contain_text("6 grades are kept")
    start = campaign.documents["a"].text.index("never")
    select(page, start, start + 5)
    press(page, "u")
    expect(page.locator(".withdrawn")).to_contain_text("2 grades withdrawn")
    press(page, "f")
    expect(page.locator(".slot")).to_contain_text("Finish")
    press(page, "Control+z", "Control+z", "Control+z")
    assert campaign.state("a")["done"]
    press(page, "Control+y")
    assert campaign.state("a")["closed"] is False
    kinds = [action.kind for action in campaign.campaign.actions("anna")]
    assert (kinds.count("close-phase"), kinds.count("reopen-phase")) == (2, 1)


def test_a_long_element_is_too_small_after_a_second_question(assess: Assessing, tmp_path: Path) -> None:
    """Single or in bulk, by keys and by the pointer; the log has the answer."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="inex2005"))
    page = assess(campaign, "topic=7&doc=a")
    mark(page, campaign, "The tenant shall pay")
    press(page, "c", "?")
    question = page.get_by_role("group", name="Is it too small?")
    expect(question).to_contain_text("It has 154 characters. Is it too small to say anything")
    assert campaign.state("a")["grades"] == {}
    expect(page.locator(":focus")).to_have_attribute("data-key", "sure-leave")
    press(page, "Enter")
    expect(question).to_have_count(0)
    assert campaign.state("a")["grades"] == {}
    press(page, "?", "Tab", "Enter")
    assert campaign.state("a")["grades"] == {"/article[1]": "?"}
    page.locator(".grades [aria-current]").get_by_role("button", name="?").click()
    question.get_by_role("button", name="Yes, too small").click()
    until_saved(page)
    page.get_by_role("button", name="too small…").click()
    page.get_by_role("button", name="Yes, all 2 too small").click()
    until_saved(page)
    assert list(campaign.state("a")["grades"].values()) == ["?"] * 4
    rows = campaign.campaign.recorder.store.events(("7", "a", "anna"))
    assert [json.loads(row["body"])["sure"] for row in rows if row["kind"] == "grade"] == [True] * 3


def test_a_confirmed_suggestion_opens_highlighting_again(assess: Assessing, tmp_path: Path) -> None:
    """The passage is highlighted in the first phase; grades are kept."""
    suggestions = tmp_path / "suggestions.jsonl"
    row = {"topic": "7", "document": "b", "start": 5, "end": 9, "model": "m", "prompt": "p"}
    suggestions.write_text(json.dumps(row) + "\n", encoding="utf-8")
    given: dict[str, Any] = {"procedure": "inex2005", "suggestions": suggestions, "control": 0.0}
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", **given))
    page = assess(campaign, "topic=7&doc=b")
    mark(page, campaign, "no tenant", "b")
    press(page, "c", "1", "1", "1", "f")
    graded = campaign.state("b")["grades"]
    page.get_by_role("button", name="Show one at a time").click()
    page.get_by_role("button", name="Confirm").click()
    until_saved(page)
    state = campaign.state("b")
    assert (state["closed"], state["confirmed"], state["grades"]) == (False, [[5, 9]], graded)
    expect(page.locator(".slot")).to_contain_text("Start grading")


def test_an_element_has_at_least_the_grade_of_what_it_contains(assess: Assessing, tmp_path: Path) -> None:
    """The page says why a grade is refused."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="inex2005"))
    page = assess(campaign, "topic=7&doc=a")
    mark(page, campaign, "The tenant shall pay")
    press(page, "c", "1", "2")
    why = page.locator("#status.why")
    expect(why).to_contain_text("body of Rents & cafés 😀 cannot have 2: Rents & cafés 😀, around it, has 1.")
    assert campaign.state("a")["grades"] == {"/article[1]": 1}
    press(page, "1", "Home", "0")
    expect(why).to_contain_text("cannot have 0: body of Rents & cafés 😀, inside it, has 1.")
    assert list(campaign.state("a")["grades"].values()) == [1, 1]


def test_two_grades_for_each_element(assess: Assessing, tmp_path: Path) -> None:
    """INEX 2004: the element at the caret, two digits; missing grades are counted."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="inex2004"))
    page = assess(campaign, "topic=7&doc=a")
    expect(page.get_by_role("button", name="Highlight")).to_have_count(0)
    box = page.locator("#text p").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 30, box["y"] + 10)
    press(page, "2", "3")
    assert campaign.state("a")["grades"] == {"/article[1]/body[1]/sec[1]/p[1]": [2, 3]}
    expect(page.locator(".slot")).to_contain_text("4 grades missing")
    press(page, "Control+z")
    expect(page.locator(".slot")).to_contain_text("Nothing relevant")
    press(page, "f")
    state = campaign.state("a")
    assert (state["done"], state["grades"]) == (True, {"/article[1]": [0, 0]})


def test_pooled_elements_are_listed(assess: Assessing, tmp_path: Path) -> None:
    """INEX 2002 with a pool of passages: the key that ends the document leads to them."""
    pool = small_pool(("a",), "passage")
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="inex2002", pool=pool))
    page = assess(campaign, "topic=7&doc=a")
    expect(page.locator(".grading h2")).to_contain_text("Grades missing: 2 of 2")
    expect(page.locator(".slot")).to_contain_text("Nothing relevant")
    press(page, "0")
    assert campaign.state("a")["grades"] == {"/article[1]/title[1]": [0, "N"]}
    press(page, "f", "0", "f")
    assert campaign.state("a")["done"]


#: Keys of the help that only some procedures have.
LISTED = {
    "inex2002": "01e",
    "inex2004": "01",
    "inex2005": "huc01we",
    "inex2007": "hubwe",
    "evidence": "hu1we",
}


@pytest.mark.parametrize(
    ("procedure", "keys"),
    [
        (
            "inex2002",
            {
                "w": "This procedure has no highlights.",
                "h": "This procedure has no highlights.",
                "b": "This procedure has no entry points.",
                "c": "This procedure has one phase only.",
                "9": "The grades are 0 1 2 3, and N L S E.",
            },
        ),
        (
            "inex2004",
            {"s": "This procedure has no highlights.", "7": "The grades are 0 1 2 3, and 0 1 2 3."},
        ),
        ("inex2005", {"1": "Highlight relevant text first.", "f": ""}),
        ("inex2007", {"1": "This procedure has no grades."}),
        ("evidence", {"1": "Highlight some evidence first."}),
    ],
)
def test_a_key_without_effect_says_why(
    assess: Assessing, tmp_path: Path, procedure: str, keys: dict[str, str]
) -> None:
    """In one message, which the next key removes; the help lists only keys that have an effect."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure=procedure))
    page = assess(campaign, "topic=7&doc=a")
    why = page.locator("#status.why")
    for key, message in keys.items():
        press(page, key)
        if message:
            expect(why).to_have_text(message)
        else:
            expect(why).to_have_count(0)
    page.keyboard.press("F1")
    listed = page.get_by_role("dialog").locator("tbody th").all_inner_texts()
    shown = {key for row in listed for key in row.split()}
    assert shown & set("hubcw01e") == set(LISTED[procedure])


def test_evidence_has_labels(assess: Assessing, tmp_path: Path) -> None:
    """Labels by digits; while some are missing, the button counts them and leads to the next."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure="evidence"))
    page = assess(campaign, "topic=7&doc=a")
    expect(page.locator(".slot")).to_contain_text("Not answerable here")
    first, second = mark(page, campaign, "The tenant"), mark(page, campaign, "never")
    expect(page.locator(".slot")).to_contain_text("2 labels missing")
    expect(page.locator(".pile [aria-current]")).to_contain_text("2 missing")
    for start, _ in (sorted([first, second]) * 2)[1:]:
        press(page, "f")
        expect(page.locator(":focus")).to_have_attribute("data-key", f"label {start}")
    press(page, "2")
    expect(page.locator(".slot")).to_contain_text("1 label missing")
    press(page, "1", "f")
    state = campaign.state("a")
    assert (state["done"], {label for _, _, label, _ in state["labels"]}) == (
        True,
        {"supports", "contradicts"},
    )


def test_the_page_follows_a_new_procedure(
    assess: Assessing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry point, and grades by the keys and in the words of an entry of the table."""
    monkeypatch.setitem(PROCEDURES, USEFUL.name, USEFUL)
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure=USEFUL.name))
    page = assess(campaign, "topic=7&doc=a")
    expect(page.locator(".slot")).to_contain_text("Of no use")
    start, _ = mark(page, campaign, "The tenant shall pay")
    expect(page.locator(".grading")).to_contain_text("Usefulness missing: 4 of 4")
    expect(page.locator(".grading")).to_contain_text("3 = very useful")
    expect(page.locator(".rest")).to_have_count(0)
    press(page, "f", "3", "2", "1", "1")
    assert list(campaign.state("a")["grades"].values()) == [2, 1, "?", "?"]
    expect(page.locator(".slot")).to_contain_text("Set an entry point")
    press(page, "f", "Enter", "f")
    assert (campaign.state("a")["bep"], campaign.state("a")["done"]) == (start, True)


def test_showing_results_of_runs_is_in_the_log(assess: Assessing, tmp_path: Path) -> None:
    """Spans and numbers of runs only; the campaign logs that they were shown."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign"))
    page = assess(campaign, "topic=7&doc=a")
    page.keyboard.press("p")
    page.wait_for_function("() => CSS.highlights.get('returned')?.size > 0")
    assert painted(page)["returned"] == [(0, 4), (4, 9), (9, 12), (20, 24)]
    kinds = [action.kind for action in campaign.campaign.actions("anna")]
    assert kinds.count("runs") == 1


def test_a_second_look_is_offered_after_finishing(assess: Assessing, tmp_path: Path) -> None:
    """Suggestions come when the document is finished; one is confirmed."""
    suggestions = tmp_path / "suggestions.jsonl"
    row = {"topic": "7", "document": "b", "start": 5, "end": 9, "model": "m", "prompt": "p"}
    suggestions.write_text(json.dumps(row) + "\n", encoding="utf-8")
    made = small_campaign(tmp_path / "campaign", suggestions=suggestions, control=0.0)
    campaign = KeptCampaign(made)
    page = assess(campaign, "topic=7&doc=b")
    expect(page.get_by_role("heading", name="Second look")).to_have_count(0)
    press(page, "f")
    page.get_by_role("button", name="Show one at a time").click()
    page.wait_for_function("() => CSS.highlights.get('suggested')?.size === 1")
    page.get_by_role("button", name="Confirm").click()
    until_saved(page)
    state = campaign.state("b")
    assert (state["highlights"], state["confirmed"], state["done"]) == ([[5, 9]], [[5, 9]], False)
