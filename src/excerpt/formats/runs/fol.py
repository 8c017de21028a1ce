"""Runs of file-offset-length lines: `topic Q0 document rank score tag offset length` (INEX 2009, 2010).

`X` or `-1` as offset means a result that does not exist; its length is then not read.
"""

from __future__ import annotations

import io

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import offsets, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.write import lines, need_spans, tag
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN

LAYOUT = "topic Q0 document rank score tag offset length"


def read(source: Source) -> Run:
    """Read the eight columns; offset and length become a span."""
    columns = Columns.of(source).expect_width(range(8, 9), LAYOUT)
    start = offsets(columns, 6)
    known = start != UNKNOWN
    if known.all():
        return to_run(source, columns, start, start + columns.integers(7, "length"))
    end = start.copy()
    end[known] += columns.take(known).integers(7, "length")
    return to_run(source, columns, start, end)


def recognise(source: Source) -> int:
    """Lines of eight columns that do not end in paths or passages of judgments."""
    return sum(len(row) == 8 and not any(mark in row[6] + row[7] for mark in "/:[") for row in source.head)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write spans; results that do not exist get the offset X."""
    need_spans(run, "fol")
    for number, rank, score, result in lines(run):
        known = bool(run.known[number])
        place = f"{result.start} {result.end - result.start}" if known else "X 0"
        stream.write(f"{result.topic} Q0 {result.document} {rank} {score} {tag(run)} {place}\n".encode())


register_run(
    Format("fol", "run", LAYOUT, "passages by offset and length (INEX 2009, 2010)", read, recognise, write)
)
