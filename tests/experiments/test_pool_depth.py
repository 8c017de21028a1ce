"""stability depth: deeper pools have more passages."""

from __future__ import annotations

import pytest
from small_study import small_study

from excerpt import ExcerptError
from excerpt.experiments.pool_depth import depth


def test_deeper_pools() -> None:
    """A deeper pool has more passages; the deepest ranks as the full judgments do."""
    rows = depth(*small_study(), depths=(1, 2, 3), unit="passage").rows
    assert [(row["depth"], row["passages"]) for row in rows] == [(1, 2), (2, 4), (3, 4)]
    assert rows[-1]["tau_b"] == 1.0


def test_runs_that_can_be_read_once_are_refused() -> None:
    """Runs are read twice, so standard input is refused before anybody waits for it."""
    with pytest.raises(ExcerptError, match="found standard input, which can be read once only"):
        depth(small_study()[0], ["-"])
