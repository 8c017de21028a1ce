"""The view of one topic, in a browser: results side by side, documents, and why a number is what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Modules, Pages, go, until_ready

import excerpt
from excerpt import Judgments, Policy, Run, Span

CLAUSE = "The tenant shall pay the rent on the first day of every month."
TEXTS = {
    **{
        f"d{n}": "The parties agree on this. " * 26 + "x" * 10 + f" {n} {CLAUSE} So they said."
        for n in range(14)
    },
    "far": "Nobody has judged this page of the book.",
}
AT = {name: text.find(CLAUSE) for name, text in TEXTS.items()}
END = len(CLAUSE)


def clause(name: str, first: int = 0, last: int = END) -> tuple[str, str, int, int]:
    """A result for topic 1: some of the clause of a document."""
    return ("1", name, AT[name] + first, AT[name] + last)


JUDGMENTS = Judgments.of(
    [("1", Span(f"d{n}", AT[f"d{n}"], AT[f"d{n}"] + END)) for n in range(13)]
    + [("2", Span("d0", 0, 10)), ("3", Span("d1", 0, 10))],
    irrelevant=[("1", "d13"), ("4", "d0")],
    sizes={name: len(text) for name, text in TEXTS.items()},
)
RUNS = [
    Run.of(
        "first",
        [
            ("1", "d0", AT["d0"] - 100, AT["d0"] + 20),
            clause("d1"),
            ("1", "d13", 0, 27),
            ("1", "far", 0, 40),
            ("1", "d2", 0, len(TEXTS["d2"])),
            *(("1", "d5", 10 * n, 10 * n + 9) for n in range(30)),
            ("2", "d0", 0, 30),
            ("4", "d0", 0, 30),
        ],
    ),
    Run.of("second", [("1", "d3", 0, 50), clause("d0", 10), ("3", "d1", 0, 10), ("4", "d0", 0, 30)]),
]
TOPICS = {
    "1": "When is the rent paid?",
    "2": "What begins <b>the page</b>?",
    "3": "Who agrees?",
    "4": "What is not there?",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small report; the second run finds little, and nothing for topic 2."""
    return save(tmp_path_factory.mktemp("report") / "small.html")


def save(
    path: Path, runs: list[Run] = RUNS, measures: tuple[str, ...] = ("MAiP", "charP"), **how: Any
) -> Path:
    """The report of runs as a file."""
    given = {"corpus": TEXTS, "topics": TOPICS, "policy": Policy(overlap="penalise"), **how}
    excerpt.report(JUDGMENTS, runs, measures, **given).save(path)
    return path


def column(page: Page, name: str) -> Any:
    """The results of a run."""
    return page.get_by_role("region", name=f"Results of {name}")


def heads(page: Page, name: str) -> list[str]:
    """Headings above the words of each result, in one line each."""
    found: list[str] = column(page, name).locator(".result-head").all_inner_texts()
    return [" ".join(text.split()) for text in found]


def cursor(page: Page) -> tuple[list[str], list[str], str]:
    """The rank of the marked result, of the marked row, and what the picture says of its point."""
    marked = page.locator(".result[aria-current] .rank").all_inner_texts()
    rows = page.locator(".ranks [aria-current] th").all_inner_texts()
    return marked, rows, page.locator(".curves g text").text_content() or ""


def test_results_stand_side_by_side(open_page: Pages, report: Path) -> None:
    """Rank, document, how much of it is relevant, and where the other run has the same text."""
    page = open_page(report, "topic=1&runs=first,second")
    expect(page.get_by_role("heading", level=1)).to_contain_text("When is the rent paid?")
    assert heads(page, "first")[:5] == [
        "1 d0 20 of 120 = B2",
        "2 d1 62 of 62 only A",
        "3 d13 0 of 27 only A",
        "4 far 40 characters, unjudged only A",
        f"5 d2 62 of {len(TEXTS['d2'])} only A",
    ]
    assert heads(page, "second") == ["1 d3 0 of 50 only B", "2 d0 52 of 52 = A1"]


def test_snippets_begin_where_relevant_text_does(open_page: Pages, report: Path) -> None:
    """Only what is relevant is painted; the words are those of the document."""
    page = open_page(report, "topic=1&runs=first,second")
    snippets = column(page, "first").locator(".snippet")
    assert snippets.nth(0).inner_text().startswith("… ")
    assert snippets.nth(0).locator("mark").all_inner_texts() == [CLAUSE[:20]]
    assert snippets.nth(1).locator("mark").all_inner_texts() == [CLAUSE]
    assert snippets.nth(3).inner_text() == TEXTS["far"]
    assert snippets.nth(4).locator("mark").all_inner_texts() == [CLAUSE]


def test_a_result_is_opened_in_its_document(open_page: Pages, report: Path) -> None:
    """The link says the place and the run."""
    page = open_page(report, "topic=1&runs=first,second")
    column(page, "second").get_by_role("link", name="d0").click()
    until_ready(page)
    assert page.url.endswith(f"#topic=1&runs=second&doc=d0&at={AT['d0'] + 10}-{AT['d0'] + END}")


def test_score_cells_carry_all_digits(open_page: Pages, report: Path) -> None:
    """Run, topic, measure as given, and the score of the evaluation; nothing where it has none."""
    scores = excerpt.evaluate(JUDGMENTS, RUNS, "MAiP", policy=Policy(overlap="penalise"))
    page = open_page(report, "topic=1&runs=second,first")
    cells = page.locator(".column [data-value]")
    told = [
        {name: cell.get_attribute(f"data-{name}") for name in ("run", "topic", "measure", "value")}
        for cell in cells.all()
    ]
    values = [scores.values[run, scores.topics.index("1"), 0] for run in (1, 0)]
    assert [float(one.pop("value") or "nan") for one in told] == values
    assert told == [{"run": name, "topic": "1", "measure": "MAiP"} for name in ("second", "first")]


def test_the_cursor_is_one_card_one_row_one_point(open_page: Pages, report: Path) -> None:
    """Keys, focus, pointer, rows and the marks of the same text all move it."""
    page = open_page(report, "topic=1&runs=first,second", width=1440, height=900)
    assert cursor(page)[:2] == (["1"], ["1"])
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert cursor(page) == (["2"], ["2"], "rank 2: recall 0.102, precision 0.451")
    expect(page.get_by_role("status")).to_have_text("Rank 2 of first")
    column(page, "first").get_by_role("link").nth(2).focus()
    assert cursor(page)[:2] == (["3"], ["3"])
    column(page, "second").locator(".result").nth(1).hover()
    assert cursor(page)[:2] == (["2"], ["2"])
    expect(
        page.get_by_label("How this score is computed").get_by_role("button", name="second")
    ).to_have_attribute("aria-pressed", "true")
    column(page, "second").get_by_role("button", name="= A1").click()
    assert cursor(page)[:2] == (["1"], ["1"])
    assert column(page, "first").locator(".result[aria-current]").count() == 1


def test_one_sentence_says_why_a_beats_b(open_page: Pages, report: Path) -> None:
    """By the measure that is chosen, from either side; one run has nothing to beat."""
    page = open_page(report, "topic=1&runs=first,second")
    why = page.locator("p.advantage")
    expect(why).to_have_text("A finds 144 of 806 relevant characters, B 52.")
    go(page, "topic=1&runs=second,first&m=charP")
    expect(why).to_have_text("52 of the 102 characters that A returns are relevant, 144 of 1\u202f310 in B.")
    go(page, "topic=2&runs=first,second")
    expect(why).to_have_text("A finds 10 of 10 relevant characters, first at rank 1; B has no results.")
    go(page, "topic=1&runs=first")
    expect(why).to_have_count(0)


def test_ranks_are_stepped_through(open_page: Pages, report: Path) -> None:
    """Keys and slider move result, row and point together."""
    page = open_page(report, "topic=1&runs=first,second", width=1440, height=900)
    page.keyboard.press(".")
    page.keyboard.press(".")
    page.keyboard.press(",")
    assert cursor(page)[:2] == (["2"], ["2"])
    expect(page.locator(".why .rank-bar")).to_contain_text("rank 2 of 35")
    slider = page.get_by_role("slider", name="Results up to rank")
    slider.fill("31")
    expect(column(page, "first").locator(".result").nth(30)).to_have_attribute("aria-current", "true")
    assert cursor(page) == (["31"], ["31"], "rank 31: recall 0.179, precision 0.113")


def test_ranks_are_copied_as_markdown(open_page: Pages, report: Path) -> None:
    """With topic, run, score and documents; no link in a file."""
    page = open_page(report, "topic=1&runs=second,first")
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    page.keyboard.press("c")
    page.wait_for_function("() => window.copied")
    value = column(page, "second").locator("[data-value]").inner_text()
    at = AT["d0"]
    assert page.evaluate("() => window.copied") == (
        f"1 When is the rent paid? · run second · AiP {value}\n\n"
        "| Rank | Document | Characters | Size | Relevant | Read | Found | Recall | Precision |\n"
        "| --: | :-- | --: | --: | --: | --: | --: | --: | --: |\n"
        "| 1 | d3 | 0\u201350 | 50 | 0 | 50 | 0 | 0.000 | 0.000 |\n"
        f"| 2 | d0 | {at + 10}\u2013{at + END} | 52 | 52 | 102 | 52 | 0.065 | 0.510 |"
    )


def test_more_ranks_on_demand(open_page: Pages, report: Path) -> None:
    """Twenty at first; a row of the table shows the result that it is about."""
    page = open_page(report, "topic=1&runs=first,second")
    results = column(page, "first").locator(".result")
    assert results.count() == 20
    page.get_by_role("button", name="All 35 ranks").click()
    page.locator(".ranks tbody tr").nth(30).click()
    expect(results).to_have_count(35)
    expect(results.nth(30)).to_be_focused()
    assert cursor(page)[:2] == (["31"], ["31"])
    expect(column(page, "first").get_by_role("button", name="more of")).to_be_hidden()


@pytest.mark.parametrize(
    ("measure", "lines"),
    [
        ("", ["82 / 182 = 0.4505", "82 / 806 = 0.1017", "level 10 of 100", "5.9253 / 101 = 0.0587"]),
        ("charP", ["82 / 182 = 0.4505", "82 / 806 = 0.1017", "144 / 1310 = 0.1099"]),
    ],
)
def test_why_this_number(open_page: Pages, report: Path, measure: str, lines: list[str]) -> None:
    """The arithmetic at the rank under the cursor, and of the score."""
    page = open_page(
        report, f"topic=1&runs=first,second&m={measure}" if measure else "topic=1&runs=first,second"
    )
    page.keyboard.press("j")
    assert page.locator(".well dd").all_inner_texts() == lines
    why = page.get_by_label("How this score is computed")
    expect(why).to_contain_text("After rank 2 the reader has read 182 characters; 82 of them are relevant")
    rows = why.locator(".ranks tbody tr").nth(1).locator("td").all_inner_texts()
    assert rows == ["62", "62", "182", "82", "0.102", "0.451"]


def test_documents_with_relevant_text(open_page: Pages, report: Path) -> None:
    """Found or not, each with the share that each run found."""
    page = open_page(report, "topic=1&runs=first,second")
    cards = page.locator(".cards .card")
    assert cards.count() == 13
    said = {" ".join(text.split()) for text in cards.all_inner_texts()}
    assert {"d0 1 passage A 32 % B 84 %", "d1 1 passage A 100 % B 0 %", "d7 1 passage A 0 % B 0 %"} <= said
    cards.first.get_by_role("link").click()
    until_ready(page)
    assert "doc=d" in page.url


def test_what_is_not_there_is_said(open_page: Pages, report: Path) -> None:
    """A run without results, a topic without relevant text; a question with tags is text."""
    page = open_page(report, "topic=2&runs=first,second")
    expect(page.get_by_role("heading", level=1)).to_contain_text("What begins <b>the page</b>?")
    expect(column(page, "second")).to_contain_text("second has no results for this topic.")
    page.get_by_label("How this score is computed").get_by_role("button", name="second").click()
    expect(page.get_by_label("How this score is computed")).to_contain_text("There are no results to add up.")
    page = open_page(report, "topic=4&runs=first,second")
    expect(page.locator(".topic-main")).to_contain_text("This topic has no relevant text.")
    assert column(page, "first").locator("[data-value]").get_attribute("data-value") == ""


def test_without_text_places_are_said(open_page: Pages, tmp_path: Path) -> None:
    """A report of numbers has offsets in the place of words."""
    page = open_page(save(tmp_path / "bare.html", corpus=None, text=False), "topic=1&runs=second")
    assert column(page, "second").locator(".result > p").all_inner_texts() == [
        "characters 0-50",
        f"characters {AT['d0'] + 10}-{AT['d0'] + END}",
    ]


def test_one_run_at_a_time_on_a_narrow_screen(open_page: Pages, report: Path) -> None:
    """Tabs choose it, and nothing is wider than the screen."""
    page = open_page(report, "topic=1&runs=first,second", width=320, height=700)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    expect(column(page, "first")).to_be_visible()
    expect(column(page, "second")).to_be_hidden()
    page.locator(".topic-main > .tabs").get_by_role("button", name="second").click()
    expect(column(page, "first")).to_be_hidden()
    expect(column(page, "second")).to_be_visible()


def test_few_ranks_stand_there_at_once(open_page: Pages, report: Path) -> None:
    """Under the table there is nothing to ask for, and nothing else."""
    page = open_page(report, "topic=1&runs=second")
    assert page.locator(".why .ranks ~ *").count() == 0
    assert (page.locator(".why").text_content() or "").endswith(
        page.locator(".ranks td").last.text_content() or "?"
    )


def test_all_runs_are_on_paper(open_page: Pages, report: Path) -> None:
    """Paper is narrow, and has no tabs; it is light, whatever the screen was."""
    page = open_page(report, "topic=1&runs=first,second", width=700, dark=True)
    page.emulate_media(media="print")
    expect(page.get_by_role("region", name="Results of first")).to_be_visible()
    expect(page.get_by_role("region", name="Results of second")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


DRAWN = [
    ("MAiP", "interpolated precision by recall", None),
    ("recall@2", "recall by rank", 2),
    ("charP@3", "precision by rank", 3),
    ("charF", "F by rank", None),
    ("IoU@2", "IoU by rank", 2),
    ("recall(budget=150)", "recall by characters read", 2),
    ("articleR@1", "recall by rank", 1),
]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report by measures that read a part of the results."""
    path = tmp_path_factory.mktemp("report") / "measured.html"
    return save(path, measures=tuple(name for name, _, _ in DRAWN))


@pytest.mark.parametrize(("measure", "axes", "read"), DRAWN)
def test_the_figure_is_of_the_measure(
    open_page: Pages, measured: Path, measure: str, axes: str, read: int | None
) -> None:
    """What it reads by rank or by characters, with the cut; results behind it are grey, below a rule."""
    page = open_page(measured, f"topic=1&runs=first&m={quote(measure)}")
    figure = page.get_by_role("img", name=f"{axes}: first") if read else page.locator(".curves")
    expect(figure).to_have_count(1)
    assert page.locator(".axis").inner_text() == axes
    behind = page.locator(".result[data-behind] .rank").all_inner_texts()
    every = page.locator(".result .rank").all_inner_texts()
    assert behind == ([] if read is None else every[read:])
    assert page.locator(".cut").count() == (0 if read is None else 1)
    if read is None:
        return
    topic = (
        "recall@2"
        if measure == "recall@2"
        else page.locator(".column .heading .note").inner_text().split()[0]
    )
    assert page.locator(".cut").inner_text() == f"{topic} stops reading here"
    assert page.locator(".curves text", has_text="stops reading").count() == 1


def test_cards_count_what_the_measure_reads(open_page: Pages, measured: Path) -> None:
    """A clause at rank 5 is found by MAiP, and not by recall@2."""
    shares = {}
    for measure in ("MAiP", "recall@2"):
        page = open_page(measured, f"topic=1&runs=first&m={quote(measure)}")
        card = page.locator(".card", has=page.locator(".mono", has_text="d2")).last
        shares[measure] = card.locator(".card-line").last.inner_text()
    assert shares == {"MAiP": "A 100\xa0%", "recall@2": "A 0\xa0%"}


SOME = {"read": 10, "found": 5, "recall": 0.25, "precision": 0.5}
NOTHING = {"read": 0, "found": 0, "recall": 0, "precision": 0}


def test_what_is_drawn_after_a_rank(js: Modules) -> None:
    """Of 5 found among 10 read and 20 relevant: F 10/30, F with beta 2 25/90, IoU 5/25."""
    named = (("recall", 1), ("precision", 1), ("F", 1), ("F", 2), ("IoU", 1))
    cases = [[name, SOME, 20, beta] for name, beta in named]
    assert js("arithmetic", "drawnAt", cases) == pytest.approx([0.25, 0.5, 1 / 3, 25 / 90, 0.2])
    assert js("arithmetic", "drawnAt", [["F", NOTHING, 0, 1], ["IoU", NOTHING, 0, 1]]) == [0, 0]
