"""Pools in numbers, against sets."""

from __future__ import annotations

import json
from fractions import Fraction
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import pool_oracle as oracle

import excerpt
from excerpt import ExcerptError, Notices, Result, Run
from excerpt.pooling import Pool, read_pool

RULES: list[dict[str, Any]] = [
    {"depth": 2},
    {"depth": 1, "sample": 0.5},
    {"documents": 3},
    {"take": 3},
    {"take": 2, "floor": 1, "sample": 0.3},
    {"depth": 2, "order": "max-mean"},
]


def keys(made: Pool, topic: str) -> set[Any]:
    """The items of a topic, as `pool_oracle` has them."""
    found = [item for item in made.items if item.topic == topic]
    if made.unit == "document":
        return {(item.document,) for item in found}
    return {(item.document, *item.passages[0][0][1:]) for item in found}


@given(
    oracle.some_runs(), st.sampled_from(RULES), st.sampled_from(["document", "passage"]), st.integers(1, 9)
)
def test_numbers_are_those_of_sets(runs: list[Run], rule: dict[str, Any], unit: Any, depth: int) -> None:
    """Sizes, overlap, what a run brings alone, and the judged share with the runs at hand."""
    made = excerpt.pool(runs, unit=unit, notices=Notices(), **rule)
    info = made.info(runs, depth=depth)
    by_run = {
        name: {
            number for number, item in enumerate(made.items) if name in item.runs and item.stratum != "sample"
        }
        for name in info.runs
    }
    assert info.items == len(made.items)
    assert info.sizes.sum(axis=1).tolist() == [
        sum(item.topic == topic for item in made.items) for topic in info.topics
    ]
    documents = [len({item.document for item in made.items if item.topic == topic}) for topic in info.topics]
    assert info.documents == (tuple(documents) if unit == "passage" else None)
    assert info.overlap.tolist() == [
        [len(by_run[one] & by_run[other]) for other in info.runs] for one in info.runs
    ]
    for place, name in enumerate(info.runs):
        others = set().union(*(by_run[other] for other in info.runs if other != name))
        assert info.unique[place] == len(by_run[name] - others)
        shares = []
        for topic in made.topics:
            first = oracle.rankings_of(runs, topic, unit)[place][:depth]
            if first:
                shares.append(Fraction(sum(item in keys(made, topic) for item in first), len(first)))
        assert info.rows()[place][3] == (pytest.approx(float(mean(shares))) if shares else None)


@given(oracle.some_runs(), st.sampled_from(RULES), st.integers(1, 9))
def test_a_file_alone_tells_the_same_or_says_that_it_cannot(
    runs: list[Run], rule: dict[str, Any], depth: int
) -> None:
    """Without the runs the proportion judged is the same, or unknown with a warning."""
    made = excerpt.pool(runs, notices=Notices(), **rule)
    alone, together = made.info(depth=depth), made.info(runs, depth=depth)
    shares = [row[3] for row in alone.rows()]
    if alone.warnings != made.warnings:
        assert shares == [None] * len(runs)
    else:
        assert shares == [row[3] for row in together.rows()]
    assert made.info().warnings == made.warnings


def test_how_deep_a_report_is() -> None:
    """As deep as the pool: its depth, or the rounds of the topic with the fewest; else 100."""
    run = Run.of("r", [Result("1", name, 0, 9) for name in "ABCDE"])
    assert excerpt.pool(run, depth=3).info().depth == 3
    assert excerpt.pool(run, documents=2).info().depth == 2
    assert excerpt.pool(run, take=2).info().depth == 100
    assert excerpt.pool(run, documents=2).info(run).depth == 100
    with pytest.raises(ExcerptError, match="found 0 as depth"):
        excerpt.pool(run).info(depth=0)


def test_other_runs_are_told_too() -> None:
    """A run that is not in the pool has its judged share, and brought nothing."""
    a, b = (
        Run.of(name, [Result("1", letter, 0, 9) for letter in by]) for name, by in (("a", "AB"), ("b", "BC"))
    )
    info = excerpt.pool(a).info([a, b])
    assert info.rows() == [("a", 2, 2, 1.0), ("b", 0, 0, 0.5)]
    assert json.loads(json.dumps(info.to_dict()))["runs"][1] == {
        "run": "b",
        "items": 0,
        "unique": 0,
        "judged": 0.5,
    }


def test_files_written_by_hand() -> None:
    """Numbers that the files do not contain are unknown."""
    info = read_pool(b"# depth deep\ntopic\tdocument\truns\n1\tA\ta,b\n1\tB\tb\n2\tA\t-\n").info()
    assert info.rows() == [("a", 1, 0, None), ("b", 2, 1, None)]
    assert info.warnings == (
        "the pool file does not contain the proportion judged at depth 100; give the runs",
    )
    assert info.sizes.tolist() == [[2], [1]]
    assert repr(info) == "<PoolInfo: 3 documents on 2 topics>"
    columns, rows = info.listed()
    assert columns == ("what", "name", "other", "value")
    assert rows[:2] == [("size", "1", "given", 2), ("size", "2", "given", 1)]
    assert ("overlap", "a", "b", 1) in rows
    assert ("judged@100", "a", "", None) in rows


def test_passages_are_counted_with_their_documents() -> None:
    """A pool of passages tells of how many documents they are; a pool of documents is told as before."""
    run = Run.of("r", [Result("1", "A", 0, 9), Result("1", "A", 9, 12), Result("2", "B", 0, 3)])
    info = excerpt.pool(run, unit="passage").info()
    told = info.to_dict()
    assert (told["items"], told["documents"]) == (3, 2)
    assert [(row["topic"], row["items"], row["documents"]) for row in told["topics"]] == [
        ("1", 2, 1),
        ("2", 1, 1),
    ]
    assert [row for row in info.listed()[1] if row[0] == "documents"] == [
        ("documents", "1", "", 1),
        ("documents", "2", "", 1),
    ]
    head, _, *rows, last = str(info).splitlines()[2:7]
    assert head.split() == ["topic", "passages", "documents"]
    assert [row.split() for row in rows] == [["1", "2", "1"], ["2", "1", "1"]]
    assert last.split() == ["all", "3", "2"]
    plain = excerpt.pool(run).info()
    assert "documents" not in plain.to_dict()
    assert "documents" not in plain.to_dict()["topics"][0]
