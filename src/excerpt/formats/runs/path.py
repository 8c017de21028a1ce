"""Runs of element paths: `topic Q0 document rank score tag path [last-path]` (INEX 2009, 2010).

One path is an element; two are a range of elements, both included, or the two ends of a passage.
"""

from __future__ import annotations

import io

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.formats.registry import Format, register_run
from excerpt.formats.results import Names
from excerpt.formats.runs._columns import is_path, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.run import Run, encode
from excerpt.model.spans import IntArray

LAYOUT = "topic Q0 document rank score tag path"
RANGE_LAYOUT = f"{LAYOUT} last-path"
EXAMPLE = "1 Q0 A 1 1.5 mine /article[1]/p[2]\n1 Q0 B 2 1.2 mine /article[1]\n"
RANGE_EXAMPLE = "1 Q0 A 1 1.5 mine /article[1]/p[2] /article[1]/p[4]\n"


def read(source: Source) -> Run:
    """Read seven or eight columns; paths become spans where there is an index."""
    columns = Columns.of(source).expect_width(range(7, 9), f"{LAYOUT} [last-path]")
    paths, path = _paths(columns)
    odd = np.array([not all(part.startswith("/") for part in text.split(" ")) for text in paths], np.bool_)
    bad = np.flatnonzero(odd[path])
    source.faults.add_all(
        columns.line[bad],
        lambda number: (
            f"found path {short(paths[path[bad[number]]])!r}, expected one such as /article[1]/p[2]"
        ),
    )
    source.faults.settle()
    return to_run(source, columns, paths=Names(paths, path))


def _paths(columns: Columns) -> tuple[tuple[str, ...], IntArray]:
    """The distinct paths, two of a line with a blank between them, and the code of each line's."""
    last = np.flatnonzero(columns.width == 8)
    if not len(last):
        return columns.names(6)
    texts = columns.column(6).texts()
    for row, end in zip(last.tolist(), columns.take(last).column(7).texts(), strict=True):
        texts[row] += " " + end
    return encode(texts)


def recognise(source: Source) -> int:
    """Lines of seven columns that end in a path, or in one without its first slash."""
    return sum(len(row) == 7 and is_path(row[6]) for row in source.head)


def recognise_range(source: Source) -> int:
    """Lines of eight columns that end in two paths."""
    return sum(len(row) == 8 and all(map(is_path, row[6:])) for row in source.head)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write paths; a run without paths cannot be written so."""
    if bool((run.element < 0).any()):
        raise ExcerptError(
            "found results without an element path, expected a path for each",
            path=run.source or run.name,
            hint="try ⟨format=fol⟩",
        )
    from excerpt.formats.write import write_columns

    write_columns(run, stream, lambda _start, _end, element: run.paths[element])


register_run(
    Format(
        "path", "run", LAYOUT, "elements by path (INEX 2009, 2010)", read, recognise, write, example=EXAMPLE
    )
)
register_run(
    Format(
        "range",
        "run",
        RANGE_LAYOUT,
        "ranges of elements, first and last path",
        read,
        recognise_range,
        write,
        example=RANGE_EXAMPLE,
    )
)
