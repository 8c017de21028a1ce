"""stability pool: rows, seeds of their own for levels, ties, what is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, collection
from excerpt.experiments.pool_sampling import pool

MEASURES = ("MAiP", "iP[0.01]", "charF", "charP[5]", "articleAP", "gR[3]", "IoU")

RUNS = tuple(
    run.path for run in collection.runs() if run.name in {"p-bm25", "sent-bm25", "random-p", "thorough-bm25"}
)
GIVEN: Any = (collection.qrels(), RUNS, MEASURES)
POLICY = Policy(overlap="first", interleaved="regroup")


def test_rows() -> None:
    """Rows by measure and level; the whole pool agrees with itself; the same seed gives the same rows."""
    outcome = pool(*GIVEN, policy=POLICY, levels=(100, 50), samples=4, seed=7)
    assert [(row["measure"], row["level"]) for row in outcome.rows[:2]] == [("MAiP", 100), ("MAiP", 50)]
    for row in outcome.rows:
        assert len(row["values"]) == row["samples"] == 4
        known = [value for value in row["values"] if value is not None]
        if row["level"] == 100:
            assert known == [1.0] * 4
        assert row["mean"] == pytest.approx(np.mean(known))
        assert row["standard_error"] == pytest.approx(np.std(known, ddof=1) / 2)
    assert pool(*GIVEN, policy=POLICY, levels=(100, 50), samples=4, seed=7).rows == outcome.rows
    assert pool(*GIVEN, policy=POLICY, levels=(100, 50), samples=4, seed=8).rows != outcome.rows
    assert "topic with fewer than 10 relevant passages was left out" in outcome.warnings[0]
    with pytest.raises(ExcerptError, match="no topic with 100000 relevant passages"):
        pool(*GIVEN, policy=POLICY, least=100_000)


def test_a_level_does_not_depend_on_the_others() -> None:
    """Its values are the same alone, in another order, and the first of more samples."""
    one: Any = (collection.qrels(), RUNS, ("MAiP",))
    alone = pool(*one, policy=POLICY, levels=(40,), samples=3).rows[0]["values"]
    among = {
        row["level"]: row["values"] for row in pool(*one, policy=POLICY, levels=(80, 40), samples=3).rows
    }
    turned = {
        row["level"]: row["values"] for row in pool(*one, policy=POLICY, levels=(40, 80), samples=5).rows
    }
    assert among[40] == alone == turned[40][:3]


def test_runs_with_equal_means_tie() -> None:
    """Recalls of 0.1, 0.2, 0.3 and of 0.3, 0.2, 0.1 have the same mean, so the two runs share their rank."""
    judgments = Judgments.of([(topic, Span("x", 0, 10)) for topic in "123"], sizes={"x": 100})
    runs = [
        Run.of(name, [Result(topic, "x", 0, end) for topic, end in zip("123", ends, strict=True)])
        for name, ends in (("a", (1, 2, 3)), ("b", (3, 2, 1)), ("c", (9, 9, 9)))
    ]
    outcome = pool(judgments, runs, ["charR"], levels=(100,), samples=1, least=1)
    a, b, _ = outcome.details["means"][0, :, 0].tolist()
    assert a == b
    assert outcome.rows[0]["values"] == [1.0]
