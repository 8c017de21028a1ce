"""Lines of JSON that say who judged, with which grade and when, and back."""

from __future__ import annotations

import io
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.bridges.judged_rows import JudgedRow, join_rows, judgments_of_rows
from excerpt.formats.writer import write_object
from excerpt.model.judgments import Judgments, Question
from excerpt.model.spans import UNKNOWN
from excerpt.records.judged import JudgedColumns
from excerpt.records.record import Records, is_text
from excerpt.records.rows import is_absent

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


def assessors_of(value: Any) -> tuple[str, ...]:
    """Return the names of assessors: a name, or a list of names; none for anything else.

    >>> assessors_of(["ann", "bob"]), assessors_of("ann"), assessors_of(None)
    (('ann', 'bob'), ('ann',), ())
    """
    names = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return tuple(name for name in names if isinstance(name, str) and name and is_text(name))


def rows_of(records: Records, found: JudgedColumns) -> tuple[JudgedRow, ...]:
    """Return who found what; nothing if the rows name no assessor, no time, and no grade beside passages."""
    keys = records.table.keys
    graded = records.present("grade")
    named = {"assessors", "time"} & set(keys)
    if found.listing or not (named or (graded.any() and not found.of_documents)):
        return ()
    empty: list[Any] = [None] * len(records)
    people, times = (records.table.values(key) if key in keys else empty for key in ("assessors", "time"))
    at = np.searchsorted(records.line, found.line).tolist() if len(records.line) else []
    grades = np.where(graded[at] if at else graded[:0], found.grade, UNKNOWN)
    columns = (found.start, found.end, found.size, grades)
    rows = zip(
        at, found.topics.names(), found.documents.names(), *map(np.ndarray.tolist, columns), strict=True
    )
    return tuple(
        join_rows(
            JudgedRow(
                topic,
                document,
                ((start, end),) if start < end else (),
                grade if graded[row] else None,
                assessors_of(people[row]),
                "" if is_absent(times[row]) else str(times[row]),
                size,
            )
            for row, topic, document, start, end, size, grade in rows
        )
    )


def documents_of(
    records: Records, found: JudgedColumns, source: str, questions: dict[str, Question]
) -> Judgments | None:
    """Return judgments of whole documents by several judges; None if the rows do not name them."""
    rows = rows_of(records, found)
    return judgments_of_rows(rows, source=source, questions=questions) if rows else None


def write_rows(judgments: Judgments, stream: io.BufferedIOBase, corpus: Corpus | None = None) -> None:
    """Write one line per judgment, or per passage with its quote if a corpus has the text."""
    entries, whole = _entries(judgments), judgments.scale == "documents"
    told = set()
    for row in judgments.rows:
        fields: dict[str, Any] = {"topic": row.topic, "document": row.document}
        fields |= {} if whole else {"spans": sorted(map(list, row.spans))}
        optional = {"size": UNKNOWN if whole else row.size}
        optional["bep"] = entries.get((row.topic, row.document), UNKNOWN)
        fields |= {key: value for key, value in optional.items() if value != UNKNOWN} | row.known()
        question = judgments.questions.get(row.topic)
        if question is not None and row.topic not in told:
            about = {"question": question.text, "group": question.group}
            fields |= {key: value for key, value in about.items() if value}
            told.add(row.topic)
        text = corpus.get(row.document) if corpus is not None and row.spans else None
        if text is None or corpus is None:
            stream.write(write_object(fields))
            continue
        kept = {key: value for key, value in fields.items() if key != "spans"}
        for start, end in sorted(row.spans):
            place = {"start": start, "end": end, "quote": text[start:end]}
            stream.write(write_object(kept | place | {"sha256": corpus.hash(row.document)}))


def _entries(judgments: Judgments) -> dict[tuple[str, str], int]:
    """Return the entry points of documents that one judge judged."""
    if bool((judgments.pair_entry == UNKNOWN).all()) or judgments.scale == "documents":
        return {}
    count = Counter((row.topic, row.document) for row in judgments.rows)
    columns = (judgments.pair_topic, judgments.pair_document, judgments.pair_entry)
    pairs = zip(*(column.tolist() for column in columns), strict=True)
    named = {(judgments.topics[topic], judgments.documents[doc]): entry for topic, doc, entry in pairs}
    return {pair: entry for pair, entry in named.items() if count[pair] == 1}
