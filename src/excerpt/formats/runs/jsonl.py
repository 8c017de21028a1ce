"""Runs as records, a result each: `{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 1.2}`.

They are read from JSON Lines, a JSON list, CSV or TSV with a header, and Parquet, and written as JSON Lines.
Instead of `start` and `end` a record may have `offset` and `length`, or a `path`; a file without any of them
is a run of whole documents. `tokens` and `words` are the length of a result, as its reading cost; `lost` is
its number of characters if it does not occur in its document, and start and end are -1.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import FormatError
from excerpt.formats.reader import NameColumn, ResultTable
from excerpt.formats.registry import RECORDS, Format, LinesOf, fit, register_run
from excerpt.formats.source import Source
from excerpt.formats.writer import blocks, need_kind, quote_all, quote_number
from excerpt.model.dictionaries import has_places
from excerpt.model.run import ResultKind, Run, encode
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.records.record import Records
from excerpt.records.results import OF_JUDGMENTS, OF_RESULTS, read_results
from excerpt.records.rows import RowTable, parse_json
from excerpt.records.spellings import RowKeys

LAYOUT = '{"topic": …, "document": …, "start": …, "end": … | "path": …, "score": …, "rank": …, "run": …}'
EXAMPLE = """\
{"topic": "1", "document": "A", "start": 120, "end": 420, "score": 1.5}
{"topic": "1", "document": "B", "start": 0, "end": 50, "score": 1.2}
"""


def read(source: Source) -> Run:
    """Read results; with an index, paths become spans."""
    return run_of(source, source.table("result"))


def run_of(source: Source, table: RowTable, kind: ResultKind | None = None) -> Run:
    """Make a run of rows; with `kind` documents, rows without a place need no notice."""
    records = Records(table, "result", source.faults)
    found = read_results(records, source.notices, source.name, searched=source.corpus is not None)
    source.faults.settle()
    topics, documents = NameColumn(*found.topics), NameColumn(*found.documents)
    paths, line = NameColumn.of(found.paths), records.line
    start, end = found.start, found.end
    if len(line) and not (found.placed | (paths.code >= 0)).any():
        if kind is None:
            one = "result has no offsets and no path, and is a whole document"
            many = "results have no offsets and no paths, and are whole documents"
            source.notices.add(one, many, len(line), where=source.name)
        kind = "documents"
        start, end = np.zeros_like(start), np.ones_like(end)
    columns = start, end, found.placed, found.rank, found.score, line, found.extra
    results = ResultTable(topics, documents, paths, *columns)
    run = results.to_run(source, next(iter(found.names), source.name), kind)
    run = replace(run, fingerprints=found.fingerprints)
    if len(found.names) > 1:
        source.notices.add(f"the run has {len(found.names)} names; the first is used", where=source.name)
    if found.quotes is None or kind == "documents":
        return run
    order = np.argsort(topics.code, kind="stable")  # as the results are ordered by their topics
    return run.with_text(quotes=found.quotes[order])


def recognise(source: Source) -> int:
    """Count records; those with a score, a rank or the name of a run count twice."""
    if source.form not in RECORDS or not (source.has_places or _has_results(source)):
        return 0
    if source.is_beir:  # judgments, if they may be both
        return 1
    return fit(source, "result", OF_RESULTS, (*OF_JUDGMENTS, "size", "grade"), 1)


def _has_results(source: Source) -> bool:
    """Return whether rows are no answers, no gold and no retrieved texts; rows with quotes may be results."""
    from excerpt.gold.quote_rows import KIND, RETRIEVED, first_keys

    if source.tool:
        return False
    answers, is_of_track = offered("answers"), offered("tracks")
    if is_of_track is not None and is_of_track(source):
        return False
    if (answers is not None and answers.answers_in(source)) or source.gold_kind not in (None, KIND):
        return False
    return first_keys(source.gold_file).isdisjoint(RETRIEVED)


#: Roles of which each row is read by itself.
_OF_A_ROW = {"topic", "document", "start", "end", "offset", "length", "score", "rank", "run"}


def lines_of(source: Source) -> LinesOf | None:
    """Return the keys of the rows, if all have the same few ones, and the topic of a line."""
    rows, meaning = source.first_rows, RowKeys("result").meaning
    keys = tuple(rows[0]) if rows and isinstance(rows[0], dict) else ()
    roles = {meaning.get(key): key for key in keys}
    alike = all(isinstance(row, dict) and row.keys() == set(keys) for row in rows)
    if source.is_list or not alike or len(roles) < len(keys) or not roles.keys() <= _OF_A_ROW:
        return None

    def topic_of(line: bytes) -> object:
        row = parse_json(line)
        return row.get(roles["topic"]) if isinstance(row, dict) else None

    def topics_of(source: Source) -> tuple[Sequence[str], IntArray, IntArray]:
        table = source.table("result")
        source.faults.settle()
        if tuple(table.keys) != keys:
            raise FormatError("the rows have other keys", path=source.name)
        return *encode(list(map(str, table.values(roles["topic"])))), np.array(table.line)

    return LinesOf(keys, topic_of, topics_of) if "topic" in roles else None


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write one line per result with all its values."""
    need_kind(run, "jsonl", ("spans", "documents", "elements"), "text spans", "try ⟨format=bep⟩")
    placed = has_places(run)
    topics, documents = quote_all(run.topics), quote_all(run.documents)
    known = run.fingerprints
    of_text = [f', "fingerprint": "{known[name][:16]}"' if name in known else "" for name in run.documents]
    paths = [f', "path": {path}' for path in quote_all(run.paths)]
    name = f', "run": {quote_all([run.name])[0]}' if run.name else ""
    extra, row = _written_extra(run), 0
    texts = None if run.text.quotes is None else run.text.quotes.tolist()
    for block in blocks(run):
        lines = []
        for topic, document, start, end, element, score, rank in block:
            line = f'{{"topic": {topics[topic]}, "document": {documents[document]}'
            if placed[row]:
                line += f', "start": {start}, "end": {end}'
            if texts and texts[row] is not None:
                line += f', "text": {quote_all([texts[row]])[0]}'
            if element >= 0:
                line += paths[element]
            if score == score:  # noqa: PLR0124 - the quick test for NaN
                line += f', "score": {quote_number(score)}'
            if rank != UNKNOWN:
                line += f', "rank": {rank}'
            lines.append(line + (extra[row] if extra else "") + of_text[document] + name + "}\n")
            row += 1
        stream.write("".join(lines).encode())


def _written_extra(run: Run) -> list[str]:
    """Return the text of the optional keys of each result; an empty list if the run has none."""
    costs = [column.tolist() for column in run.text.costs.values()]
    layout = "".join(f', "{name}": {{}}' for name in run.text.costs)
    written = [layout.format(*row) for row in zip(*costs, strict=True)]
    if run.text.lost is None:
        return written
    lost = [f', "lost": {count}' if count > 0 else "" for count in run.text.lost.tolist()]
    return [one + two for one, two in zip(lost, written or [""] * len(lost), strict=True)]


register_run(
    Format(
        "jsonl",
        "run",
        LAYOUT,
        "a result a row: JSON Lines, JSON list, CSV, TSV, Parquet",
        read,
        recognise,
        write,
        example=EXAMPLE,
        forms=RECORDS,
        lines_of=lines_of,
    )
)
