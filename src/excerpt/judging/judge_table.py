"""Judgments of several judges on the same documents, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from excerpt.bridges.judged_rows import JudgedRow
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.model.judgments import Judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray, KeyedSpans
from excerpt.notices import Notices


class Judge(NamedTuple):
    """What one judge judged: a row for each topic and document, with the grade and the highlights."""

    name: str
    topics: Sequence[str]
    documents: Sequence[str]
    topic: IntArray
    document: IntArray
    grade: IntArray
    #: Length of each document, -1 if unknown.
    size: IntArray
    #: Highlights by row; None for judgments of whole documents.
    spans: KeyedSpans | None

    @classmethod
    def of(cls, name: str, judgments: Judgments) -> Judge:
        """Return the judgments of a file: grades as they are, else 1 for documents with relevant text."""
        grade = judgments.grades
        whole = judgments.scale == "documents"
        if grade is None:
            grade = (judgments.relevant_by_pair > 0).astype(np.int64)
            if judgments.elements is not None and not len(judgments.spans):
                elements = judgments.elements
                np.maximum.at(grade, elements.pair, (elements.exhaustivity > 0).astype(np.int64))
                whole = True
        return cls(
            name,
            judgments.topics,
            judgments.documents,
            judgments.pair_topic,
            judgments.pair_document,
            grade,
            judgments.pair_size if not whole else np.full(len(judgments), UNKNOWN, np.int64),
            None if whole else judgments.spans,
        )

    def taken(self, kept: BoolArray) -> Judge:
        """Return some of the rows."""
        columns = {name: getattr(self, name)[kept] for name in ("topic", "document", "grade", "size")}
        return self._replace(**columns, spans=None if self.spans is None else _kept_spans(self.spans, kept))


def _kept_spans(spans: KeyedSpans, kept: BoolArray) -> KeyedSpans:
    """Return the spans of those rows that are kept."""
    inside = kept[spans.group]
    group = (np.cumsum(kept) - 1)[spans.group[inside]]
    return KeyedSpans(group, spans.start[inside], spans.end[inside])


def judges_of(name: str, judgments: Judgments) -> list[Judge]:
    """Return the judges of a file: those that its rows name, else one with the name of the file."""
    rows: dict[str, list[JudgedRow]] = {}
    for row in judgments.rows:
        rows.setdefault(row.judge or name, []).append(row)
    if not rows:
        return [Judge.of(name, judgments)]
    whole = judgments.scale == "documents"
    return [judge_of_rows(judge, own, whole=whole) for judge, own in rows.items()]


def judge_of_rows(name: str, rows: Sequence[JudgedRow], *, whole: bool) -> Judge:
    """Return what one judge judged; judgments of `whole` documents have no highlights."""
    topics, topic = encode([row.topic for row in rows])
    documents, document = encode([row.document for row in rows])
    grade, size = np.array([(row.level, row.size) for row in rows], np.int64).reshape(-1, 2).T
    spans = [(at, *span) for at, row in enumerate(rows) for span in row.spans]
    marked = KeyedSpans.union(*np.array(spans, np.int64).reshape(-1, 3).T)
    return Judge(name, topics, documents, topic, document, grade, size, None if whole else marked)


@dataclass(frozen=True, eq=False)
class JudgeTable:
    """Judgments of several judges: a row for each judge, topic and document."""

    judges: tuple[str, ...]
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    judge: IntArray
    #: Number of the judged unit, a document for a topic; units are in the order of the first judge.
    unit: IntArray
    grade: IntArray
    #: Topic and document of each unit.
    unit_topic: IntArray
    unit_document: IntArray
    #: Length of the document of each unit, -1 if unknown.
    length: IntArray
    spans: KeyedSpans
    #: Which judges highlighted text.
    highlighted: BoolArray

    @classmethod
    def of(cls, judges: Sequence[Judge], notices: Notices) -> JudgeTable:
        """Put judgments together; grades below 0 mean that a document is not judged, and are counted."""
        topics: dict[str, int] = {}
        documents: dict[str, int] = {}
        columns, shift, below = [], 0, 0
        spans = [(np.zeros(0, np.int64),) * 3]
        for number, judge in enumerate(judges):
            kept = judge.grade >= 0
            below += int((~kept).sum())
            own = judge.taken(kept)
            topic = _codes(own.topics, topics)[own.topic]
            document = _codes(own.documents, documents)[own.document]
            columns.append((topic, document, own.grade, own.size, np.full(len(topic), number, np.int64)))
            if own.spans is not None:
                spans.append((own.spans.group + shift, own.spans.start, own.spans.end))
            shift += len(topic)
        notices.add(
            "judgment has a grade below 0 and counts as not judged",
            "judgments have a grade below 0 and count as not judged",
            below,
        )
        topic, document, grade, size, judge_ = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        units, unit = np.unique(topic * max(len(documents), 1) + document, return_inverse=True)
        length = np.full(len(units), UNKNOWN, np.int64)
        np.maximum.at(length, unit, size)
        return cls(
            tuple(judge.name for judge in judges),
            tuple(topics),
            tuple(documents),
            judge_,
            unit,
            grade,
            units // max(len(documents), 1),
            units % max(len(documents), 1),
            length,
            KeyedSpans.union(*(np.concatenate(parts) for parts in zip(*spans, strict=True))),
            np.array([judge.spans is not None for judge in judges], np.bool_),
        )

    @cached_property
    def judged(self) -> IntArray:
        """Number of judges of each unit."""
        return np.bincount(self.unit, minlength=len(self.unit_topic)).astype(np.int64)

    def rows(self, kept: BoolArray) -> JudgeTable:
        """Return some judgments; units keep their numbers."""
        columns = {name: getattr(self, name)[kept] for name in ("judge", "unit", "grade")}
        return replace(self, **columns, spans=_kept_spans(self.spans, kept))

    def by_topic(self) -> Iterator[tuple[str, JudgeTable]]:
        """Yield the judgments of each topic with a document that two or more judged."""
        common = np.unique(self.unit_topic[self.judged > 1])
        topic = self.unit_topic[self.unit]
        for code in common.tolist():
            yield self.topics[code], self.rows(topic == code)

    def common(self, one: int, two: int) -> tuple[IntArray, IntArray]:
        """Return the rows of two judges on the units that both judged, in the same order."""
        first, second = (np.flatnonzero(self.judge == number) for number in (one, two))
        _, at, other = np.intersect1d(
            self.unit[first], self.unit[second], assume_unique=True, return_indices=True
        )
        return first[at], second[other]

    def measured(self, length: IntArray) -> JudgeTable:
        """Return the judgments with the length of each unit's document; text beyond it is an error."""
        own = length[self.unit[self.spans.group]]
        beyond = np.flatnonzero((own != UNKNOWN) & (self.spans.end > own))
        if len(beyond):
            at = int(beyond[0])
            row = int(self.spans.group[at])
            unit = self.unit[row]
            where = f"topic {short(self.topics[self.unit_topic[unit]])} document "
            where += short(self.documents[self.unit_document[unit]])
            raise ExcerptError(
                f"found relevant text up to {self.spans.end[at]} by {short(self.judges[self.judge[row]])} in "
                f"{where}, expected at most {own[at]}, the length of the document",
                hint="were both judged in the same version, with offsets in characters?",
            )
        return replace(self, length=length)

    def check_common(self) -> None:
        """Raise an error if no document has two judges."""
        if len(self.judges) < 2:
            raise ExcerptError(
                f"found {plural(len(self.judges), 'judge')} ({short_list(self.judges, 3)}), expected two",
                hint="give two files, or one whose rows name their assessors",
            )
        if not (self.judged > 1).any():
            examples = (
                f"{short(self.judges[number])}: topic {short(self.topics[self.unit_topic[unit]])} document "
                f"{short(self.documents[self.unit_document[unit]])}"
                for number in range(2)
                for unit in self.unit[self.judge == number][:1].tolist()
            )
            raise ExcerptError(
                f"the judges have no document in common ({'; '.join(examples) or 'nothing is judged'})",
                hint="are topics and documents named the same way?",
            )


def _codes(names: Sequence[str], known: dict[str, int]) -> IntArray:
    return np.array([known.setdefault(name, len(known)) for name in names], np.int64)
