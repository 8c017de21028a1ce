"""The overview: orders, shades, sizes and lanes by themselves; then the page, seen and used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from support.barriers import check
from support.browsing import Modules, Pages, until_ready
from support.seen_study import page_of, study

from excerpt.render.report import Report

EASY = settings(max_examples=60, suppress_health_check=list(HealthCheck))
BOUNDS = (0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.55, 1)
SCORE = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 1.0]), st.floats(0, 1))


@EASY
@given(values=st.lists(st.one_of(SCORE, st.sampled_from(BOUNDS)), min_size=1))
def test_shades_are_the_bins(js: Modules, values: list[float | None]) -> None:
    """The first bound that is not passed; nothing else is undefined."""
    expected = [
        -1 if value is None else next(i for i, bound in enumerate(BOUNDS) if value <= bound)
        for value in values
    ]
    assert js("heat", "shadeOf", [[value] for value in values]) == expected


def _row(values: Sequence[float | None]) -> tuple[float, float] | None:
    """The least and the best score of a topic."""
    given = [value for value in values if value is not None]
    return (min(given), max(given)) if given else None


@EASY
@given(
    columns=st.lists(st.tuples(st.booleans(), SCORE, SCORE, SCORE), max_size=8),
    order=st.sampled_from(["", "id", "hard"]),
)
def test_topics_come_in_the_order_asked_for(
    js: Modules, columns: list[tuple[bool, float | None, float | None, float | None]], order: str
) -> None:
    """Topics that count, by what the chosen runs make of them; undefined ones last; ties as they were."""
    overview = {
        "topics": [{"counted": column[0]} for column in columns],
        "scores": [[[column[run + 1] for column in columns] for run in range(3)]],
    }
    rows = js("heat", "topicsInOrder", [[overview, 0, [0, 2], order]])[0]
    facts = {i: _row([column[1], column[3]]) for i, column in enumerate(columns) if column[0]}
    keys: dict[str, Callable[[tuple[float, float]], float]] = {
        "": lambda fact: fact[0] - fact[1],
        "id": lambda _: 0,
        "hard": lambda fact: fact[1],
    }
    undefined = 0 if order == "id" else 3
    expected = sorted(facts, key=lambda i: keys[order](fact) if (fact := facts[i]) else undefined)
    assert [row["topic"] for row in rows] == expected
    for row in rows:
        fact = facts[row["topic"]]
        assert (row.get("low"), row.get("high")) == (fact or (None, None))


@pytest.mark.parametrize(
    ("width", "runs", "topics", "expected"),
    [
        (1440, 10, 41, {"cell": 72, "row": 24, "digits": True, "rotated": False, "wide": False}),
        (1440, 14, 41, {"cell": 63, "row": 24, "digits": True, "rotated": True, "wide": False}),
        (1440, 62, 107, {"cell": 14, "row": 14, "digits": False, "rotated": True, "wide": False}),
        (1440, 200, 60, {"cell": 13, "row": 24, "digits": False, "rotated": True, "wide": True}),
        (1440, 10, 61, {"cell": 72, "row": 14, "digits": False, "rotated": False, "wide": False}),
        (1440, 8, 300, {"cell": 72, "row": 8, "digits": False, "rotated": False, "wide": False}),
        (390, 10, 41, {"cell": 40, "row": 24, "digits": True, "rotated": True, "wide": True}),
    ],
)
def test_cells_are_as_wide_as_there_is_room(
    js: Modules, width: int, runs: int, topics: int, expected: dict[str, Any]
) -> None:
    """Between 13 and 72 pixels, digits only where they fit, rows lower with more topics."""
    sizes = js("heat", "sizesOf", [[width, runs, topics]])[0]
    assert {name: sizes[name] for name in expected} == expected
    assert sizes["first"] + sizes["cell"] * runs + 56 <= width or sizes["wide"]


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (0.36, [0, 0.1, 0.2, 0.3]),
        (1, [0, 0.5, 1]),
        (0.9, [0, 0.2, 0.4, 0.6, 0.8]),
        (0.025, [0, 0.01, 0.02]),
        (0.003, [0]),
    ],
)
def test_ticks_are_round(js: Modules, most: float, ticks: list[float]) -> None:
    """A few round numbers up to the end of the longest interval."""
    assert js("overview", "ticksTo", [[most]]) == [ticks]


HOSTILE = '"><img src=x onload=alert()>'
LONG = "a-very-long-name-of-a-run-that-nobody-would-give-2026-11-02"


@pytest.fixture(scope="module")
def seen() -> Report:
    """Five runs, some with names that do harm where they are not text, on nine topics."""
    return study([HOSTILE, LONG, "a,b&c=d#e%20", "شبكة-bm25", "run"], 9)


CELLS = """() => Array.from(document.querySelectorAll("[data-value]"),
  ({dataset: {run, topic, measure, value}}) => [run, topic, measure, value])"""


def test_cells_hold_the_scores_with_all_digits(open_page: Pages, seen: Report) -> None:
    """Means of all measures, and the topics of the one that is shown; names are only text."""
    table = seen.world.table
    page = open_page(page_of(seen))
    cells = {(run, topic, measure): value for run, topic, measure, value in page.evaluate(CELLS)}
    means = {
        (run, "all", measure): table.mean(run, measure) for run in table.runs for measure in table.measures
    }
    overview = seen.world.overview()
    counted = [i for i, topic in enumerate(overview["topics"]) if topic["counted"]]
    topics = {
        (run, overview["topics"][i]["id"], "MAiP"): overview["scores"][0][number][i]
        for number, run in enumerate(table.runs)
        for i in counted
    }
    assert {key: float(value) for key, value in cells.items()} == {**means, **topics}
    assert len(counted) < len(overview["topics"])
    assert page.get_by_text("Left out of the means: T006.").is_visible()
    assert page.locator(".ranking bdi").first.text_content() == HOSTILE
    assert page.locator(f'.ranking bdi[title="{LONG}"]').text_content() == "a-very-long-na…ve-2026-11-02"


def test_undefined_scores_are_dashes(open_page: Pages, seen: Report) -> None:
    """A measure without any score: no bars, no shades, empty values; nothing else fails."""

    def change(overview: dict[str, Any]) -> None:
        runs, topics = len(overview["runs"]), len(overview["topics"])
        overview["scores"][2] = [[None] * topics] * runs
        overview["means"][2] = overview["intervals"][2] = [None] * runs
        overview["comparisons"][2] = None

    page = open_page(page_of(seen, change), "m=charP")
    shown = page.locator(".heat [data-value]")
    assert set(shown.all_text_contents()) == {"\u2013"}
    assert {cell.get_attribute("data-value") for cell in shown.all()} == {""}
    assert page.locator(".ranking circle").count() == 0


def test_all_runs_are_there_and_few_are_shown(open_page: Pages) -> None:
    """Over twenty: the first ten and the chosen, the others at a click; so does the heat map."""
    made = page_of(study(21, 4))
    page = open_page(made)
    best = page.locator(".ranking tbody tr").filter(visible=True).locator("th a").all_inner_texts()
    heads = page.locator(".heat thead th")
    assert heads.all_inner_texts()[1:-1] == best
    assert len(best) == 10
    page.get_by_role("button", name="Show all 21 runs").click()
    assert heads.count() == 23
    assert page.locator(".heat tbody tr").first.locator("td").count() == 22
    page = open_page(made, "runs=run-0,run-20")
    rows = page.locator(".ranking tbody tr")
    assert (rows.count(), rows.filter(visible=True).count()) == (21, 11)
    page.get_by_role("button", name="Show all 21").first.click()
    assert rows.filter(visible=True).count() == 21
    assert page.locator(".heat thead th").count() == 4


def test_choices_are_in_the_address_and_keep_the_focus(open_page: Pages, seen: Report) -> None:
    """Measure, order and what is hidden; the verdict and the order of runs follow the measure."""
    page = open_page(page_of(seen))
    button = page.get_by_role("button", name="charP")
    button.click()
    until_ready(page)
    assert page.evaluate("location.hash") == "#m=charP"
    assert page.evaluate("document.activeElement.textContent") == "charP"
    assert page.get_by_text("Verdict by charP · 5 runs · 8 topics").is_visible()
    page.get_by_label("Order").select_option(label="by id")
    until_ready(page)
    assert page.locator(".heat code").all_text_contents() == [f"T{i:03}" for i in range(9) if i != 6]
    page.get_by_label("hide topics").check()
    until_ready(page)
    assert page.evaluate("location.hash") == "#m=charP&order=id&hide=well"
    page.reload()
    until_ready(page)
    assert button.get_attribute("aria-pressed") == "true"
    assert page.get_by_label("Order").evaluate("select => select.selectedOptions[0].text") == "by id"


def test_topics_that_every_run_does_well_are_hidden(open_page: Pages, seen: Report) -> None:
    """Those over 0.55 in all runs, and only they."""

    def change(overview: dict[str, Any]) -> None:
        for number, scores in enumerate(overview["scores"][0]):
            scores[:3] = [0.55, 0.56, 1 if number else 0.2]

    page = open_page(page_of(seen, change), "order=id&hide=well")
    assert page.locator(".heat code").all_text_contents()[:3] == ["T000", "T002", "T003"]


def test_the_heat_map_is_read_without_a_mouse(open_page: Pages, seen: Report) -> None:
    """One stop for Tab, arrows inside, Enter opens the topic with the run, back comes back."""
    page = open_page(page_of(seen), "order=id")
    page.get_by_label("hide topics").focus()
    for key in (
        "Tab",
        "ArrowDown",
        "ArrowDown",
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "ArrowLeft",
        "ArrowUp",
    ):
        page.keyboard.press(key)
    cell = page.evaluate("(({run, topic}) => [run, topic])(document.activeElement.parentNode.dataset)")
    order = sorted(seen.world.table.runs, key=lambda run: -seen.world.table.mean(run, "MAiP"))
    assert cell == [order[1], "T001"]
    assert page.locator(".heat a[tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    until_ready(page)
    assert page.evaluate("location.hash") == f"#topic=T001&runs={quote(order[1], safe='')}"
    page.go_back()
    until_ready(page)
    assert page.evaluate("location.hash") == "#order=id"


def test_without_digits_a_bar_says_what_is_under_the_pointer(open_page: Pages) -> None:
    """Many topics: low rows, and the score in words at the foot."""
    seen = study(3, 75)
    page = open_page(page_of(seen), "order=id")
    page.locator('.heat [data-run="run-1"][data-topic="T000"]').hover()
    score = seen.world.overview()["scores"][0][1][0]
    said = page.locator(".readout").text_content() or ""
    assert said == f"T000  · run-1 · AiP {score:.4f}"
    assert page.locator(".heat td a").first.text_content() == ""


@pytest.mark.parametrize("address", ["", "view=pair"])
def test_nothing_scrolls_sideways(open_page: Pages, seen: Report, address: str) -> None:
    """At the narrowest width the tables scroll in themselves, and every row is there."""
    page = open_page(page_of(seen), address, width=320, dark=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    rows = page.locator(":is(.ranking, .differences) tbody tr")
    assert rows.count() > 1
    assert all(row.is_visible() for row in rows.all())


def test_tables_are_behind_doors(open_page: Pages, seen: Report) -> None:
    """A verdict, one figure, and doors; a door stays open when the measure changes."""
    page = open_page(page_of(seen), doors=False)
    assert page.locator(".verdict h1").is_visible()
    assert page.locator("table:visible").count() == 1
    titles = ["All measures", "Missed passages, and why", "Topics \u00d7 runs", "What this cannot tell you"]
    found = page.locator(".door > summary h2").all_inner_texts()
    assert [title for title in titles if title in found] == titles
    page.locator(".door > summary", has_text="Topics \u00d7 runs").press("Enter")
    expect(page.locator(".heat")).to_be_visible()
    page.locator(".segments button").nth(1).click()
    until_ready(page)
    expect(page.locator(".heat")).to_be_visible()
    assert page.locator("table:visible").count() == 2


def test_how_it_was_made_is_told(open_page: Pages, seen: Report) -> None:
    """Command, version and settings are at the foot, folded."""
    page = open_page(page_of(seen))
    page.get_by_text("How it was made").click()
    told = page.locator("details.made").text_content() or ""
    made = seen.world.overview()["made"]
    assert made["command"] in told
    assert f"excerpt {made['version']}" in told
    assert "overlap error" in told


@EASY
@given(
    scores=st.lists(st.one_of(st.none(), st.just(0.0), st.floats(0, 0.3), st.floats(0, 1)), max_size=60),
    scale=st.sampled_from(["", "own", "fixed"]),
)
def test_shades_of_a_collection_are_sevenths(js: Modules, scores: list[float | None], scale: str) -> None:
    """Without a choice where 95 % of the scores are below 0.2; each has a seventh of the scores above 0."""
    [found] = js("heat", "boundsOf", [[scores, scale]])
    defined = sorted(score for score in scores if score is not None)
    above = [score for score in defined if score > 0]
    low = bool(defined) and defined[-(-95 * len(defined) // 100) - 1] < 0.2
    assert found["own"] == (bool(above) and (scale == "own" or (scale == "" and low)))
    if found["own"]:
        assert found["bounds"] == [0, *(above[-(-i * len(above) // 7) - 1] for i in range(1, 8))]
    else:
        assert found["bounds"] == list(BOUNDS)


def test_the_scale_is_chosen_and_told(open_page: Pages, seen: Report) -> None:
    """Low scores get the scale of the collection, with three digits; the legend says which scale it is."""

    def change(overview: dict[str, Any]) -> None:
        overview["scores"][0] = [
            [None if score is None else score / 50 for score in scores] for scores in overview["scores"][0]
        ]

    page = open_page(page_of(seen, change))
    scale = page.locator(".scale")
    assert scale.get_attribute("data-scale") == "own"
    assert "Scale of this collection" in page.locator(".legend-scale").inner_text()
    cells = page.locator(".heat td a")
    assert {len(text) for text in cells.all_text_contents() if text not in "0<.001"} == {4}
    shades = {
        node.get_attribute("data-shade") for node in page.locator(".heat tr:not(.mean) [data-shade]").all()
    }
    page.get_by_label("Scale").select_option(label="fixed")
    until_ready(page)
    assert page.evaluate("location.hash") == "#scale=fixed"
    assert scale.get_attribute("data-scale") == "fixed"
    fixed = {
        node.get_attribute("data-shade") for node in page.locator(".heat tr:not(.mean) [data-shade]").all()
    }
    assert len(fixed) < len(shades)
    page.get_by_role("button", name="charP").click()
    until_ready(page)
    page.get_by_label("Scale").select_option(label="this collection")
    until_ready(page)
    assert page.evaluate("location.hash") == "#m=charP&scale=own"


def test_labels_of_many_topics_do_not_collide(open_page: Pages) -> None:
    """The row of means is as high as its text; of the topics every tenth has a label, with room for it."""
    page = open_page(page_of(study(3, 200)))
    boxes = page.locator(".heat tbody th").evaluate_all(
        """cells => cells.filter(cell => !cell.firstElementChild ||
          getComputedStyle(cell.firstElementChild).opacity === "1").map(cell => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            const {top, bottom} = range.getBoundingClientRect();
            return [top, bottom];
          })"""
    )
    assert len(boxes) > 15
    assert all(above[1] <= below[0] + 1 for above, below in pairwise(boxes))


def test_tables_are_copied_as_they_are_shown(open_page: Pages) -> None:
    """Whole names, intervals in words, scores with four digits; what is left out is said."""
    long = "a-run-with-a-name-that-is-cut-on-the-page"
    made = study([long, *(f"run-{i}" for i in range(29))], 70)
    page = open_page(page_of(made))
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")

    def copy(section: str) -> list[list[str]]:
        page.evaluate("() => { window.copied = ''; }")
        heading = page.get_by_role("heading", name=section, exact=True)
        page.locator(".door, .page > .beside section", has=heading).get_by_role(
            "button", name="Copy as Markdown"
        ).click()
        page.wait_for_function("() => window.copied")
        lines = page.evaluate("() => window.copied").split("\n")
        return [line.strip("| ").replace("\\", "").split(" | ") for line in lines if line]

    (head,), columns, _, *rows = copy("Runs")
    table = made.world.table
    assert head == "Runs by MAiP (the first 10 of 30 rows)"
    assert columns == ["#", "Run", "MAiP", "Interval", "Alike"]
    ranked = sorted(table.runs, key=lambda run: -table.mean(run, "MAiP"))[:10]
    assert [row[1].split()[0] for row in rows] == ranked
    assert long in ranked
    assert [row[2] for row in rows] == [f"{table.mean(run, 'MAiP'):.4f}" for run in ranked]
    assert all(
        float(low) <= float(row[2]) <= float(high) for row in rows for low, high in [row[3].split(" to ")]
    )
    assert [int(row[4]) for row in rows] == page.locator(".ranking tr:not([hidden]) td a").evaluate_all(
        "links => links.map(link => parseInt(link.getAttribute('aria-label')))"
    )
    (head,), columns, _, mean, *rows = copy("Topics \u00d7 runs")
    assert (head, columns[0], columns[-1]) == ("Topics \u00d7 runs: AiP", "Topic", "Range")
    assert (mean[1], len(rows)) == (f"{table.mean(columns[1], 'MAiP'):.4f}", 60)
    for row in rows:
        scores = [table[run, row[0], "MAiP"] for run in columns[1:-1]]
        assert row[1:-1] == [f"{score:.4f}" for score in scores]


@pytest.mark.parametrize("titled", [True, False])
def test_every_topic_has_a_name_on_a_phone(open_page: Pages, titled: bool) -> None:
    """Its title, or its id if it has no title."""

    def change(overview: dict[str, Any]) -> None:
        for topic in overview["topics"]:
            topic |= {"title": f"Title of {topic['id']}" if titled else "", "text": ""}

    page = open_page(page_of(study(3, 4), change), width=390)
    names = page.locator(".heat tbody tr:not(.mean) th").all_inner_texts()
    ids = sorted(name.strip() for name in names)
    assert ids == [f"{'Title of ' if titled else ''}T{number:03}" for number in range(4)]


def test_no_reason_hides_behind_the_edge_of_a_phone(open_page: Pages, demo: Path) -> None:
    """Missed passages: each run has its counts below each other, with their names."""
    page = open_page(demo, width=390)
    check(page)
    table = page.locator("table.missed")
    assert table.evaluate("node => node.parentElement.scrollWidth <= node.parentElement.clientWidth")
    cells = table.locator("tbody tr").first.locator(".bars")
    named = cells.evaluate_all(
        "all => all.map(one => [one.dataset.label, one.getBoundingClientRect().right])"
    )
    assert named[0][0] == "Missed"
    assert all(name and right <= 390 for name, right in named)
