"""Scores under many variants of the judgments: against plain evaluation, kept parts, what reaches a pool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_study import small_study

from excerpt import ExcerptError, Judgments, Policy, Span, collection, evaluate
from excerpt.experiments.variants import NEVER, Study, sampled
from excerpt.formats import read_judgments
from excerpt.measures import parse

MEASURES = ("MAiP", "iP[0.01]", "charF", "charP[5]", "articleAP", "gR[3]", "IoU")


@pytest.fixture(scope="module")
def study() -> Study:
    """Four runs of the embedded collection, one with overlap."""
    names = ("p-bm25", "sent-bm25", "random-p", "thorough-bm25")
    runs = tuple(run.path for run in collection.runs() if run.name in names)
    policy = Policy(overlap="first", interleaved="regroup")
    return Study(read_judgments(collection.qrels()), runs, MEASURES, policy)


def test_variants_score_as_smaller_judgments_do(study: Study) -> None:
    """A mask gives what evaluating with the remaining passages gives, for every measure, bit by bit."""
    rng = np.random.default_rng(3)
    masks = rng.random((3, len(study.judgments.spans))) < np.array([[1.0], [0.6], [0.2]])
    names, scores = study.scores(masks)
    for mask, found in zip(masks, scores, strict=True):
        small = sampled(study.judgments, mask)
        table = evaluate(small, study.runs, MEASURES, policy=replace(study.policy, include_empty=True))
        assert names == table.runs
        has = small.has_relevant
        np.testing.assert_array_equal(found[:, has], table.values[:, has])


def test_workers_and_kept_parts_change_nothing(study: Study, tmp_path: Path) -> None:
    """Processes and finished parts of an interrupted experiment give the same numbers."""
    masks = np.random.default_rng(5).random((2, len(study.judgments.spans))) < 0.5
    expected = study.scores(masks)[1]
    kept = replace(study, workers=2, keep=str(tmp_path))
    np.testing.assert_array_equal(kept.scores(masks)[1], expected)
    assert len(list(tmp_path.iterdir())) == len(study.runs)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    np.testing.assert_array_equal(kept.scores(masks)[1], expected)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    for path in tmp_path.iterdir():
        path.write_bytes(b"damaged")
    np.testing.assert_array_equal(kept.scores(masks)[1], expected)
    other = replace(kept, measures=(parse("charR"),))
    assert other.scores(masks)[1].shape[-1] == 1


def test_kept_parts_are_those_of_their_judgments(tmp_path: Path) -> None:
    """Judgments that differ in their documents only are others; warnings of kept parts are kept too."""
    lines = "1 Q0 A 1 9.0 a 0 10\n1 Q0 B 2 8.0 b 0 10\n2 Q0 A 1 9.0 a 0 10\n"
    run = tmp_path / "run.fol"
    run.write_text(lines)
    keep = tmp_path / "kept"
    keep.mkdir()
    for relevant, expected in (("A", [1.0, 1.0]), ("B", [0.5, 0.0])):
        other = "B" if relevant == "A" else "A"
        judgments = Judgments.of(
            [(topic, Span(relevant, 0, 10)) for topic in "12"], irrelevant=[(topic, other) for topic in "12"]
        )
        masks = np.ones((1, len(judgments.spans)), np.bool_)
        for _ in range(2):
            study = Study(judgments, (run,), ("MAiP",), keep=str(keep))
            assert study.scores(masks)[1].ravel().tolist() == expected
            assert list(study.notices) == [f"run has 2 tags, the first is its name ({run})"]
    assert len(list(keep.iterdir())) == 2


def test_entry_points_go_with_their_passages(study: Study) -> None:
    """Without any passage there is no best entry point left, so nothing can be near one."""
    points = replace(study, measures=("BEPD(L=6000)", "EPRUM(L=6000)"))
    masks = np.array([np.ones(len(study.judgments.spans)), np.zeros(len(study.judgments.spans))], np.bool_)
    _, scores = points.scores(masks)
    assert scores[0].max() > 0
    assert not scores[1].any()
    with pytest.raises(ExcerptError, match="BEPD needs mean document length"):
        replace(study, measures=("BEPD",)).scores(masks)


def test_measures_without_highlights_are_refused(study: Study) -> None:
    """A pool of passages says nothing of graded elements."""
    with pytest.raises(ExcerptError, match="expected measures that read highlighted text"):
        replace(study, measures=(parse("nxCG[10]"),))


def test_reach() -> None:
    """The best rank at which a run brings a passage, or its document, into a pool."""
    names, ranks = Study(*small_study()).reach("passage")
    assert names == ("a", "b", "c")
    assert ranks.tolist() == [[1, 2, 3, 1], [NEVER, NEVER, 2, NEVER], [NEVER] * 4]
    assert Study(*small_study()).reach("document")[1].tolist() == [
        [1, 1, 3, 1],
        [NEVER, NEVER, 1, NEVER],
        [NEVER, NEVER, NEVER, 1],
    ]
