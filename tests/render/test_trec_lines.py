"""Scores as lines of trec_eval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from excerpt import ExcerptError, ScoreTable
from excerpt.model.score_views import ScoreView
from excerpt.render.tables import Look, show

TABLE = ScoreTable(
    runs=("one", "two\t\x1b"),
    files=("", ""),
    topics=("1", "2"),
    measures=("AP", "iP[0.01]"),
    values=np.array([[[0.5, 0.25], [math.nan, 1.0]], [[0.0, math.nan], [math.nan, math.nan]]]),
)


def test_runs_one_after_the_other() -> None:
    """Each begins with its name; what a topic has no score for has no line, and a mean may be missing."""
    assert show(ScoreView(TABLE, per_topic=True), "trec").splitlines() == [
        "runid\tall\tone",
        "AP\t1\t0.5000",
        "iP[0.01]\t1\t0.2500",
        "iP[0.01]\t2\t1.0000",
        "AP\tall\t0.5000",
        "iP[0.01]\tall\t0.6250",
        "runid\tall\ttwo\\t\\x1b",
        "AP\t1\t0.0000",
        "AP\tall\t0.0000",
        "iP[0.01]\tall\tnan",
    ]


def test_one_run_has_its_scores_only() -> None:
    """So that every line is measure, topic and number."""
    alone = ScoreTable.from_scores({("r", "1", "AP"): 1 / 3})
    assert show(alone, "trec", Look(digits=6)) == "AP\tall\t0.333333\n"


def test_what_has_no_place_there() -> None:
    """Intervals and groups are refused rather than left out."""
    with pytest.raises(ExcerptError, match="found intervals to be printed as lines of trec_eval"):
        show(ScoreView(TABLE, interval=0.95), "trec")
