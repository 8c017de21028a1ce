"""Budgets of judgments, by definitions on small worlds."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Run, collection, rerun, stability
from excerpt.stats.correlation import kendall, tau_ap

TOPICS = "12345"
GOLD = [(topic, name, 0, 10 + int(topic) + place) for topic in TOPICS for place, name in enumerate("ABCDE")]
RUNS = {
    "good": "ABCDE",
    "fair": "XABCD",
    "poor": "XYAZB",
}


def judgments(kept: set[tuple[str, str]] | None = None) -> Judgments:
    """All relevant passages, or those of some documents."""
    return Judgments.of([row for row in GOLD if kept is None or row[:2] in kept])


def runs() -> list[Run]:
    """Three rankings, of which the second one differs by topic."""
    return [
        Run.of(
            name,
            [
                (topic, document, 0, 8 + (place * int(topic)) % 5)
                for topic in TOPICS
                for place, document in enumerate(documents[int(topic) % 2 :])
            ],
        )
        for name, documents in RUNS.items()
    ]


def effort(**options: Any) -> tuple[dict[str, Any], ...]:
    """Rows by charR."""
    found = stability("effort", judgments(), runs(), ["charR"], notices=Notices(), **options)
    return found.rows


def pool(topic: str, depth: int) -> set[str]:
    """Documents in the first results of any run."""
    return {name for documents in RUNS.values() for name in documents[int(topic) % 2 :][:depth]}


@pytest.mark.parametrize("budget", [3, 7, 12, 20, 60])
def test_pairs_spend_the_budget(budget: int) -> None:
    """Topics are the budget over the mean size of the pool; of depths that all topics afford the deepest."""
    expected: dict[int, tuple[int, Fraction]] = {}
    affordable = []
    seen = set()
    for depth in (1, 2, 3, 5, 10, 20, 30, 50, 100):
        mean = Fraction(sum(len(pool(topic, depth)) for topic in TOPICS), len(TOPICS))
        topics = min(int(budget // mean), len(TOPICS))
        if mean in seen:  # the same pools as at a smaller depth
            continue
        seen.add(mean)
        if topics == len(TOPICS):
            affordable.append((depth, (topics, topics * mean)))
        elif topics:
            expected[depth] = topics, topics * mean
    expected |= dict(affordable[-1:])
    rows = effort(budget=(budget,), strategies=("depth",), samples=2)
    assert {
        row["depth"]: (row["topics"], Fraction(row["cost"]).limit_denominator(1000)) for row in rows
    } == expected
    assert all(row["cost"] <= budget for row in rows)
    assert sum(row["best"] for row in rows) == 1


def test_scores_are_by_what_was_judged() -> None:
    """With all topics in every sample, tau and tau-AP are those of the judgments in the pool."""
    full = excerpt.evaluate(judgments(), runs(), ["charR"]).means()[:, 0]
    (row,) = (row for row in effort(budget=(20,), strategies=("depth",), samples=3) if row["topics"] == 5)
    kept = {(topic, name) for topic in TOPICS for name in pool(topic, row["depth"])}
    part = excerpt.evaluate(judgments(kept), runs(), ["charR"]).means()[:, 0]
    assert row["tau"] == kendall(part, full)
    assert row["tau_ap"] == tau_ap(full, part)
    assert row["standard_error"] == 0


def test_judging_everything_concludes_the_same() -> None:
    """All topics at the full depth: tau 1, no wrong conclusion."""
    rows = effort(budget=(1000,), samples=2)
    assert [row["strategy"] for row in rows] == ["depth", "adaptive"]
    for row in rows:
        assert (row["topics"], row["tau"], row["tau_ap"], row["error_rate"]) == (5, 1, 1, 0)


def test_adaptive_pools_stay_with_a_run_that_finds() -> None:
    """Of two runs move-to-front judges the documents of the one that has relevant ones."""
    relevant = [(topic, name, 0, 9) for topic in "12" for name in "ABC"]
    gold = Judgments.of(relevant, irrelevant=[(topic, name) for topic in "12" for name in "XYZ"])
    good = Run.of("good", [(topic, name, 0, 9) for topic in "12" for name in "ABC"])
    bad = Run.of("bad", [(topic, name, 0, 9) for topic in "12" for name in "XYZ"])
    found = stability("effort", gold, [good, bad], ["charR"], budget=(8,), samples=2, notices=Notices())
    (row,) = (row for row in found.rows if row["strategy"] == "adaptive" and row["topics"] == 2)
    assert row["tau"] == 1
    from excerpt.pooling import PoolItem
    from excerpt.pooling.adaptive import simulated_order

    items = [
        PoolItem(
            "1", name, number, "depth", None, ("good" if name in "ABC" else "bad",), (((number, -1, -1),),)
        )
        for number, name in enumerate("ABCXYZ", start=1)
    ]
    order = simulated_order("move-to-front", items, dict.fromkeys("ABC", True), seed=1)
    assert [name for name in order if name in "ABC"] == list("ABC")
    assert order.index("C") <= 3


def test_budgets_below_the_cheapest_pair() -> None:
    """One line with what it costs."""
    with pytest.raises(
        ExcerptError, match="found budget 1, below the cheapest pair: one topic at depth 1"
    ) as raised:
        effort(budget=(1,))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("cost", ["pages", "seconds=", ""])
def test_costs_that_nobody_knows(cost: str) -> None:
    """The known ones are listed."""
    with pytest.raises(
        ExcerptError, match="expected documents, characters, seconds=FILE or seconds=CAMPAIGN"
    ):
        effort(cost=cost)


def test_characters_need_lengths() -> None:
    """And count them."""
    with pytest.raises(ExcerptError, match="needs the lengths of all returned documents"):
        effort(cost="characters", budget=(100,))
    corpus = dict.fromkeys("ABCDEXYZ", "x" * 50)
    found = stability(
        "effort",
        judgments(),
        runs(),
        ["charR"],
        cost="characters",
        budget=(600,),
        corpus=corpus,
        samples=2,
        notices=Notices(),
    )
    in_documents = effort(budget=(12,), samples=2)
    columns = ("topics", "depth", "tau", "error_rate")
    assert [[row[name] for name in columns] for row in found.rows] == [
        [row[name] for name in columns] for row in in_documents
    ]
    assert [row["cost"] for row in found.rows] == [50 * row["cost"] for row in in_documents]


def test_seconds_compare_procedures(tmp_path: Path) -> None:
    """Lines of procedure and seconds, or of topic, document and seconds."""
    path = tmp_path / "times"
    path.write_text("# by procedure\nhighlight 20\nhighlight 40\ninex2004 90\n")
    rows = effort(cost=f"seconds={path}", budget=(360,), strategies=("depth",), samples=2)
    assert {row["procedure"] for row in rows} == {"highlight", "inex2004"}
    cheap = [row for row in rows if row["procedure"] == "highlight"]
    dear = [row for row in rows if row["procedure"] == "inex2004"]
    for found, budget in ((cheap, 12), (dear, 4)):
        in_documents = effort(budget=(budget,), strategies=("depth",), samples=2)
        pairs = [(row["topics"], row["depth"]) for row in found]
        assert pairs == [(row["topics"], row["depth"]) for row in in_documents]
    assert all(row["conclusions_per_hour"] >= 0 for row in rows)
    path.write_text("1 A 30\n1 B x\n")
    with pytest.raises(ExcerptError, match=r"times:2: found '1 B x', expected topic, document, seconds"):
        effort(cost=f"seconds={path}")


def test_a_record_repeats_it(tmp_path: Path) -> None:
    """From the command line, with the same rows; and a figure."""
    from excerpt.cli import main

    files = [str(run.path) for run in collection.runs("focused")[:4]]
    given = ["stability", "effort", str(collection.qrels()), *files, "-m", "MAiP", "--overlap", "first"]
    saved = tmp_path / "saved.json"
    main(
        [
            *given,
            "--budget",
            "80,200",
            "--samples",
            "5",
            "--record",
            str(saved),
            "--quiet",
            "-o",
            str(tmp_path / "rows"),
        ]
    )
    rows = json.loads(saved.read_text())["rows"]
    assert list(rows[0]) == [
        *("budget", "strategy", "measure", "topics", "depth", "cost", "tau", "tau_ap", "error_rate"),
        *("standard_error", "best"),
    ]
    again = rerun(saved)
    assert [*again.rows] == rows
    pytest.importorskip("matplotlib")
    ET.fromstring(again.draw("svg"))
    assert np.isfinite([row["tau"] for row in rows]).all()


def test_seconds_of_a_campaign(tmp_path: Path) -> None:
    """The mean working time of finished documents, by the log, is the price of a document."""
    from support.small_campaign import do, small_campaign

    folder = tmp_path / "campaign"
    with small_campaign(folder, procedure="highlight") as campaign:
        campaign.add_person("ann")
        for name in ("a", "b"):
            campaign.document_for("ann", "7", name)
            do(campaign, "ann", "highlight", 2, 12, document=name)
            do(campaign, "ann", "done", document=name)
    from excerpt.assess.progress import working_times

    times = working_times(str(folder))
    assert list(times) == ["highlight"]
    assert len(times["highlight"]) == 2
    mean = sum(times["highlight"]) / 2
    rows = effort(cost=f"seconds={folder}", budget=(float(12 * mean),), strategies=("depth",), samples=2)
    in_documents = effort(budget=(12,), strategies=("depth",), samples=2)
    assert [row["topics"] for row in rows] == [row["topics"] for row in in_documents]
    assert {row["procedure"] for row in rows} == {"highlight"}
