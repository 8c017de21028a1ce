"""Differences by topic, against the scores they come from."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.experiments.comparison import compare
from excerpt.experiments.topic_differences import topic_differences
from excerpt.model import ScoreTable

SCORE = st.one_of(st.integers(0, 3).map(lambda tenths: tenths / 10), st.just(math.nan))


@settings(max_examples=40)
@given(st.lists(st.tuples(SCORE, SCORE, SCORE), min_size=1, max_size=6))
def test_every_complete_topic_once(scores: list[tuple[float, float, float]]) -> None:
    """Wins first, losses last; a topic that some run lacks is left out, as in the test."""
    table = ScoreTable.from_scores(
        {(run, str(t), "P"): row[i] for t, row in enumerate(scores) for i, run in enumerate("abc")}
    )
    (found,) = topic_differences(table, [{"measure": "P", "run": "a", "other": "c"}])
    complete = {str(t): row for t, row in enumerate(scores) if not any(map(math.isnan, row))}
    assert {row["topic"]: (row["score"], row["other_score"]) for row in found.topics} == {
        topic: (row[0], row[2]) for topic, row in complete.items()
    }
    values = [row["difference"] for row in found.topics]
    assert values == sorted(values, reverse=True)
    assert found.counts == {
        "wins": sum(row[0] > row[2] for row in complete.values()),
        "ties": sum(row[0] == row[2] for row in complete.values()),
        "losses": sum(row[0] < row[2] for row in complete.values()),
    }


def test_noise_is_a_tie() -> None:
    """0.1 + 0.2 is 0.3, also where the arithmetic says otherwise."""
    table = ScoreTable.from_scores(
        {("a", "1", "P"): 0.1 + 0.2, ("b", "1", "P"): 0.3, ("a", "2", "P"): 0.5, ("b", "2", "P"): 0.4}
    )
    (found,) = topic_differences(table, [{"measure": "P", "run": "a", "other": "b"}])
    assert [(row["outcome"], round(row["difference"], 9)) for row in found.topics] == [
        ("win", 0.1),
        ("tie", 0.0),
    ]
    assert found.topics[1]["difference"] == 0.0


def test_rows_of_compare() -> None:
    """With `per_topic` compare gives them; counts are those that the row of the pair has."""
    lists = {"a": (0.5, 0.3, 0.2, 0.2), "b": (0.1, 0.4, 0.2, 0.1)}
    table = ScoreTable.from_scores(
        {(run, str(t), "P"): score for run, row in lists.items() for t, score in enumerate(row)}
    )
    outcome = compare(table, test="sign", per_topic=True)
    assert [(row["topic"], row["outcome"]) for row in outcome.rows] == [
        ("0", "win"),
        ("3", "win"),
        ("2", "tie"),
        ("1", "loss"),
    ]
    (pair,) = outcome.details["topics"]
    assert pair.in_words == "2 wins, 1 tie, 1 loss"
    assert pair.counts == {name: pair.pair[name] for name in ("wins", "ties", "losses")}
    assert "2 wins, 1 tie, 1 loss; mean difference 0.1000 [" in str(outcome)
    sure = ScoreTable.from_scores({(run, str(t), "P"): len(run) for run in ("a", "bb") for t in range(40)})
    assert ", adjusted p < 0.0001\n" in str(compare(sure, test="sign", per_topic=True))
    assert r"a & b & 0 &  & 0.5000 & 0.1000 & 0.4000 & win \\" in outcome.to_latex()
