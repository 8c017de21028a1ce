"""The study of the paper: the same outcomes as of its three experiments; experiments by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from excerpt import Notices, Policy, ScoreTable, collection, evaluate, read_judgments, read_run
from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.paper import stability, whole_study

MEASURES = ("MAiP", "iP[0.01]", "charF", "charP[5]", "articleAP", "gR[3]", "IoU", "EPRUM(L=6000)")
RUNS = tuple(
    run.path for run in collection.runs() if run.name in {"p-bm25", "sent-bm25", "random-p", "thorough-bm25"}
)
GIVEN: Any = (collection.qrels(), RUNS, MEASURES)
POLICY = Policy(overlap="first", interleaved="regroup")


@pytest.mark.slow
@pytest.mark.parametrize("include_empty", [True, False])
@pytest.mark.parametrize("only_run_topics", [True, False])
def test_the_whole_study_is_its_parts(*, include_empty: bool, only_run_topics: bool) -> None:
    """The same outcomes as of the three experiments, also of a measure that some topics have no score for."""
    policy = replace(POLICY, include_empty=include_empty, only_run_topics=only_run_topics)
    options: dict[str, Any] = {"levels": (60, 20), "samples": 3, "seed": 5}
    found = whole_study(*GIVEN, policy=policy, **options)
    table = evaluate(*GIVEN, policy=policy)
    expected = {
        "pool": stability("pool", *GIVEN, policy=policy, **options),
        "topics": stability("topics", table, **options),
        "errors": stability("errors", table, **options),
    }
    for name, outcome in expected.items():
        assert found[name].to_json() == outcome.to_json()


def test_unknown_experiments() -> None:
    """The known ones are named."""
    with pytest.raises(UnknownName, match="unknown experiment 'pools'; did you mean 'pool'"):
        stability("pools", *GIVEN)


def test_doubts_are_said_once() -> None:
    """Notices that were given have every doubt once, and each outcome its own."""
    notices = Notices()
    found = whole_study(*GIVEN, policy=POLICY, levels=(50,), samples=2, notices=notices)
    (left_out,) = (text for text in notices if "fewer than 10 relevant passages" in text)
    assert "times" in left_out
    assert found["pool"].warnings.count(left_out) == 1
    assert left_out not in found["topics"].warnings


def test_missing_topics_are_counted_once() -> None:
    """Topics that a run lacks are as many as `evaluate` counts, although samples are scored too."""
    judgments = read_judgments(collection.qrels(), notices=Notices())
    kept = np.flatnonzero(np.array(read_run(RUNS[0]).topic) > 4)
    runs = [read_run(RUNS[0]).take(kept), read_run(RUNS[1])]
    once, whole = Notices(), Notices()
    evaluate(judgments, runs, ["charF"], notices=once)
    whole_study(judgments, runs, ["charF"], levels=(50,), samples=2, notices=whole)
    (said,) = (text for text in once if "no results in the run" in text)
    assert said in list(whole)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"levels": "x"}, "levels: found 'x', expected whole numbers of at least 1"),
        ({"samples": "x"}, "samples: found 'x', expected a whole number of at least 1"),
        ({"seed": -1}, "seed: found '-1', expected a whole number of at least 0"),
    ],
    ids=str,
)
def test_options_are_checked_in_python_too(options: dict[str, Any], said: str) -> None:
    """An option that the command line would refuse is refused in the same words."""
    table = ScoreTable.from_scores({(run, t, "P"): 0.5 for run in "ab" for t in "123"})
    with pytest.raises(ExcerptError, match=said):
        stability("topics", table, **options)
