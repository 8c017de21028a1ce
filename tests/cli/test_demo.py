"""excerpt demo: the embedded collection."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Excerpt


def test_demo(excerpt: Excerpt) -> None:
    """The embedded collection is evaluated, and its folder can be printed."""
    done = excerpt("demo")
    assert done.status == 0
    assert done.out.index("sent-bm25") < done.out.index("random-p")
    assert (Path(excerpt("demo", "--path").out.strip()) / "qrels.fol").is_file()
    assert json.loads(excerpt("demo", "--format", "json").out)["ric"]["runs"][0]["name"] == "ric-p5"


def test_three_tasks_best_run_first(excerpt: Excerpt) -> None:
    """A heading, then a table per task whose first measure falls; each warning once."""
    done = excerpt("demo")
    lines = done.out.splitlines()
    assert lines[0].startswith("CUAD mini: 40 contracts, 41 topics")
    assert [line.split(":")[0] for line in lines if ": " in line][1:] == [
        "Focused",
        "Relevant in context",
        "Best in context",
    ]
    found = json.loads(excerpt("demo", "--format", "json").out)
    assert sorted(found) == ["bic", "focused", "ric"]
    runs = found["focused"]["runs"]
    best = max(runs, key=lambda run: float(run["scores"]["MAiP"]))
    assert done.out.index(best["name"]) == min(done.out.index(run["name"]) for run in runs)
    assert len(done.err.splitlines()) == len(set(done.err.splitlines()))
