"""Error rates of tests: splits and counts known by hand, and the paper's definition said again slowly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.conclusions import DecisionProcedure, judge_tests, not_better, split_in_halves, tally
from excerpt.experiments.study import generator
from excerpt.model import ScoreTable
from excerpt.model.spans import FloatArray


def table(scores: FloatArray) -> ScoreTable:
    """Scores of runs by one measure."""
    runs = tuple(f"r{i}" for i in range(len(scores)))
    topics = tuple(map(str, range(scores.shape[1])))
    return ScoreTable(runs, runs, topics, ("MAiP",), scores[:, :, None])


def test_a_tally_by_hand() -> None:
    """Two pairs rejected on the first half, one on the other; one is wrong, one is rejected on both."""
    first = np.array([[False, True, True], [False, False, False], [False, False, False]])
    other = np.array([[False, True, False], [False, False, False], [False, False, False]])
    worse = not_better(
        np.array([[0.5, 0.5], [0.2, 0.2], [0.4, 0.6]])
    )  # the mean of the third is that of the first
    assert tally(first, other, worse) == {"rejected": 2, "errors": 1, "rejected_other": 1, "both": 1}


def test_a_difference_that_is_always_there() -> None:
    """Runs that are apart on every topic: all pairs rejected on both halves, no error, perfect agreement."""
    scores = np.array([[0.9], [0.5], [0.1]]) + np.linspace(0, 0.05, 9)
    row = judge_tests(table(scores), tests=["bootstrap"], splits=7, samples=50).rows[0]
    assert row == {
        "measure": "MAiP",
        "test": "bootstrap",
        "sides": 1,
        "splits": 7,
        "pairs": 21,
        "rejected": 21,
        "errors": 0,
        "error_rate": 0.0,
        "share": 1.0,
        "rejected_other": 21,
        "both": 21,
        "share_both": 1.0,
        "agreement": 1.0,
    }


def test_no_difference_is_undefined() -> None:
    """Equal runs are never rejected: the rates of nothing are undefined, the shares 0."""
    for row in judge_tests(table(np.full((3, 8), 0.5)), splits=2, samples=20).rows:
        assert (row["rejected"], row["share"], row["share_both"]) == (0, 0.0, 0.0)
        assert row["error_rate"] is None
        assert row["agreement"] is None


def test_errors_happen() -> None:
    """Four topics, the first run ahead on two and behind on two: a half of one kind errs on the other.

    Splits with both topics of a kind in one half reject a pair on each half, in opposite directions, so every
    rejection is an error; in the others both halves have difference 0.
    """
    scores = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    row = judge_tests(
        table(scores), tests=["bootstrap"], splits=40, samples=50, correction="none", alpha=0.01
    ).rows[0]
    assert 0 < row["rejected"] < 40
    assert row["rejected"] == row["rejected_other"] == row["errors"]
    assert (row["error_rate"], row["both"], row["agreement"]) == (1.0, 0, 0.0)


def test_against_the_definition() -> None:
    """The same counts pair by pair and split by split."""
    scores = np.round(generator(11).random((5, 13)) + np.arange(5)[:, None] / 8, 2)
    row = judge_tests(table(scores), tests=["sign"], splits=6, correction="none", alpha=0.2, seed=3).rows[0]
    rejected = errors = both = 0
    for number in range(6):
        one, two = split_in_halves(13, generator(3, number))
        first, other = (
            DecisionProcedure("sign", "none", 0.2).rejected(scores[:, half], generator(0))
            for half in (one, two)
        )
        for i in range(5):
            for j in range(5):
                if first[i, j]:
                    rejected += 1
                    errors += round(sum(scores[i, two]) - sum(scores[j, two]), 9) <= 0
                    both += bool(other[i, j])
    assert errors
    assert (row["rejected"], row["errors"], row["both"]) == (rejected, errors, both)
    assert row["error_rate"] == errors / rejected


@given(st.integers(2, 40), st.integers(0, 1000))
def test_halves(topics: int, seed: int) -> None:
    """Every topic is in one half; the first is the smaller one where they differ."""
    first, second = split_in_halves(topics, generator(seed))
    assert sorted([*first.tolist(), *second.tolist()]) == list(range(topics))
    assert len(first) == topics // 2


def test_a_row_depends_on_its_test_only() -> None:
    """Other tests in the same call change nothing, nor does their order; another seed does."""
    scores = table(generator(2).random((5, 14)))
    options = {"splits": 4, "samples": 60, "correction": "none"}
    alone = judge_tests(scores, tests=["bootstrap"], **options).rows[0]  # type: ignore[arg-type]
    among = judge_tests(scores, tests=["sign", "bootstrap", "sign"], **options).rows  # type: ignore[arg-type]
    assert [row["test"] for row in among] == ["sign", "bootstrap"]
    assert among[1] == alone
    assert judge_tests(scores, tests=["bootstrap"], seed=2, **options).rows[0] != alone  # type: ignore[arg-type]


def test_mistakes() -> None:
    """Too few topics, no test, no split, unknown tests."""
    good = table(generator(1).random((3, 8)))
    with pytest.raises(ExcerptError, match=r"found 3 topics .* expected at least 4"):
        judge_tests(table(np.ones((2, 3))))
    with pytest.raises(ExcerptError, match="tests: no test given, expected at least one of"):
        judge_tests(good, tests=[])
    with pytest.raises(ExcerptError, match="splits: found 0, expected a whole number"):
        judge_tests(good, tests=["t"], splits=0)
    with pytest.raises(UnknownName, match="unknown test 'welch'"):
        judge_tests(good, tests=["welch"])


def test_every_measure_has_its_rows() -> None:
    """Several measures are judged one by one, and none of them changes the rows of another."""
    values = generator(1).random((3, 8, 2))
    several = ScoreTable(("a", "b", "c"), ("a", "b", "c"), tuple("12345678"), ("A", "B"), values)
    rows = judge_tests(several, tests=["t", "sign"], splits=2).rows
    assert [(row["measure"], row["test"]) for row in rows] == [(m, t) for m in "AB" for t in ("t", "sign")]
    assert rows[2:] == judge_tests(several, measures=["B"], tests=["t", "sign"], splits=2).rows


def test_one_test_by_its_name() -> None:
    """A name alone is one test, not its letters."""
    scores = {(run, str(t), "P"): len(run) / 9 + t / 50 for run in ("a", "bb") for t in range(8)}
    found = judge_tests(ScoreTable.from_scores(scores), tests="sign", splits=2)
    assert [row["test"] for row in found.rows] == ["sign"]
