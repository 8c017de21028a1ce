"""Results as columns, in the order of a file; parts that were read in different ways are put together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import short
from excerpt.formats.source import Source
from excerpt.model.run import Kind, Run, encode
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex


class Names(NamedTuple):
    """Distinct names in order of first appearance, and the code of each row's name (-1: none)."""

    distinct: tuple[str, ...]
    code: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Names:
        """The names of rows; an empty text is none."""
        distinct, code = encode(texts)
        if "" not in distinct:
            return cls(distinct, code)
        empty = distinct.index("")
        number = np.arange(len(distinct)) - (np.arange(len(distinct)) > empty)
        number[empty] = -1
        return cls((*distinct[:empty], *distinct[empty + 1 :]), number[code])

    def first(self) -> dict[str, int]:
        """The row in which each name appears first."""
        there = np.flatnonzero(self.code >= 0)[::-1]
        first = np.zeros(len(self.distinct), np.int64)
        first[self.code[there]] = there  # the last assignment is the first appearance
        return dict(zip(self.distinct, first.tolist(), strict=True))

    def take(self, rows: IntArray) -> Names:
        """Only these rows, in this order."""
        code = self.code[rows]
        first = np.full(len(self.distinct), len(code))
        there = np.flatnonzero(code >= 0)[::-1]
        first[code[there]] = there  # the last assignment is the first appearance
        order = np.argsort(first, kind="stable")[: int((first < len(code)).sum())]
        place = np.full(len(self.distinct) + 1, -1)
        place[order] = np.arange(len(order))
        return Names(tuple(self.distinct[name] for name in order.tolist()), place[code])

    def fit(self, odd: re.Pattern[str]) -> BoolArray:
        """Which rows have a name of one line in which nothing odd is found."""
        text = "\n".join(self.distinct)
        if text.count("\n") < len(self.distinct) and not odd.search(text):  # all at once
            return np.asarray(self.code >= 0)
        good = ["\n" not in name and not odd.search(name) for name in self.distinct]
        return np.array([*good, False], np.bool_)[self.code]


def join_names(parts: Sequence[Names], order: IntArray) -> Names:
    """The rows of all parts, put into an order."""
    distinct, code = encode([name for part in parts for name in part.distinct])
    code = np.append(code, -1)
    shifts = np.cumsum([0, *(len(part.distinct) for part in parts)])
    codes = [
        np.where(part.code < 0, -1, part.code + shift) for part, shift in zip(parts, shifts, strict=False)
    ]
    return Names(distinct, code[np.concatenate(codes)]).take(order)


def pair_names(first: Names, second: Names) -> Names:
    """Two names of each row with a blank between them."""
    base = max(len(second.distinct), 1)
    pairs, code = np.unique(first.code * base + second.code, return_inverse=True)
    ends = zip((pairs // base).tolist(), (pairs % base).tolist(), strict=True)
    texts = [f"{first.distinct[one]} {second.distinct[two]}" for one, two in ends]
    return Names(tuple(texts), code.astype(np.int64)).take(np.arange(len(code)))


class Results(NamedTuple):
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
    #: What some files tell of a result besides, such as `lost` and `tokens`; -1 where it is not told.
    beside: Mapping[str, IntArray] = MappingProxyType({})

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]]) -> Results:
        """From records with as many values as there are columns."""
        topics, documents, paths, *others = list(zip(*rows, strict=True)) or [()] * _VALUES
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
        pairs: list[Any] = list(zip(self[:_VALUES], others[:_VALUES], strict=True))
        columns: list[Any] = [
            join_names([one, two], order) if isinstance(one, Names) else np.concatenate((one, two))[order]
            for one, two in pairs
        ]
        told = {}
        for name in dict.fromkeys((*self.beside, *others.beside)):
            parts = [part.beside.get(name, np.full(len(part.line), UNKNOWN)) for part in (self, others)]
            told[name] = np.concatenate(parts)[order]
        return Results(*columns)._replace(beside=told)

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
            beside=self.beside,
        )


#: Columns that every file has.
_VALUES = len(Results._fields) - 1


def _notice_blocks(source: Source, topics: tuple[str, ...], topic: IntArray) -> None:
    """Say which topics' results do not stand together (they are joined)."""
    opens = np.ones(len(topic), np.bool_)
    opens[1:] = np.diff(topic) != 0
    source.notices.add_marked(
        "topic's results are in several blocks, which were joined",
        np.bincount(topic[opens]) > 1,
        lambda row: f"topic {short(topics[row])} of {source.name}",
    )


def find_spans(
    index: OffsetIndex, documents: Sequence[str], document: IntArray, paths: Sequence[str], path: IntArray
) -> tuple[IntArray, IntArray]:
    """Start and end of each (document, path); -1 where one does not exist or a range is reversed.

    A path is that of an element, or two pointers with a blank between them: the first and the last element
    of a range, or the start and the end of a passage.
    """
    codes = index.document_codes(list(documents))[document]
    start, end = np.full(len(path), -1, np.int64), np.full(len(path), -1, np.int64)
    double = np.array([" " in text for text in paths], np.bool_)[path]
    single = np.flatnonzero(~double)
    if len(single):
        found = index.resolve(codes[single], [paths[code] for code in path[single].tolist()])
        start[single], end[single] = found.start, found.end
    passages = np.flatnonzero(double)
    if len(passages):
        pointers = [paths[code].split(" ") for code in path[passages].tolist()]
        low = index.resolve_pointers(codes[passages], [pointer[0] for pointer in pointers], end=False)
        high = index.resolve_pointers(codes[passages], [pointer[1] for pointer in pointers], end=True)
        good = (low >= 0) & (high >= low)
        start[passages], end[passages] = np.where(good, low, -1), np.where(good, high, -1)
    return start, end
