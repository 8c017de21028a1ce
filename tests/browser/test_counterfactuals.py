"""Counterfactuals of the page are those of Python: the worse list, changed in one cause, scored again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules, Pages, until_ready
from support.report_parts import as_read

import excerpt
from excerpt import Judgments, Notices, Policy, Run, Span
from excerpt.view import World
from excerpt.view.counterfactuals import CAUSES, counterfactuals

from .test_arithmetic import decode

MEASURES = (
    *("MAiP", "iP[0.10]", "charP", "charP[2]", "charR[2]", "charF", "IoU", "recall(budget=12)"),
    *("precision(budget=9)[3]", "articleAP", "articleP[2]", "articleR"),
)
PLACES = st.tuples(st.sampled_from("ABC"), st.integers(0, 20), st.integers(1, 12)).map(
    lambda row: (row[0], row[1], row[1] + row[2])
)
LISTS = st.lists(PLACES, min_size=1, max_size=6)
EASY = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)


@EASY
@given(st.lists(PLACES, min_size=1, max_size=4), LISTS, LISTS, st.sampled_from(MEASURES))
def test_shares_are_those_of_python(
    js: Modules,
    relevant: list[tuple[str, int, int]],
    first: list[tuple[str, int, int]],
    second: list[tuple[str, int, int]],
    measure: str,
) -> None:
    """To the last digits that are shown, for every measure that the page can score."""
    gold = Judgments.of([("t", Span(*place)) for place in relevant], irrelevant=[("t", "D")])
    runs = [
        Run.of(name, [("t", *place) for place in rows] + [("t", "D", 0, 1)])
        for name, rows in (("a", first), ("b", second))
    ]
    policy = Policy(overlap="first")
    world = World.of(gold, runs, [measure], text=False, policy=policy, notices=Notices())
    wanted = counterfactuals(gold, runs[0], runs[1], measure, policy=policy, notices=Notices())
    topic, overview = decode(as_read(world.topic(0))), as_read(world.overview())
    values = [scores[0] for scores in overview["scores"][0]]
    (found,) = js("counterfactuals", "causesOf", [[overview["measures"][0], topic, [0, 1], values]])
    if not wanted.topics:
        assert found is None
        return
    (one,) = wanted.topics
    assert found is not None
    assert found["better"] == (0 if one.ahead else 1)
    assert [cause["cause"] for cause in found["causes"]] == list(CAUSES)
    for mine, theirs in zip(found["causes"], one.causes, strict=True):
        assert mine["score"] == pytest.approx(theirs.score, abs=1e-9)
    (words,) = js("counterfactuals", "sayCauses", [[found, ["a", "b"]]])
    if one.named:
        assert words.startswith("b " if one.ahead else "a ")
    assert words.count("of the gap") == max(len(one.named), 1)


def test_other_measures_have_none(js: Modules) -> None:
    """And equal scores."""
    gold = Judgments.of([("t", Span("A", 0, 9))])
    runs = [Run.of("a", [("t", "A", 0, 9)]), Run.of("b", [("t", "A", 0, 18)])]
    world = World.of(gold, runs, ["MAiP", "hit", "charP(overlap=lambda)"], text=False, notices=Notices())
    topic, overview = decode(as_read(world.topic(0))), as_read(world.overview())
    measures: list[dict[str, Any]] = overview["measures"]
    calls = [[measures[0], topic, [0, 1], [0.5, 0.5]], [measures[1], topic, [0, 1], [1, 0.5]]]
    assert js("counterfactuals", "causesOf", [*calls, [measures[2], topic, [0, 1], [1, 0.5]]]) == [None] * 3


def test_pages_draw_the_bars(open_page: Pages, tmp_path: Any) -> None:
    """In the view of two runs for each topic and for the runs as a whole, and on the page of a topic."""
    gold = [(topic, "A", 0, 100) for topic in "123"]
    runs = {
        "one": [(topic, "A", 0, 100) for topic in "123"],
        "two": [(topic, "A", 0, 300) for topic in "123"],
    }
    made = excerpt.report(gold, runs, "MAiP", text=False, notices=Notices())
    made.save(tmp_path / "x.html")
    page = open_page(tmp_path / "x.html", "#view=pair&runs=one,two")
    until_ready(page)
    page.wait_for_selector(".whole .causes")
    page.wait_for_selector(".differences .causes")
    assert page.locator(".differences tbody tr").count() == 3
    text = page.locator(".differences .causes").first.inner_text()
    assert "B returns text around relevant text (100\u00a0% of the gap)." in text
    assert "each alone" in text
    assert "B is worse on 3 topics" in page.locator(".whole").inner_text()


@EASY
@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5]), min_size=5, max_size=5), min_size=1, max_size=6)
)
def test_a_run_as_a_whole(js: Modules, shares: list[list[float]]) -> None:
    """Each topic counts for its largest cause, the first of several; none below a fifth."""
    found = [
        {
            "better": 0,
            "gap": 0.5,
            "causes": [{"cause": c, "share": s} for c, s in zip(CAUSES, row, strict=True)],
        }
        for row in shares
    ]
    (closed,) = js("counterfactuals", "closures", [[found]])
    largest = [row.index(max(row)) for row in shares if max(row) >= 0.2]
    for place, one in enumerate(closed):
        assert one["topics"] == largest.count(place)
        assert one["closes"] == pytest.approx(sum(row[place] for row in shares) / len(shares))
