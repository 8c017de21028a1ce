"""Runs in JSON, one result per line: `{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 1.2}`.

Instead of `start` and `end` a line may have `offset` and `length`, or a `path`; a file without any of them
is a run of whole documents.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import short
from excerpt.formats.registry import Format, register_run
from excerpt.formats.results import Results
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import (
    KEYS,
    OF_JUDGMENTS,
    OF_RUNS,
    Record,
    is_text,
    looks_like,
    notice_unknown,
    quote_all,
    quote_number,
    records_of,
)
from excerpt.formats.write import blocks, need_kind
from excerpt.model.run import Kind, Run
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

LAYOUT = '{"topic": …, "document": …, "start": …, "end": … | "path": …, "score": …, "rank": …, "run": …}'
EXAMPLE = """\
{"topic": "1", "document": "A", "start": 120, "end": 420, "score": 1.5}
{"topic": "1", "document": "B", "start": 0, "end": 50, "score": 1.2}
"""


_NOWHERE = (UNKNOWN, UNKNOWN)
#: Topic, document, path or "", start, end, whether these are given, rank, score, line.
_Row: TypeAlias = tuple[str, str, str, int, int, bool, int, float, int]


class _Gathered(NamedTuple):
    """Results, the names of the run with the line of each, and keys that are not known."""

    results: Results
    names: dict[str, int]
    unknown: set[str]


def read(source: Source) -> Run:
    """Read results; paths become spans where there is an index."""
    found = _in_bulk(source) or _one_by_one(enumerate(source.text.decode().split("\n"), 1), source)
    results, names = found.results, found.names
    whole = ~results.has_span & (results.paths.code < 0)
    _refuse_mixture(source, whole, results.line)
    source.faults.settle()
    notice_unknown(source, found.unknown)
    kind: Kind | None = None
    if whole.all():
        kind = "documents"
        results = replace(results, start=np.zeros_like(results.start), end=np.ones_like(results.end))
    run = results.to_run(source, min(names, key=names.__getitem__, default=source.name), kind)
    if len(names) > 1:
        source.notices.add(f"run has {len(names)} names; the first is used", where=source.name)
    return run


def _one_by_one(lines: Iterable[tuple[int, str]], source: Source) -> _Gathered:
    names: dict[str, int] = {}
    unknown: set[str] = set()
    rows = []
    for record in records_of(lines, source.faults):
        unknown.update(record.fields.keys() - KEYS.keys())
        rows.append(_row(record, names))
    return _Gathered(Results.of(rows), names, unknown)


def _in_bulk(source: Source) -> _Gathered | None:
    """The same, all usual lines at once; None where there are none."""
    from excerpt.formats.bulk.json_lines import cut_lines  # here: other formats do not need it

    bulk = cut_lines(source.text)
    if bulk is None:
        return None
    others, names, unknown = _one_by_one(bulk.others, source)
    for name, row in bulk.names.first().items():
        line = int(bulk.results.line[row])
        names[name] = min(line, names.get(name, line))
    place = np.searchsorted(others.line, bulk.results.line)
    return _Gathered(bulk.results.merge(others, place), names, unknown | bulk.unknown)


def _row(record: Record, names: dict[str, int]) -> _Row:
    span = _NOWHERE if _is_nowhere(record) else record.span()
    start, end = span or _NOWHERE
    if "run" in record.fields:
        names.setdefault(record.name("run"), record.line)
    # Two faults of one line are reported in this order.
    topic, document, path = record.name("topic"), record.name("document"), _path(record)
    score, rank = record.number("score"), record.whole("rank", UNKNOWN)
    if span is None and not path:
        record.need_place()
    return topic, document, path, start, end, span is not None, rank, score, record.line


def _is_nowhere(record: Record) -> bool:
    """Whether a line says that its text does not exist: start and end are -1."""
    ends = record.fields.get("start"), record.fields.get("end")
    return ends == _NOWHERE and all(type(end) is int for end in ends)


def _path(record: Record) -> str:
    """An element's path, or the two pointers of a passage with one blank between them."""
    path = record.fields.get("path")
    if path is None:
        return ""
    parts = path.split() if isinstance(path, str) and is_text(path) else []
    if not 1 <= len(parts) <= 2 or not all(part.startswith("/") for part in parts):
        record.fault(f"path {short(str(path))!r}", "one such as /article[1]/p[2]")
    return " ".join(parts)


def _refuse_mixture(source: Source, whole: BoolArray, line: IntArray) -> None:
    """Whole documents and parts of documents cannot be ranked in one run."""
    rows = np.flatnonzero(whole != whole[:1])

    def describe(number: int) -> str:
        found, wanted = ("no", "one") if whole[rows[number]] else ("a", "none")
        return f"found {found} position in the document, expected {wanted}, as in line {line[0]}"

    source.faults.add_all(line[rows], describe)


def recognise(source: Source) -> int:
    """Lines of JSON objects, above all with a score, a rank or the name of a run."""
    return looks_like(source, OF_RUNS, OF_JUDGMENTS, 1)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write one line per result with what is known of it."""
    need_kind(run, "jsonl", ("spans", "documents", "elements"), "text spans", "try ⟨format=bep⟩")
    has_place = run.kind == "spans"
    topics, documents = quote_all(run.topics), quote_all(run.documents)
    paths = [f', "path": {path}' for path in quote_all(run.paths)]
    name = f', "run": {quote_all([run.name])[0]}' if run.name else ""
    for block in blocks(run):
        lines = []
        for topic, document, start, end, element, score, rank in block:
            line = f'{{"topic": {topics[topic]}, "document": {documents[document]}'
            if has_place or (run.kind == "elements" and (start >= 0 or element < 0)):
                line += f', "start": {start}, "end": {end}'
            if element >= 0:
                line += paths[element]
            if score == score:  # noqa: PLR0124 - the quick test for NaN
                line += f', "score": {quote_number(score)}'
            if rank != UNKNOWN:
                line += f', "rank": {rank}'
            lines.append(line + name + "}\n")
        stream.write("".join(lines).encode())


register_run(
    Format("jsonl", "run", LAYOUT, "one JSON object per result", read, recognise, write, example=EXAMPLE)
)
