"""Judgments as callers give them: relevant text, or grades of whole documents, in rows of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.given import GRADES, Given, Places
from excerpt.model.questions import Question
from excerpt.model.rows import list_highlight, list_names
from excerpt.model.spans import UNKNOWN, IntArray, check_spans, whole_numbers
from excerpt.notices import Notices

_FIELDS = ("topic", "document", "start", "end")
_EXPECTED = "relevant text: topic, document, start, end"
#: What rows may tell of a question besides.
_ASKED = ("question", "group")


class JudgedRows(NamedTuple):
    """One row for each span; an empty one only says that its document was judged."""

    topics: list[str]
    documents: list[str]
    start: IntArray
    end: IntArray
    size: IntArray
    entry: IntArray
    #: Grades of whole documents, where these were judged.
    grade: IntArray | None
    questions: dict[str, Question]


def judged_rows(highlights: object, irrelevant: Iterable[Any], notices: Notices) -> JudgedRows:
    """What rows say is relevant, and pairs of topic and document that are judged irrelevant."""
    given, asked = _split(Given.of(highlights, _FIELDS, list_highlight, _EXPECTED))
    topics, documents = given.names("topic"), given.names("document")
    rows = list(zip(topics, documents, strict=True))
    given.notice_unknown(notices, (*GRADES, *_ASKED))
    places = Places.of(given, rows, graded=True)
    questions = _questions(given, topics) | _questions(asked, asked.names("topic"))
    grade = _grades(given, by_score=not places.told.any() and "spans" not in given.columns)
    size, entry = given.whole("size"), given.whole("bep")
    if grade is not None and not places.told.any() and "spans" not in given.columns:
        ones = np.ones(given.count, np.int64)
        relevant = (grade > 0).astype(np.int64)
        judged = JudgedRows(topics, documents, 0 * ones, relevant, ones, relevant - 1, grade, questions)
        return _with_irrelevant(judged, irrelevant)
    row, start, end = _spans(given, rows, places)
    good = (np.ones(given.count, np.bool_) if grade is None else grade > 0)[row]
    start, end = np.where(good, start, 0), np.where(good, end, 0)
    names = [topics[one] for one in row.tolist()], [documents[one] for one in row.tolist()]
    judged = JudgedRows(*names, start, end, size[row], entry[row], None, questions)
    return _with_irrelevant(judged, irrelevant)


def _split(given: Given) -> tuple[Given, Given]:
    """Rows with a document, and those that only ask a question, to which no document has an answer."""
    if _ASKED[0] not in given.columns:
        return given, Given({}, 0)
    told = [
        [given.optional(key)[row] is not None for key in (_ASKED[0], "document", "start", "end")]
        for row in range(given.count)
    ]
    alone = [row for row, there in enumerate(told) if there == [True, False, False, False]]
    rest = [row for row in range(given.count) if row not in set(alone)]
    return given.take(rest), given.take(alone)


def _with_irrelevant(judged: JudgedRows, pairs: Iterable[Any]) -> JudgedRows:
    more = [list_highlight((*pair, 0, 0)) for pair in pairs]
    if not more:
        return judged
    nothing, unknown = np.zeros(len(more), np.int64), np.full(len(more), UNKNOWN, np.int64)
    return judged._replace(
        topics=judged.topics + list_names([row[0] for row in more], "topic"),
        documents=judged.documents + list_names([row[1] for row in more], "document"),
        start=np.append(judged.start, nothing),
        end=np.append(judged.end, nothing),
        size=np.append(judged.size, unknown if judged.grade is None else nothing + 1),
        entry=np.append(judged.entry, unknown),
        grade=None if judged.grade is None else np.append(judged.grade, nothing),
    )


def _grades(given: Given, *, by_score: bool) -> IntArray | None:
    """The grade of each row; that of a document may be called its score, as BEIR does."""
    keys = (*GRADES, "score") if by_score else GRADES
    for key in keys:
        if key in given.columns:
            return whole_numbers(given.column(key), "grade")
    return None


def _spans(given: Given, rows: list[tuple[str, str]], places: Places) -> tuple[IntArray, IntArray, IntArray]:
    """The row, start and end of each span: that of a row, those of its list, or an empty one."""
    if "spans" not in given.columns:
        return np.arange(given.count), places.start, places.end
    found: list[tuple[int, Any, Any]] = []
    for row, pairs in enumerate(given.optional("spans")):
        spans = [] if pairs is None else [(row, *pair) for pair in _pairs(pairs, rows[row])]
        if places.told[row]:
            spans.append((row, places.start[row], places.end[row]))
        found += spans or [(row, 0, 0)]
    where = [rows[row] for row, _, _ in found]
    start = whole_numbers([span[1] for span in found], "start", where)
    end = whole_numbers([span[2] for span in found], "end", where)
    check_spans(start, end, where)
    return np.array([span[0] for span in found], np.int64), start, end


def _pairs(given: Any, row: tuple[str, str]) -> list[tuple[Any, Any]]:
    pairs: list[Any] = list(given) if isinstance(given, list | tuple | np.ndarray) else [None]
    if all(isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2 for pair in pairs):
        return [(pair[0], pair[1]) for pair in pairs]
    raise ExcerptError(
        f"found {short(repr(given))} as spans in document {short(row[1])} of topic {short(row[0])}, "
        "expected a list of pairs (start, end)"
    )


def _questions(given: Given, topics: list[str]) -> dict[str, Question]:
    found: dict[str, Question] = {}
    texts, groups = (given.optional(key) for key in _ASKED)
    for topic, text, group in zip(topics, texts, groups, strict=True):
        if (text is not None or group is not None) and topic not in found:
            found[topic] = Question(
                topic, "" if text is None else str(text), "" if group is None else str(group)
            )
    return found


def by_names(given: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Values by names, or by pairs of names, which callers may have given as numbers."""
    return {
        tuple(map(str, key)) if isinstance(key, tuple) else str(key): value
        for key, value in (given or {}).items()
    }
