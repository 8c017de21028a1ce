"""Passage judgments of TREC HARD 2003 and 2004: `topic document offset length`, in bytes.

With a corpus bytes become characters of its documents; without one they stay bytes, as those of runs do.
"""

from __future__ import annotations

import re

import numpy as np

from excerpt.formats.byte_offsets import Spans, as_characters
from excerpt.formats.judgments.fol import ITERATIONS
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN

LAYOUT = "topic document offset length"
EXAMPLE = "1 NYT19990430.0001 120 100\n1 APW19990102.0017 0 480\n"
_DOCUMENT = re.compile(r"(?!Q0$)(?=.*\d).*[A-Za-z].*", re.IGNORECASE)


def read(source: Source) -> Judgments:
    """Read one relevant passage per line."""
    columns = Columns.of(source).expect_width(range(4, 5), LAYOUT)
    (topics, topic), (documents, document) = columns.names(0), columns.names(1)
    start, length = columns.integers(2, "offset"), columns.integers(3, "length")
    odd = np.isin(document, [code for code, name in enumerate(documents) if name.lower() in ITERATIONS])
    source.faults.add_all(
        columns.line[odd],
        lambda _: "found an iteration of TREC qrels, expected a document in the second column",
    )
    source.faults.settle()
    spans = as_characters(source, documents, document, columns.line, Spans(start, start + length))
    source.faults.settle()
    unknown = np.full(len(columns), UNKNOWN, np.int64)
    return Judgments.collect(
        topics,
        documents,
        topic,
        document,
        spans.start,
        spans.end,
        size=unknown,
        entry=unknown,
        unit="byte" if source.corpus is None else "char",
        source=source.name,
    )


def recognise(source: Source) -> int:
    """Lines of four columns, the last two numbers, the second one the name of a document.

    Grades of TREC qrels are numbers, too; but lengths of passages are not all that small.
    """
    passages = [
        row
        for row in source.head
        if len(row) == 4 and row[2].isdecimal() and row[3].isdecimal() and _DOCUMENT.fullmatch(row[1])
    ]
    return 2 * len(passages) if any(len(row[3]) > 2 for row in passages) else 0


register_judgments(
    Format(
        "trec-hard",
        "judgments",
        LAYOUT,
        "passages in bytes (TREC HARD 2003, 2004)",
        read,
        recognise,
        example=EXAMPLE,
    )
)
