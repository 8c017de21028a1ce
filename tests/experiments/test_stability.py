"""stability pool: rows, seeds of their own for levels, ties, what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.tables import score_table

from excerpt import (
    ExcerptError,
    Judgments,
    Notices,
    Policy,
    Result,
    Run,
    ScoreTable,
    Span,
    collection,
    evaluate,
    read_judgments,
    read_run,
)
from excerpt.errors import UnknownName
from excerpt.experiments.sample_errors import SampleErrors
from excerpt.experiments.stability import compare_means, errors, pool, topics, whole_study
from excerpt.experiments.stability import stability as stability_stability

MEASURES = ("MAiP", "iP[0.01]", "charF", "charP[5]", "articleAP", "gR[3]", "IoU", "charAP")

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
    assert "topics have fewer than 10 relevant passages and are left out (first: topic" in outcome.warnings[0]
    with pytest.raises(ExcerptError, match="no topic has 100000 relevant passages"):
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


def test_runs_that_never_change_places() -> None:
    """Runs that are ordered alike on every topic keep their order on every sample."""
    table = score_table([[i + 10 * run for i in range(10)] for run in range(4)])
    rows = topics(table, levels=(80, 10), samples=5).rows
    assert [row["mean"] for row in rows] == [1.0, 1.0]
    assert [row["standard_error"] for row in rows] == [0.0, 0.0]
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2"):
        topics(score_table([[1.0, 2.0]]))


def test_topic_sampling_runs_with_equal_means_tie() -> None:
    """Two runs whose scores are the same in another order tie on the whole: tau-b is 0.816, never 0.333.

    The samples are the whole, so every order of adding gives the same mean.
    """
    table = score_table([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.0, 0.0, 0.1]])
    (row,) = topics(table, levels=(100,), samples=20).rows
    assert set(row["values"]) == {1.0}


def test_topic_sampling_a_level_does_not_depend_on_the_others() -> None:
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
    found = SampleErrors.of_shared(three)
    assert (found.wrong, found.tied, found.comparisons) == (6, 8, 30)
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


PAPER_MEASURES = ("MAiP", "iP[0.01]", "charF", "charP[5]", "articleAP", "gR[3]", "IoU", "EPRUM(L=6000)")
PAPER_RUNS = tuple(
    run.path for run in collection.runs() if run.name in {"p-bm25", "sent-bm25", "random-p", "thorough-bm25"}
)
PAPER_GIVEN: Any = (collection.qrels(), PAPER_RUNS, PAPER_MEASURES)
PAPER_POLICY = Policy(overlap="first", interleaved="regroup")


@pytest.mark.slow
@pytest.mark.parametrize("include_empty", [True, False])
@pytest.mark.parametrize("only_run_topics", [True, False])
def test_the_whole_study_is_its_parts(*, include_empty: bool, only_run_topics: bool) -> None:
    """The same outcomes as of the three experiments, also of a measure that some topics have no score for."""
    policy = replace(PAPER_POLICY, include_empty=include_empty, only_run_topics=only_run_topics)
    options: dict[str, Any] = {"levels": (60, 20), "samples": 3, "seed": 5}
    found = whole_study(*PAPER_GIVEN, policy=policy, **options)
    table = evaluate(*PAPER_GIVEN, policy=policy)
    expected = {
        "pool": stability_stability("pool", *PAPER_GIVEN, policy=policy, **options),
        "topics": stability_stability("topics", table, **options),
        "errors": stability_stability("errors", table, **options),
    }
    for name, outcome in expected.items():
        assert found[name].to_json() == outcome.to_json()


def test_unknown_experiments() -> None:
    """The known ones are named."""
    with pytest.raises(UnknownName, match="unknown experiment 'pools'; did you mean 'pool'"):
        stability_stability("pools", *PAPER_GIVEN)


def test_warnings_appear_once() -> None:
    """The caller's notices have every warning once, and each outcome its own."""
    notices = Notices()
    found = whole_study(*PAPER_GIVEN, policy=PAPER_POLICY, levels=(50,), samples=2, notices=notices)
    (left_out,) = (text for text in notices if "fewer than 10 relevant passages" in text)
    assert left_out.split(" topics have ")[0].isdecimal()
    assert found["pool"].warnings.count(left_out) == 1
    assert left_out not in found["topics"].warnings


def test_missing_topics_are_counted_once() -> None:
    """Topics that a run lacks are as many as `evaluate` counts, although samples are scored too."""
    judgments = read_judgments(collection.qrels(), notices=Notices())
    kept = np.flatnonzero(np.array(read_run(PAPER_RUNS[0]).topic_code) > 4)
    runs = [read_run(PAPER_RUNS[0]).take(kept), read_run(PAPER_RUNS[1])]
    once, whole = Notices(), Notices()
    evaluate(judgments, runs, ["charF"], notices=once)
    whole_study(judgments, runs, ["charF"], levels=(50,), samples=2, notices=whole)
    (said,) = (text for text in once if "no results in a run" in text)
    assert said in list(whole)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"levels": "x"}, "levels: found 'x', expected whole numbers of at least 1"),
        ({"samples": "x"}, "samples: found 'x', expected a whole number of at least 1"),
        ({"seed": -1}, "seed: found -1, expected a whole number of at least 0"),
    ],
    ids=str,
)
def test_options_are_checked_in_python_too(options: dict[str, Any], said: str) -> None:
    """An option that the command line would refuse is refused in the same words."""
    table = ScoreTable.from_scores({(run, t, "P"): 0.5 for run in "ab" for t in "123"})
    with pytest.raises(ExcerptError, match=said):
        stability_stability("topics", table, **options)


def test_all_topics_are_a_level() -> None:
    """By default all topics agree with themselves, then the levels of the paper follow."""
    rows = topics(score_table(np.random.default_rng(1).random((4, 9)).tolist())).rows
    assert [row["level"] for row in rows] == [100, 80, 60, 40, 20]
    assert (rows[0]["mean"], rows[0]["standard_error"]) == (1.0, 0.0)


def test_errors_with_replacement() -> None:
    """A sample of all topics repeats some; the definition by hand; no disjoint samples."""
    table = score_table(np.random.default_rng(1).random((4, 9)).tolist())
    assert errors(table, levels=(100,)).rows[0]["error_rate"] == 0.0
    drawn = [np.random.default_rng((1, 100, number)).integers(9, size=9) for number in range(10)]
    wrong = 0
    for one in range(4):
        for two in range(one + 1, 4):
            means = [table.values[[one, two], :, 0][:, sample].mean(axis=1) for sample in drawn]
            signs = [0 if abs(a - b) <= 0.05 * max(a, b) else np.sign(a - b) for a, b in means]
            wrong += min(signs.count(1), signs.count(-1))
    row = errors(table, levels=(100,), replacement=True).rows[0]
    assert (row["error_rate"], row["comparisons"]) == (wrong / 60, 60)
    assert wrong
    with pytest.raises(ExcerptError, match="disjoint and replacement cannot be combined"):
        errors(table, replacement=True, disjoint=True)
