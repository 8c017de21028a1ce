"""Runs of TREC Genomics 2006 and 2007: `topic article rank score start length [tag]`, in bytes of the HTML.

With a corpus bytes become characters of its documents; without one they stay bytes, as those of the
judgments do.
"""

from __future__ import annotations

import math

import numpy as np

from excerpt.formats.byte_offsets import Spans, as_characters
from excerpt.formats.registry import Format, register_run
from excerpt.formats.results import Names, Results
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.text.fields import decimal
from excerpt.model.run import Run

LAYOUT = "topic article rank score start length [tag]"
EXAMPLE = "1\tA\t1\t0.9\t120\t300\tmine\n1\tB\t2\t0.8\t0\t50\tmine\n"


def read(source: Source) -> Run:
    """Read six or seven columns; start and length become a span."""
    columns = Columns.of(source).expect_width(range(6, 8), LAYOUT)
    topics, documents = Names(*columns.names(0)), Names(*columns.names(1))
    rank, score = columns.integers(2, "rank"), columns.floats(3, "score")
    start, length = columns.integers(4, "start"), columns.integers(5, "length")
    source.faults.settle()
    start, end = as_characters(source, *documents, columns.line, Spans(start, start + length))
    source.faults.settle()
    tags = columns.take(columns.width > 6).names(6)[0] if bool((columns.width > 6).any()) else ()
    if len(tags) > 1:
        source.notices.add(f"run has {len(tags)} tags; the first is its name", where=source.name)
    results = Results(
        topics=topics,
        documents=documents,
        paths=Names((), np.full(len(columns), -1)),
        start=start,
        end=end,
        has_span=np.ones(len(columns), np.bool_),
        rank=rank,
        score=score,
        line=columns.line,
    )
    return results.to_run(source, tags[0] if tags else source.name, "spans")


def recognise(source: Source) -> int:
    """Lines with rank, score, start and length behind topic and document, ranks from 0 or 1 on.

    A TREC run whose documents and tags are numbers may look so; but its third column does not count.
    """
    ranks: dict[str, list[int]] = {}
    for row in source.head:
        if _is_passage(row):
            ranks.setdefault(row[0], []).append(int(row[2]))
    count = sum(map(len, ranks.values()))
    risen = all(
        places[0] <= 1 and places == list(range(places[0], places[0] + len(places)))
        for places in ranks.values()
    )
    return 2 * count if risen else 0


def _is_passage(row: list[str]) -> bool:
    numbers = len(row) in {6, 7} and row[1] != "Q0" and all(row[place].isdecimal() for place in (2, 4, 5))
    return numbers and not math.isnan(decimal(row[3]))


register_run(
    Format(
        "trec-genomics",
        "run",
        LAYOUT,
        "passages in bytes of HTML (TREC Genomics 2006, 2007)",
        read,
        recognise,
        example=EXAMPLE,
    )
)
