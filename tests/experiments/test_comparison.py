"""Comparisons of all pairs of runs: rows, matrices, which topics count, mistakes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.errors import ExcerptError
from excerpt.experiments.comparison import compare, topic_differences
from excerpt.model.spans import FloatArray
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.significance import CORRECTIONS, FAMILIES, TESTS, correct, p_values, two_sided_permutation


def table(values: FloatArray) -> ScoreTable:
    """A table of one measure."""
    runs, topics = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rt", values.shape, strict=True))
    return ScoreTable(runs, runs, topics, ("MAiP",), values[:, :, None])


RNG = np.random.default_rng(11)
#: Three groups of runs: the topics' difficulty, a run's quality, and noise.
VALUES = np.clip(
    RNG.random(40) * 0.5 + np.array([0.05, 0.3, 0.31, 0.06, 0.5])[:, None] + RNG.normal(0, 0.04, (5, 40)),
    0,
    1,
)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("test", sorted(TESTS))
def test_rows_are_the_tests_and_corrections(test: str, sides: int) -> None:
    """Every row agrees with the statistics called one by one; the better run comes first."""
    outcome = compare(table(VALUES), test=test, sides=sides, samples=500, seed=3)
    assert outcome.columns == (
        *("measure", "run", "other", "difference", "effect", "low", "high", "p", "adjusted", "significant"),
        *("sides", "wins", "ties", "losses", "hedges_g", "glass_delta", "effect_residual"),
    )
    order = np.argsort(-VALUES.mean(axis=1))
    p = p_values(VALUES[order], test, samples=500, rng=np.random.default_rng(3))
    pairs = [(i, j) for i in range(5) for j in range(5) if i != j]
    if sides == 2:
        p, pairs = np.minimum(2 * np.minimum(p, p.T), 1), [(i, j) for i, j in pairs if i < j]
    if sides == 2 and test == "permutation":
        p = two_sided_permutation(VALUES[order], 500, np.random.default_rng((3,)))
    decided = correct(np.array([p[pair] for pair in pairs]))
    assert len(outcome.rows) == 10
    (comparison,) = outcome.details["comparisons"]
    for row in outcome.rows:
        i, j = (comparison.runs.index(row[name]) for name in ("run", "other"))
        assert i < j
        difference = VALUES[order[i]] - VALUES[order[j]]
        assert row["difference"] == pytest.approx(difference.mean())
        assert row["effect"] == pytest.approx(difference.mean() / difference.std(ddof=1))
        assert row["low"] < row["difference"] < row["high"]
        assert (row["wins"], row["losses"]) == ((difference > 0).sum(), (difference < 0).sum())
        assert row["wins"] + row["ties"] + row["losses"] == 40
        assert row["glass_delta"] == pytest.approx(difference.mean() / VALUES[order[j]].std(ddof=1))
        assert row["p"] == p[i, j]
        assert row["adjusted"] == decided.adjusted[pairs.index((i, j))]
        assert row["significant"] == bool(decided.rejected[pairs.index((i, j))])
        assert row["sides"] == sides


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(3, 30), st.sampled_from(["t", "wilcoxon", "sign", "permutation"]))
def test_two_sided_p_is_that_of_scipy(seed: int, topics: int, test: str) -> None:
    """Scores with ties: p as scipy's functions have it by default."""
    stats = pytest.importorskip("scipy.stats")
    one, two = np.round(np.random.default_rng(seed).random((2, topics)), 1 if test == "sign" else 6)
    topics = topics if test != "permutation" else min(topics, 9)
    one, two = one[:topics], two[:topics]
    difference = one - two
    above, below = int((difference > 1e-9).sum()), int((difference < -1e-9).sum())
    tests: dict[str, Callable[[], Any]] = {
        "t": lambda: stats.ttest_rel(one, two),
        "wilcoxon": lambda: stats.wilcoxon(one, two, method="exact"),
        "sign": lambda: stats.binomtest(above, above + below) if above + below else None,
        "permutation": lambda: stats.permutation_test(
            (one, two), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
        ),
    }
    expected = tests[test]()
    p = compare(table(np.stack([one, two])), test=test, correction="none", samples=9).rows[0]["p"]
    assert p == pytest.approx(1.0 if expected is None else expected.pvalue, rel=1e-9)


def test_ranks_may_prefer_the_run_with_the_lower_mean() -> None:
    """The pair differs, the signs name the run that the test prefers, and one side finds nothing."""
    one = np.array([0.9, *[0.10] * 11])
    two = np.array([0.0, *[0.12] * 11]) + np.arange(12) / 10_000
    scores = table(np.stack([one, two]))
    (row,), (comparison,) = (found := compare(scores, test="sign")).rows, found.details["comparisons"]
    assert (row["run"], row["significant"]) == ("r0", True)
    assert (comparison.prefers("r0", "r1"), comparison.prefers("r1", "r0")) == (False, True)
    assert str(found).splitlines()[2:4] == ["1     r0   0.1667  -<", "2     r1   0.1105  >-"]
    assert not compare(scores, test="sign", sides=1).rows[0]["significant"]


def test_summary_counts_pairs_and_tests() -> None:
    """Eight of ten pairs differ, by construction; none in both directions; one side has twice the tests."""
    outcome = compare(table(VALUES))
    (comparison,) = outcome.details["comparisons"]
    summary = comparison.summary()
    assert (summary["pairs"], summary["tests"], summary["topics"]) == (10, 10, 40)
    assert summary["significant"] == sum(row["significant"] for row in outcome.rows) == 8
    assert (summary["share"], summary["share_ordered"]) == (0.8, 0.8)
    (ordered,) = (one.summary() for one in compare(table(VALUES), sides=1).details["comparisons"])
    assert (ordered["tests"], ordered["share"], ordered["share_ordered"]) == (20, 0.8, 0.4)
    rejected = comparison.corrected.rejected
    assert not (rejected & rejected.T).any()
    json.loads(outcome.to_json())


@pytest.mark.parametrize("test", sorted(FAMILIES))
def test_families_decide_on_all_pairs_together(test: str) -> None:
    """p is that of the family, not corrected again, small in one direction; intervals decide the same."""
    rows = compare(table(VALUES), test=test, samples=300, seed=3).rows
    order = np.argsort(-VALUES.mean(axis=1))
    found = FAMILIES[test](VALUES[order], 0.05, 300, np.random.default_rng(3))
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for row, pair in zip(rows, pairs, strict=True):
        assert row["p"] == row["adjusted"] == found.p[pair]
        assert row["significant"] == (row["p"] <= 0.05) == (row["low"] > 0)
        assert row["high"] - row["difference"] == pytest.approx(found.least)
    assert sum(row["significant"] for row in rows) == 8
    (comparison,) = compare(table(VALUES), test=test, samples=300, seed=3).details["comparisons"]
    assert not (comparison.corrected.rejected & comparison.corrected.rejected.T).any()
    assert comparison.summary()["significant"] == 8
    beside = compare(table(VALUES), test=test, samples=300, seed=3, baseline="r0").rows
    assert {row["p"] for row in beside} <= {row["p"] for row in rows}


def test_most_tests_share_the_intervals_of_the_bootstrap() -> None:
    """They do not depend on installed packages; Student's test has Student's interval."""
    found = {test: compare(table(VALUES), test=test, samples=200) for test in TESTS}
    limits = {test: [(row["low"], row["high"]) for row in outcome.rows] for test, outcome in found.items()}
    assert limits["wilcoxon"] == limits["sign"] == limits["permutation"] == limits["bootstrap"]
    assert limits["t"] != limits["bootstrap"]


@pytest.mark.parametrize("correction", sorted(CORRECTIONS))
def test_no_correction_rejects_most(correction: str) -> None:
    """A correction never adds a significant pair, and a smaller alpha never either."""
    significant = [
        sum(row["significant"] for row in compare(table(VALUES), test="t", correction=name, alpha=alpha).rows)
        for name, alpha in (("none", 0.05), (correction, 0.05), (correction, 1e-6))
    ]
    assert significant == sorted(significant, reverse=True)


def test_same_seed_same_bytes() -> None:
    """The whole text is the same for a seed, and p-values are others for another."""
    first, second = (compare(table(VALUES[:2]), seed=5).to_json() for _ in range(2))
    assert first == second
    close = table(np.stack([VALUES[1], VALUES[2]]))
    assert compare(close, seed=1).rows[0]["p"] != compare(close, seed=2).rows[0]["p"]


def test_topics_without_some_score_are_left_out() -> None:
    """Only topics with scores of all runs count; a topic that none has is not worth a warning."""
    values = VALUES.copy()
    values[1, 3] = values[0, 7] = np.nan
    values[:, 9] = np.nan
    outcome = compare(table(values), test="t")
    kept = [topic for topic in range(40) if topic not in {3, 7, 9}]
    assert outcome.warnings == (
        "2 topics are not scored for every run by MAiP and are left out (first: topic t3)",
    )
    assert outcome.rows == compare(table(VALUES[:, kept]), test="t").rows
    values[1, 3] = 0.1
    assert compare(table(values)).warnings == (
        "1 topic is not scored for every run by MAiP and is left out (topic t7)",
    )


def test_equal_runs_and_plus_one() -> None:
    """Runs of the same scores differ by nothing, with no effect to name; p can be kept above 0."""
    row = compare(table(np.stack([VALUES[0], VALUES[0]]))).rows[0]
    assert (row["run"], row["difference"], row["effect"], row["p"]) == ("r0", 0.0, None, 1.0)
    assert (row["low"], row["high"], row["significant"]) == (0.0, 0.0, False)
    sure = table(VALUES[[0, 4]])
    assert compare(sure, samples=99).rows[0]["p"] == 0.0
    assert compare(sure, samples=99, plus_one=True, sides=1).rows[0]["p"] == 0.01


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (VALUES[:1], {}, "found 1 run, expected at least 2"),
        (VALUES[:, :1], {}, "found 1 topic with a score of every run by MAiP, expected at least 2"),
        (VALUES, {"test": "boot"}, "unknown test 'boot'"),
        (VALUES, {"correction": "holms"}, "unknown correction 'holms'; did you mean 'holm'"),
        (
            VALUES,
            {"test": "tukey", "correction": "by"},
            'correction="by" and test="tukey" cannot be combined',
        ),
        (VALUES, {"test": "tukey", "samples": 0}, "found 0 samples"),
        (VALUES, {"test": "sign", "plus_one": True}, 'plus_one needs test="bootstrap", found sign'),
        (VALUES, {"test": "tukey", "sides": 1}, 'sides=1 and test="tukey" cannot be combined'),
        (VALUES, {"sides": 3}, "found 3 as sides, expected 1 or 2"),
        (VALUES, {"alpha": 0.0}, "found 0.0 as alpha"),
        (VALUES, {"samples": 0}, "found 0 samples"),
    ],
)
def test_mistakes(values: FloatArray, options: dict[str, float], message: str) -> None:
    """Errors about scores that cannot be compared, in one line."""
    with pytest.raises(ExcerptError, match=message):
        compare(table(values), **options)  # type: ignore[arg-type]


def test_unknown_measure() -> None:
    """The measures of the table are named."""
    with pytest.raises(ExcerptError, match="unknown measure 'MAP'; did you mean 'MAiP'"):
        compare(table(VALUES), measures=["MAP"])


def test_every_measure_has_its_rows() -> None:
    """Several measures are compared one by one, and none of them changes the rows of another."""
    both = ScoreTable(
        *(table(VALUES).runs,) * 2, table(VALUES).topics, ("A", "B"), np.stack([VALUES, 1 - VALUES], 2)
    )
    rows = compare(both, samples=200).rows
    assert [row["measure"] for row in rows] == ["A"] * 10 + ["B"] * 10
    assert rows[10:] == compare(both, measures=["B"], samples=200).rows


def test_equal_means_are_equal() -> None:
    """Runs whose scores are the same in another order do not differ at all."""
    row = compare(table(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])), samples=50).rows[0]
    assert (row["run"], row["difference"]) == ("r0", 0.0)


def test_measures_may_stand_second_after_a_table() -> None:
    """`compare(table, "A")` takes the second argument for measures; a table and runs cannot be combined."""
    scores = {(run, str(t), m): t * len(run) / 50 for run in ("a", "bb") for t in range(9) for m in "AB"}
    table = ScoreTable.from_scores(scores)
    assert compare(table, "A").rows == compare(table, measures=["A"]).rows
    assert {row["measure"] for row in compare(table, "A").rows} == {"A"}
    with pytest.raises(ExcerptError, match="a table of scores and runs to evaluate cannot be combined"):
        compare(table, ["run.fol"], ["A"])


def test_baseline() -> None:
    """Each run compared with the baseline: signed difference, n - 1 tests."""
    rng = np.random.default_rng(1)
    values = np.clip(rng.random((3, 40, 1)) + np.array([0.0, 0.3, -0.3])[:, None, None], 0, 2)
    topics = tuple(map(str, range(40)))
    table = ScoreTable(("main", "up", "down"), ("", "", ""), topics, ("AiP",), values)
    beside = table.compare("AiP", baseline="main", correction="bonferroni", test="t")
    pairs = {(row["run"], row["other"]): row for row in table.compare("AiP", test="t").rows}
    up, down = beside.rows
    assert (up["run"], up["other"], down["run"], down["other"]) == ("up", "main", "down", "main")
    assert up["difference"] == pairs["up", "main"]["difference"] > 0
    assert down["difference"] == -pairs["main", "down"]["difference"] < 0
    assert (down["low"], down["high"]) == (-pairs["main", "down"]["high"], -pairs["main", "down"]["low"])
    assert (up["p"], down["p"]) == (pairs["up", "main"]["p"], pairs["main", "down"]["p"])
    assert up["adjusted"] == 2 * up["p"]
    assert str(beside).splitlines()[0].split()[:3] == ["measure", "run", "other"]
    with pytest.raises(ExcerptError, match="unknown run 'mine'"):
        table.compare("AiP", baseline="mine")
    files = replace(table, files=("a.fol", "b.fol", "c.fol"))
    assert (
        files.compare("AiP", baseline="a.fol", test="t").rows == files.compare("AiP", "main", test="t").rows
    )
    pytest.importorskip("matplotlib")
    assert b"AiP minus that of main" in beside.draw("svg")


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
    assert r"a & 0 & 0.5000 & 0.1000 & 0.4000 & win \\" in outcome.to_latex()
    assert "Measure: P; compared with: b." in outcome.to_latex()


@pytest.mark.parametrize("sides", [1, 2])
def test_several_baselines_are_one_family(sides: int) -> None:
    """All pairs with a baseline, each once, and corrected together; the p-values are those of all pairs."""
    scores = table(VALUES)
    outcome = compare(scores, test="t", sides=sides, baseline=["r3", "r0", "r3"])
    every = {
        frozenset((row["run"], row["other"])): row for row in compare(scores, test="t", sides=sides).rows
    }
    order = [f"r{place}" for place in np.argsort(-VALUES.mean(axis=1)).tolist()]
    assert [(row["run"], row["other"]) for row in outcome.rows] == [
        *((run, "r3") for run in order if run != "r3"),
        *((run, "r0") for run in order if run not in ("r0", "r3")),
    ]
    assert all(row["p"] == every[frozenset((row["run"], row["other"]))]["p"] for row in outcome.rows)
    (comparison,) = outcome.details["comparisons"]
    assert (comparison.summary()["pairs"], comparison.summary()["tests"]) == (7, 7 if sides == 2 else 14)
    p = p_values(VALUES[np.argsort(-VALUES.mean(axis=1))], "t")
    places = {run: place for place, run in enumerate(order)}
    pairs = [sorted((places[row["run"]], places[row["other"]])) for row in outcome.rows]
    if sides == 2:
        tested = np.array([min(2 * min(p[i, j], p[j, i]), 1) for i, j in pairs])
    else:
        tested = np.array([p[i, j] for i, j in pairs] + [p[j, i] for i, j in pairs])
    adjusted = correct(tested).adjusted[: len(pairs)]
    assert [row["adjusted"] for row in outcome.rows] == pytest.approx(adjusted.tolist())
    printed = str(outcome).splitlines()
    assert [sum(f"  {base}  " in line for line in printed) for base in ("r3", "r0")] == [5, 5]
    assert " runs differ significantly from r3 and " in outcome.verdict
    assert outcome.to_latex().count(" \\\\\n") == 8
    assert outcome.draw().count(b"minus that of") == 2
    one = compare(scores, test="t", sides=sides, baseline="r3")
    assert one.rows == compare(scores, test="t", sides=sides, baseline=("r3",)).rows
