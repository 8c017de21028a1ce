"""stability topics: the same order on every topic, ties, seeds of their own for levels."""

from __future__ import annotations

import numpy as np
import pytest
from tables import score_table

from excerpt import ExcerptError
from excerpt.experiments.topic_sampling import topics


def test_runs_that_never_change_places() -> None:
    """Runs that are ordered alike on every topic keep their order on every sample."""
    table = score_table([[i + 10 * run for i in range(10)] for run in range(4)])
    rows = topics(table, levels=(80, 10), samples=5).rows
    assert [row["mean"] for row in rows] == [1.0, 1.0]
    assert [row["standard_error"] for row in rows] == [0.0, 0.0]
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2"):
        topics(score_table([[1.0, 2.0]]))


def test_runs_with_equal_means_tie() -> None:
    """Two runs whose scores are the same in another order tie on the whole: tau-b is 0.816, never 0.333.

    The samples are the whole, so every order of adding gives the same mean.
    """
    table = score_table([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.0, 0.0, 0.1]])
    (row,) = topics(table, levels=(100,), samples=20).rows
    assert set(row["values"]) == {1.0}


def test_a_level_does_not_depend_on_the_others() -> None:
    """Its values are the same alone, in another order, and the first of more samples."""
    table = score_table(np.random.default_rng(3).random((6, 30)).tolist())
    alone = topics(table, levels=(40,), samples=5).rows[0]["values"]
    among = {row["level"]: row["values"] for row in topics(table, levels=(80, 40, 20), samples=5).rows}
    turned = {row["level"]: row["values"] for row in topics(table, levels=(20, 40, 80), samples=9).rows}
    assert among[40] == alone == turned[40][:5]
    assert topics(table, levels=(40,), samples=5, seed=2).rows[0]["values"] != alone
