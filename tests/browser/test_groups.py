"""Topics in groups: the rows and means of the overview are those of `evaluate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page
from support.barriers import check
from support.browsing import Modules, Pages

import excerpt
from excerpt import ExcerptError, Judgments, Run, evaluate
from excerpt.model.judgments import Question

HOSTILE = "<b>law</b>"
GROUPS = {"1": HOSTILE, "2": "news", "3": HOSTILE, "4": "", "5": "news"}
JUDGED = Judgments.of([(topic, "D", 10 * int(topic), 10 * int(topic) + 10) for topic in GROUPS])
JUDGMENTS = replace(JUDGED, questions={topic: Question(topic, group=name) for topic, name in GROUPS.items()})
RUNS = [
    Run.of(name, [(topic, "D", many * int(topic), 10 * int(topic) + 12) for topic in GROUPS])
    for name, many in (("one", 10), ("two", 11))
]
MEASURES = ["charP", "charR"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in groups."""
    path = tmp_path_factory.mktemp("groups") / "report.html"
    excerpt.report(JUDGMENTS, RUNS, MEASURES, corpus={"D": "x" * 100}, by="corpus").save(path)
    return path


def means(page: Page, cells: str) -> dict[tuple[str, str], str]:
    """Shown numbers by run and heading of the column."""
    table = page.locator(cells)
    heads = table.locator("thead th").all_text_contents()
    rows = [row.locator("th, td").all_text_contents() for row in table.locator("tbody tr").all()]
    return {(row[1], head): cell for row in rows for head, cell in zip(heads[2:], row[2:], strict=True)}


def test_means_are_those_of_evaluate(open_page: Pages, path: Path) -> None:
    """A column for each group behind its door; names of groups are no markup."""
    table = evaluate(JUDGMENTS, RUNS, MEASURES)
    page = open_page(path)
    shown = means(page, "[aria-label='charP by corpus'] table")
    expected = {
        (run["name"], f"{group or 'no group'} {many} topic{'s' if many > 1 else ''}"): score["charP"]
        for run in table.by_group("corpus").to_dict()["runs"]
        for group, many in {HOSTILE: 2, "news": 2, "": 1}.items()
        for score in [run["groups"][group]]
    }
    expected |= {(run, "All topics"): table.mean(run, "charP") for run in table.runs}
    assert shown == {key: f"{value:.4f}" for key, value in expected.items()}


def test_topics_of_a_group_stand_together(open_page: Pages, path: Path) -> None:
    """In every order, under the name of the group; nothing is cut on a phone."""
    for order in ("", "&order=id", "&order=hard"):
        page = open_page(path, f"overview{order}")
        rows = [row.inner_text() for row in page.locator(".heat tbody tr > th").all()]
        names = [row.split()[0] for row in rows]
        assert names[0] == "Mean"
        assert [names.index(name) for name in (HOSTILE, "news", "no")] == [1, 4, 7]
        assert [set(names[2:4]), set(names[5:7]), names[8]] == [{"1", "3"}, {"2", "5"}, "4"]
        check(page)
    page = open_page(path, "overview&order=hard", width=390)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check(page)


def test_without_groups_rows_stay(js: Modules) -> None:
    """And with them the order within a group."""
    rows = [{"topic": topic} for topic in (3, 0, 2, 1)]
    groups = {"of": [1, 0, 1, 0]}
    assert js("heat", "inGroups", [[rows], [rows, groups]]) == [
        rows,
        [{"topic": topic} for topic in (3, 1, 0, 2)],
    ]


def test_judgments_without_groups_are_an_error() -> None:
    """As in `evaluate`, before anything is shown."""
    with pytest.raises(ExcerptError, match="no topic has a corpus in the judgments"):
        excerpt.report(JUDGED, RUNS, MEASURES, corpus={"D": "x" * 100}, by="corpus")
