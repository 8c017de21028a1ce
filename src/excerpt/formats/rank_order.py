"""Rank order: by file, rank or score, with a notice where the three disagree."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

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
    codes = index.document_codes(run.documents)
    sizes = index.document_sizes(codes)
    end = sizes[run.document] if len(run) else run.document
    return replace(run, kind="spans", start=np.where(end < 0, -1, 0), end=end)


class Scored(NamedTuple):
    """A run whose scores keep its order; and for how many topics they are not those that it had."""

    run: Run
    replaced: int


def score_documents(run: Run) -> Scored:
    """Each document of a topic once, where it first occurs, for formats in which scores decide the order.

    Where a topic's scores, ties by document id, descending, would not keep its order, or are missing, numbers
    that fall by one take their place. Ranks are left to be counted.
    """
    first = np.sort(np.unique(run.topic * max(len(run.documents), 1) + run.document, return_index=True)[1])
    kept = run.take(first)
    bounds = [*np.flatnonzero(np.diff(kept.topic, prepend=-1)).tolist(), len(kept)]
    score, replaced = kept.score.copy(), 0
    for begin, end in pairwise(bounds):
        names = [run.documents[code] for code in kept.document[begin:end].tolist()]
        if not _keep_order(score[begin:end], names):
            score[begin:end] = np.arange(end - begin, 0, -1)
            replaced += 1
    return Scored(replace(kept, score=score, rank=np.full(len(kept), UNKNOWN)), replaced)


def _keep_order(scores: FloatArray, documents: list[str]) -> bool:
    """Whether results sorted by score stay as they are, also by a program that reads single precision."""
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    sorted_ = all(
        one > two
        for numbers in (scores.tolist(), single.tolist())
        for one, two in pairwise(zip(numbers, documents, strict=True))
    )
    return sorted_ and not bool(np.isnan(scores).any())
