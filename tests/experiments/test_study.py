"""Studies: what `evaluate` takes, and measures that a pool of passages says something about."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments, Notices, Result, Run, Span
from excerpt.experiments.study import NEVER, Study

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
    with pytest.raises(ExcerptError, match="found nxCG@5, expected measures that read highlighted text"):
        Study.of(JUDGMENTS, RUN, ["MAiP", "nxCG@5"])
