"""Runs of entry points: `topic Q0 document rank score tag offset` (INEX best in context).

`X` or `-1` as offset means a result that does not exist.
"""

from __future__ import annotations

import io

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import offsets, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.write import lines, need_positions, tag
from excerpt.model.run import Run

LAYOUT = "topic Q0 document rank score tag offset"


def read(source: Source) -> Run:
    """Read seven columns; an entry point is an empty span."""
    columns = Columns.of(source).expect_width(range(7, 8), LAYOUT)
    offset = offsets(columns, 6)
    return to_run(source, columns, offset, offset.copy(), kind="entry points")


def recognise(source: Source) -> int:
    """Lines of seven columns that end in neither a path nor a passage."""
    return sum(len(row) == 7 and not any(mark in row[6] for mark in "/:[") for row in source.head)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write the start of each result; results that do not exist get the offset X."""
    need_positions(run, "bep")
    for number, rank, score, result in lines(run):
        place = result.start if run.known[number] else "X"
        stream.write(f"{result.topic} Q0 {result.document} {rank} {score} {tag(run)} {place}\n".encode())


register_run(Format("bep", "run", LAYOUT, "best entry points by offset", read, recognise, write))
