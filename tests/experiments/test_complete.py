"""The topics that all runs have."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ExcerptError, Notices, ScoreTable
from excerpt.experiments.complete import complete_scores

VALUES = np.arange(12.0).reshape(2, 3, 2)
TABLE = ScoreTable(("a", "b"), ("a", "b"), tuple("123"), ("A", "B"), VALUES)


def test_only_topics_of_every_run_and_measure() -> None:
    """A topic that some have is left out with a notice, one that nobody has silently."""
    values = VALUES.copy()
    values[0, 1, 1] = values[:, 2] = np.nan
    doubts = Notices()
    holes = ScoreTable(TABLE.runs, TABLE.files, TABLE.topics, TABLE.measures, values)
    assert complete_scores(holes, doubts, ["A"]).tolist() == VALUES[:, :2, :1].tolist()
    assert list(doubts) == []
    assert complete_scores(holes, doubts, least=1).tolist() == VALUES[:, :1].tolist()
    assert list(doubts) == ["topic without a score of every run by A and B was left out"]


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
