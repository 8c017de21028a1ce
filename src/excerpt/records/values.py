"""Runs and judgments made of values of Python: rows, rows by topic, columns, data frames, objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, UnknownName, short, short_list
from excerpt.model.judgments import Judgment, Judgments, Question, collect_judgments
from excerpt.model.run import Result, ResultKind, Rows, Run, encode, group_results, is_frame
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray
from excerpt.notices import Faults, Gathering, Notices
from excerpt.records.judged import read_judged
from excerpt.records.objects import list_rows, python_rows
from excerpt.records.record import Odd, Records, as_whole, list_names
from excerpt.records.results import ResultColumns, read_results
from excerpt.records.rows import RowTable

_RESULTS = "results: topic, document, start, end, and perhaps score and path"
_FIELDS = ("topic", "document", "start", "end")
_HIGHLIGHTS = "relevant text: topic, document, start, end"


def run_of(named: Sequence[object], results: Rows, kind: ResultKind | None, notices: Notices | None) -> Run:
    """Make a run; if it is not named it has the name of its rows, else `run`."""
    if isinstance(results, Judgments):
        raise ExcerptError("found judgments, expected results", hint="are judgments and run swapped?")
    if kind is not None and kind not in get_args(ResultKind):
        raise UnknownName("kind of run", str(kind), get_args(ResultKind))
    table, faults = python_rows(results, "result", Result._fields, _result, _RESULTS), Faults("")
    faults.unit = "row"
    with Gathering(notices) as gathered:
        found = read_results(Records(table, "result", faults), gathered, "", searched=True)
    faults.settle()
    if len(found.names) > 1:
        message = f"found rows of the runs {short_list(found.names, 3)}, expected rows of one run"
        raise ExcerptError(message, hint="give {name: rows} with the rows of each")
    (topics, topic), (documents, document) = found.topics, found.documents
    paths, element = encode(found.paths)
    has_path = np.array([bool(path) for path in paths], np.bool_)[element]
    made_of, start, end = _kind_of(kind, found, has_path)
    run = group_results(
        name=[*list_names(named, "name of a run"), *found.names, "run"][0],
        topics=topics,
        documents=documents,
        topic=topic,
        document=document,
        start=start,
        end=end,
        score=found.score,
        rank=found.rank,
        element=np.where(has_path, element, -1),
        paths=paths,
        kind=made_of,
        beside=found.extra,
        quotes=found.quotes,
    )
    run = replace(run, fingerprints=found.fingerprints)
    if isinstance(results, Mapping):
        lists = {str(name): rows for name, rows in results.items() if hasattr(rows, "__len__")}
        empty = tuple(name for name, rows in lists.items() if not len(rows) and name not in run.topics)
        run = replace(run, empty=empty)
    by_score = isinstance(results, Mapping) and any(isinstance(row, Mapping) for row in results.values())
    return run.ordered("score") if by_score else run


def _kind_of(
    kind: ResultKind | None, found: ResultColumns, has_path: BoolArray
) -> tuple[ResultKind, IntArray, IntArray]:
    """Kind, start and end of results; those without a place are elements by their path, or documents."""
    start, end, known = found.start, found.end, found.placed | has_path
    if len(known) and not known.any():
        if kind not in (None, "documents"):
            where = (
                f"in document {short(found.documents.distinct[0])} of topic {short(found.topics.distinct[0])}"
            )
            raise ExcerptError(f"start and end are missing {where}")
        return "documents", np.zeros_like(start), np.ones_like(end)
    if kind == "elements" and len(start) and bool((start >= 0).all()):
        kind = "spans"  # with paths: the offsets of elements are unknown
    return kind or ("elements" if bool((~found.placed & has_path).any()) else "spans"), start, end


def _result(row: Any) -> tuple[Any, ...]:
    if isinstance(row, Result):
        return row
    if (
        isinstance(row, tuple | list)
        and not isinstance(row, Judgment)
        and 4 <= len(row) <= len(Result._fields)
    ):
        return Result(*row)
    raise ExcerptError(
        f"found {row!r:.80} as a result, expected topic, document, start, end, and perhaps score and path"
    )


def judgments_of(
    highlights: Rows,
    irrelevant: Iterable[tuple[str, str]],
    sizes: Mapping[str, int] | None,
    entries: Mapping[tuple[str, str], int] | None,
    notices: Notices | None,
) -> Judgments:
    """Make judgments from relevant text, pairs judged irrelevant, lengths and entry points."""

    faults = Faults("")
    faults.unit = "row"
    with Gathering(notices) as gathered:
        records = Records(judged_rows(highlights), "judgment", faults)
        found = read_judged(records, gathered, "")
    faults.settle()
    if found.listing:
        message = "found elements with grades, expected text, or grades of documents"
        raise ExcerptError(message, hint="read_judgments(rows) reads assessed elements")
    more = [_highlight((*pair, 0, 0)) for pair in irrelevant]
    names = [
        [*column.names(), *list_names([row[at] for row in more], _FIELDS[at])]
        for at, column in enumerate((found.topics, found.documents))
    ]
    topics, topic = encode([*names[0], *found.questions])  # those of questions alone are last
    documents, document = encode(names[1])
    zeros = np.zeros(len(more), np.int64)
    start, end, grade = (np.append(column, zeros) for column in (found.start, found.end, found.grade))
    size, entry, need, alternative = (
        np.append(column, zeros - 1) for column in (found.size, found.entry, found.need, found.alternative)
    )
    if found.of_documents:
        relevant = (grade > 0).astype(np.int64)
        start, end, size, entry = 0 * relevant, relevant, np.ones_like(relevant), relevant - 1
    sizes_, entries_, pairs = _by_names(sizes), _by_names(entries), zip(*names, strict=True)
    known = _whole([sizes_.get(name, UNKNOWN) for name in names[1]], "size")
    points = _whole([entries_.get(pair, UNKNOWN) for pair in pairs], "entry point")
    made = collect_judgments(
        topics,
        documents,
        topic[: len(document)],
        document,
        start,
        end,
        size=np.maximum(size, known),
        entry=np.maximum(entry, points),
        scale="documents" if found.of_documents else "highlights",
        questions={topic: Question(topic, *about) for topic, about in found.questions.items()},
        grade=grade if found.of_documents else None,
        need=need,
        alternative=alternative,
    )
    made = replace(made, gold=bool((found.quote != None).any()))  # noqa: E711 - by element
    return offered("inclusion")(records, found, made) if records.has("probability") else made


def judged_rows(given: Rows) -> RowTable:
    """Return judgments in any form of Python as a table."""
    if not isinstance(given, Mapping) and not is_frame(given):
        rows = list_rows(given, _HIGHLIGHTS)
        given = [_row_of(row) if isinstance(row, Judgment) else row for row in rows]
    return python_rows(given, "judgment", _FIELDS, _highlight, _HIGHLIGHTS, number="relevance")


def _row_of(judgment: Judgment) -> Mapping[str, Any]:
    """Return the row of a passage, or of a whole document with its grade."""
    row = judgment._asdict()
    grade = row.pop("grade")
    if judgment.end != UNKNOWN:
        return row
    return {"topic": judgment.topic, "document": judgment.document, "grade": grade}


def _highlight(row: object) -> tuple[Any, Any, Any, Any]:
    """Topic, document, start and end of a row of relevant text, or of a topic and a span."""
    match row:
        case (topic, (document, start, end)) | (topic, document, start, end):
            return topic, document, start, end
    raise ExcerptError(
        f"found {short(repr(row))} as relevant text, expected topic and Span, or topic, document, start, end"
    )


def _whole(values: Sequence[object], what: str) -> IntArray:
    """Make a column of lengths or entry points; raise for what is none."""
    found = []
    for value in values:
        try:
            found.append(as_whole(value, least=UNKNOWN))
        except Odd as odd:
            raise ExcerptError(f"found {value!r:.60} as {what}, expected {odd.expected}") from None
    return np.array(found, np.int64)


def _by_names(values: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Values by names, or by pairs of names; numbers as names become text."""
    return {
        tuple(map(str, key)) if isinstance(key, tuple) else str(key): value
        for key, value in (values or {}).items()
    }
