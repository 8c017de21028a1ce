"""The questions of the list of passages: answers agree with a reading of the data passage by passage."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.browsing import Modules

QUESTIONS = ("", "a", "b", "none", "elsewhere", "unjudged", "again")
RUNS = 3
KINDS = ["article", "book"]
Found = dict[int, int]


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Any], list[Found], list[Found]]:
    """Data of the page, and for each row the first rank of each run that found it."""
    ranks = st.dictionaries(st.integers(0, RUNS - 1), st.integers(1, 30))
    found = draw(st.lists(ranks, max_size=8))
    strange = draw(st.lists(ranks.filter(bool), max_size=4))
    again = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=4))

    def rows(number: int) -> dict[str, list[int]]:
        starts = draw(st.lists(st.integers(0, 500), min_size=number, max_size=number))
        lengths = draw(st.lists(st.integers(0, 400), min_size=number, max_size=number))
        return {
            "topic": [0] * number,
            "document": draw(st.lists(st.integers(0, 1), min_size=number, max_size=number)),
            "start": starts,
            "end": [start + length for start, length in zip(starts, lengths, strict=True)],
        }

    def first_hits(all_ranks: list[Found]) -> list[int]:
        return [sum(map(len, all_ranks[:row])) for row in range(len(all_ranks) + 1)]

    elsewhere = draw(st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found)))
    passages = {
        "documents": ["D1", "D2"],
        "kinds": KINDS,
        "relevant": rows(len(found)) | {"elsewhere": elsewhere, "from": first_hits(found)},
        "hits": {
            "run": [run for ranks in found for run in ranks],
            "characters": [1 for ranks in found for _ in ranks],
            "rank": [rank for ranks in found for rank in ranks.values()],
        },
        "unjudged": rows(len(strange)) | {"total": len(strange), "from": first_hits(strange)},
        "unjudgedHits": {
            "run": [run for ranks in strange for run in ranks],
            "rank": [rank for ranks in strange for rank in ranks.values()],
        },
        "again": rows(len(again))
        | {"total": len(again), "run": [0] * len(again), "before": [before for before, _ in again]}
        | {"rank": [before + more for before, more in again]},
    }
    return passages, found, strange


def expected(
    passages: dict[str, Any],
    found: list[Found],
    strange: list[Found],
    question: str,
    runs: list[int],
    only: dict[str, Any],
) -> list[int]:
    """The rows that answer, by asking each."""
    a, b = runs
    table = passages.get(question) or passages["relevant"]
    ranks = {
        "": [min(one.values(), default=math.inf) for one in found],
        "a": [one[a] if a in one and b not in one else None for one in found],
        "b": [one[b] if b in one and a not in one else None for one in found],
        "none": [None if one else math.inf for one in found],
        "elsewhere": [
            min(one.values(), default=math.inf) if places else None
            for one, places in zip(found, passages["relevant"]["elsewhere"], strict=True)
        ],
        "unjudged": [min(one.values()) for one in strange],
        "again": passages["again"]["rank"],
    }[question]
    low, high = only["lengths"]
    first, last = only["ranks"]
    rows = [
        row
        for row, rank in enumerate(ranks)
        if rank is not None
        and low <= table["end"][row] - table["start"][row] <= high
        and (only["rank"] == "" or (first <= rank <= last and rank != math.inf))
        and only["kind"] in {"", KINDS[table["document"][row]]}
    ]
    return sorted(rows, key=lambda row: ranks[row]) if question in {"a", "b"} else rows


RANGES = st.sampled_from(
    [
        ("", (0, math.inf)),
        ("-20", (0, 20)),
        ("5-", (5, math.inf)),
        ("3-100", (3, 100)),
        ("1-1", (1, 1)),
        ("x", (0, math.inf)),
    ]
)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(tables(), RANGES, RANGES, st.sampled_from(["", *KINDS, "film"])), min_size=5, max_size=10
    )
)
def test_answers_agree_with_a_reading_of_each_passage(js: Modules, cases: list[Any]) -> None:
    """Each question, within limits of length, first rank and kind."""
    asked, wanted = [], []
    for (passages, found, strange), (length, lengths), (rank, ranks), kind in cases:
        only = {"length": length, "rank": rank, "kind": kind}
        for question in QUESTIONS:
            asked.append([passages, question, [0, 2], only])
            limits = only | {"lengths": lengths, "ranks": ranks}
            wanted.append(expected(passages, found, strange, question, [0, 2], limits))
    assert [[one["row"] for one in rows] for rows in js("passages", "answers", asked)] == wanted
