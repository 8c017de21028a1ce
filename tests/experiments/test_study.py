"""Studies: samples against plain evaluation, what `evaluate` takes, which measures they take."""

from __future__ import annotations

import inspect
import re
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_study import small_study

import excerpt
from excerpt import (
    ExcerptError,
    ExcerptWarning,
    Judgments,
    Notices,
    Policy,
    Result,
    Run,
    ScoreTable,
    Span,
    collection,
    evaluate,
)
from excerpt.engine import Engine
from excerpt.experiments import EXPERIMENTS
from excerpt.experiments.study import (
    NEVER,
    Study,
    check_levels,
    complete_scores,
    draw_halves,
    draw_passages,
    draw_topics,
    of_ranks,
    passages_of,
    sample_means,
    sample_size,
    table_of,
)
from excerpt.formats import read_judgments
from excerpt.model.samples import sample

JUDGMENTS = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("B", 0, 10))], irrelevant=[("2", "A")])
RUN = Run.of("r", [Result("1", "B", 0, 10, 1.0), Result("1", "Z", 0, 10, 2.0)])


def test_doubts_are_counted_once() -> None:
    """A study that computes ranks and then scores counts each warning about a run once."""
    notices = Notices()
    study = Study.of(JUDGMENTS, RUN, "MAiP", notices=notices)
    assert study.reach("passage")[1].tolist() == [[NEVER, 1]]
    study.scores(np.ones((1, 2), np.bool_))
    assert [text for text in notices if "1 topic is not sorted by score" in text]
    assert any("no relevant text" in text for text in notices)


@pytest.mark.parametrize("name", ["judged", "read@5"])
def test_measures_that_samples_do_not_change_are_refused(name: str) -> None:
    """A sample of passages does not change how much is read, nor how much of it was judged."""
    with pytest.raises(ExcerptError, match=f"found {name}, expected measures of highlighted text"):
        Study.of(JUDGMENTS, RUN, ["MAiP", name])


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
        small = sample(study.judgments, mask).judgments
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


def test_entry_points_go_with_their_passages(study: Study) -> None:
    """Without any passage there is no best entry point left, so nothing can be near one."""
    points = _with(study, "BEPD(L=6000)", "EPRUM(L=6000)")
    masks = np.array([np.ones(len(study.judgments.spans)), np.zeros(len(study.judgments.spans))], np.bool_)
    _, scores = points.scores(masks)
    assert scores[0].max() > 0
    assert not scores[1].any()
    with pytest.raises(ExcerptError, match="BEPD needs mean document length"):
        _with(study, "BEPD").scores(masks)


def test_reach() -> None:
    """The best rank at which a run brings a passage, or its document, into a pool."""
    names, ranks = Study.of(*small_study()).reach("passage")
    assert names == ("a", "b", "c")
    assert ranks.tolist() == [[1, 2, 3, 1], [NEVER, NEVER, 2, NEVER], [NEVER] * 4]
    assert Study.of(*small_study()).reach("document")[1].tolist() == [
        [1, 1, 3, 1],
        [NEVER, NEVER, 1, NEVER],
        [NEVER, NEVER, NEVER, 1],
    ]


RUNS = [run.path for run in collection.runs("focused")][:3]


def test_judgments_and_runs_are_evaluated() -> None:
    """Experiments take what `evaluate` takes, and give what they give for its table."""
    table = excerpt.evaluate(collection.qrels(), RUNS, ["MAiP", "charF"], notices=Notices())
    for function in (excerpt.compare, excerpt.agreement):
        alone = function(collection.qrels(), RUNS, ["MAiP", "charF"], samples=50, notices=Notices())
        assert alone.rows == function(table, samples=50).rows
    assert (
        excerpt.correlate(table).rows
        == excerpt.correlate(collection.qrels(), RUNS, ["MAiP", "charF"], notices=Notices()).rows
    )
    some: Any = {"tests": ("t",), "splits": 2}
    assert (
        excerpt.testerror(table, measures="charF", **some).rows
        == excerpt.testerror(Path(collection.qrels()), RUNS, "charF", notices=Notices(), **some).rows
    )


def test_a_table_and_runs_are_too_much() -> None:
    """A table has its runs."""
    table = ScoreTable.from_scores({("r", "1", "A"): 0.5, ("r", "1", "B"): 0.5})
    with pytest.raises(ExcerptError, match="a table of scores and runs to evaluate cannot be combined"):
        table_of(table, ["run"], ["A"], {})
    assert table_of(table, (), ["B"], {}).measures == ("B",)
    assert table_of(table, (), "B", {}).measures == ("B",)


def test_keywords_of_other_experiments_are_refused() -> None:
    """Unknown keywords are errors, also with a table; so are keywords that need runs."""
    table = ScoreTable.from_scores({(run, topic, "A"): 0.5 for run in "ab" for topic in "12"})
    for given in ((table,), (collection.qrels(), RUNS, ["MAiP"])):
        with pytest.raises(TypeError, match="fuzziness"):
            excerpt.stability("topics", *given, fuzziness=0.1)
    with pytest.raises(ExcerptError, match="policy and a table of scores cannot be combined"):
        excerpt.compare(table, policy=Policy())


def test_doubts_reach_the_caller() -> None:
    """They go to Python's warnings or to the caller's notices, and to the outcome."""
    scores = {(run, topic, "A"): ord(run) / 999 for run in "ab" for topic in "123"}
    table = ScoreTable.from_scores({**scores, ("a", "4", "A"): 0.5})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = excerpt.compare(table, test="sign")
    (doubt,) = outcome.warnings
    assert [(str(item.message), item.category) for item in caught] == [(doubt, ExcerptWarning)]
    notices = Notices()
    excerpt.compare(table, test="sign", notices=notices)
    assert list(notices) == [doubt]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_defaults_are_those_of_the_options(name: str) -> None:
    """The command line and Python have the same names and defaults; ranks are an option of all."""
    parameters = inspect.signature(EXPERIMENTS[name].load("function")).parameters
    own = {
        parameter.name: parameter.default
        for parameter in parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "record"
    }
    known = {item.name: item.default for item in fields(EXPERIMENTS[name].load("options"))}
    assert known.pop("ranks") is None
    assert own == known
    assert list(parameters)[:3] in (["scores", "runs", "measures"], ["judgments", "runs", "measures"])


VALUES = np.arange(12.0).reshape(2, 3, 2)
TABLE = ScoreTable(("a", "b"), ("a", "b"), tuple("123"), ("A", "B"), VALUES)


def test_only_topics_of_every_run_and_measure() -> None:
    """A topic that some runs lack is left out with a warning, one that all lack silently."""
    values = VALUES.copy()
    values[0, 1, 1] = values[:, 2] = np.nan
    doubts = Notices()
    holes = ScoreTable(TABLE.runs, TABLE.files, TABLE.topics, TABLE.measures, values)
    assert complete_scores(holes, doubts, ["A"]).tolist() == VALUES[:, :2, :1].tolist()
    assert list(doubts) == []
    assert complete_scores(holes, doubts, least=1).tolist() == VALUES[:, :1].tolist()
    assert list(doubts) == ["1 topic is not scored for every run by A and B and is left out (topic 2)"]


def test_too_little_to_compare() -> None:
    """One run, too few topics, an unknown measure."""
    one = ScoreTable(("a",), ("a",), tuple("123"), ("A", "B"), VALUES[:1])
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2 to compare"):
        complete_scores(one, Notices())
    with pytest.raises(
        ExcerptError, match="found 3 topics with a score of every run by A and B, expected at"
    ):
        complete_scores(TABLE, Notices(), least=4)
    with pytest.raises(ExcerptError, match="unknown measure 'C'"):
        complete_scores(TABLE, Notices(), ["C"])


@pytest.mark.parametrize("largest", [1e300, 1e-300])
def test_scores_that_cannot_be_squared(largest: float) -> None:
    """Saved scores may be any numbers; sums of their squares would be none."""
    scores = {(run, str(t), "P"): largest / (t + len(run)) for run in ("a", "bb") for t in range(3)}
    message = f"found {largest:g} as the largest score by P, expected a score that can be squared"
    with pytest.raises(ExcerptError, match=re.escape(message)):
        complete_scores(ScoreTable.from_scores(scores), Notices())


def test_pool_samples_have_the_right_sizes() -> None:
    """Per topic the level's proportion of passages, halves rounded up, at least one; all samples differ."""
    judgments = read_judgments(collection.qrels())
    topic, passages = passages_of(judgments)
    for level in (80, 50, 20, 1):
        mask = draw_passages(judgments, level, (1, 0))
        counts = np.bincount(topic[mask], minlength=len(passages))
        for count, whole in zip(counts.tolist(), passages.tolist(), strict=True):
            assert count == (max(1, (2 * level * whole + 100) // 200) if whole else 0)
        assert level == 1 or (draw_passages(judgments, level, (1, 1)) != mask).any()


@pytest.mark.parametrize(("level", "size"), [(80, 86), (60, 64), (40, 43), (20, 21)])
def test_sample_sizes_of_the_paper(level: int, size: int) -> None:
    """107 topics: 86, 64, 43 and 21."""
    assert sample_size(level, 107) == size
    assert {len(sample) for sample in draw_topics(107, level, 3, seed=1)} == {size}


def test_more_samples_begin_with_the_same() -> None:
    """A sample depends on seed, level and its own number only."""
    few, many = draw_topics(40, 30, 2, seed=5), draw_topics(40, 30, 4, seed=5)
    assert [sample.tolist() for sample in many[:2]] == [sample.tolist() for sample in few]
    assert len({tuple(sample.tolist()) for sample in many}) == 4
    assert draw_topics(40, 30, 1, seed=6)[0].tolist() != few[0].tolist()


def test_halves_share_no_topics() -> None:
    """Two samples of a pair are disjoint; where they cannot be there is none."""
    for one, other in draw_halves(35, 50, 4, seed=1):
        assert len(one) == len(other) == 17
        assert not set(one.tolist()) & set(other.tolist())
    assert draw_halves(35, 60, 4, seed=1) == []


def test_equal_means_are_equal() -> None:
    """The same scores in another order have the same mean in every sample that has them all."""
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert float(scores[0].mean()) != float(scores[1].mean())
    (means,) = sample_means(scores, [np.array([0, 1, 2])]).tolist()
    assert means[0] == means[1]


@pytest.mark.parametrize(("levels", "samples"), [((0,), 1), ((101,), 1), ((), 1), ((50,), 0)])
def test_levels_that_cannot_be(levels: tuple[int, ...], samples: int) -> None:
    """Levels are per cent, and there is at least one sample of one."""
    with pytest.raises(ExcerptError, match="expected"):
        check_levels(levels, samples)


DEMO = sorted(collection.runs("focused"), key=lambda run: run.name)[:6]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_ranks_are_those_runs_alone(name: str) -> None:
    """The rows are those of the experiment on the runs with these ranks, in the order given."""
    entry, runs = EXPERIMENTS[name], [run.path for run in DEMO]
    how: dict[str, Any] = {"policy": Policy(overlap="first"), "notices": Notices()}
    how |= {"samples": 20} if "samples" in {item.name for item in fields(entry.load("options"))} else {}
    means = excerpt.evaluate(
        collection.qrels(), runs, ["charF"], policy=how["policy"], notices=Notices()
    ).means()
    order = np.argsort(-means[:, 0], kind="stable").tolist()
    chosen = [runs[place] for place in sorted([*order[:2], *order[3:5]])]
    function = entry.load("function")
    found = function(collection.qrels(), runs, ["charF", "MAiP"], ranks="4-5,1-2", **how)
    assert found.rows == function(collection.qrels(), chosen, ["charF", "MAiP"], **how).rows
    with pytest.raises(ExcerptError, match="found rank 7, expected at most 6: there are 6 runs"):
        function(collection.qrels(), runs, ["charF", "MAiP"], ranks="2-7", **how)


def test_ranks_of_equal_and_missing_means() -> None:
    """Of equal means the first run comes first; runs without a score come last."""
    values = np.array([np.nan, 0.5, 0.9, 0.5])[:, None, None]
    table = ScoreTable(tuple("abcd"), tuple("abcd"), ("1",), ("P",), values)
    assert [of_ranks(table, rank).runs for rank in ("1", "2", "3", "4")] == [("c",), ("b",), ("d",), ("a",)]
    assert of_ranks(table, " 3-4, 1-2").runs == tuple("abcd")
    assert of_ranks(table, None) is table
    for wrong in ("0-2", "2-1", "x", "", "1-", "-2", "1,,2", "1-2-3", "1.5", "9" * 30):
        with pytest.raises(ExcerptError, match="expected ranks such as 1-21,31-50"):
            of_ranks(table, wrong)
