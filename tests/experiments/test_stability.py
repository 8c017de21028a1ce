"""Stability: samples against plain evaluation, samples as the paper draws them, known error rates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments, Policy, Result, Run, ScoreTable, Span, collection, evaluate
from excerpt.engine import Engine
from excerpt.experiments import stability
from excerpt.experiments.study import NEVER, Study
from excerpt.measures import parse
from excerpt.model.samples import sample

MEASURES = ("MAiP", "iP[0.01]", "charF", "charP[5]", "articleAP", "gR[3]", "IoU")


@pytest.fixture(scope="module")
def study() -> Study:
    """Four runs of the embedded collection, one with overlap."""
    names = ("p-bm25", "sent-bm25", "random-p", "thorough-bm25")
    runs = tuple(run.path for run in collection.runs() if run.name in names)
    policy = Policy(overlap="first", interleaved="regroup")
    return Study.of(collection.qrels(), runs, MEASURES, policy=policy)


def _with(study: Study, *measures: str) -> Study:
    """The study with other measures."""
    return Study.of(study.judgments, study.runs, measures, policy=study.scoring.policy)


def test_samples_score_as_smaller_judgments_do(study: Study) -> None:
    """A mask gives what evaluating with the remaining passages gives, for every measure, bit by bit."""
    rng = np.random.default_rng(3)
    masks = rng.random((3, len(study.judgments.spans))) < np.array([[1.0], [0.6], [0.2]])
    names, scores = study.scores(masks)
    for mask, found in zip(masks, scores, strict=True):
        small = sample(study.judgments, mask)
        table = evaluate(
            small, study.runs, MEASURES, policy=replace(study.scoring.policy, include_empty=True)
        )
        assert names == table.runs
        has = small.has_relevant
        np.testing.assert_array_equal(found[:, has], table.values[:, has])


def test_workers_change_nothing(study: Study) -> None:
    """Processes give the same numbers."""
    masks = np.random.default_rng(5).random((2, len(study.judgments.spans))) < 0.5
    expected = study.scores(masks)[1]
    np.testing.assert_array_equal(replace(study, engine=Engine(2)).scores(masks)[1], expected)


@pytest.mark.parametrize("fullest", [0, 1])
def test_the_order_of_samples_does_not_matter(study: Study, fullest: int) -> None:
    """A sample without passages before the full one changes no score, also of measures asked one by one."""
    masks = np.zeros((2, len(study.judgments.spans)), np.bool_)
    masks[fullest] = True
    scores = study.scores(masks)[1]
    table = evaluate(study.judgments, study.runs, MEASURES, policy=study.scoring.policy)
    np.testing.assert_array_equal(scores[fullest], np.nan_to_num(table.values))
    assert not scores[1 - fullest].any()


def test_runs_in_memory_are_put_in_order() -> None:
    """`order` counts for runs in memory as it does for files."""
    judgments = Judgments.of([("1", Span("A", 0, 10))])
    run = Run.of("r", [Result("1", "B", 0, 10, 1.0), Result("1", "A", 0, 10, 2.0)])
    study = Study.of(judgments, [run], ["iP[0.00]"], order="score")
    assert study.scores(np.ones((1, 1), np.bool_))[1].ravel().tolist() == [1.0]


def test_pool_samples_have_the_right_sizes(study: Study) -> None:
    """Per topic the level's share of passages, halves rounded up, never none; and no two samples alike."""
    judgments = study.judgments
    topic = judgments.pair_topic[judgments.spans.group]
    passages = np.bincount(topic, minlength=len(judgments.topics))
    rng = np.random.default_rng(1)
    for level in (80, 50, 20, 1):
        mask = stability._sample(rng, topic, passages, level)
        counts = np.bincount(topic[mask], minlength=len(passages))
        for count, whole in zip(counts.tolist(), passages.tolist(), strict=True):
            assert count == (max(1, (2 * level * whole + 100) // 200) if whole else 0)


@pytest.mark.parametrize(("level", "size"), [(80, 86), (60, 64), (40, 43), (20, 21)])
def test_sample_sizes_of_the_paper(level: int, size: int) -> None:
    """107 topics: 86, 64, 43 and 21."""
    assert stability._size(level, 107) == size


def test_pool(study: Study) -> None:
    """Rows by measure and level; the whole pool agrees with itself; the same seed gives the same rows."""
    outcome = stability.pool(study, levels=(100, 50), samples=4, seed=7)
    assert [(row["measure"], row["level"]) for row in outcome.rows[:2]] == [("MAiP", 100), ("MAiP", 50)]
    for row in outcome.rows:
        assert len(row["values"]) == row["samples"] == 4
        known = [value for value in row["values"] if value is not None]
        if row["level"] == 100:
            assert known == [1.0] * 4
        assert row["mean"] == pytest.approx(np.mean(known))
        assert row["standard_error"] == pytest.approx(np.std(known, ddof=1) / 2)
    assert stability.pool(study, levels=(100, 50), samples=4, seed=7).rows == outcome.rows
    assert stability.pool(study, levels=(100, 50), samples=4, seed=8).rows != outcome.rows
    assert "topics have fewer than 10 relevant passages" in outcome.warnings[0]
    with pytest.raises(ExcerptError, match="no topic with 100000 relevant passages"):
        stability.pool(study, least=100_000)


@pytest.mark.parametrize("include_empty", [True, False])
@pytest.mark.parametrize("only_run_topics", [True, False])
def test_the_whole_study_is_its_parts(study: Study, *, include_empty: bool, only_run_topics: bool) -> None:
    """The same outcomes as of the three experiments, also of a measure that some topics have no score for."""
    policy = replace(study.scoring.policy, include_empty=include_empty, only_run_topics=only_run_topics)

    def again() -> Study:
        return Study.of(study.judgments, study.runs, (*MEASURES, "EPRUM(L=6000)"), policy=policy)

    one = again()
    options: dict[str, Any] = {"levels": (60, 20), "samples": 3, "seed": 5}
    found = stability.whole(one, **options)
    table = evaluate(one.judgments, one.runs, one.measures, policy=policy)
    alone = again()
    expected = {
        "pool": stability.pool(alone, **options),
        "topics": stability.topics(table, **options),
        "errors": stability.errors(table, **options),
    }
    for name, outcome in expected.items():
        assert found[name].to_json() == outcome.to_json()
    masks = np.ones((1, len(one.judgments.spans)), np.bool_)
    np.testing.assert_array_equal(one.scores_and_table(masks)[2].values, table.values)


def test_entry_points_go_with_their_passages(study: Study) -> None:
    """Without any passage there is no best entry point left, so nothing can be near one."""
    points = _with(study, "BEPD(L=6000)", "EPRUM(L=6000)")
    masks = np.array([np.ones(len(study.judgments.spans)), np.zeros(len(study.judgments.spans))], np.bool_)
    _, scores = points.scores(masks)
    assert scores[0].max() > 0
    assert not scores[1].any()
    with pytest.raises(ExcerptError, match="BEPD needs mean document length"):
        _with(study, "BEPD").scores(masks)


def test_measures_without_highlights_are_refused(study: Study) -> None:
    """A pool of passages says nothing of graded elements."""
    with pytest.raises(ExcerptError, match="expected measures that read highlighted text"):
        _with(study, "nxCG[10]")


def _table(values: list[list[float]]) -> ScoreTable:
    """One measure: a row of topic scores per run."""
    scores = np.array(values)[:, :, None]
    runs, topics = (
        tuple(f"{axis}{i}" for i in range(size)) for axis, size in zip("rt", scores.shape, strict=False)
    )
    return ScoreTable(runs, runs, topics, ("m",), scores)


def test_topics() -> None:
    """Runs that are ordered alike on every topic keep their order on every sample."""
    table = _table([[i + 10 * run for i in range(10)] for run in range(4)])
    rows = stability.topics(table, levels=(80, 10), samples=5).rows
    assert [row["mean"] for row in rows] == [1.0, 1.0]
    assert [row["standard_error"] for row in rows] == [0.0, 0.0]
    with pytest.raises(ExcerptError, match="found 1 runs"):
        stability.topics(_table([[1.0, 2.0]]))


def test_error_rate_of_the_worked_example() -> None:
    """E11: (7, 2, 1), (5, 0, 5) and (4, 4, 2) give 6/30; 0.40 and 0.38 tie at 5 %, 0.40 and 0.379 do not."""
    a = np.zeros(10)
    b = np.array([-1] * 7 + [1] * 2 + [0], dtype=float)
    scores = np.stack([a, b])
    orders = stability._orders(scores, [np.array([i]) for i in range(10)], 0.0, absolute=False)
    assert [int((orders == sign).sum()) for sign in (1, -1, 0)] == [7, 2, 1]
    columns = ((7, 2, 1), (5, 0, 5), (4, 4, 2))
    three = np.array([[1] * more + [-1] * less + [0] * same for more, less, same in columns]).T
    assert stability._counts(three) == (6, 8, 30)
    for other, tied in ((0.38, 1), (0.379, 0)):
        pair = np.array([[0.40], [other]])
        assert (stability._orders(pair, [np.array([0])], 0.05, absolute=False) == 0).sum() == tied
    close = np.array([[0.9], [0.86]])
    assert stability._orders(close, [np.array([0])], 0.05, absolute=True).tolist() == [[0]]


def test_errors() -> None:
    """Two runs that win on every other topic: single topics disagree half of the time, all topics never."""
    table = _table([[1.0, 0.0] * 10, [0.0, 1.0] * 10])
    rows = {row["level"]: row for row in stability.errors(table, levels=(100, 5), samples=40).rows}
    assert rows[100]["error_rate"] == 0.0
    assert rows[100]["ties"] == 1.0
    assert 0.3 < rows[5]["error_rate"] <= 0.5
    assert rows[5]["comparisons"] == 40
    disjoint = stability.errors(table, levels=(80, 50, 5), samples=200, disjoint=True).rows
    assert [row["comparisons"] for row in disjoint] == [0, 200, 200]
    assert disjoint[0]["error_rate"] is None
    assert 0.4 < disjoint[2]["error_rate"] < 0.65
    odd = _table([[float(i % 3) for i in range(35)], [float(i % 2) for i in range(35)]])
    assert stability.errors(odd, levels=(50,), samples=4, disjoint=True).rows[0]["comparisons"] == 4
    for options in ({"fuzziness": -1.0}, {"fuzziness": float("nan")}, {"samples": 1}):
        with pytest.raises(ExcerptError, match="expected 0 to 1, and 2 samples"):
            stability.errors(table, **options)


def test_disjoint_samples_disagree_at_least_as_often() -> None:
    """Samples that share topics hide disagreement: over many samples theirs is the lower error rate."""
    rng = np.random.default_rng(11)
    table = _table((rng.random((6, 40)) + np.linspace(0, 0.3, 6)[:, None]).tolist())
    for level in (50, 40):
        lower = stability.errors(table, levels=(level,), samples=300, fuzziness=0.0).rows[0]["error_rate"]
        upper = stability.errors(table, levels=(level,), samples=150, fuzziness=0.0, disjoint=True).rows[0]
        assert upper["error_rate"] >= lower - 0.01


def _small() -> Study:
    """Two topics; run `a` finds all passages, `b` one of them, `c` only the document of another."""
    highlights = [
        ("1", Span("x", 0, 10)),
        ("1", Span("x", 20, 30)),
        ("1", Span("y", 0, 10)),
        ("2", Span("z", 5, 9)),
    ]
    judgments = Judgments.of(highlights, sizes=dict.fromkeys("xyz", 100))
    runs = (
        Run.of(
            "a",
            [
                Result("1", "x", 0, 10),
                Result("1", "x", 15, 35),
                Result("1", "y", 5, 6),
                Result("2", "z", 0, 9),
            ],
        ),
        Run.of("b", [Result("1", "y", 50, 60), Result("1", "y", 0, 10)]),
        Run.of("c", [Result("2", "z", 50, 60)]),
    )
    return Study.of(judgments, runs, parse("charR"))


def test_reach() -> None:
    """The best rank at which a run brings a passage, or its document, into a pool."""
    names, ranks = _small().reach("passage")
    assert names == ("a", "b", "c")
    assert ranks.tolist() == [[1, 2, 3, 1], [NEVER, NEVER, 2, NEVER], [NEVER] * 4]
    assert _small().reach("document")[1].tolist() == [
        [1, 1, 3, 1],
        [NEVER, NEVER, 1, NEVER],
        [NEVER, NEVER, NEVER, 1],
    ]


def test_depth() -> None:
    """A deeper pool has more passages; the deepest ranks as the full judgments do."""
    rows = stability.depth(_small(), depths=(1, 2, 3), unit="passage").rows
    assert [(row["depth"], row["passages"]) for row in rows] == [(1, 2), (2, 4), (3, 4)]
    assert rows[-1]["tau_b"] == 1.0


def test_unpooled() -> None:
    """Without its own pool run `a` keeps what others found; with its whole group even less."""
    rows = {row["run"]: row for row in stability.unpooled(_small(), n=10, unit="passage").rows}
    assert rows["a"]["score"] == pytest.approx((21 / 30 + 1) / 2)
    assert rows["a"]["unpooled_score"] == pytest.approx((1 / 10 + 0) / 2)
    assert (rows["b"]["change"], rows["b"]["rank_change"]) == (0.0, 0)
    with pytest.raises(ExcerptError, match="found one run or one group"):
        stability.unpooled(_small(), groups=dict.fromkeys("abc", "g"))
    with pytest.raises(ExcerptError, match="unknown run in the groups 'd'"):
        stability.unpooled(_small(), groups={"d": "g"})
    grouped = stability.unpooled(_small(), n=10, unit="passage", groups={"a": "g", "b": "g"}).rows
    assert {row["run"]: row["unpooled_score"] for row in grouped} == {"a": 0.0, "b": 0.0, "c": 0.0}
