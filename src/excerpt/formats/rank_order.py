"""Rank order: by file, rank or score, with a notice where the three disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.run import Order, Run
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex


def arrange(run: Run, order: Order, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """Put the results of each topic into the order asked for; whole documents become spans by an index."""
    name = run.source or run.name
    if order == "rank" and bool((run.rank == UNKNOWN).any()):
        raise ExcerptError("has results without a rank", path=name, hint="try ⟨order=file⟩ or ⟨order=score⟩")
    if order == "score" and bool(np.isnan(run.score).any()):
        raise ExcerptError("has results without a score", path=name, hint="try ⟨order=file⟩ or ⟨order=rank⟩")
    if order == "file":
        _count(notices, run, "ranks", np.where(run.rank == UNKNOWN, np.nan, run.rank))
        _count(notices, run, "scores", -run.score)
    return _size_documents(run.ordered(order), index)


def arrange_made(run: Run, order: Order | None, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """As `arrange`, for a run that was read or made before: it may have been put in order by rank."""
    if order is not None:
        return arrange(run, order, index=index, notices=notices)
    if bool((run.rank == UNKNOWN).any()) or bool(_falls(run, run.rank).any()):
        _count(notices, run, "scores", -run.score)
    return _size_documents(run, index)


def _falls(run: Run, keys: IntArray | FloatArray) -> BoolArray:
    """Where a result has a smaller key than the one before it (NaN never has)."""
    falls: BoolArray = (keys[1:] < keys[:-1]) & (np.diff(run.topic) == 0)
    return falls  # no differences of keys: scores may be infinite


def _count(notices: Notices, run: Run, what: str, keys: FloatArray) -> None:
    """Count the topics whose results do not ascend by `keys`."""
    falls = _falls(run, keys)
    if falls.any():
        topics = np.unique(run.topic[1:][falls])
        notices.add(
            f"topic's results are not in the order of their {what}; the order given counts",
            len(topics),
            where=f"topic {short(run.topics[int(topics[0])])} of {run.source or run.name}",
        )


def _size_documents(run: Run, index: OffsetIndex | None) -> Run:
    """Whole documents become spans where the index knows their length."""
    if run.kind != "documents" or index is None:
        return run
    from dataclasses import replace

    codes = index.document_codes(run.documents)
    sizes = index.document_sizes(codes)
    end = sizes[run.document] if len(run) else run.document
    return replace(run, kind="spans", start=np.where(end < 0, -1, 0), end=end)
