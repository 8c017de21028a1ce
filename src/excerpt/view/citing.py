"""What of a report's runs gets from relevant to cited text, in words: for a topic, and in all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from excerpt.view.funnel_counts import FunnelCounts
from excerpt.view.funnels import Flow
from excerpt.view.kept import Kept

_SHARES = ("Found", "Cited of found", "Not relevant", "Never retrieved")


def funnel_note(counts: FunnelCounts, topic: int) -> str:
    """What of a topic gets through to citations, in a line."""
    named = zip(_SHARES, _shares(counts, topic), strict=True)
    return f"Citations: {', '.join(f'{name.lower()} {share}' for name, share in named)}."


def funnel_table(names: Sequence[str], kept: Sequence[Kept], cited: str) -> dict[str, Any]:
    """What gets from relevant to cited text through each run, for the overview."""
    counted = [(name, run.funnel) for name, run in zip(names, kept, strict=True) if run.funnel is not None]
    return {
        "title": "From retrieved to cited text",
        "note": f"{cited}; shares of characters, all topics together",
        "columns": ["Retrieved", *_SHARES],
        "rows": [[name, *_shares(counts)] for name, counts in counted],
    }


def _shares(counts: FunnelCounts, topic: int | None = None) -> list[str]:
    """The four shares of a topic, or of all topics together, as text; a dash where there is nothing."""
    flow = Flow(*(int(column.sum() if topic is None else column[topic]) for column in counts))
    return ["\u2013" if share is None else f"{share:.4f}" for share in flow.shares.values()]
