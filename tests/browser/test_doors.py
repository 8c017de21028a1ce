"""Numbers that open what they count: missed passages, all pairs, documents of a run, measures."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.browsing import Pages, go, until_ready
from support.page_reports import HOSTILE, RELEVANT, RESULTS, hostile_report

from excerpt.render.report import Report


@pytest.fixture(scope="module")
def made() -> Report:
    """Four runs on three topics, with names that do harm where they are not text."""
    return hostile_report()


@pytest.fixture(scope="module")
def report(made: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as a file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(made.html())
    return path


def ranked(made: Report) -> list[str]:
    """Names of the runs, best first."""
    table = made.world.table
    return sorted(table.runs, key=lambda run: -table.mean(run, "MAiP"))


def test_every_count_of_missed_passages_opens_them(open_page: Pages, made: Report, report: Path) -> None:
    """All runs in the order of the ranking; as many passages are listed as the number says."""
    page = open_page(report)
    names = page.locator(".missed tbody th bdi")
    assert [name.get_attribute("title") or name.text_content() for name in names.all()] == ranked(made)
    doors = page.locator(".missed .bars a").evaluate_all(
        "links => links.map(link => [link.getAttribute('href'), link.textContent])"
    )
    assert len(doors) == 4 * 4
    assert [address for address, _ in doors[:2]] == [
        "#passages&run=alpha&reason=missed",
        "#passages&run=alpha&reason=elsewhere",
    ]
    for address, count in doors:
        go(page, address[1:])
        assert page.locator(".passage").count() == int(count), address
        assert page.locator(":checked + span + .number").last.inner_text() == count


def test_the_longest_bar_is_the_largest_count(open_page: Pages, report: Path) -> None:
    """Widths are proportional to counts, over all columns."""
    page = open_page(report)
    bars = page.locator(".missed .bars a").evaluate_all(
        "links => links.map(link => [+link.textContent, parseFloat(link.firstChild.style.width)])"
    )
    most = max(count for count, _ in bars)
    assert all(width == pytest.approx(100 * count / most, abs=1e-3) for count, width in bars)


def test_passages_of_a_run_are_found_or_missed(open_page: Pages, report: Path) -> None:
    """Both together are all; the sentence names run and reason; rows say what the run found."""
    page = open_page(report, "passages&run=alpha&reason=found")
    assert page.locator("h1").inner_text() == "2 of 7 relevant passages found by alpha"
    numbers = dict(
        zip(
            ["all", "found", "missed"],
            page.locator("[name=reason] ~ .number").all_inner_texts()[:3],
            strict=True,
        )
    )
    assert numbers == {"all": "7", "found": "2", "missed": "5"}
    page.get_by_label("document not found").check()
    until_ready(page)
    assert page.url.endswith("#passages&run=alpha&reason=document")
    assert page.locator("h1").inner_text().endswith("missed by alpha: document not found")
    go(page, "passages&run=alpha")
    assert "50 % found, first at rank" in page.locator(".passage").nth(3).inner_text().replace("\xa0", " ")


def test_results_are_limited_to_a_run(open_page: Pages, report: Path) -> None:
    """Those that nobody judged, and those that were returned again."""
    page = open_page(report, "passages&q=unjudged&run=alpha")
    assert page.locator("h1").inner_text() == "0 of 2 results retrieved but unjudged, of alpha"


@pytest.mark.parametrize(("group", "heads"), [("topic", [4, 2, 1]), ("document", [2, 3, 2])])
def test_passages_are_grouped(open_page: Pages, report: Path, group: str, heads: list[int]) -> None:
    """By topic or by document: a heading with its count, then its passages, which keys walk through."""
    page = open_page(report, "passages")
    page.get_by_label("Group").select_option(label=f"by {group}")
    until_ready(page)
    assert page.url.endswith(f"#passages&group={group}")
    items = page.locator(".passages section > ol > li").evaluate_all("items => items.map(i => i.className)")
    expected = [name for count in heads for name in ["group", *["passage"] * count]]
    assert items == expected
    assert page.locator(".group .note").all_inner_texts() == [
        f"{count} passage{'s' * (count > 1)}" for count in heads
    ]
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('li').className") == "passage"


def documents_by_hand(run: str) -> dict[str, list[int]]:
    """Relevant, found, wasted and unjudged characters by document, by sets of characters."""
    judged = {(topic, name) for topic, name, *_ in RELEVANT} | {("T2", "D1")}
    facts: dict[str, list[int]] = {}
    pairs = {(topic, name) for topic, name, *_ in [*RELEVANT, *RESULTS[run]]}
    for topic, name in pairs:
        relevant, returned = (
            {at for one, doc, start, end in rows if (one, doc) == (topic, name) for at in range(start, end)}
            for rows in (RELEVANT, RESULTS[run])
        )
        useless = len(returned - relevant)
        row = facts.setdefault(name, [0, 0, 0, 0])
        amounts = [len(relevant), len(relevant & returned), useless, 0]
        if (topic, name) not in judged:
            amounts = [0, 0, 0, useless]
        facts[name] = [one + other for one, other in zip(row, amounts, strict=True)]
    return facts


def shown_documents(page: Page) -> dict[str, list[int]]:
    """Found, missed, wasted and unjudged characters in the table of documents."""
    rows = page.locator(".documents tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return {row[0]: [int(cell.replace("\u202f", "").replace("–", "0")) for cell in row[3:]] for row in rows}  # noqa: RUF001


@pytest.mark.parametrize("run", list(RESULTS))
def test_documents_of_a_run(open_page: Pages, made: Report, report: Path, run: str) -> None:
    """As sets of characters count them, in the data and on the page."""
    world = made.world
    data = world.run_documents(world.table.runs.index(run))
    ids = world.documents()["ids"]
    columns = [data[name].tolist() for name in ("relevant", "found", "wasted", "unjudged")]
    found = {ids[at]: list(row) for at, row in zip(data["document"], zip(*columns, strict=True), strict=True)}
    expected = documents_by_hand(run)
    assert found == {name: row for name, row in expected.items() if any(row)}
    page = open_page(report)
    page.locator(".missed tbody a").and_(page.get_by_role("link", name=run, exact=True)).first.click()
    until_ready(page)
    assert shown_documents(page) == {
        name: [row[1], row[0] - row[1], *row[2:]] for name, row in expected.items() if any(row)
    }


def test_documents_are_sorted_and_limited_to_none_found(open_page: Pages, report: Path) -> None:
    """By any column, twice turns the order around; "0 %" leaves those of which nothing was found."""
    page = open_page(report, "documents&run=beta")
    assert page.locator("h1").inner_text() == "beta found nothing in 0 of 3 documents with relevant text."
    button = page.get_by_role("button", name="Wasted")
    button.click()
    until_ready(page)
    assert page.url.endswith("#documents&run=beta&order=-wasted")
    down = [row[2] for row in shown_documents(page).values()]
    assert down == sorted(down, reverse=True)
    assert page.locator("th[aria-sort=descending]").inner_text() == "Wasted ↓"
    assert page.evaluate("document.activeElement.dataset.key") == "sort-wasted"
    button.click()
    until_ready(page)
    assert [row[2] for row in shown_documents(page).values()] == down[::-1]
    page.get_by_label("Run", exact=True).select_option(index=3)
    page.get_by_label("0 % only").check()
    until_ready(page)
    assert all(row[0] == 0 and row[1] > 0 for row in shown_documents(page).values())
    page.locator(".documents tbody tr").first.locator("td a").click()
    until_ready(page)
    assert "within=" in page.url
    assert page.locator(".passage").count() > 0
    page.get_by_role("button", name="show all documents").click()
    until_ready(page)
    assert page.locator(".passage").count() == len(RELEVANT)


PAIRS = """rows => rows.map(row => [...row.cells].map(
  cell => cell.querySelector("bdi")?.title || cell.textContent))"""


def test_all_pairs_are_listed_with_difference_interval_p_and_wins(
    open_page: Pages, made: Report, report: Path
) -> None:
    """Numbers of the comparison, wins by hand; each row opens its pair."""
    page = open_page(report)
    page.get_by_role("link", name="All pairs").click()
    until_ready(page)
    assert page.url.endswith("#pairs")
    rows = {(row[0], row[1]): row[2:] for row in page.locator(".pairs tbody tr").evaluate_all(PAIRS)}
    assert list(rows) == list(combinations(ranked(made), 2))
    overview = made.world.overview()
    data, names = overview["comparisons"][0]["pairs"], made.world.table.runs
    scores = {name: overview["scores"][0][number] for number, name in enumerate(names)}

    def signed(value: float) -> str:
        return "0" if value == 0 else f"{value:+.4f}".replace("-", "\u2212")

    for i, (first, second) in enumerate(zip(data["first"], data["second"], strict=True)):
        difference, interval, p, wins = rows[names[first], names[second]]
        assert difference == signed(data["difference"][i])
        assert interval == f"{signed(data['low'][i])} to {signed(data['high'][i])}"
        assert float(p.strip("< *")) == pytest.approx(max(data["adjusted"][i], 0.0001), abs=1e-4)
        both = [
            (one > other) - (one < other)
            for one, other in zip(scores[names[first]], scores[names[second]], strict=True)
        ]
        assert wins == " – ".join(str(both.count(sign)) for sign in (1, 0, -1))  # noqa: RUF001
    page.locator(".pairs tbody a").first.click()
    until_ready(page)
    assert page.url.endswith("#pair&runs=alpha,beta")


def test_pairs_are_sorted_and_filtered(open_page: Pages, made: Report, report: Path) -> None:
    """By column, by run, by significance; Alike says how many there are and opens them."""
    page = open_page(report, "pairs")
    page.get_by_role("button", name="Difference").click()
    until_ready(page)
    differences = [float(row[2]) for row in page.locator(".pairs tbody tr").evaluate_all(PAIRS)]
    assert differences == sorted(differences, reverse=True)
    go(page, "")
    cell = page.locator(".ranking tbody tr").first.get_by_role("link", name="not significantly different")
    assert cell.get_attribute("title") == "not significantly different from 3 other runs"
    cell.click()
    until_ready(page)
    assert page.url.endswith("#pairs&run=alpha&hide=different")
    rows = page.locator(".pairs tbody tr").evaluate_all(PAIRS)
    assert len(rows) == 3
    assert all("alpha" in row[:2] for row in rows)
    page.get_by_label("Show", exact=True).select_option(label="significantly different")
    until_ready(page)
    expect(page.get_by_text("No pair matches.")).to_be_visible()


def test_one_run_has_no_pairs(open_page: Pages, tmp_path: Path) -> None:
    """It is said."""
    import excerpt
    from excerpt import Judgments, Notices, Run, Span

    judgments = Judgments.of([("1", Span("A", 0, 5))], sizes={"A": 9})
    path = tmp_path / "one.html"
    run = Run.of("r", [("1", "A", 0, 9)])
    path.write_bytes(excerpt.report(judgments, run, ["charP"], text=False, notices=Notices()).html())
    page = open_page(path, "pairs")
    assert page.locator("h1").inner_text() == "No pair of runs was tested."


def test_measures_are_explained(open_page: Pages, made: Report, report: Path) -> None:
    """On pointer and on focus, in one sentence, with the link to the definition; Escape closes it."""
    page = open_page(report)
    facts: list[dict[str, Any]] = made.world.overview()["measures"]
    page.locator(".ranking .explained").first.hover()
    tip = page.get_by_role("tooltip")
    expect(tip).to_have_text(f"{facts[0]['about']} Definition of {facts[0]['name']}")
    page.locator("h1").hover()
    expect(tip).to_have_count(0)
    page.locator(".means .explained [tabindex]").nth(1).focus()
    expect(tip).to_contain_text(facts[1]["about"])
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.locator(".segments button").nth(1).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until_ready(page)
    assert page.url.endswith("#measures&m=charF")
    sections = page.locator(".definition")
    assert sections.locator("h2").all_inner_texts() == ["MAiP", "charF"]
    first = facts[1]["definition"].split("\n")[0]
    assert " ".join(sections.nth(1).inner_text().split()).find(first.replace("`", "")[:40]) > 0


@pytest.mark.parametrize(
    ("address", "says", "right"),
    [
        ("passages&run=alfa", "There is no run “alfa” here.", "#passages&run=alpha"),
        ("passages&reason=docment", "There is no reason “docment” here.", "#passages&reason=document"),
        ("documents&run=gamma", "There is no run “gamma” here.", None),
        ("pairs&run=x&m=MAP", "There is no measure “MAP” here.", "#pairs&m=MAiP&run=x"),
    ],
)
def test_links_to_what_does_not_exist(
    open_page: Pages, report: Path, address: str, says: str, right: str | None
) -> None:
    """The name, and the nearest that exists."""
    page = open_page(report, address)
    assert page.locator("h1").inner_text() == says
    if right is not None:
        assert page.locator(".lead a").first.get_attribute("href") == right


@pytest.mark.parametrize("address", ["passages&run=beta&reason=missed&group=document", "pairs", "documents"])
def test_new_views_fit_narrow_screens(open_page: Pages, report: Path, address: str) -> None:
    """Tables scroll in themselves."""
    page = open_page(report, address, width=320, dark=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert HOSTILE in (page.text_content("body") or "")
