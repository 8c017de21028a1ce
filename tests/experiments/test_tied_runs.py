"""Runs that score the same are named, in every experiment that ranks runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.small_study import small_study

from excerpt import Judgments, Notices, Result, Run, ScoreTable, Span
from excerpt.experiments.correlation import correlate
from excerpt.experiments.pool_depth import depth, unpooled
from excerpt.experiments.stability import errors, pool, topics
from excerpt.experiments.study import warn_tied_runs

RUNS = tuple("abcdef")
#: b and e have the same mean from other scores; c, d and f are 0 everywhere.
VALUES = np.array([[0.9, 0.8, 0.7], [0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0], [0.3, 0.2, 0.1], [0, 0, 0]])
TABLE = ScoreTable(
    RUNS, RUNS, ("1", "2", "3"), ("A", "B"), np.stack([VALUES, VALUES + np.arange(6)[:, None]], 2)
)
TIED = "5 of 6 runs score the same by A, {} (b = e, c = d = f)"


@pytest.mark.parametrize(
    ("study", "so"),
    [(topics, "so tau measures the ties"), (errors, "so neither of two is better")],
)
def test_tied_runs_are_named(study: Any, so: str) -> None:
    """With how many they are; a measure without ties is not named."""
    found = [line for line in study(TABLE, notices=Notices()).warnings if "score the same" in line]
    assert found == [TIED.format(so)]


def test_tied_runs_of_a_correlation() -> None:
    """Each ranking once, whatever the number of its pairs; runs without a score do not tie."""
    found = [line for line in correlate(TABLE, notices=Notices()).warnings if "score the same" in line]
    assert found == [TIED.format("so tau measures the ties")]
    some = VALUES.copy()
    some[3:] = np.nan
    other = ScoreTable(RUNS, RUNS, ("1", "2", "3"), ("A", "B"), np.stack([some, VALUES], 2))
    found = [line for line in correlate(other, notices=Notices()).warnings if "score the same" in line]
    assert found == [TIED.format("so tau measures the ties").replace(" A,", " B,")]


@pytest.mark.parametrize("study", [pool, depth, unpooled])
def test_tied_runs_by_passages(study: Any) -> None:
    """Experiments that change the judgments warn of ties on the whole judgments."""
    judgments = Judgments.of([(topic, Span("x", 0, 10)) for topic in "123"], sizes={"x": 100})
    runs = [
        Run.of(name, [Result(topic, "x", start, start + 5) for topic in "123"])
        for name, start in (("good", 0), ("bad", 50), ("worse", 60))
    ]
    more = {"least": 1} if study is pool else {}
    warnings = study(judgments, runs, ["charR"], notices=Notices(), **more).warnings
    so = "so they share a rank" if study is unpooled else "so tau measures the ties"
    assert f"2 of 3 runs score the same by charR, {so} (bad = worse)" in warnings
    assert not any(
        "score the same" in line for line in study(*small_study(), notices=Notices(), **more).warnings
    )


def test_many_names() -> None:
    """The first thirty are named, and the others counted."""
    notices = Notices()
    warn_tied_runs([f"r{place}" for place in range(35)], np.zeros(35), "P", notices)
    (line,) = notices
    assert line.startswith("35 of 35 runs score the same by P, so tau measures the ties (r0 = r1 = ")
    assert line.endswith(" = r29 and 5 more)")
