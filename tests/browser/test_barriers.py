"""Barriers that axe finds: none, on any view, light and dark, wide and narrow; and bars of narrow windows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from support.barriers import check
from support.browsing import Pages, Tabs, go
from support.fake_campaign import Assessing, opened, select, until_saved
from support.kept_campaign import KeptCampaign
from support.organiser_desk import Board
from support.small_campaign import small_campaign

import excerpt
from excerpt import Corpus, Judgments, Policy, Run

ARTICLE = """<article><front><article-meta><title-group><article-title>Pain after operations</article-title>
</title-group><contrib-group><contrib><name><surname>So</surname><given-names>Wing</given-names></name></contrib>
<contrib><name><surname>Wong</surname></name></contrib> and others</contrib-group></article-meta></front>
<body><sec><title>Methods</title>PARAGRAPHS
<list><title>Drugs</title><list-item><p>Morphine</p>
<list><list-item>given at night</list-item></list></list-item>
some words between <p>a paragraph</p><list-item>Placebo</list-item></list>
<table-wrap><label>Table 1</label><caption><title>Doses</title></caption>
<table><tr><th>drug</th><td>dose</td></tr><tr><td colspan="2">morphine, with a very long description</td></tr>
</table></table-wrap>
<list-item>An item of no list</list-item><preformat>x = 1</preformat></sec>
<sec><title>Results</title><p>Pain is what hurts.</p>
<fig><label>Figure 1</label><caption><p>Pain</p></caption></fig>
</sec></body></article>""".replace(
    "PARAGRAPHS", 20 * "<p>Doses of morphine were counted, and pain was measured.</p>"
)


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of an article with lists, tables and figures; some topics, one result that is not judged."""
    folder = tmp_path_factory.mktemp("article")
    (folder / "a.xml").write_text(ARTICLE, encoding="utf-8")
    (folder / "b.xml").write_text(ARTICLE.replace("Pain", "Relief"), encoding="utf-8")
    corpus = Corpus.read(folder)
    judgments = Judgments.of(
        [(f"t{n}", "a", 10 * n, 10 * n + 40) for n in range(12)], sizes={"a": len(corpus["a"])}
    )
    results = [(f"t{n}", name, at, at + 30) for n in range(12) for name, at in (("a", 5 * n), ("b", 3))]
    runs = [
        Run.of("first", results),
        Run.of("second", [(topic, doc, end, end + 9) for topic, doc, _, end in results]),
        Run.of("third", results[::3]),
    ]
    titles = {f"t{n}": f"Question number {n}?" for n in range(12)}
    given: dict[str, Any] = {"corpus": corpus, "topics": titles, "policy": Policy(overlap="allow")}
    path = folder / "report.html"
    excerpt.report(judgments, runs, ["MAiP", "charF", "iP[0.01]"], **given).save(path)
    return path


@pytest.fixture(scope="module")
def shown(tabs: Tabs, article: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The report, in a page that all its views share."""
    pages = Pages(tabs, tmp_path_factory.mktemp("pages"))
    yield pages(article, width=1440, height=900)
    pages.close()


#: Views of report and explorer: address, keys, width.
VIEWS: dict[str, tuple[str, str, int]] = {
    "overview": ("", "", 1440),
    "overview, narrow": ("", "", 390),
    "pair": ("view=pair", "", 1440),
    "passages": ("view=passages", "", 1440),
    "passages of a run": ("passages&run=second&reason=missed&group=document", "", 1440),
    "all pairs": ("pairs&order=-p", "", 1440),
    "documents of a run": ("documents&run=second", "", 1440),
    "documents of a run, narrow": ("documents&run=second", "", 390),
    "measures": ("measures", "", 1440),
    "finder": ("", "/", 1440),
    "topic": ("topic=t3", "", 1440),
    "topic, narrow": ("topic=t3", "", 390),
    "document, one run": ("topic=t3&runs=first&doc=a", "", 1440),
    "document, several runs": ("topic=t3&doc=a", "", 1024),
    "document, narrow": ("topic=t3&runs=first&doc=a", "", 390),
    "document that nobody judged": ("topic=t3&doc=b", "", 1440),
    "no such topic": ("topic=t99", "", 1440),
    "keys": ("topic=t3", "?", 1440),
}


@pytest.mark.parametrize("name", VIEWS)
def test_report_and_explorer_have_no_barriers(shown: Page, name: str) -> None:
    """One page, which goes from view to view."""
    address, keys, width = VIEWS[name]
    shown.set_viewport_size({"width": width, "height": 844})
    go(shown, address)
    for key in keys:
        shown.keyboard.press(key)
    check(shown)
    shown.keyboard.press("Escape")


@pytest.fixture(scope="module")
def assess(tabs: Tabs) -> Iterator[Assessing]:
    """`assess(campaign, "topic=7&doc=a")`: the page of a campaign."""
    yield from opened(tabs)


def _mark(page: Page, *keys: str, size: int = 5) -> None:
    """Highlight two passages, then press keys."""
    for start in (0, 12):
        select(page, start, start + size)
        page.keyboard.press("h")
    for key in keys:
        until_saved(page)
        page.keyboard.press(key)


#: Views of the assessor: procedure, address, keys after highlighting (None: without), width.
JUDGING: dict[str, tuple[str, str, str | None, int]] = {
    "topics": ("inex2007", "", None, 1440),
    "topics, narrow": ("inex2007", "", None, 390),
    "document": ("inex2007", "topic=7&doc=a", "bp", 1440),
    "plain text, narrow": ("inex2007", "topic=7&doc=plain.txt", "", 390),
    "keys": ("inex2007", "topic=7&doc=b", "?", 1440),
    "grades": ("inex2005", "topic=7&doc=a", "c2", 1440),
    "grades, narrow": ("inex2005", "topic=7&doc=a", "c2", 390),
    "two grades": ("inex2002", "topic=7&doc=a", None, 1440),
    "evidence": ("evidence", "topic=7&doc=a", "1", 1024),
    "no such document": ("inex2007", "topic=7&doc=z", None, 1440),
}


@pytest.mark.parametrize("name", JUDGING)
def test_the_assessors_page_has_no_barriers(assess: Assessing, tmp_path: Path, name: str) -> None:
    """Lists, documents with highlights, grades or labels, help."""
    procedure, address, keys, width = JUDGING[name]
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign", procedure=procedure))
    page = assess(campaign, address, width=width, height=844)
    if keys is not None:
        _mark(page, *keys)
        until_saved(page)
    check(page)
    assess.watch(page).take()  # a document that is missing
    assess.leave(page)


def test_questions_and_warnings_are_no_barriers(assess: Assessing, tmp_path: Path) -> None:
    """The choice between two versions, and the banner of what is not saved."""
    campaign = KeptCampaign(small_campaign(tmp_path / "campaign"))
    page = assess(campaign, "topic=7&doc=a")
    other = assess.tab(page.context, "topic=7&doc=a")
    _mark(other)
    until_saved(other)
    _mark(page, size=8)
    page.get_by_role("dialog").wait_for()
    check(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    check(page)
    assess.watch(page).take()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_organisers_page_has_no_barriers(tabs: Tabs, width: int) -> None:
    """Figures, warnings, tables, export."""
    board = Board(tabs, width=width, height=844)
    check(board.page)
    board.close()
