"""Runs of whole documents: `topic Q0 document rank score tag` (TREC); ordered by score as trec_eval does."""

from __future__ import annotations

import io

import numpy as np

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import is_place, is_result, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.run import Run

LAYOUT = "topic Q0 document rank score tag"
EXAMPLE = "1 Q0 A 1 1.5 mine\n1 Q0 B 2 1.2 mine\n"


def read(source: Source) -> Run:
    """Read six columns; a result is a whole document. Comments and further columns are skipped, as usual."""
    columns = Columns.of(source).without_comments().expect_width(range(6, 1 << 40), LAYOUT)
    source.notices.add_marked(
        "line has more than the six columns of a TREC run; the others were ignored",
        columns.width > 6,
        lambda row: f"{source.name}:{columns.line[row]}",
    )
    start, end = np.zeros(len(columns), np.int64), np.ones(len(columns), np.int64)
    return to_run(source, columns, start, end, kind="documents")


def recognise(source: Source) -> int:
    """Lines of six columns, the sixth without the colon of a passage, or of more that are no place."""
    results = sum(
        len(row) >= 6 and is_result(row) and ":" not in row[5] and not any(map(is_place, row[6:]))
        for row in source.head
    )
    return results + sum(row[0].startswith("#") for row in source.head) if results else 0


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write each document once, where it first occurs, with scores that keep the order."""
    from excerpt.formats.write import score_documents, write_columns

    write_columns(score_documents(run).run, stream)


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
        example=EXAMPLE,
    )
)
