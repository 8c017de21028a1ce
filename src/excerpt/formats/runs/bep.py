"""Runs of entry points: `topic Q0 document rank score tag offset` (INEX best in context).

`X` or `-1` as offset means a result that does not exist.
"""

from __future__ import annotations

import io

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import NOWHERE, is_offset, is_result, offsets, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.run import Run

LAYOUT = "topic Q0 document rank score tag offset"
EXAMPLE = "1 Q0 A 1 1.5 mine 120\n1 Q0 B 2 1.2 mine 0\n"


def read(source: Source) -> Run:
    """Read seven columns; an entry point is an empty span."""
    columns = Columns.of(source).expect_width(range(7, 8), LAYOUT)
    offset = offsets(columns, 6)
    return to_run(source, columns, offset, offset.copy(), kind="entry points")


def recognise(source: Source) -> int:
    """Lines of seven columns that end in an offset."""
    return sum(len(row) == 7 and is_result(row) and is_offset(row[6]) for row in source.head)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write the start of each result; results that do not exist get the offset X."""
    from excerpt.formats.write import need_kind, write_columns

    need_kind(run, "bep", ("spans", "documents", "entry points"), "positions in the text")
    write_columns(run, stream, lambda start, _end, _element: str(start) if start >= 0 else NOWHERE)


register_run(
    Format("bep", "run", LAYOUT, "best entry points by offset", read, recognise, write, example=EXAMPLE)
)
