"""Pool files whose passages are carried from one version of the documents to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from excerpt.pooling.pool_file import COLUMNS, FIRST, encode_pool, pool_of
from excerpt.pooling.pools import Passage, Pool, PoolInput, PoolItem

if TYPE_CHECKING:
    from excerpt.formats.source import Source
    from excerpt.placing.aligned_files import SpanCarrier

#: Carries a passage of a topic and document: its document, start and end now; None if it is gone.
_Carry: TypeAlias = Callable[[str, str, int, int], tuple[str, int, int] | None]
#: Columns that no run or judgments have.
_OWN = {"stratum", "passages", "runs"}


def aligned_pool(
    source: Source, carrier: SpanCarrier, *, fingerprint: bool
) -> tuple[bytes, dict[str, str]] | None:
    """Carry a pool; return its new file, and the fingerprints of its documents. None for another file.

    A passage that is gone is left out, and so is an item of which nothing is left: a pooled passage, or a
    pooled document that the new version lacks.
    """
    if not _is_pool(source):
        return None
    from excerpt.records.fingerprints import beside, compare_texts

    pool, alignment = pool_of(source), carrier.alignment
    compare_texts(source.name, beside(source.name), alignment.old.known_hash, pool.documents)

    @cache  # a passage that several runs returned is one span
    def carry(topic: str, document: str, start: int, end: int) -> tuple[str, int, int] | None:
        there = carrier.carry(None, topic, document, start, end)
        return None if there.how == "gone" else (there.document, there.start, there.end)

    items = list(_carried(pool, carry, alignment.document))
    moved = any((one.start, one.end) != one.carried[1:3] for one in carrier.spans)
    # The digest of a run is that of other offsets, if some differ.
    inputs = [PoolInput(one.name, one.path, "" if moved else one.sha256) for one in pool.inputs]
    made = Pool.of(items, unit=pool.unit, inputs=inputs, settings=pool.settings)
    if pool.results is not None:
        rows = [pool.topics.index(topic) for topic in made.topics]
        made = replace(made, results=pool.results[np.array(rows, np.int64)])
    hashes = {name: alignment.new.hash(name) for name in made.documents} if fingerprint else {}
    return b"".join(encode_pool(made)), hashes


def _is_pool(source: Source) -> bool:
    """Return whether a file is a pool by its head, or by its columns."""
    if source.form not in {"columns", "table"}:
        return False
    if source.beginning.startswith(FIRST.rsplit(maxsplit=1)[0].encode()):
        return True
    names = {*source.header}
    return {"topic", "document"} <= names <= {*COLUMNS} and not names.isdisjoint(_OWN)


def _carried(pool: Pool, carry: _Carry, document_now: Callable[[str], str | None]) -> Iterator[PoolItem]:
    """Yield the items of which something is left, each with its document and passages now."""
    for item in pool.items:
        groups = [[_there(item, one, carry) for one in group] for group in item.passages]
        left = [there for group in groups for _, there in group if there is not None]
        if pool.unit == "passage" and left:
            now: str | None = left[0][0]
        else:
            had = any(start >= 0 for group in item.passages for _, start, _ in group)
            now = None if pool.unit == "passage" and had else document_now(item.document)
        if now is None:
            continue
        passages = tuple(tuple(_passage(rank, there, now) for rank, there in group) for group in groups)
        yield item._replace(document=now, passages=passages)


def _there(item: PoolItem, passage: Passage, carry: _Carry) -> tuple[int, tuple[str, int, int] | None]:
    """Return the rank of a result, and its place now if it has one."""
    rank, start, end = passage
    return rank, carry(item.topic, item.document, start, end) if start >= 0 else None


def _passage(rank: int, there: tuple[str, int, int] | None, document: str) -> Passage:
    """Return a result with its place now, or without one if that is not in the document of its item."""
    return (rank, *there[1:]) if there is not None and there[0] == document else (rank, -1, -1)
