"""What the choice of the assessor does to the ranking of runs."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest
from small_campaign import ALL, small_campaign, small_pool

from excerpt.assess.comparing import Shared
from excerpt.assess.merging import Opinion, Pair
from excerpt.assess.procedures import procedure_of
from excerpt.assess.qrels import judgments_of
from excerpt.assess.rankings import compare_rankings, find_runs, told_missing
from excerpt.errors import ExcerptError
from excerpt.model import Judgments, Result, Run
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolInput

LENGTHS = {"A": 100, "B": 100}
CORPUS = {name: "x" * length for name, length in LENGTHS.items()}
RUNS = [
    Run.of("top", [Result("1", "A", 0, 10), Result("2", "A", 0, 10)]),
    Run.of("middle", [Result("1", "A", 5, 15), Result("2", "A", 5, 15)]),
    Run.of("bottom", [Result("1", "B", 0, 10), Result("2", "B", 0, 10)]),
]


def judgments(opinions: object) -> Judgments:
    """Of highlighted text."""
    return judgments_of(list(opinions), LENGTHS, procedure_of("inex2007"), lambda _: ())  # type: ignore[call-overload]


def said(topic: str, name: str, *spans: tuple[int, int], document: str = "A") -> Opinion:
    """An opinion on a document."""
    return Opinion(Pair(topic, document), (name,), highlights=spans)


def test_pairs_that_turn() -> None:
    """Where the first says this run is better and the second says the other; ties do not turn."""
    two = Shared(
        "ann",
        "bob",
        [
            (said("1", "ann", (0, 10)), said("1", "bob", (5, 15))),
            (said("1", "ann", document="B"), said("1", "bob", document="B")),
        ],
    )
    (row,) = compare_rankings([two], judgments, RUNS, ["MAiP"], notices=Notices(), corpus=CORPUS)
    assert (row["assessors"], row["measure"], row["topics"], row["runs"]) == ("ann, bob", "MAiP", 1, 3)
    assert (row["turned"], row["pairs"]) == (1, [["top", "middle"]])
    assert row["tau"] == pytest.approx(1 / 3)


def test_a_tie_is_not_turned() -> None:
    """Equal for the first, or for the second."""
    tied = [RUNS[0], replace(RUNS[0], name="same"), RUNS[1]]
    two = Shared("ann", "bob", [(said("1", "ann", (0, 10)), said("1", "bob", (5, 15)))])
    (row,) = compare_rankings([two], judgments, tied, ["MAiP"], notices=Notices(), corpus=CORPUS)
    assert row["pairs"] == [["top", "middle"], ["same", "middle"]]


def test_the_same_judgments_turn_nothing() -> None:
    """Tau is 1 for every measure."""
    two = Shared("ann", "bob", [(said("1", "ann", (0, 10)), said("1", "bob", (0, 10)))])
    rows = compare_rankings([two], judgments, RUNS, ["MAiP", "charR"], notices=Notices(), corpus=CORPUS)
    assert [(row["measure"], row["turned"], row["tau"]) for row in rows] == [
        ("MAiP", 0, 1.0),
        ("charR", 0, 1.0),
    ]


def test_topics_that_one_found_nothing_for_are_left_out() -> None:
    """Means are over the same topics on both sides; without any there is no tau."""
    shared = [
        (said("1", "ann", (0, 10)), said("1", "bob", (5, 15))),
        (said("2", "ann", (0, 10)), said("2", "bob")),
    ]
    notices = Notices()
    (row,) = compare_rankings(
        [Shared("ann", "bob", shared)], judgments, RUNS, ["MAiP"], notices=notices, corpus=CORPUS
    )
    assert row["topics"] == 1
    assert any("topic has no score by both assessors" in notice for notice in notices)
    (nothing,) = compare_rankings(
        [Shared("ann", "bob", shared[1:])], judgments, RUNS, ["MAiP"], notices=Notices(), corpus=CORPUS
    )
    assert (nothing["topics"], nothing["tau"], nothing["turned"]) == (0, None, 0)


def test_one_run_is_no_ranking() -> None:
    """An error, as elsewhere."""
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2 to rank"):
        compare_rankings([], judgments, RUNS[:1], ["MAiP"], notices=Notices(), corpus=CORPUS)


def test_runs_of_the_pool_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their path, beside the campaign, or in a folder there; only if they are what they were."""
    data = [b"7 Q0 a 1 1 one 0 9\n", b"7 Q0 a 1 1 two 4 8\n"]
    inputs = [
        PoolInput(name, f"{name}.fol", hashlib.sha256(content).hexdigest())
        for name, content in zip(("one", "two"), data, strict=True)
    ]
    pool = Pool.of(small_pool(ALL).items, inputs=inputs)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with small_campaign(tmp_path / "c", pool=pool) as campaign:
        assert find_runs(campaign) == ([], ["one", "two"])
        (elsewhere / "one.fol").write_bytes(data[0])
        (tmp_path / "two.fol").write_bytes(data[0])
        assert find_runs(campaign) == (["one.fol"], ["two"])
        (tmp_path / "runs").mkdir()
        (tmp_path / "runs" / "two.fol").write_bytes(data[1])
        assert find_runs(campaign) == (["one.fol", str(tmp_path / "runs" / "two.fol")], [])
        (tmp_path / "two.fol").write_bytes(data[1])
        found, missing = find_runs(campaign)
        assert ([os.path.basename(path) for path in found], missing) == (["one.fol", "two.fol"], [])  # noqa: PTH119
    assert told_missing(["two"]) == (
        "the ranking of runs was left out: two of the pool not found as they were; give the runs"
    )
