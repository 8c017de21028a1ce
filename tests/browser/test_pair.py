"""Two runs: what the tests say of them, seen from either; topics by difference; shared text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page
from support.browsing import Modules, Pages, until_ready
from support.report_parts import as_read
from support.seen_study import page_of, study

from excerpt.render.report import Report

EASY = settings(max_examples=60, suppress_health_check=list(HealthCheck))
SCORE = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 1.0]), st.floats(0, 1))
PAIRS = {
    "first": [10, 2, 10],
    "second": [2, 9, 9],
    "difference": [0.25, 0.5, 0.75],
    "low": [-0.125, 0.25, 0.5],
    "high": [0.5, 0.75, 1],
    "adjusted": [0.5, 0.01, 0],
    "effect": [0.1, None, 2],
    "significant": [0, 1, 1],
}
#: Positions of the first of two runs on a topic; -1 stands for a result that names nothing.
RESULTS = st.lists(st.integers(-1, 11), max_size=25, unique=True)


def test_a_comparison_is_seen_from_the_better_run(js: Modules) -> None:
    """In whatever order the two are named; nothing where there was no test."""
    overview = {"comparisons": [{"pairs": PAIRS, "alpha": 0.05, "tests": 6}, None]}
    one, other, third, none, untested = js(
        "pair",
        "comparisonOf",
        [
            [overview, 0, [10, 2]],
            [overview, 0, [2, 10]],
            [overview, 0, [9, 2]],
            [overview, 1, [2, 10]],
            [overview, 0, [2, 3]],
        ],
    )
    assert one == {
        "first": 10,
        "second": 2,
        "difference": 0.25,
        "low": -0.125,
        "high": 0.5,
        "adjusted": 0.5,
        "effect": 0.1,
        "significant": 0,
        "alpha": 0.05,
        "tests": 6,
    }
    assert other == one
    assert (third["difference"], third["effect"], third["significant"]) == (0.5, None, 1)
    assert (none, untested) == (None, None)


@EASY
@given(columns=st.lists(st.tuples(st.booleans(), SCORE, SCORE), max_size=8))
def test_topics_come_by_difference(
    js: Modules, columns: list[tuple[bool, float | None, float | None]]
) -> None:
    """Topics that count and that both have a score for, largest first."""
    overview = {
        "topics": [{"counted": column[0]} for column in columns],
        "scores": [[[column[run + 1] for column in columns] for run in range(2)]],
    }
    rows = js("pair", "differencesOf", [[overview, 0, [0, 1]]])[0]
    expected = [
        (i, a - b) for i, (counted, a, b) in enumerate(columns) if counted and a is not None and b is not None
    ]
    expected.sort(key=lambda row: -row[1])
    assert [(row["topic"], row["difference"]) for row in rows] == expected


@EASY
@given(
    spans=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 8), st.integers(0, 4)), min_size=12, max_size=12
    ),
    relevant=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10), st.integers(1, 3)), max_size=3),
    a=RESULTS,
    b=RESULTS,
)
def test_shared_text_agrees_with_sets_of_characters(
    js: Modules,
    spans: list[tuple[int, int, int]],
    relevant: list[tuple[int, int, int]],
    a: list[int],
    b: list[int],
) -> None:
    """Two ranks belong together if a character is in both; it is relevant if one of these is.

    An entry point is the character that it points at.
    """
    columns = {
        "document": [span[0] for span in spans],
        "start": [span[1] for span in spans],
        "end": [span[1] + span[2] for span in spans],
    }
    judged = {
        "document": [span[0] for span in relevant],
        "start": [span[1] for span in relevant],
        "end": [span[1] + span[2] for span in relevant],
    }
    topic = {"documents": {"id": ["d0", "d1"]}, "spans": columns, "relevant": judged}
    held = [{(place, at) for at in range(start, start + max(length, 1))} for place, start, length in spans]
    marked = {(place, at) for place, start, length in relevant for at in range(start, start + length)}
    expected = [
        {"ranks": [i, j], "relevant": bool(held[x] & held[y] & marked)}
        for i, x in enumerate(a)
        for j, y in enumerate(b)
        if x >= 0 and y >= 0 and held[x] & held[y]
    ]
    assert js("pair", "sharedOf", [[topic, [a, b]]]) == [expected]


@pytest.fixture(scope="module")
def seen() -> Report:
    """Three runs on sixteen topics, two of which have no relevant text."""
    return study(["alpha", "beta", "gamma"], 16)


def _signed(x: float) -> str:
    return "0" if x == 0 else f"{x:+.4f}".replace("-", "\u2212")


def _differences(page: Page) -> list[tuple[str, str]]:
    rows = page.locator(".differences tbody tr").all()
    return [(row.locator("code").inner_text(), row.locator("td").last.inner_text()) for row in rows]


def test_topics_stand_with_their_signed_differences(open_page: Pages, seen: Report) -> None:
    """All that count, 0 as 0; the bar above counts who is better; a link opens the topic with both runs."""
    table = seen.world.table
    page = open_page(page_of(seen), "view=pair&runs=beta,alpha")
    of = {
        topic: tuple(float(table.values[table.place("run", run), i, 0]) for run in ("beta", "alpha"))
        for i, topic in enumerate(table.topics)
    }
    found = _differences(page)
    assert len(found) == 14
    assert sorted(found) == sorted((topic, _signed(of[topic][0] - of[topic][1])) for topic, _ in found)
    signs = [("+" in text) - ("\u2212" in text) for _, text in found]
    assert signs == sorted(signs, reverse=True)
    wins = [
        f"{signs.count(1)} topics better in A",
        f"{signs.count(0)} equal",
        f"{signs.count(-1)} better in B",
    ]
    assert page.locator(".wins li").all_inner_texts() == [text for text in wins if not text.startswith("0 ")]
    assert 0 in signs
    topic = page.locator(".differences a").first
    assert topic.get_attribute("href") == f"#topic={found[0][0]}&runs=beta,alpha"


def test_the_verdict_is_seen_from_either_run(open_page: Pages, seen: Report) -> None:
    """Swapped, the sentence and the interval stay: they are about the better one."""
    page = open_page(page_of(seen), "view=pair&runs=gamma,alpha")
    headline, lead = page.locator("h1").inner_text(), page.locator(".lead").inner_text()
    assert re.fullmatch(r"alpha is significantly better than gamma, by 0\.\d{4}\.", headline)
    assert lead.startswith("95 % interval +0.")
    page.get_by_role("button", name="Swap").click()
    until_ready(page)
    assert page.evaluate("location.hash") == "#pair&runs=alpha,gamma"
    assert page.locator("h1").inner_text() == headline
    assert page.locator(".lead").inner_text() == lead
    assert page.evaluate("document.activeElement.textContent") == "⇄ Swap"


def test_only_topics_where_b_is_better(open_page: Pages, seen: Report) -> None:
    """Worst for A first; the choice is in the address; another run as A keeps it."""
    page = open_page(page_of(seen), "view=pair&runs=alpha,beta")
    behind = [row for row in _differences(page) if "\u2212" in row[1]]
    page.get_by_role("button", name="only where B is better").click()
    until_ready(page)
    assert _differences(page) == behind[::-1]
    assert page.evaluate("location.hash") == "#pair&runs=alpha,beta&hide=a"
    page.get_by_label("A", exact=True).select_option(label="beta")
    until_ready(page)
    assert page.evaluate("location.hash") == "#pair&runs=beta,alpha&hide=a"


def test_lines_join_the_same_text_at_two_ranks(open_page: Pages, seen: Report) -> None:
    """For the topic under the cursor; the same is given in words."""
    page = open_page(page_of(seen), "view=pair&runs=alpha,beta")
    assert page.locator(".lines small").inner_text() == _differences(page)[0][0]
    topic = next(topic for topic, text in _differences(page) if text == "0")
    page.locator(".differences tr", has_text=topic).locator("a").focus()
    page.locator(".lines small", has_text=topic).wait_for()
    data = as_read(seen.world.topic(seen.world.topic_number(topic)))
    first, second = (data["runs"][seen.world.table.place("run", run)] for run in ("alpha", "beta"))
    expected = {
        f"A {i}, B {j}{', relevant' if data['spans']['relevant'][span] else ''}"
        for i, span in enumerate(first, 1)
        for j, other in enumerate(second, 1)
        if span == other  # results of this study are the same or share nothing
    }
    said = page.locator(".lines li").all_inner_texts()
    assert set(said) == expected != set()
    assert page.locator(".lines path").count() == len(said)
    assert page.locator(".lines path[data-relevant]").count() == sum("relevant" in line for line in said)
    assert page.locator(".lines circle").count() == len(first) + len(second)


def test_one_run_has_nothing_to_be_compared_with(open_page: Pages) -> None:
    """It is said in words."""
    page = open_page(page_of(study(1, 3)), "view=pair")
    assert "a comparison needs two runs, and there is only one." in page.locator("h1").inner_text()


@pytest.mark.parametrize(
    ("means", "sentence"),
    [
        ([0.5, 0.25], "alpha is ahead of beta by 0.2500. The difference was not tested."),
        ([0.5, 0.5], "alpha and beta score the same."),
        ([0.5, None], "One of the two has no score by this measure."),
    ],
)
def test_what_was_not_tested_is_said(
    open_page: Pages, seen: Report, means: list[float | None], sentence: str
) -> None:
    """Without a comparison the means speak."""

    def change(overview: dict[str, Any]) -> None:
        overview["comparisons"][0] = None
        overview["means"][0][:2] = means

    page = open_page(page_of(seen, change), "view=pair&runs=alpha,beta")
    assert page.locator("h1").inner_text() == sentence
    assert page.locator(".lead").count() == 0


def test_rows_say_why(open_page: Pages, seen: Report) -> None:
    """Each row in view has one sentence, by the integers of its topic."""
    page = open_page(page_of(seen), "view=pair&runs=alpha,gamma", height=4000)
    rows = page.locator(".differences tbody tr")
    page.wait_for_function(
        "() => Array.from(document.querySelectorAll('.differences .advantage'))"
        ".every(node => node.textContent)"
    )
    for row in rows.all():
        cells = row.locator("td").all_inner_texts()
        sentence = row.locator(".advantage").inner_text()
        first, second = float(cells[0]), float(cells[1])
        if first == second:
            assert sentence in {"Both score the same.", "Neither finds relevant text."}
        else:
            assert re.match("A" if first > second else "B", sentence), (cells, sentence)


def test_a_row_and_the_table_are_copied(open_page: Pages, seen: Report) -> None:
    """As Markdown, with runs, scores, ranks and documents."""
    page = open_page(page_of(seen), "view=pair&runs=alpha,gamma")
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    topic = page.locator(".lines small").inner_text()
    page.keyboard.press("c")
    page.wait_for_function("() => window.copied")
    head, why, causes, table = page.evaluate("() => window.copied").split("\n\n")
    a, b = page.locator(".differences tbody tr").first.locator("td").all_inner_texts()[:2]
    assert head.startswith(f"{topic} · AiP, A \u2212 B: +")
    said = page.locator(".differences .advantage").first.inner_text()
    assert said.startswith(why)
    assert page.locator(".differences .causes p").first.inner_text() == causes
    assert table.split("\n")[0] == "| Run | AiP | First relevant rank | Document | Characters |"
    assert [row.split(" | ")[:2] for row in table.split("\n")[2:]] == [
        ["| A alpha", a],
        ["| B gamma", b],
    ]
    page.evaluate("() => { window.copied = ''; }")
    page.get_by_role("button", name="Copy as Markdown").first.click()
    page.wait_for_function("() => window.copied")
    head, table = page.evaluate("() => window.copied").split("\n\n")
    assert head == "A: alpha, B: gamma, by MAiP"
    lines = table.split("\n")
    assert lines[0] == "| Topic | A | B | A \u2212 B |"
    assert len(lines) == 2 + len(_differences(page))
    assert lines[2].startswith(f"| {topic} | {a} | {b} | +")
