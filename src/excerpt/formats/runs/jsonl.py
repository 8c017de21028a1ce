"""Runs in JSON, one result per line: `{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 1.2}`.

Instead of `start` and `end` a line may have `offset` and `length`, or a `path`; a file without any of them
is a run of whole documents.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from excerpt.errors import MissingData
from excerpt.formats.bulk.json_results import cut_lines
from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._results import Results
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import (
    DOCUMENT,
    OF_JUDGMENTS,
    OF_RUNS,
    TOPIC,
    Record,
    dumped,
    looks_like,
    records_of,
)
from excerpt.model.run import Kind, Run
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

LAYOUT = '{"topic": …, "document": …, "start": …, "end": … | "path": …, "score": …, "rank": …, "run": …}'


_NOWHERE = (UNKNOWN, UNKNOWN)
#: Topic, document, path or "", start, end, whether these are given, rank, score, line.
_Row: TypeAlias = tuple[str, str, str, int, int, bool, int, float, int]


def read(source: Source) -> Run:
    """Read results; paths become spans where there is an index."""
    results, names = _in_bulk(source) or _one_by_one(enumerate(source.text.decode().split("\n"), 1), source)
    whole = ~results.has_span & (results.paths.code < 0)
    _refuse_mixture(source, whole, results.line)
    source.faults.settle()
    kind: Kind | None = None
    if whole.all():
        kind = "documents"
        results = replace(results, start=np.zeros_like(results.start), end=np.ones_like(results.end))
    run = results.run(source, min(names, key=names.__getitem__, default=source.name), kind)
    if len(names) > 1:
        source.notices.add(f"run has {len(names)} names, the first counts", where=source.name)
    return run


def _one_by_one(lines: Iterable[tuple[int, str]], source: Source) -> tuple[Results, dict[str, int]]:
    """Results, and the names of the run with the line of each."""
    names: dict[str, int] = {}
    rows = [_row(record, names) for record in records_of(lines, source.faults)]
    return Results.of(rows), names


def _in_bulk(source: Source) -> tuple[Results, dict[str, int]] | None:
    """The same, all usual lines at once; None where there are none."""
    bulk = cut_lines(source.text)
    if bulk is None:
        return None
    others, names = _one_by_one(bulk.others, source)
    for name, row in bulk.names.first().items():
        line = int(bulk.results.line[row])
        names[name] = min(line, names.get(name, line))
    place = np.searchsorted(others.line, bulk.results.line)
    return bulk.results.with_others(others, place), names


def _row(record: Record, names: dict[str, int]) -> _Row:
    span = _NOWHERE if _is_nowhere(record) else record.span()
    start, end = span or _NOWHERE
    if "run" in record.fields:
        names.setdefault(record.name(("run",)), record.line)
    # Two faults of one line are reported in this order.
    topic, document, path = record.name(TOPIC), record.name(DOCUMENT), _path(record)
    score, rank = record.number("score"), record.whole("rank", UNKNOWN)
    return topic, document, path, start, end, span is not None, rank, score, record.line


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


def _refuse_mixture(source: Source, whole: BoolArray, line: IntArray) -> None:
    """Whole documents and parts of documents cannot be ranked in one run."""
    for row in np.flatnonzero(whole != whole[:1]).tolist():
        found, wanted = ("no", "one") if whole[row] else ("a", "none")
        source.faults.add(
            int(line[row]),
            f"found {found} position in the document, expected {wanted}, as in line {line[0]}",
        )


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
        absent = {"rank": UNKNOWN, "run": ""}
        fields |= {key: value for key, value in optional.items() if value not in {None, absent.get(key)}}
        stream.write(dumped(fields))


register_run(Format("jsonl", "run", LAYOUT, "one JSON object per result", read, recognise, write))
