"""Nuggets of TREC RAG: counted by `check`, topics with what they need, no judgments of documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from excerpt import ExcerptError, check, evaluate, read_topics


def lines(*records: tuple[str, list[tuple[str, ...]]]) -> bytes:
    """Records whose nuggets have text, importance and perhaps an assignment."""
    keys = ("text", "importance", "assignment")
    rows: list[dict[str, Any]] = [
        {
            "qid": name,
            "query": f"why {name}?",
            "nuggets": [dict(zip(keys, one, strict=False)) for one in some],
        }
        for name, some in records
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


GOLD = lines(("2024-1", [("rent", "vital"), ("pets", "okay")]), ("2024-2", [("lease", "vital")]))


def test_gold() -> None:
    """Topics, nuggets and vital ones are counted; a topic's narrative is what an answer needs."""
    found = check(GOLD)
    assert found.summary == "judgments: nuggets, 2 topics, 3 nuggets, 2 vital; no faults"
    topic = read_topics(GOLD)["2024-1"]
    assert (topic.text, topic.narrative) == ("why 2024-1?", "rent (vital); pets (okay)")


def test_assignments() -> None:
    """Assignments are counted as well."""
    given = lines(("1", [("rent", "vital", "support"), ("pets", "okay", "not_support")]))
    expected = (
        "judgments: assignments of nuggets, 1 topic, 2 nuggets, 1 vital, 1 support, 1 not_support; no faults"
    )
    assert check(given).summary == expected


def test_they_name_no_documents() -> None:
    """Neither judgments of documents nor a run."""
    run = b"2024-1 Q0 A 1 1 mine\n"
    with pytest.raises(ExcerptError, match="the judgments name no documents"):
        evaluate(GOLD, run, ["AP"])
    with pytest.raises(ExcerptError, match=r"found judgments \(nuggets\), expected a run"):
        evaluate(b"2024-1 0 A 1\n", GOLD, ["AP"])


def test_faults() -> None:
    """Each with its line."""
    found = check(GOLD + lines(("3", [("rent",)])))
    assert [str(one) for one in found.faults] == [
        "<bytes>:3: key importance is missing, expected text; the object has text"
    ]
