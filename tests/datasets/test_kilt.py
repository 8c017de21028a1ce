"""KILT: pages of gold and guesses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from excerpt import Notices, check, evaluate, read_judgments, read_run, read_topics
from excerpt.errors import ExcerptError


def pages(ids: str) -> dict[str, Any]:
    """An output with a page for each letter."""
    return {"provenance": [{"wikipedia_id": one, "title": one} for one in ids]}


def lines(*records: tuple[Any, list[dict[str, Any]]]) -> bytes:
    """Questions with outputs, one per line."""
    rows = [{"id": name, "input": f"who {name}?", "output": output} for name, output in records]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


GOLD = lines(("q1", [pages("ab"), pages("c"), pages(""), {"answer": "x"}]), (2, [pages("d"), pages("d")]))


def test_gold() -> None:
    """Every page has grade 1; the pages of each output are a need; questions are known by their ids."""
    judgments = read_judgments(GOLD)
    assert judgments.topics == ("q1", "2")
    assert judgments.scale == "documents"
    assert {name: one.text for name, one in judgments.questions.items()} == {"q1": "who q1?", "2": "who 2?"}
    needs = judgments.alternatives["q1"]
    assert [[part.document for part in parts] for need in needs for parts in need] == [["a", "b"], ["c"]]


def test_scores() -> None:
    """found counts evidence sets, recall pages."""
    guess = lines(("q1", [pages("xacb")]), ("2", [{"answer": "?"}, pages("d")]))
    names = ["found@2", "found@3", "allfound", "recall@3", "AP"]
    table = evaluate(GOLD, guess, names, notices=Notices())
    scores = [table[table.runs[0], "q1", name] for name in names]
    assert scores == [0.0, 0.5, 1.0, 2 / 3, pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)]
    assert [table[table.runs[0], "2", name] for name in names] == [1.0] * 5


def test_the_place_decides() -> None:
    """`check` takes a file for gold unless it is told otherwise; the run lists each page once."""
    guess = lines(("q1", [pages("aab")]))
    assert "judgments" in check(guess).summary
    assert "a run of documents" in check(guess, kind="run").summary
    assert [result[:2] for result in read_run(guess)] == [("q1", "a"), ("q1", "b")]
    assert read_topics(GOLD)["q1"].text == "who q1?"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lines(("1", [pages("a"), pages("b")])), ":1: found 2 outputs with provenance, expected one"),
        (lines(("1", [pages("a")]), (1, [pages("a")])), ":2: found question 1 again .first in line 1."),
        (lines(("1", [{"answer": "x"}])), ":1: found no result, expected at least one"),
        (lines(("1", [{"provenance": {}}])), ":1: found provenance an object, expected a list"),
    ],
)
def test_faults_of_guesses(given: bytes, message: str) -> None:
    """One line each; a file without any page is no run."""
    with pytest.raises(ExcerptError, match=message):
        read_run(given)


def test_gold_without_pages() -> None:
    """It is no judgments either."""
    with pytest.raises(ExcerptError, match="found no page in any provenance"):
        read_judgments(lines(("1", [{"answer": "x"}])))
