"""Studies: samples against plain evaluation, what `evaluate` takes, which measures they take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_study import small_study

from excerpt import ExcerptError, Judgments, Notices, Policy, Result, Run, Span, collection, evaluate
from excerpt.engine import Engine
from excerpt.experiments.study import NEVER, Study
from excerpt.model.samples import sample

JUDGMENTS = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("B", 0, 10))], irrelevant=[("2", "A")])
RUN = Run.of("r", [Result("1", "B", 0, 10, 1.0), Result("1", "Z", 0, 10, 2.0)])


def test_doubts_are_counted_once() -> None:
    """A study that asks for ranks and then for scores counts each doubt about a run once."""
    notices = Notices()
    study = Study.of(JUDGMENTS, RUN, "MAiP", notices=notices)
    assert study.reach("passage")[1].tolist() == [[NEVER, 1]]
    study.scores(np.ones((1, 2), np.bool_))
    assert [text for text in notices if "order of their scores" in text and "times" not in text]
    assert any("no relevant text" in text for text in notices)


def test_measures_of_elements_are_refused() -> None:
    """A sample of passages does not change what they read."""
    with pytest.raises(ExcerptError, match="found nxCG@5, expected measures of highlighted text"):
        Study.of(JUDGMENTS, RUN, ["MAiP", "nxCG@5"])


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
