"""FOL qrels: `topic Q0 document rsize size [bep offset:length …]` (INEX 2008 to 2010)."""

from __future__ import annotations

import io
import re

import numpy as np

from excerpt.errors import short
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.text.fields import Fields
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

LAYOUT = "topic Q0 document rsize size [bep offset:length ...]"
EXAMPLE = "1 Q0 A 140 2000 120 120:100 900:40\n1 Q0 B 0 800\n"


_PASSAGE = re.compile(r"[^:]*:.*|\d+[,;-]\d+")  # also with another sign than the colon

#: What stands in the second column where it means nothing.
ITERATIONS = {"0", "q0"}
_SUBTOPICS = (
    "their second columns differ: these are judgments by subtopic (ndeval) or by group (qrels_jg of "
    "trec_eval); keep the lines of one, or the highest grade of each document"
)


def read(source: Source) -> Judgments:
    """Read highlighted passages; what is relevant is the union of a line's passages."""
    columns = Columns.of(source).expect_width(range(5, 1 << 40), LAYOUT)
    topics, topic = columns.names(0)
    documents, document = columns.names(2)
    rsize, size = columns.integers(3, "rsize"), columns.integers(4, "size")
    entry, passage_row, start, end = _passages(source, columns)
    refuse_repeats(source, columns)
    source.faults.settle()
    rows = np.arange(len(columns))
    row = np.concatenate((rows, passage_row))
    judgments = Judgments.collect(
        topics,
        documents,
        topic[row],
        document[row],
        np.concatenate((np.zeros(len(columns), np.int64), start)),
        np.concatenate((np.zeros(len(columns), np.int64), end)),
        size=size[row],
        entry=entry[row],
        source=source.name,
    )
    _compare(source, columns, judgments, judgments.pairs(topic, document), rsize)
    return judgments


def _passages(source: Source, columns: Columns) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Entry point of each line; and line, start and end of each passage."""
    optional = np.maximum(columns.width - 5, 0)
    row = np.repeat(np.arange(len(columns)), optional)
    number = np.arange(len(row)) - np.repeat(np.cumsum(optional) - optional, optional)
    fields = columns.fields[columns.first[row] + 5 + number]
    offset, length, pair = fields.split()
    point = (number == 0) & ~pair
    source.notices.add_marked(
        "judgment has 6 columns; the sixth was read as a passage if it has a colon, else as entry point",
        columns.width == 6,
        lambda row: f"{source.name}:{columns.line[row]}",
    )
    bad = np.flatnonzero(~pair & ~point)
    source.faults.add_all(
        columns.line[row[bad]],
        lambda number: f"found passage {short(fields.text(int(bad[number])))!r}, expected offset:length",
    )
    entry = np.full(len(columns), UNKNOWN, np.int64)
    given = np.flatnonzero(point & ~_minus_one(fields))
    entry[row[given]] = columns.check_integers(fields[given], "best entry point", columns.line[row[given]])
    where = columns.line[row[pair]]
    start = columns.check_integers(offset[pair], "passage offset", where)
    return entry, row[pair], start, start + columns.check_integers(length[pair], "passage length", where)


def _minus_one(fields: Fields) -> BoolArray:
    """Entry points written as -1: there is none."""
    return np.asarray((fields.width == 2) & (fields.byte(0) == ord("-")) & (fields.byte(1) == ord("1")))


def refuse_repeats(source: Source, columns: Columns, document: int = 2, topic_column: int = 0) -> None:
    """A document judged twice for a topic is a fault; both are in a column."""
    topics, topic = columns.names(topic_column)
    documents, which_document = columns.names(document)
    code = topic * max(len(documents), 1) + which_document
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[which] != np.arange(len(code)))
    if not len(again):
        return
    earlier = first[which[again]]

    def describe(number: int) -> str:
        row = again[number]
        what = (
            f"document {short(documents[int(which_document[row])])} of topic {short(topics[int(topic[row])])}"
        )
        line = columns.line[earlier[number]]
        return f"found {what} again (first in line {line}), expected one line per topic and document"

    groups, second = columns.names(1)
    meant = any(name.lower() not in ITERATIONS for name in groups)
    several = document > 1 and meant and bool((second[again] != second[earlier]).any())
    source.faults.add_all(columns.line[again], describe, _SUBTOPICS if several else "")


def _compare(source: Source, columns: Columns, judgments: Judgments, pair: IntArray, rsize: IntArray) -> None:
    """Count lines whose own figures disagree with their passages."""
    last = np.zeros(len(judgments), np.int64)
    np.maximum.at(last, judgments.spans.group, judgments.spans.end)
    relevant, size = judgments.relevant_by_pair[pair], judgments.pair_size[pair]
    doubts = (
        ("judgment's rsize is not the length of its passages; the passages count", rsize != relevant),
        ("judgment has more relevant text than its document is long", rsize > size),
        ("judgment has a passage beyond the end of its document", last[pair] > size),
    )
    for message, mask in doubts:
        source.notices.add_marked(message, mask, lambda row: f"{source.name}:{columns.line[row]}")


def recognise(source: Source) -> int:
    """Lines with two numbers after the document and, if there is more, a passage behind them."""
    return sum(
        len(row) >= 5 and row[3].isdecimal() and row[4].isdecimal() and _has_passages(row)
        for row in source.head
    )


def _has_passages(row: list[str]) -> bool:
    """Whether what follows the sizes can be passages; where nothing does, the second column must be `Q0`."""
    if len(row) == 5:
        return row[1].upper() in {"Q0", "0"}
    return any(map(_PASSAGE.fullmatch, row[5:7])) or (len(row) == 6 and row[5].isdecimal())


def write(judgments: Judgments, stream: io.BufferedIOBase) -> None:
    """Write one line per judged document; an unknown length becomes the end of the last passage."""
    from excerpt.formats.write import need_words

    need_words((*judgments.topics, *judgments.documents), judgments.source)
    first = np.searchsorted(judgments.spans.group, np.arange(len(judgments) + 1))
    for pair in range(len(judgments)):
        spans = slice(int(first[pair]), int(first[pair + 1]))
        starts, ends = judgments.spans.start[spans].tolist(), judgments.spans.end[spans].tolist()
        size, entry = int(judgments.pair_size[pair]), int(judgments.pair_entry[pair])
        fields = [
            judgments.topics[int(judgments.pair_topic[pair])],
            "Q0",
            judgments.documents[int(judgments.pair_document[pair])],
            str(int(judgments.relevant_by_pair[pair])),
            str(size if size != UNKNOWN else max(ends, default=0)),
        ]
        if starts:
            fields.append(str(entry))
            fields += [f"{start}:{end - start}" for start, end in zip(starts, ends, strict=True)]
        stream.write((" ".join(fields) + "\n").encode())


register_judgments(
    Format(
        "fol",
        "judgments",
        LAYOUT,
        "highlighted passages (INEX 2008 to 2010)",
        read,
        recognise,
        write,
        example=EXAMPLE,
    )
)
