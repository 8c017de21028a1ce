"""Generated cases look where it matters: at runs whose results overlap."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import Phase, given, settings
from support.oracle import Asked, Topic, score_all
from support.strategies import Case, cases

from excerpt import Policy


@pytest.mark.slow
def test_generated_runs_overlap_and_tell_the_policies_apart() -> None:
    """About half of the generated runs overlap, and first, penalise and allow give different scores."""
    seen = Counter[str]()

    @settings(max_examples=150, derandomize=True, database=None, phases=[Phase.generate])
    @given(cases())
    def look(case: Case) -> None:
        topics = case.topics(Topic)
        found = {
            overlap: score_all(Asked("AiP"), topics, Policy(overlap=overlap))
            for overlap in ("error", "first", "penalise", "allow")
        }
        seen["cases"] += 1
        seen["overlap"] += found["error"] is None
        seen["first is not penalise"] += found["first"] != found["penalise"]
        seen["penalise is not allow"] += found["penalise"] != found["allow"]

    look()
    assert seen["overlap"] >= 0.4 * seen["cases"], seen
    assert seen["first is not penalise"] >= 0.15 * seen["cases"], seen
    assert seen["penalise is not allow"] >= 0.15 * seen["cases"], seen
