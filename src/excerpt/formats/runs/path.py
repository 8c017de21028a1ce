"""Runs of element paths: `topic Q0 document rank score tag path [last-path]` (INEX 2009, 2010).

One path is an element; two are a range of elements, both included, or the two ends of a passage.
"""

from __future__ import annotations

import io

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import located, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.write import lines, tag
from excerpt.model.run import Run, encode
from excerpt.model.spans import IntArray

LAYOUT = "topic Q0 document rank score tag path"
RANGE_LAYOUT = f"{LAYOUT} last-path"


def read(source: Source) -> Run:
    """Read seven or eight columns; paths become spans where there is an index."""
    columns = Columns.of(source).expect_width(range(7, 9), f"{LAYOUT} [last-path]")
    paths, path = _paths(columns)
    odd = np.array([not all(part.startswith("/") for part in text.split(" ")) for text in paths], np.bool_)
    for row in np.flatnonzero(odd[path]).tolist():
        source.faults.add(
            int(columns.line[row]),
            f"found path {paths[path[row]][:60]!r}, expected one such as /article[1]/p[2]",
        )
    source.faults.settle()
    start, end_, kind = located(source, columns, paths, path)
    return to_run(source, columns, start, end_, kind=kind, element=path, paths=paths)


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
    """Lines of seven columns that end in a path."""
    return sum(len(row) == 7 and row[6].startswith("/") for row in source.head)


def recognise_range(source: Source) -> int:
    """Lines of eight columns that end in two paths."""
    return sum(len(row) == 8 and row[6].startswith("/") and row[7].startswith("/") for row in source.head)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write paths; a run without paths cannot be written so."""
    for _, rank, score, result in lines(run):
        if result.path is None:
            raise ExcerptError(
                f"{run.source or run.name}: has results without an element path, which this format needs",
                hint="try --to fol",
            )
        stream.write(
            f"{result.topic} Q0 {result.document} {rank} {score} {tag(run)} {result.path}\n".encode()
        )


register_run(Format("path", "run", LAYOUT, "elements by path (INEX 2009, 2010)", read, recognise, write))
register_run(
    Format(
        "range", "run", RANGE_LAYOUT, "ranges of elements, first and last path", read, recognise_range, write
    )
)
