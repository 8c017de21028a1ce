"""Runs in JSON, one result per line: `{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 1.2}`.

Instead of `start` and `end` a line may have `offset` and `length`, or a `path`; a file without any of them
is a run of whole documents. `tokens` and `words` are the length of a result, as its reading cost; `lost` is
its number of characters if it does not occur in its document, and start and end are -1.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from excerpt.errors import short
from excerpt.formats.reader import ResultRow, Results
from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs.citations import answers_in
from excerpt.formats.source import Source
from excerpt.formats.text import json_lines
from excerpt.formats.text.json_lines import Record
from excerpt.formats.writer import blocks, need_kind
from excerpt.model.field_names import COSTS, KEYS, nowhere
from excerpt.model.run import Kind, Run
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

LAYOUT = '{"topic": …, "document": …, "start": …, "end": … | "path": …, "score": …, "rank": …, "run": …}'
EXAMPLE = """\
{"topic": "1", "document": "A", "start": 120, "end": 420, "score": 1.5}
{"topic": "1", "document": "B", "start": 0, "end": 50, "score": 1.2}
"""


_NOWHERE = (UNKNOWN, UNKNOWN)
#: Most texts of regular lines whose lengths are compared with their offsets if there is no corpus.
_COMPARED = 1000
#: Optional keys with numbers.
_EXTRA = ("lost", *COSTS)


class _Content(NamedTuple):
    """Results, the names of the run with the line of each, unknown keys, and quotes by line."""

    results: Results
    names: dict[str, int]
    unknown: set[str]
    quotes: dict[int, str]


def read(source: Source) -> Run:
    """Read results; with an index, paths become spans."""
    content = _in_bulk(source) or _one_by_one(enumerate(source.text.decode().split("\n"), 1), source)
    results, names = content.results, content.names
    whole = ~results.has_span & (results.paths.code < 0)
    _reject_mixture(source, whole, results.line)
    source.faults.settle()
    json_lines.warn_unknown_keys(source, content.unknown)
    kind: Kind | None = None
    if whole.all():
        kind = "documents"
        one = "result has no offsets and no path, and is a whole document"
        many = "results have no offsets and no paths, and are whole documents"
        source.notices.add(one, many, len(whole), where=source.name)
        results = results._replace(start=np.zeros_like(results.start), end=np.ones_like(results.end))
    results = _with_complete_costs(source, results)
    run = results.to_run(source, min(names, key=names.__getitem__, default=source.name), kind)
    if len(names) > 1:
        source.notices.add(f"the run has {len(names)} names; the first is used", where=source.name)
    if not content.quotes:
        return run
    quotes = np.empty(len(run), np.object_)
    quotes[:] = [content.quotes.get(line) for line in run.line.tolist()]
    return replace(run, quotes=quotes)


def _one_by_one(lines: Iterable[tuple[int, str]], source: Source) -> _Content:
    names: dict[str, int] = {}
    unknown: set[str] = set()
    quotes: dict[int, str] = {}
    rows, extra = [], []
    for record in json_lines.records_of(lines, source.faults):
        unknown.update(record.fields.keys() - KEYS.keys())
        rows.append(_row(record, names, searched=source.corpus is not None))
        extra.append(_extra_values(record, rows[-1], unknown))
        if (quote := record.quote()) is not None:
            quotes[record.line] = quote
    columns = zip(_EXTRA, zip(*extra, strict=True), strict=False)
    arrays = {name: np.array(column, np.int64) for name, column in columns if max(column) != UNKNOWN}
    return _Content(Results.of(rows)._replace(extra=arrays), names, unknown, quotes)


def _extra_values(record: Record, row: ResultRow, unknown: set[str]) -> tuple[int, ...]:
    """Return lost characters, tokens and words of a result; texts and lists of words are ignored."""
    if record.fields.keys().isdisjoint(_EXTRA):
        return (UNKNOWN,) * len(_EXTRA)
    values = []
    for key in _EXTRA:
        value = record.fields.get(key)
        if isinstance(value, str | list | dict):
            unknown.add(key)
        values.append(UNKNOWN if isinstance(value, str | list | dict) else record.whole(key, UNKNOWN))
    if values[0] > 0 and row[5] and row[3] != UNKNOWN:
        record.fault(f"lost {values[0]} and offsets", "start and end -1 for text that is not in its document")
    return tuple(values)


def _with_complete_costs(source: Source, results: Results) -> Results:
    complete = {}
    for name in (name for name in _EXTRA if name in results.extra):
        column = results.extra[name]
        missing = int((column == UNKNOWN).sum()) if name in COSTS[:2] else 0
        one = f"result has no {name}; the column {name} is ignored"
        many = f"results have no {name}; the column {name} is ignored"
        source.notices.add(one, many, missing, where=source.name)
        if not missing:
            complete[name] = column
    return results._replace(extra=complete)


def _in_bulk(source: Source) -> _Content | None:
    """Read all regular lines at once, the others one by one; None if no line is regular."""
    from excerpt.formats.bulk import cut_lines  # imported here: other formats do not need it

    bulk = cut_lines(source.text, quotes=_COMPARED if source.corpus is None else None)
    if bulk is None:
        return None
    others, names, unknown, quotes = _one_by_one(bulk.others, source)
    for name, row in bulk.names.first().items():
        line = int(bulk.results.line[row])
        names[name] = min(line, names.get(name, line))
    place = np.searchsorted(others.line, bulk.results.line)
    return _Content(bulk.results.merge(others, place), names, unknown | bulk.unknown, quotes | bulk.quotes)


def _row(record: Record, names: dict[str, int], *, searched: bool) -> ResultRow:
    lost, ends = record.fields.get("lost"), (record.fields.get("start"), record.fields.get("end"))
    gone = ends == _NOWHERE and all(type(end) is int for end in ends)
    span = _NOWHERE if gone else record.span()
    if span is None and type(lost) is int and lost > 0:
        span = _NOWHERE
    start, end = span or _NOWHERE
    if record.fields.get("run") is not None:
        names.setdefault(record.name("run"), record.line)
    # Two faults of one line are reported in this order.
    topic, document, path = record.name("topic"), record.name("document"), _path(record)
    score, rank = record.number("score"), record.whole("rank", UNKNOWN)
    if span is None and not path and searched and record.quote() is not None:
        span = _NOWHERE  # the corpus is searched for the text
    if span is None and not path:
        _reject_null(record)
        record.require_location()
    return topic, document, path, start, end, span is not None, rank, score, record.line


def _reject_null(record: Record) -> None:
    """Report a null as start or end: the result is a part of its document, but an unknown one."""
    for key in ("start", "end"):
        if key in record.fields:
            record.fault(f"{key} null", "a whole number", nowhere(None).replace("None", "null"))
            return


def _path(record: Record) -> str:
    """Return an element's path, or the two pointers of a passage with one blank between them."""
    path = record.fields.get("path")
    if path is None:
        return ""
    parts = path.split() if isinstance(path, str) and json_lines.is_text(path) else []
    if not 1 <= len(parts) <= 2 or not all(part.startswith("/") for part in parts):
        record.fault(f"path {short(str(path))!r}", "one such as /article[1]/p[2]")
    return " ".join(parts)


def _reject_mixture(source: Source, whole: BoolArray, line: IntArray) -> None:
    """Report lines if some results are whole documents and others are parts of documents."""
    rows = np.flatnonzero(whole != whole[:1])

    def describe(number: int) -> str:
        if whole[rows[number]]:
            return f"the position in the document is missing, expected one, as in line {line[0]}"
        return f"found a position in the document, expected none, as in line {line[0]}"

    source.faults.add_all(line[rows], describe)


def recognise(source: Source) -> int:
    """Count lines of JSON objects; those with a score, a rank or the name of a run count twice."""
    if answers_in(source) or (source.starts_with(b"{") and _is_gold(source)):
        return 0
    return json_lines.looks_like(source, json_lines.OF_RUNS, json_lines.OF_JUDGMENTS, 1)


def _is_gold(source: Source) -> bool:
    """Return whether a file is gold, or has retrieved texts; rows with quotes may also be a run."""
    from excerpt.gold.quote_rows import KIND, RETRIEVED, first_keys

    kind = source.gold_kind
    return kind not in (None, KIND) or not first_keys(source.gold_file).isdisjoint(RETRIEVED)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write one line per result with all its values."""
    need_kind(run, "jsonl", ("spans", "documents", "elements"), "text spans", "try ⟨format=bep⟩")
    has_place = run.kind == "spans"
    topics, documents = json_lines.quote_all(run.topics), json_lines.quote_all(run.documents)
    paths = [f', "path": {path}' for path in json_lines.quote_all(run.paths)]
    name = f', "run": {json_lines.quote_all([run.name])[0]}' if run.name else ""
    extra, row = _written_extra(run), 0
    for block in blocks(run):
        lines = []
        for topic, document, start, end, element, score, rank in block:
            line = f'{{"topic": {topics[topic]}, "document": {documents[document]}'
            if has_place or (run.kind == "elements" and (start >= 0 or element < 0)):
                line += f', "start": {start}, "end": {end}'
            if element >= 0:
                line += paths[element]
            if score == score:  # noqa: PLR0124 - the quick test for NaN
                line += f', "score": {json_lines.quote_number(score)}'
            if rank != UNKNOWN:
                line += f', "rank": {rank}'
            lines.append(line + (extra[row] if extra else "") + name + "}\n")
            row += 1
        stream.write("".join(lines).encode())


def _written_extra(run: Run) -> list[str]:
    """Return the text of the optional keys of each result; an empty list if the run has none."""
    costs = [column.tolist() for column in run.costs.values()]
    layout = "".join(f', "{name}": {{}}' for name in run.costs)
    written = [layout.format(*row) for row in zip(*costs, strict=True)]
    if run.lost is None:
        return written
    lost = [f', "lost": {count}' if count > 0 else "" for count in run.lost.tolist()]
    return [one + two for one, two in zip(lost, written or [""] * len(lost), strict=True)]


register_run(
    Format("jsonl", "run", LAYOUT, "one JSON object per result", read, recognise, write, example=EXAMPLE)
)
