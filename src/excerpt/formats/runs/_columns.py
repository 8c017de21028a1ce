"""What the run formats in columns share: `topic Q0 document rank score tag …`."""

from __future__ import annotations

import numpy as np

from excerpt.formats.locate import locate
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.run import Kind, Run
from excerpt.model.spans import UNKNOWN, IntArray


def offsets(columns: Columns, number: int) -> IntArray:
    """A column of offsets, unknown where it has `X` or `-1`: the result does not exist."""
    return columns.integers(number, "offset", missing={"X", str(UNKNOWN)})


def to_run(
    source: Source,
    columns: Columns,
    start: IntArray,
    end: IntArray,
    *,
    kind: Kind = "spans",
    element: IntArray | None = None,
    paths: tuple[str, ...] = (),
) -> Run:
    """A run from the first six columns and the spans that the format gives."""
    topics, topic = columns.names(0)
    documents, document = columns.names(2)
    rank, score = columns.integers(3, "rank"), columns.floats(4, "score")
    source.faults.settle()
    tags, _ = columns.names(5)
    if len(tags) > 1:
        source.notices.add(f"run has {len(tags)} tags, the first is its name", where=source.name)
    notice_blocks(source, topics, topic)
    return Run.grouped(
        name=tags[0] if tags else source.name,
        topics=topics,
        documents=documents,
        topic=topic,
        document=document,
        start=start,
        end=end,
        score=score,
        rank=rank,
        element=element,
        paths=paths,
        kind=kind,
        source=source.name,
        line=columns.line,
    )


def notice_blocks(source: Source, topics: tuple[str, ...], topic: IntArray) -> None:
    """Say which topics' results do not stand together (they are joined)."""
    opens = np.ones(len(topic), np.bool_)
    opens[1:] = np.diff(topic) != 0
    returns = np.flatnonzero(np.bincount(topic[opens]) > 1)
    if len(returns):
        source.notices.add(
            "topic's results stand in several blocks, they were joined",
            len(returns),
            where=f"topic {topics[int(returns[0])]} of {source.name}",
        )


def located(
    source: Source, columns: Columns, paths: tuple[str, ...], path: IntArray
) -> tuple[IntArray, IntArray, Kind]:
    """Spans of element paths if there is an index; else the run stays one of elements."""
    if source.index is None:
        unknown = np.full(len(columns), UNKNOWN, np.int64)
        return unknown, unknown, "elements"
    documents, document = columns.names(2)
    start, end = locate(source.index, documents, document, paths, path)
    return start, end, "spans"
