"""The study of the paper: the same outcomes as of its three experiments; experiments by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from excerpt import Notices, Policy, collection, evaluate
from excerpt.errors import UnknownName
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
