"""Runs of whole documents: `topic Q0 document rank score tag` (TREC); ordered by score as trec_eval does."""

from __future__ import annotations

import io

import numpy as np

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.write import lines, tag
from excerpt.model.run import Run

LAYOUT = "topic Q0 document rank score tag"


def read(source: Source) -> Run:
    """Read six columns; a result is a whole document."""
    columns = Columns.of(source).expect_width(range(6, 7), LAYOUT)
    start, end = np.zeros(len(columns), np.int64), np.ones(len(columns), np.int64)
    return to_run(source, columns, start, end, kind="documents")


def recognise(source: Source) -> int:
    """Lines of six columns, the sixth without the colon of a passage."""
    return sum(len(row) == 6 and ":" not in row[5] for row in source.head)


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write each document once, where it first occurs."""
    seen: set[tuple[str, str]] = set()
    places: dict[str, int] = {}
    for _, _, score, result in lines(run):
        if (result.topic, result.document) in seen:
            continue
        seen.add((result.topic, result.document))
        place = places[result.topic] = places.get(result.topic, 0) + 1
        stream.write(f"{result.topic} Q0 {result.document} {place} {score} {tag(run)}\n".encode())


register_run(
    Format(
        "trec",
        "run",
        LAYOUT,
        "whole documents (TREC), ordered by score",
        read,
        recognise,
        write,
        order="score",
    )
)
