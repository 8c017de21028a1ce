"""Reasons of failure, questions of the judgments and cited text on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.browsing import Pages, painted, until_ready
from support.explained import JUDGMENTS, OTHER, RUN, TEXTS

import excerpt
from excerpt import Corpus, Notices, Run

CITED = Run.of("<b>answers</b>", [("q1", "lease", 10, 30), ("q1", "lease", 25, 70), ("q2", "rules", 0, 10)])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs and what was cited."""
    path = tmp_path_factory.mktemp("reasons") / "report.html"
    made = excerpt.report(
        JUDGMENTS, [RUN, OTHER], ["charR@2"], corpus=Corpus(TEXTS), cited=CITED, notices=Notices()
    )
    made.save(path)
    return path


def test_the_overview_counts_reasons_and_citations(open_page: Pages, report: Path) -> None:
    """A row for each run; questions are in the table of topics; names are only text."""
    page = open_page(report)
    tables = page.locator(".door .missed, .door .counts")
    assert tables.first.locator("tr").all_inner_texts()[2].split() == ["2", "mine", "4", "1", "1", "0", "2"]
    assert tables.last.locator("tr").nth(2).locator("td").all_inner_texts()[1] == "0.5595"
    assert "<b>answers</b>; proportions of characters" in page.locator(".doors").inner_text()
    assert "When was the roof mended?" in page.locator(".heat").inner_text()


def test_a_topic_says_what_was_missed_and_cited(open_page: Pages, report: Path) -> None:
    """Under the name of each run; the question is the heading."""
    page = open_page(report, "topic=q1&runs=mine")
    assert "may he keep a <i>dog</i>?" in page.locator("h1").inner_text()
    missed, cited = page.locator(".column > p.note").all_inner_texts()
    assert missed.startswith("3 of 3 passages missed: 1 below rank 2, 1 with its text found elsewhere,")
    assert cited.startswith("Citations: found 0.5481, cited of found")


def test_cited_text_is_painted_over_the_others(open_page: Pages, report: Path) -> None:
    """As one more layer, with a button in the legend that hides it; other layers stay as they are."""
    page = open_page(report, "topic=q1&runs=mine&doc=lease")
    assert (painted(page)["cited"], painted(page)["hit"]) == ([(10, 70)], [(0, 57)])
    page.get_by_role("button", name="cited").click()
    until_ready(page)
    assert "cited" not in painted(page)
    assert page.url.endswith("&hide=cited")


def test_the_inspector_says_why_and_what_was_cited(open_page: Pages, report: Path) -> None:
    """For every run; the order of citations replaces ranks."""
    page = open_page(report, "topic=q1&runs=mine&doc=lease&at=0-57")
    rows = page.locator(".holders tbody tr").all_inner_texts()
    assert [row.split() for row in rows] == [
        ["other", "1", "100", "%"],
        ["mine", "at", "rank", "3", "2,", "3", "100", "%"],
        ["cited", "1,", "2", "82", "%"],
    ]
    page = open_page(report, "topic=q1&runs=mine&doc=lease&at=58-78")
    assert "same text found elsewhere" in page.locator(".holders").inner_text()
