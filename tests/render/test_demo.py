"""The demonstration as a page."""

from __future__ import annotations

import json

from excerpt.render.demo import demo


def test_three_tasks_best_run_first() -> None:
    """A heading, then a table per task whose first measure falls."""
    page = demo()
    lines = page.text.splitlines()
    assert lines[0].startswith("CUAD mini: 40 contracts, 41 topics")
    assert [line.split(":")[0] for line in lines if ": " in line][1:] == [
        "Focused",
        "Relevant in context",
        "Best in context",
    ]
    found = json.loads(demo("json").text)
    assert sorted(found) == ["bic", "focused", "ric"]
    best = max(found["focused"]["runs"], key=lambda run: float(run["scores"]["MAiP"]))
    assert page.text.index(best["name"]) == min(
        page.text.index(run["name"]) for run in found["focused"]["runs"]
    )
    assert len(page.warnings) == len(set(page.warnings))
