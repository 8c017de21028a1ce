"""Very many runs and topics, no scripts: the page stays usable and says what it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from support.browsing import Pages, go, painted, text_of
from support.seen_study import page_of, study

import excerpt
from excerpt import Judgments, Run, Span

#: Names of 300 characters that differ only at their end.
RUNS, DOCUMENTS, TOPICS = (
    [f"{word * 300}"[:299] + str(i) for i in range(3)] for word in ("run-", "d/", "t.")
)


def widened(runs: int, topics: int) -> Any:
    """A change of an overview to many runs and topics, each a copy of one of them."""

    def change(overview: dict[str, Any]) -> None:
        first, second = overview["runs"], overview["topics"]
        overview["runs"] = [first[i % 3] | {"name": f"run-{i}"} for i in range(runs)]
        overview["topics"] = [second[0] | {"id": f"T{i}"} for i in range(topics)]
        overview["scores"] = [
            [[(i * 7 + j) % 11 / 20 for j in range(topics)] for i in range(runs)]
            for _ in overview["measures"]
        ]
        overview["means"] = [[1 - i / runs for i in range(runs)] for _ in overview["measures"]]
        overview["intervals"] = [[None] * runs for _ in overview["measures"]]
        overview["comparisons"] = [None] * len(overview["measures"])
        table = overview["tables"][0]
        table["rows"] = [[f"run-{i}", *table["rows"][i % 3][1:]] for i in range(runs)]

    return change


def test_a_thousand_runs(open_page: Pages) -> None:
    """All means are in the first view; ranking, missed passages and heat map fold alike."""
    page = open_page(page_of(study(3, 3), widened(1000, 40)))
    assert page.locator(".ranking [data-topic=all][data-measure=MAiP]").count() == 1000
    assert page.locator(".ranking tbody tr").filter(visible=True).count() == 10
    assert page.locator(".heat thead th").count() == 12
    assert page.locator(".heat tbody tr").count() == 41
    rows = page.locator(".missed tbody tr")
    assert (rows.count(), rows.filter(visible=True).count()) == (1000, 10)
    page.get_by_role("button", name="Show all 1\u202f000", exact=True).last.click()
    assert rows.filter(visible=True).count() == 1000
    page.get_by_role("button", name="Show all 1\u202f000 runs").click()
    assert page.locator(".heat thead th").count() == 1002
    expect(page.get_by_text("The first 12 of 40 topics in this order.")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("run-999")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_text("run-999")


def test_five_thousand_topics(open_page: Pages) -> None:
    """The first of them are drawn, the others at a click."""
    page = open_page(page_of(study(3, 3), widened(24, 5000)))
    rows = page.locator(".heat tbody tr")
    assert rows.count() == 1201
    page.get_by_role("button", name="Show all 24 runs").click()
    assert rows.count() == 501
    expect(page.get_by_text("The first 500 of 5\u202f000 topics in this order.")).to_be_visible()
    page.get_by_role("button", name="Show 500 more").click()
    assert rows.count() == 1001
    go(page, "pair&runs=run-1,run-2")
    rows = page.locator(".differences tbody tr")
    assert rows.count() == 500
    page.get_by_role("button", name="Show 500 more of 5\u202f000").click()
    assert rows.count() == 1000
    open_page.watch(page).take()  # the topics have scores, and no results


def test_without_scripts_there_are_means(browser: Browser, tmp_path: Path) -> None:
    """A sentence and the table of means, best first; names are text."""
    hostile = "<img src=x onerror=alert(1)>"
    made = study([hostile, "b", "c"], 9)
    made.save(tmp_path / "report.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    expect(page.locator("noscript p")).to_contain_text("This page needs JavaScript")
    rows = [line.split("\t") for line in page.locator("noscript table").inner_text().splitlines()]
    table = made.world.table
    means = {run: [f"{table.mean(run, measure):.4f}" for measure in table.measures] for run in table.runs}
    order = sorted(means, key=lambda run: -table.mean(run, "MAiP"))
    assert rows == [["Mean of each run", *table.measures], *([run, *means[run]] for run in order)]
    assert page.locator("img").count() == 0
    context.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_names_of_300_characters(open_page: Pages, tmp_path: Path, width: int) -> None:
    """No view is wider than its window, names are cut where they are alike, and the whole name is at hand."""
    texts = dict.fromkeys(DOCUMENTS, "some words of a document " * 40)
    judgments = Judgments.of([(topic, Span(name, 9, 90)) for topic in TOPICS for name in DOCUMENTS])
    runs = [
        Run.of(run, [(topic, name, 20 + i, 80) for topic in TOPICS for name in DOCUMENTS])
        for i, run in enumerate(RUNS)
    ]
    made = excerpt.report(judgments, runs, ["MAiP", "charR"], corpus=texts, title="title" * 60)
    made.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", width=width)
    topic = f"topic={TOPICS[1]}"
    views = (
        "",
        "pair",
        "pairs",
        "documents",
        "passages&group=document",
        topic,
        f"{topic}&doc={DOCUMENTS[2]}",
    )
    for view in views:
        go(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        tall = "() => Math.max(...[...document.querySelectorAll('main :is(th, h1, li.group, .rail a)')]"
        assert page.evaluate(f"{tall}.map(node => node.offsetHeight))") < 200, view
        cut = page.locator("main bdi[title]").first
        assert (cut.get_attribute("title") or "") in {*RUNS, *DOCUMENTS, *TOPICS}
        assert (cut.text_content() or "")[-1] == (cut.get_attribute("title") or "")[-1]


def test_a_document_of_one_line_of_2_mb(open_page: Pages, tmp_path: Path) -> None:
    """Without a single space: the whole text, painted, inside of the window, and the steps go through it."""
    text = "0123456789" * 200_000
    judgments = Judgments.of([("1", Span("A", at, at + 50)) for at in (1_000, 1_000_000, 1_999_900)])
    run = Run.of("run", [("1", "A", 1_000_020, 1_000_090)])
    excerpt.report(judgments, [run], ["charR"], corpus={"A": text}).save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "topic=1&doc=A")
    assert text_of(page) == text
    assert painted(page)["hit"] == [(1_000_020, 1_000_050)]
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".inspector")).to_contain_text("missed")
    assert page.evaluate("scrollY") > 10_000
