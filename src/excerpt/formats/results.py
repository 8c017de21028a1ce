"""Results as columns, in the order of a file; parts that were read in different ways are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from excerpt.errors import short
from excerpt.formats.names import Names, join_names
from excerpt.formats.paths_to_spans import find_spans
from excerpt.formats.source import Source
from excerpt.model.run import Kind, Run, encode
from excerpt.model.spans import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Results:
    """Columns of a run, one row per result."""

    topics: Names
    documents: Names
    #: A path, or two pointers with a blank between them.
    paths: Names
    start: IntArray
    end: IntArray
    #: Whether the file itself says where the text is.
    has_span: BoolArray
    rank: IntArray
    score: FloatArray
    line: IntArray

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]]) -> Results:
        """From records with as many values as there are columns."""
        topics, documents, paths, *others = list(zip(*rows, strict=True)) or [()] * len(fields(cls))
        start, end, has_span, rank, score, line = others
        return cls(
            Names(*encode(topics)),
            Names(*encode(documents)),
            Names.of(paths),
            np.array(start, np.int64),
            np.array(end, np.int64),
            np.array(has_span, np.bool_),
            np.array(rank, np.int64),
            np.array(score, np.float64),
            np.array(line, np.int64),
        )

    def merge(self, others: Results, place: IntArray) -> Results:
        """Together with others; `place` says how many of the others come before each row."""
        if not len(others.line):
            return self
        order = np.argsort(np.concatenate((place, np.arange(len(others.line)) + 0.5)), kind="stable")
        columns: list[Any] = []
        for column in fields(self):
            one, two = getattr(self, column.name), getattr(others, column.name)
            names = isinstance(one, Names)
            columns.append(join_names([one, two], order) if names else np.concatenate((one, two))[order])
        return Results(*columns)

    def to_run(self, source: Source, name: str, kind: Kind | None = None) -> Run:
        """The run; paths become spans where there is an index, unless the kind is known."""
        _notice_blocks(source, *self.topics)
        (documents, document), (paths, element) = self.documents, self.paths
        start, end = self.start, self.end
        wanting = np.flatnonzero(~self.has_span & (element >= 0)) if kind is None else np.zeros(0, np.int64)
        if len(wanting) and source.index is not None:
            start, end = start.copy(), end.copy()
            start[wanting], end[wanting] = find_spans(
                source.index, documents, document[wanting], paths, element[wanting]
            )
        elif len(wanting):
            kind = "elements"
        return Run.grouped(
            name=name,
            topics=self.topics.distinct,
            documents=documents,
            topic=self.topics.code,
            document=document,
            start=start,
            end=end,
            score=self.score,
            rank=self.rank,
            element=element,
            paths=paths,
            kind=kind or "spans",
            source=source.name,
            line=self.line,
        )


def _notice_blocks(source: Source, topics: tuple[str, ...], topic: IntArray) -> None:
    """Say which topics' results do not stand together (they are joined)."""
    opens = np.ones(len(topic), np.bool_)
    opens[1:] = np.diff(topic) != 0
    returns = np.flatnonzero(np.bincount(topic[opens]) > 1)
    if len(returns):
        source.notices.add(
            "topic's results stand in several blocks, they were joined",
            len(returns),
            where=f"topic {short(topics[int(returns[0])])} of {source.name}",
        )
