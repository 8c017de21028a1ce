"""Correlations between rankings by several measures and under two sets of judgments."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from excerpt import Notices
from excerpt.errors import ExcerptError
from excerpt.experiments.correlation import correlate
from excerpt.experiments.parameters import CorrelateOptions
from excerpt.model import GradedElement, Judgments, Result, Run
from excerpt.scores.score_table import ScoreTable

RNG = np.random.default_rng(4)
VALUES = RNG.random((8, 5, 3))
RUNS = tuple(f"r{i}" for i in range(8))
TABLE = ScoreTable(RUNS, RUNS, tuple("12345"), ("A", "B", "C"), VALUES)


def test_all_pairs_of_measures() -> None:
    """Three measures are three pairs; each coefficient is scipy's on the means."""
    outcome = correlate(TABLE)
    assert [(row["first"], row["second"]) for row in outcome.rows] == [("A", "B"), ("A", "C"), ("B", "C")]
    means = VALUES.mean(axis=1)
    for row in outcome.rows:
        x, y = (means[:, "ABC".index(row[name])] for name in ("first", "second"))
        assert row["tau_b"] == pytest.approx(float(scipy_stats.kendalltau(x, y).statistic))
        assert row["spearman"] == pytest.approx(float(scipy_stats.spearmanr(x, y).statistic))
        assert row["pearson"] == pytest.approx(float(scipy_stats.pearsonr(x, y).statistic))
        assert row["runs"] == 8


def test_line_is_least_squares() -> None:
    """The regression line of the scatter plot; none where x does not vary."""
    pair = correlate(TABLE, measures=["A", "C"]).details["pairs"][0]
    assert pair.line() == pytest.approx(tuple(np.polyfit(pair.x, pair.y, 1)))
    flat = ScoreTable(RUNS, RUNS, tuple("12345"), ("A", "B"), np.stack([np.ones((8, 5)), VALUES[:, :, 0]], 2))
    outcome = correlate(flat)
    assert outcome.details["pairs"][0].line() is None
    assert [outcome.rows[0][name] for name in ("tau_b", "tau_ap", "spearman", "pearson")] == [None] * 4


def test_runs_without_a_score_are_left_out() -> None:
    """A run that a measure cannot score is left out of that measure's pairs."""
    values = VALUES.copy()
    values[2, :, 1] = np.nan
    outcome = correlate(ScoreTable(RUNS, RUNS, tuple("12345"), ("A", "B", "C"), values))
    assert [row["runs"] for row in outcome.rows] == [7, 8, 7]
    assert outcome.warnings == ("2 runs lack a score by one of two measures and are left out",)


def test_two_sets_of_judgments() -> None:
    """Each measure with itself; the same judgments give 1; other topics are noted."""
    rows = correlate(TABLE, qrels2=TABLE).rows
    assert [(row["first"], row["second"]) for row in rows] == [(m, f"{m} (second judgments)") for m in "ABC"]
    assert all(row[name] == pytest.approx(1.0) for row in rows for name in ("tau_b", "tau_ap", "spearman"))
    fewer = ScoreTable(RUNS, RUNS, tuple("123"), ("A", "B", "C"), VALUES[:, :3])
    outcome = correlate(TABLE, measures=["B"], qrels2=fewer)
    assert outcome.rows[0]["tau_b"] == pytest.approx(
        float(scipy_stats.kendalltau(VALUES[:, :, 1].mean(axis=1), VALUES[:, :3, 1].mean(axis=1)).statistic)
    )
    assert outcome.warnings == ("2 topics are in one set of judgments only (first: topic 4)",)


def test_mistakes() -> None:
    """One measure, an unknown one, other runs."""
    with pytest.raises(ExcerptError, match="found 1 measure, expected at least 2"):
        correlate(TABLE, measures=["A"])
    with pytest.raises(ExcerptError, match="unknown measure 'D'"):
        correlate(TABLE, measures=["A", "D"])
    other = ScoreTable(RUNS[:5], RUNS[:5], tuple("12345"), ("A", "B", "C"), VALUES[:5])
    with pytest.raises(ExcerptError, match="expected the same runs"):
        correlate(TABLE, qrels2=other)


def test_equal_means_tie() -> None:
    """Two runs with the same scores in another order tie; tau-b against a third ranking counts the tie."""
    scores = np.array(
        [[[0.1, 3.0], [0.2, 3.0], [0.3, 3.0]], [[0.3, 2.0], [0.2, 2.0], [0.1, 2.0]], [[0.9, 1.0]] * 3]
    )
    row = correlate(ScoreTable(RUNS[:3], RUNS[:3], tuple("123"), ("A", "B"), scores)).rows[0]
    assert row["tau_b"] == pytest.approx(-2 / np.sqrt(2 * 3))


ELEMENTS = Judgments.graded(
    [GradedElement("1", "d", f"/x[1]/{name}[1]", 2, size=4, relevant=4) for name in ("para", "p", "b")],
    scale="exhaustivity 0-2",
)
ELEMENT_RUNS = [
    Run.of(names[0], [Result("1", "d", -1, -1, path=f"/x[1]/{name}[1]") for name in names], kind="elements")
    for names in (("para", "p", "b"), ("b", "p"), ("p", "para"))
]


def test_names_that_can_be_read_once() -> None:
    """Both evaluations leave the same elements out, whether their names are a list or a stream."""
    rows = [
        correlate(ELEMENTS, ELEMENT_RUNS, "nxCG[1]", qrels2=ELEMENTS, drop_tags=names).details["pairs"][0]
        for names in (["para"], iter(["para"]))
    ]
    assert rows[0].y.tolist() == rows[1].y.tolist() == rows[1].x.tolist() == [0.0, 1.0, 1.0]


def test_what_the_second_judgments_are_called() -> None:
    """One name is one name, and names that can be read once are in the label."""
    for names in ("para", ["para"], iter(["para"])):
        row = correlate(ELEMENTS, ELEMENT_RUNS, "nxCG[1]", drop_tags2=names).rows[0]
        assert row["second"] == "nxCG[1] (without para)"
    with pytest.raises(ExcerptError, match="found 3 as drop_tags2, expected names of elements"):
        correlate(ELEMENTS, ELEMENT_RUNS, "nxCG[1]", drop_tags2=3)  # type: ignore[arg-type]


def test_files_that_can_be_read_once() -> None:
    """Runs that are scored twice may be open files."""
    qrels, other = b"1 Q0 A 10 40 0 0:10\n", b"1 Q0 A 10 40 0 5:10\n"
    content = [b"1 Q0 A 1 2 r 0 20\n", b"1 Q0 A 1 2 s 8 12\n"]
    once = correlate(io.BytesIO(qrels), map(io.BytesIO, content), "charP", qrels2=io.BytesIO(other))
    assert once.rows == correlate(qrels, content, "charP", qrels2=other).rows


def test_the_line_of_scores_or_ranks() -> None:
    """As numpy fits it; equal scores share the mean of their ranks."""
    lists = {"A": (0.3, 0.2, 0.1, 0.1), "B": (0.5, 0.9, 0.2, 0.2)}
    table = ScoreTable.from_scores(
        {(f"r{i}", "1", name): score for name, row in lists.items() for i, score in enumerate(row)}
    )
    (row,) = correlate(table, ranks=True).rows
    x, y = correlate(table, ranks=True).details["pairs"][0].drawn
    assert (x.tolist(), y.tolist()) == ([1.0, 2.0, 3.5, 3.5], [2.0, 1.0, 3.5, 3.5])
    slope, intercept = np.polyfit(x, y, 1)
    assert (row["slope"], row["intercept"]) == pytest.approx((slope, intercept))
    (plain,) = correlate(table).rows
    slope, intercept = np.polyfit(lists["A"], lists["B"], 1)
    assert (plain["slope"], plain["intercept"]) == pytest.approx((slope, intercept))
    assert plain["spearman"] == row["spearman"]


def test_pairs_of_measures() -> None:
    """Only the pairs that are named, in their order; the measures of the pairs are enough."""
    every = {(row["first"], row["second"]): row for row in correlate(TABLE).rows}
    rows = correlate(TABLE, pair=[("B", "C"), ("A", "B")]).rows
    assert rows == (every["B", "C"], every["A", "B"])
    assert correlate(TABLE, measures="C", pair=[("A", "B")]).rows == (every["A", "B"],)
    with pytest.raises(ExcerptError, match="unknown measure 'D'"):
        correlate(TABLE, pair=[("A", "D")])
    wrong: Any
    for wrong in ([("A",)], [("A", "B", "C")], [3], []):
        with pytest.raises(ExcerptError, match=r"pair: found .*, expected pairs of measures"):
            correlate(TABLE, pair=wrong)
    with pytest.raises(ExcerptError, match="pairs of measures and second judgments cannot be combined"):
        correlate(TABLE, pair=[("A", "B")], qrels2=TABLE)


def test_p_values_beside_the_coefficients() -> None:
    """A column after each coefficient; exact for few runs whatever the seed, None for a constant ranking."""
    (row, *_) = correlate(TABLE).rows
    names = ("tau_b", "tau_ap", "spearman", "pearson")
    assert list(row)[3:11] == [column for name in names for column in (name, f"{name}_p")]
    means = VALUES.mean(axis=1)
    expected = scipy_stats.kendalltau(means[:, 0], means[:, 1], method="exact").pvalue
    assert row["tau_b_p"] == pytest.approx(float(expected), abs=1e-12)
    assert correlate(TABLE, seed=2).rows == correlate(TABLE).rows
    flat = ScoreTable(RUNS, RUNS, tuple("12345"), ("A", "B"), np.stack([np.ones((8, 5)), VALUES[:, :, 0]], 2))
    assert [correlate(flat).rows[0][f"{name}_p"] for name in names] == [None] * 4
    runs = tuple(f"r{i}" for i in range(12))
    many = ScoreTable(runs, runs, ("1",), ("A", "B"), np.random.default_rng(2).random((12, 1, 2)))
    assert correlate(many).rows == correlate(many).rows != correlate(many, seed=2).rows


def test_ranks_choose_runs_or_draw_ranks() -> None:
    """Ranks of the first table choose the runs of both; as a truth value they draw ranks, as before."""
    order = np.argsort(-VALUES.mean(axis=1)[:, 0], kind="stable")
    outcome = correlate(TABLE, ranks="1-3", qrels2=TABLE.of_runs([7, 6, 5, 4, 3, 2, 1, 0]))
    assert outcome.details["pairs"][0].runs == tuple(RUNS[place] for place in sorted(order[:3].tolist()))
    assert all(row["tau_b"] == 1.0 for row in outcome.rows)
    assert correlate(TABLE, ranks=True).rows == correlate(TABLE, by_rank=True).rows
    old = [CorrelateOptions.of({"ranks": value}).ranks for value in (True, False, "1-2", None)]
    assert old == [True, None, "1-2", None]


def test_common_topics() -> None:
    """Only topics that have scores of every run by every measure count, in both sets of judgments."""
    values = np.random.default_rng(2).random((5, 6, 2))
    values[:, 1, 0] = np.nan  # a topic without the first measure
    values[2, 4, 1] = np.nan  # a run without the second measure on another topic
    runs, topics = tuple("abcde"), tuple("123456")
    table = ScoreTable(runs, runs, topics, ("A", "B"), values)
    kept = [0, 2, 3, 5]
    notices = Notices()
    found = correlate(table, common_topics=True, notices=notices).rows
    assert found == correlate(table.of_topics(kept)).rows
    assert found != correlate(table).rows
    assert list(notices) == [
        "2 topics are not scored for every run by every measure and are left out (first: topic 2)"
    ]
    other = ScoreTable(
        runs, runs, ("6", "1", "3", "9"), ("A", "B"), np.random.default_rng(3).random((5, 4, 2))
    )
    rows = correlate(table, qrels2=other, common_topics=True, notices=Notices()).rows
    expected = correlate(table.of_topics([0, 2, 5]), qrels2=other.of_topics([1, 2, 0])).rows
    assert rows == expected
    with pytest.raises(ExcerptError, match="no topic has scores of every run by every measure"):
        correlate(table, qrels2=other.of_topics([3]), common_topics=True)
