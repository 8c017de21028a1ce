"""Runs of file-offset-length lines: `topic Q0 document rank score tag offset length` (INEX 2009, 2010).

`X` or `-1` as offset means a result that does not exist; its length is then not read.
"""

from __future__ import annotations

import io

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import NOWHERE, is_offset, is_result, offsets, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN

LAYOUT = "topic Q0 document rank score tag offset length"
EXAMPLE = "1 Q0 A 1 1.5 mine 120 300\n1 Q0 B 2 1.2 mine 0 50\n"


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
    """Lines of eight columns that end in an offset and a length, one of which may be faulty."""
    return sum(
        len(row) == 8 and is_result(row) and (is_offset(row[6]) or is_offset(row[7])) for row in source.head
    )


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write spans; results that do not exist get the offset X."""
    from excerpt.formats.write import need_kind, write_columns

    need_kind(run, "fol", ("spans",), "text spans")
    write_columns(
        run, stream, lambda start, end, _element: f"{start} {end - start}" if start >= 0 else f"{NOWHERE} 0"
    )


register_run(
    Format(
        "fol",
        "run",
        LAYOUT,
        "passages by offset and length (INEX 2009, 2010)",
        read,
        recognise,
        write,
        example=EXAMPLE,
    )
)
