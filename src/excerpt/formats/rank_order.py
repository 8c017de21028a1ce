"""Rank order: by file, rank or score, with a notice where the three disagree."""

from __future__ import annotations

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.formats.source import Source
from excerpt.model.run import NO_RANK, Order, Run
from excerpt.model.spans import FloatArray


def arrange(run: Run, order: Order, source: Source) -> Run:
    """Put the results of each topic into the order asked for."""
    if order == "rank" and bool((run.rank == NO_RANK).any()):
        raise ExcerptError(
            "has results without a rank", path=source.name, hint="try ⟨order=file⟩ or ⟨order=score⟩"
        )
    if order == "score" and bool(np.isnan(run.score).any()):
        raise ExcerptError(
            "has results without a score", path=source.name, hint="try ⟨order=file⟩ or ⟨order=rank⟩"
        )
    _notice_disagreement(run, order, source)
    return _sized(run.ordered(order), source)


def _notice_disagreement(run: Run, order: Order, source: Source) -> None:
    if order == "file":
        _count(source, run, "ranks", np.where(run.rank == NO_RANK, np.nan, run.rank))
        _count(source, run, "scores", -run.score)


def _count(source: Source, run: Run, what: str, keys: FloatArray) -> None:
    """Count the topics whose results do not ascend by `keys` (NaN never descends)."""
    falls = (keys[1:] < keys[:-1]) & (np.diff(run.topic) == 0)  # no differences: scores may be infinite
    if falls.any():
        topics = np.unique(run.topic[1:][falls])
        source.notices.add(
            f"topic's results are not in the order of their {what}; the order of the file counts",
            len(topics),
            where=f"topic {short(run.topics[int(topics[0])])} of {source.name}",
        )


def _sized(run: Run, source: Source) -> Run:
    """Whole documents become spans where the index knows their length."""
    if run.kind != "documents" or source.index is None:
        return run
    from dataclasses import replace

    codes = source.index.document_codes(run.documents)
    sizes = np.where(codes >= 0, source.index.document_sizes(np.maximum(codes, 0)), -1)
    end = sizes[run.document] if len(run) else run.document
    return replace(run, kind="spans", start=np.where(end < 0, -1, 0), end=end)
