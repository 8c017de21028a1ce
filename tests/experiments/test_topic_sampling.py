"""stability topics: the same order on every topic, ties, seeds of their own for levels."""

from __future__ import annotations

import numpy as np
import pytest
from tables import score_table

from excerpt import ExcerptError
from excerpt.experiments import topic_sampling
from excerpt.experiments.topic_sampling import compare_means, errors, topics


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


def test_error_rate_of_the_worked_example() -> None:
    """E11: (7, 2, 1), (5, 0, 5) and (4, 4, 2) give 6/30; 0.40 and 0.38 tie at 5 %, 0.40 and 0.379 do not."""
    a = np.zeros(10)
    b = np.array([-1] * 7 + [1] * 2 + [0], dtype=float)
    scores = np.stack([a, b])
    orders = compare_means(scores.T, 0.0, absolute=False)
    assert [int((orders == sign).sum()) for sign in (1, -1, 0)] == [7, 2, 1]
    columns = ((7, 2, 1), (5, 0, 5), (4, 4, 2))
    three = np.array([[1] * more + [-1] * less + [0] * same for more, less, same in columns]).T
    assert topic_sampling._count_shared(three) == (6, 8, 30)
    for other, tied in ((0.38, 1), (0.379, 0)):
        pair = np.array([[0.40], [other]])
        assert (compare_means(pair.T, 0.05, absolute=False) == 0).sum() == tied
    close = np.array([[0.9], [0.86]])
    assert compare_means(close.T, 0.05, absolute=True).tolist() == [[0]]


def test_errors() -> None:
    """Two runs that win on every other topic: single topics disagree half of the time, all topics never."""
    table = score_table([[1.0, 0.0] * 10, [0.0, 1.0] * 10])
    rows = {row["level"]: row for row in errors(table, levels=(100, 5), samples=40).rows}
    assert rows[100]["error_rate"] == 0.0
    assert rows[100]["ties"] == 1.0
    assert 0.3 < rows[5]["error_rate"] <= 0.5
    assert rows[5]["comparisons"] == 40
    disjoint = errors(table, levels=(80, 50, 5), samples=200, disjoint=True).rows
    assert [row["comparisons"] for row in disjoint] == [0, 200, 200]
    assert disjoint[0]["error_rate"] is None
    assert 0.4 < disjoint[2]["error_rate"] < 0.65
    odd = score_table([[float(i % 3) for i in range(35)], [float(i % 2) for i in range(35)]])
    assert errors(odd, levels=(50,), samples=4, disjoint=True).rows[0]["comparisons"] == 4
    for options in ({"fuzziness": -1.0}, {"fuzziness": float("nan")}, {"samples": 1}):
        with pytest.raises(
            ExcerptError, match="expected a fuzziness from 0 to below 1 and at least 2 samples"
        ):
            errors(table, **options)


def test_disjoint_samples_disagree_at_least_as_often() -> None:
    """Samples that share topics hide disagreement: over many samples theirs is the lower error rate."""
    rng = np.random.default_rng(11)
    table = score_table((rng.random((6, 40)) + np.linspace(0, 0.3, 6)[:, None]).tolist())
    for level in (50, 40):
        lower = errors(table, levels=(level,), samples=300, fuzziness=0.0).rows[0]["error_rate"]
        upper = errors(table, levels=(level,), samples=150, fuzziness=0.0, disjoint=True).rows[0]
        assert upper["error_rate"] >= lower - 0.01


@pytest.mark.parametrize("disjoint", [True, False])
def test_error_rates_of_a_level_do_not_depend_on_the_others(*, disjoint: bool) -> None:
    """Its error rate is the same alone and in another order."""
    table = score_table(np.random.default_rng(3).random((6, 30)).tolist())
    alone = errors(table, levels=(30,), disjoint=disjoint).rows[0]
    assert alone["error_rate"]
    for levels in ((50, 30), (30, 20, 10)):
        rows = {row["level"]: row for row in errors(table, levels=levels, disjoint=disjoint).rows}
        assert rows[30] == alone


def test_runs_with_equal_means_are_no_error() -> None:
    """The same scores in another order tie also where nothing is fuzzy."""
    table = score_table([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    (row,) = errors(table, levels=(100,), fuzziness=0.0).rows
    assert (row["ties"], row["error_rate"]) == (1.0, 0.0)
