"""The one table of judgments: what each judge found in a document for a topic, with grade and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from excerpt.model.judgments import Judgments, Question, collect_judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN


class JudgedRow(NamedTuple):
    """A judgment: passages, and what is known about who made it and when."""

    topic: str
    document: str
    spans: tuple[tuple[int, int], ...] = ()
    #: Grade of the whole document; None if there is none.
    grade: int | None = None
    #: Names of the assessors, several if their judgments were merged; none if unknown.
    assessors: tuple[str, ...] = ()
    #: Time as the file has it, empty if unknown.
    time: str = ""
    #: Length of the document, -1 if unknown.
    size: int = UNKNOWN

    @property
    def judge(self) -> str:
        """Return the assessors as one name."""
        return ", ".join(self.assessors)

    @property
    def level(self) -> int:
        """Return the grade; without one 1 for a document with passages, else 0."""
        return int(bool(self.spans)) if self.grade is None else self.grade

    def known(self) -> dict[str, Any]:
        """Return grade, assessors and time as far as they are known."""
        found = {"grade": self.grade, "assessors": list(self.assessors) or None, "time": self.time or None}
        return {key: value for key, value in found.items() if value is not None}


def join_rows(rows: Iterable[JudgedRow]) -> list[JudgedRow]:
    """Join the rows of a judge on a document: all passages, the highest grade, the last time.

    >>> a = JudgedRow("1", "A", ((0, 4),), assessors=("ann",))
    >>> join_rows([a, a._replace(spans=((9, 12),), grade=2)])[0][2:4]
    (((0, 4), (9, 12)), 2)
    """
    joined: dict[tuple[str, str, tuple[str, ...]], list[JudgedRow]] = {}
    for row in rows:
        joined.setdefault((row.topic, row.document, row.assessors), []).append(row)
    return [same[0] if len(same) == 1 else _one_of(same) for same in joined.values()]


def _one_of(rows: Sequence[JudgedRow]) -> JudgedRow:
    grades = [row.grade for row in rows if row.grade is not None]
    return rows[0]._replace(
        spans=tuple(dict.fromkeys(span for row in rows for span in row.spans)),
        grade=max(grades) if grades else None,
        time=max(row.time for row in rows),
        size=max(row.size for row in rows),
    )


def judgments_of_rows(
    rows: Sequence[JudgedRow], *, source: str = "", questions: Mapping[str, Question] | None = None
) -> Judgments:
    """Return judgments with the text that any judge found; `rows` keeps who found what.

    >>> row = JudgedRow("1", "A", ((0, 4),), assessors=("ann",))
    >>> found = judgments_of_rows([row, row._replace(spans=((2, 9),), assessors=("bob",))])
    >>> found.highlights("1"), len(found.rows)
    ([Span(document='A', start=0, end=9)], 2)
    """
    rows = join_rows(rows)
    whole = bool(rows) and not any(row.spans for row in rows) and any(row.grade is not None for row in rows)
    topics, topic = encode([row.topic for row in rows])
    documents, document = encode([row.document for row in rows])
    at = np.array([at for at, row in enumerate(rows) for _ in row.spans or ((0, 0),)], np.int64)
    spans = [span for row in rows for span in row.spans or ((0, 0),)]
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    size, entry = np.array([row.size for row in rows], np.int64)[at], np.full(len(at), UNKNOWN, np.int64)
    level = np.array([row.level for row in rows], np.int64)[at]
    if whole:
        end, size = (level > 0).astype(np.int64), np.ones_like(size)
    judgments = collect_judgments(
        topics,
        documents,
        topic[at],
        document[at],
        start,
        end,
        size=size,
        entry=entry,
        scale="documents" if whole else "highlights",
        source=source,
        questions=questions,
        grade=level if whole else None,
    )
    return replace(judgments, rows=tuple(rows))
