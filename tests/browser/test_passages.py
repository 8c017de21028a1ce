"""The list of passages: questions with their answers, as a reader sees and uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page
from support.browsing import Pages, go, until_ready
from support.page_reports import HOSTILE, RELEVANT, TEXTS, UNJUDGED, hostile_report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as a file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(hostile_report().html())
    return path


def places(page: Page) -> list[str]:
    """Positions of the listed passages."""
    return page.locator(".passage code:last-of-type").all_inner_texts()


def expected(rows: list[int]) -> list[str]:
    """The same for rows of what is relevant."""
    return [f"{name} {start}–{end}" for _, name, start, end in (RELEVANT[row] for row in rows)]  # noqa: RUF001


def test_a_question_is_answered(open_page: Pages, report: Path) -> None:
    """A sentence first, then the passages, by first rank in the run that found them."""
    page = open_page(report)
    for question, headline, rows in (
        ("", "7 relevant passages", [0, 1, 2, 3, 4, 5, 6]),
        ("a", "3 of 7 relevant passages found by alpha, missed by beta", [0, 6, 3]),
        ("b", "4 of 7 relevant passages found by beta, missed by alpha", [2, 4, 1, 5]),
        ("none", "0 of 7 relevant passages found by no run", []),
        ("a&rank=-1", "2 of 7 relevant passages found by alpha, missed by beta", [0, 6]),
        ("b&length=50-", "2 of 7 relevant passages found by beta, missed by alpha", [4, 1]),
        ("a&kind=film", "0 of 7 relevant passages found by alpha, missed by beta", []),
        ("nonsense", "7 relevant passages", [0, 1, 2, 3, 4, 5, 6]),
    ):
        go(page, f"view=passages&q={question}")
        assert page.locator("h1").inner_text() == headline, question
        assert places(page) == expected(rows), question


def test_passages_are_shown_as_the_text_has_them(open_page: Pages, report: Path) -> None:
    """Cut at code points; found ones and missed ones are painted differently."""
    page = open_page(report, "view=passages&runs=alpha")
    snippets = page.locator(".passage .serif span").all_text_contents()
    assert snippets == [TEXTS[name][start : min(end, start + 220)] for _, name, start, end in RELEVANT]
    paint = [item.get_attribute("class") for item in page.locator(".passage .serif span").all()]
    assert paint == [f"is-{state}" for state in ("hit", "missed", "missed", "hit", "missed", "missed", "hit")]
    assert page.get_by_role("radio").count() == 5  # one run cannot be set against another


def test_who_found_a_passage(open_page: Pages, report: Path) -> None:
    """Each chosen run, its share and its rank, and how many of all."""
    page = open_page(report, "view=passages&runs=alpha,beta")
    lines = page.locator(".passage").nth(3).locator("tr").all_inner_texts()
    assert [line.split() for line in lines] == [
        ["A", "50", "%", "at", "rank", "2"],
        ["B", "missed", "–"],  # noqa: RUF001
        ["found", "by", "1", "of", "4", "runs"],
    ]


@pytest.mark.parametrize(
    ("question", "headline", "text"),
    [
        ("unjudged", "2 results retrieved but unjudged", TEXTS[UNJUDGED][:20]),
        ("again", "1 result retrieved a second time", TEXTS["D1"][:10]),
    ],
)
def test_results_of_other_kinds(
    open_page: Pages, report: Path, question: str, headline: str, text: str
) -> None:
    """Unjudged and repeated ones have their own lists, with the run that returned them."""
    page = open_page(report, f"view=passages&q={question}")
    assert page.locator("h1").inner_text() == headline
    assert page.locator(".passage .serif span").first.text_content() == text


def test_questions_are_asked_with_the_keyboard(open_page: Pages, report: Path) -> None:
    """The focus is at the questions, arrows ask, `j` and `k` walk, Enter opens, Back returns."""
    page = open_page(report)
    page.get_by_role("link", name="Passages").click()
    until_ready(page)
    page.keyboard.press("ArrowDown")
    until_ready(page)
    assert page.url.endswith("#passages&q=a")
    assert page.evaluate("document.activeElement.dataset.key") == "q-a"
    for key in "jjk":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    until_ready(page)
    assert page.url.endswith("#topic=T1&runs=beta&doc=D1&at=0-40")
    page.go_back()
    until_ready(page)
    assert page.locator("h1").inner_text().startswith("3 of 7")


def test_the_two_runs_are_chosen_in_the_bar(open_page: Pages, report: Path) -> None:
    """Choosing the other one swaps them, so that they stay two."""
    page = open_page(report, "view=passages&q=a")
    page.get_by_label("B", exact=True).focus()
    page.get_by_label("B", exact=True).select_option(label="alpha")
    until_ready(page)
    assert page.url.endswith("#passages&runs=beta,alpha&q=a")
    assert page.evaluate("document.activeElement.dataset.key") == "B"
    page.get_by_label("A", exact=True).select_option(label=HOSTILE)
    until_ready(page)
    assert page.locator("h1").inner_text() == f"0 of 7 relevant passages found by {HOSTILE}, missed by alpha"


def test_limits_are_chosen_and_forgotten(open_page: Pages, report: Path) -> None:
    """The counts are of what a click would show."""
    page = open_page(report, "view=passages")
    page.get_by_label("Length").select_option(label="1000 or more")
    until_ready(page)
    assert page.url.endswith("&length=1000-")
    assert page.locator("label.check .number").all_inner_texts() == ["0"] * 7
    assert "Nothing matches." in page.locator(".lead").inner_text()


def test_many_passages_come_by_and_by(open_page: Pages, tmp_path: Path) -> None:
    """Fifty at a time, by the button or by walking on."""
    from excerpt import Judgments, Notices, Run, Span, report

    relevant = [("T", Span("D", at * 10, at * 10 + 5)) for at in range(120)]
    made = report(
        Judgments.of(relevant, sizes={"D": 1200}),
        [Run.of("r", [("T", "D", 0, 9)])],
        ["charF"],
        corpus={"D": "0123456789" * 120},
        notices=Notices(),
    )
    path = tmp_path / "many.html"
    path.write_bytes(made.html())
    page = open_page(path, "view=passages")
    assert page.locator(".passage").count() == 50
    page.get_by_role("button", name="Show 50 more of 120").click()
    page.locator(".passage").nth(99).wait_for()
    page.locator(".passage a").nth(99).focus()
    page.keyboard.press("j")
    page.locator(".passage").nth(119).wait_for()
    assert page.locator(".passage a:focus").count() == 1
    assert not page.get_by_role("button", name="more of").is_visible()


def test_without_text_there_are_places(open_page: Pages, tmp_path: Path) -> None:
    """Numbers and offsets only."""
    path = tmp_path / "numbers.html"
    path.write_bytes(hostile_report(corpus=None, text=False).html())
    page = open_page(path, "view=passages&q=b")
    assert places(page) == expected([2, 4, 1, 5])
    assert page.locator(".passage .serif").count() == 0
