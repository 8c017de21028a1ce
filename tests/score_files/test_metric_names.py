"""Names of means for experiment trackers and monitors."""

from __future__ import annotations

import re

import numpy as np
import pytest

import excerpt
from excerpt.measures import registry
from excerpt.score_files.metric_names import metric_name


def test_names_are_those_that_trackers_take() -> None:
    """Letters, digits and underscores, not a digit first, for the name of every measure."""
    for name in [*registry(), "recall@5", "recall(budget=1000, cost=tokens)@20", "5@5", "iP[0.01]"]:
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", metric_name(name)), name
    assert metric_name("recall(budget=1000, cost=tokens)@20") == "recall_budget_1000_cost_tokens_at_20"


def test_means_of_a_run() -> None:
    """Names that fall together are numbered; measures without a mean are left out."""
    table = excerpt.ScoreTable(
        ("a", "b"), ("", ""), ("1",), ("x(y)", "x[y]", "z"), np.array([[[0.5, 0.25, np.nan]], [[1, 1, 1]]])
    )
    assert table.metrics("a") == {"x_y": 0.5, "x_y_2": 0.25}
    with pytest.raises(excerpt.ExcerptError, match="found 2 runs"):
        table.metrics()
    with pytest.raises(excerpt.ExcerptError, match="unknown run 'c'"):
        table.metrics("c")
