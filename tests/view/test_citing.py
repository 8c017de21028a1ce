"""Shares of what was cited, as text."""

from __future__ import annotations

import numpy as np

from excerpt.view.citing import funnel_note
from excerpt.view.funnel_counts import FunnelCounts

COUNTS = FunnelCounts(*(np.array(column) for column in ([10, 4], [5, 0], [1, 0], [3, 0], [2, 0], [3, 0])))


def test_a_line_for_a_topic() -> None:
    """A dash where there is nothing to have a share of."""
    said = "Citations: found 0.5000, cited of found 0.2000, not relevant 0.6667, never retrieved 1.0000."
    assert funnel_note(COUNTS, 0) == said
    dash = "\N{EN DASH}"
    said = f"Citations: found 0.0000, cited of found {dash}, not relevant {dash}, never retrieved {dash}."
    assert funnel_note(COUNTS, 1) == said
