"""Runs in JSON, one result per line: `{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 1.2}`.

Instead of `start` and `end` a line may have `offset` and `length`, or a `path`; a file without any of them
is a run of whole documents.
"""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import MissingData
from excerpt.formats.json_lines import (
    DOCUMENT,
    OF_JUDGMENTS,
    OF_RUNS,
    TOPIC,
    Record,
    dumped,
    looks_like,
    records,
)
from excerpt.formats.locate import encode_paths, placed
from excerpt.formats.registry import Format, register_run
from excerpt.formats.run_columns import notice_blocks
from excerpt.formats.source import Source
from excerpt.model.run import NO_RANK, UNKNOWN, Kind, Run, encode
from excerpt.model.spans import IntArray

LAYOUT = '{"topic": …, "document": …, "start": …, "end": … | "path": …, "score": …, "rank": …, "run": …}'


_NOWHERE = (UNKNOWN, UNKNOWN)


class _Row(NamedTuple):
    topic: str
    document: str
    start: int
    end: int
    path: str
    #: Whether the line itself says where its text is.
    has_span: bool
    score: float
    rank: int
    line: int


def read(source: Source) -> Run:
    """Read results; paths become spans where there is an index."""
    names: dict[str, int] = {}
    rows = [_row(record, names) for record in records(source)]
    _refuse_mixture(source, rows)
    source.faults.settle()
    columns = list(zip(*rows, strict=True)) or [()] * len(_Row._fields)
    topics, topic = encode(columns[0])
    documents, document = encode(columns[1])
    paths, element = encode_paths(columns[4])
    notice_blocks(source, topics, topic)
    if len(names) > 1:
        source.notices.add(f"run has {len(names)} names, the first counts", where=source.name)
    start, end, kind = _places(source, documents, document, paths, element, columns)
    return Run.grouped(
        name=next(iter(names), source.name),
        topics=topics,
        documents=documents,
        topic=topic,
        document=document,
        start=start,
        end=end,
        score=np.array(columns[6], np.float64),
        rank=np.array(columns[7], np.int64),
        element=element,
        paths=paths,
        kind=kind,
        source=source.name,
        line=np.array(columns[8], np.int64),
    )


def _row(record: Record, names: dict[str, int]) -> _Row:
    span = _NOWHERE if _is_nowhere(record) else record.span()
    start, end = span or _NOWHERE
    if "run" in record.fields:
        names.setdefault(record.name(("run",)), record.line)
    return _Row(
        record.name(TOPIC),
        record.name(DOCUMENT),
        start,
        end,
        _path(record),
        span is not None,
        record.number("score"),
        record.whole("rank", NO_RANK),
        record.line,
    )


def _is_nowhere(record: Record) -> bool:
    """Whether a line says that its text does not exist: start and end are -1."""
    ends = record.fields.get("start"), record.fields.get("end")
    return ends == _NOWHERE and all(type(end) is int for end in ends)


def _is_text(path: str) -> bool:
    """Whether a string from JSON can be written again: half a surrogate pair cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _path(record: Record) -> str:
    """An element's path, or the two pointers of a passage with one blank between them."""
    path = record.fields.get("path")
    if path is None:
        return ""
    parts = path.split() if isinstance(path, str) and _is_text(path) else []
    if not 1 <= len(parts) <= 2 or not all(part.startswith("/") for part in parts):
        record.fault(f"path {str(path)[:60]!r}", "one such as /article[1]/p[2]")
    return " ".join(parts)


def _refuse_mixture(source: Source, rows: list[_Row]) -> None:
    """Whole documents and parts of documents cannot be ranked in one run."""
    whole = [not row.has_span and not row.path for row in rows]
    for row, is_whole in zip(rows, whole, strict=True):
        if is_whole != whole[0]:
            found, wanted = ("no", "one") if is_whole else ("a", "none")
            source.faults.add(
                row.line,
                f"found {found} position in the document, expected {wanted}, as in line {rows[0].line}",
            )


def _places(
    source: Source,
    documents: tuple[str, ...],
    document: IntArray,
    paths: tuple[str, ...],
    element: IntArray,
    columns: list[tuple[Any, ...]],
) -> tuple[IntArray, IntArray, Kind]:
    has_span = np.array(columns[5], np.bool_)
    if not has_span.any() and not paths:
        return np.zeros(len(element), np.int64), np.ones(len(element), np.int64), "documents"
    start, end = np.array(columns[2], np.int64), np.array(columns[3], np.int64)
    return placed(source, documents, document, paths, element, start, end, ~has_span & (element >= 0))


def recognise(source: Source) -> int:
    """Lines of JSON objects, above all with a score, a rank or the name of a run."""
    return looks_like(source, OF_RUNS, OF_JUDGMENTS, 1)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write one line per result with what is known of it."""
    if run.kind == "entry points":
        raise MissingData(
            "format jsonl needs text spans, the run has entry points",
            path=run.source or run.name,
            hint="try --to bep",
        )
    for row, result in enumerate(run):
        fields: dict[str, Any] = {"topic": result.topic, "document": result.document}
        if run.kind == "spans" or (run.kind == "elements" and (result.start >= 0 or not result.path)):
            fields |= {"start": result.start, "end": result.end}
        optional = {"path": result.path, "score": result.score, "rank": int(run.rank[row]), "run": run.name}
        absent = {"rank": NO_RANK, "run": ""}
        fields |= {key: value for key, value in optional.items() if value not in {None, absent.get(key)}}
        stream.write(dumped(fields))


register_run(Format("jsonl", "run", LAYOUT, "one JSON object per result", read, recognise, write))
