"""Judgments in columns: FOL, TREC, BEIR."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from excerpt.errors import short
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import HEAD_LINES, Source
from excerpt.formats.text.columns import Columns
from excerpt.model.judgments import Judgments, collect_judgments
from excerpt.model.spans import UNKNOWN, FloatArray, IntArray, first_rows

_GRADES_ALONE = (
    "for grades of documents name the columns: ⟨qrels_format=columns:topic,-,document,-,relevance⟩"
)
FOL_LAYOUT = "topic Q0 document rsize size [bep offset:length ...]"
_PASSAGE = re.compile(r"[^:]*:.*|\d+[,;-]\d+")  # also with a wrong separator instead of the colon

#: Values of the second column that have no meaning.
ITERATIONS = {"0", "q0"}
_SUBTOPICS = (
    "the second columns differ, as in judgments by subtopic (ndeval) or by group (qrels_jg of trec_eval); "
    "keep the lines of one subtopic or group, or the highest grade of each document"
)


def read_fol(source: Source) -> Judgments:
    """Read highlighted passages; the relevant text is the union of a line's passages."""
    columns = Columns.of(source).expect_width(range(5, 1 << 40), FOL_LAYOUT)
    topics, topic = columns.names(0)
    documents, document = columns.names(2)
    rsize, size = columns.integers(3, "rsize"), columns.integers(4, "size")
    entry, passage_row, start, end = _passages(source, columns)
    if len(rsize) and not len(passage_row) and rsize.any():
        first = int(np.argmax(rsize > 0))
        found = f"found FOL judgments with rsize {rsize[first]} and no passage in any line"
        message = f"{found}, expected offset:length"
        source.faults.add(int(columns.line[first]), message, _GRADES_ALONE)
    reject_repeats(source, columns)
    source.faults.settle()
    rows = np.arange(len(columns))
    row = np.concatenate((rows, passage_row))
    judgments = collect_judgments(
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
    if not source.faults:
        _compare(source, columns, judgments, judgments.pairs(topic, document), rsize)
    return judgments


def _passages(source: Source, columns: Columns) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the entry point of each line; and line, start and end of each passage."""
    optional = np.maximum(columns.width - 5, 0)
    row = np.repeat(np.arange(len(columns)), optional)
    number = np.arange(len(row)) - np.repeat(np.cumsum(optional) - optional, optional)
    fields = columns.fields[columns.first[row] + 5 + number]
    offset, length, pair = fields.split()
    point = (number == 0) & ~pair
    one = "judgment has 6 columns; the sixth is read as a passage if it has a colon, else as entry point"
    many = "judgments have 6 columns; the sixth is read as a passage if it has a colon, else as entry point"
    source.notices.add_marked(one, many, columns.width == 6, lambda row: f"{source.name}:{columns.line[row]}")
    bad = np.flatnonzero(~pair & ~point)
    source.faults.add_all(
        columns.line[row[bad]],
        lambda number: f"found passage {short(fields.text(int(bad[number])))!r}, expected offset:length",
    )
    entry = np.full(len(columns), UNKNOWN, np.int64)
    none = (fields.width == 2) & (fields.byte(0) == ord("-")) & (fields.byte(1) == ord("1"))
    points = np.flatnonzero(point & ~none)
    entry[row[points]] = columns.check_integers(fields[points], "best entry point", columns.line[row[points]])
    line = columns.line[row[pair]]
    start = columns.check_integers(offset[pair], "passage offset", line)
    return entry, row[pair], start, start + columns.check_integers(length[pair], "passage length", line)


def reject_repeats(source: Source, columns: Columns, document: int = 2, topic_column: int = 0) -> None:
    """Report documents that are judged twice for a topic; both numbers are those of columns."""
    topics, topic = columns.names(topic_column)
    documents, document_code = columns.names(document)
    code = topic * max(len(documents), 1) + document_code
    first = first_rows(code)
    repeats = np.flatnonzero(first != np.arange(len(code)))
    if not len(repeats):
        return
    earlier = first[repeats]

    def describe(number: int) -> str:
        row, line = repeats[number], columns.line[earlier[number]]
        name, of = short(documents[int(document_code[row])]), short(topics[int(topic[row])])
        again = f"found document {name} of topic {of} again (first in line {line})"
        return f"{again}, expected one line per topic and document"

    groups, second = columns.names(1)
    named = any(name.lower() not in ITERATIONS for name in groups)
    several = document > 1 and named and bool((second[repeats] != second[earlier]).any())
    source.faults.add_all(columns.line[repeats], describe, _SUBTOPICS if several else "")


def _compare(source: Source, columns: Columns, judgments: Judgments, pair: IntArray, rsize: IntArray) -> None:
    last = np.zeros(len(judgments), np.int64)
    np.maximum.at(last, judgments.spans.group, judgments.spans.end)
    relevant, size = judgments.relevant_by_pair[pair], judgments.pair_size[pair]
    warnings = (
        ("an rsize that is not the length of the passages; the passages count", rsize != relevant),
        ("an rsize larger than the size of the document; is the size right?", rsize > size),
        ("a passage beyond the end of the document; is the size right?", last[pair] > size),
    )
    for text, mask in warnings:
        one, many = f"judgment has {text}", f"judgments have {text}"
        source.notices.add_marked(one, many, mask, lambda row: f"{source.name}:{columns.line[row]}")


def recognise_fol(source: Source) -> int:
    """Count lines with two numbers after the document and, if there are more columns, a passage.

    Lines of five columns that all end in small numbers, the first of them not always 0, are sampled qrels.
    """
    sampled = source.head and all(map(is_stratified, source.head))
    if sampled and any((row[1], row[3]) != ("Q0", "0") for row in source.head):
        return 0
    return sum(
        len(row) >= 5 and row[3].isdecimal() and row[4].isdecimal() and _has_passages(row)
        for row in source.head
    )


def _has_passages(row: list[str]) -> bool:
    """Return whether passages can follow the sizes; if nothing follows, the second column must be `Q0`."""
    if len(row) == 5:
        return row[1].upper() in {"Q0", "0"}
    entry = len(row) == 6 and (row[5].isdecimal() or row[5] == "-1")  # -1: there is no entry point
    return entry or any(map(_PASSAGE.fullmatch, row[5:7]))


def is_stratified(row: list[str]) -> bool:
    """Return whether a line has stratum and grade of a sampled document: `topic 0 document stratum grade`."""
    small = len(row) == 5 and row[1].lower() in ITERATIONS and row[3].isdecimal() and len(row[3]) < 3
    return small and re.fullmatch("-?[0-9]", row[4]) is not None


def write_fol(judgments: Judgments, stream: io.BufferedIOBase) -> None:
    """Write one line per judged document; an unknown length becomes the end of the last passage."""
    from excerpt.formats.writer import need_words
    from excerpt.model.dictionaries import spans_by_pair

    need_words((*judgments.topics, *judgments.documents), judgments.source)
    for pair, spans in enumerate(spans_by_pair(judgments)):
        size, entry = int(judgments.pair_size[pair]), int(judgments.pair_entry[pair])
        fields = [
            judgments.topics[int(judgments.pair_topic[pair])],
            "Q0",
            judgments.documents[int(judgments.pair_document[pair])],
            str(int(judgments.relevant_by_pair[pair])),
            str(size if size != UNKNOWN else max((end for _, end in spans), default=0)),
        ]
        if spans:
            fields += [str(entry), *(f"{start}:{end - start}" for start, end in spans)]
        stream.write((" ".join(fields) + "\n").encode())


TREC_LAYOUT = "topic 0 document relevance"
#: Distinct names, and the code of each row's name.
CodedNames: TypeAlias = tuple[tuple[str, ...], IntArray]
_GRADE = r"[+-]?[0-9]{1,2}"
_DOCUMENT = r"(?i)(?!Q0$)(?=.*\d).*[A-Za-z].*"


def read_trec(source: Source) -> Judgments:
    """Read relevance grades; documents have their lengths from the index, else 1 character."""
    columns = Columns.of(source).without_comments().expect_width(range(4, 5), TREC_LAYOUT)
    grade = columns.grades(3, "relevance")
    reject_repeats(source, columns)
    source.faults.settle()
    return judge_documents(source, columns.names(0), columns.names(2), grade)


def judge_documents(
    source: Source, topic_names: CodedNames, document_names: CodedNames, grade: FloatArray
) -> Judgments:
    """Return judgments of whole documents from a grade for each topic and document."""
    (topics, topic), (documents, document) = topic_names, document_names
    unknown = "its length counts as 1 character", "their lengths count as 1 character"
    sizes = document_sizes(source, documents, unknown)[document]
    sizes = np.where(sizes == UNKNOWN, 1, sizes)
    return collect_judgments(
        topics,
        documents,
        topic,
        document,
        np.zeros(len(grade), np.int64),
        np.where(grade > 0, sizes, 0),
        size=sizes,
        entry=np.where(grade > 0, 0, -1),
        scale="documents",
        source=source.name,
        grade=grade.astype(np.int64),
    )


def document_sizes(source: Source, documents: Sequence[str], effect: tuple[str, str]) -> IntArray:
    """Return the length of each document by the index; unknown without an index, or if it is not there."""
    if source.index is None:
        return np.full(len(documents), UNKNOWN, np.int64)
    codes = source.index.document_codes(documents)
    source.notices.add_marked(
        f"judged document is not in the index; {effect[0]}",
        f"judged documents are not in the index; {effect[1]}",
        codes < 0,
        lambda row: f"document {short(documents[row])} of {source.name}",
    )
    return source.index.document_sizes(codes)


def recognise_trec(source: Source) -> int:
    """Count lines of four columns that end in a small whole number, and comments, which begin with `#`."""
    if any(map(is_passage, source.head)):
        return 0
    judged = list(map(is_judged, source.head))
    comments = [row[0].startswith("#") for row in source.head]
    return sum(map(max, judged, comments)) if any(judged) else 0


def is_judged(row: list[str]) -> bool:
    """Return whether a line has four columns and ends in a small whole number, a grade."""
    return len(row) == 4 and re.fullmatch(_GRADE, row[3]) is not None


def is_passage(row: list[str]) -> bool:
    """Return whether a line has document, offset and length of a passage, as in TREC HARD."""
    numbers = len(row) == 4 and row[2].isdecimal() and row[3].isdecimal()
    return numbers and len(row[3]) > 2 and re.fullmatch(_DOCUMENT, row[1]) is not None


def write_trec(judgments: Judgments, stream: io.BufferedIOBase) -> None:
    """Write the grades of documents, else 1 for those with relevant text, 0 for the other judged ones."""
    from excerpt.formats.writer import need_words

    need_words((*judgments.topics, *judgments.documents), judgments.source)
    relevant = (judgments.relevant_by_pair > 0).astype(np.int64)
    for pair, grade in enumerate((relevant if judgments.grades is None else judgments.grades).tolist()):
        topic = judgments.topics[int(judgments.pair_topic[pair])]
        document = judgments.documents[int(judgments.pair_document[pair])]
        stream.write(f"{topic} 0 {document} {grade}\n".encode())


BEIR_LAYOUT = "query-id corpus-id score"
#: The names of its columns.
BEIR = ["query-id", "corpus-id", "score"]


def read_beir(source: Source) -> Judgments:
    """Read relevance grades of documents; the first line names the columns."""
    columns = Columns.of(source)
    columns = columns.take(np.arange(1, len(columns))).expect_width(range(3, 4), BEIR_LAYOUT)
    grade = columns.grades(2, "score")
    reject_repeats(source, columns, document=1)
    source.faults.settle()
    return judge_documents(source, columns.names(0), columns.names(1), grade)


def recognise_beir(source: Source) -> int:
    """Return more than the number of lines if the first line names the columns; not if it has commas."""
    named = BEIR in (source.first_line[1].split(), *source.head[:1])
    return max(len(source.head), HEAD_LINES) + 1 if named else 0


for _format in (
    Format(
        "fol",
        "judgments",
        FOL_LAYOUT,
        "highlighted passages (INEX 2008 to 2010)",
        read_fol,
        recognise_fol,
        write_fol,
        example="1 Q0 A 140 2000 120 120:100 900:40\n1 Q0 B 0 800\n",
    ),
    Format(
        "trec",
        "judgments",
        TREC_LAYOUT,
        "whole documents (TREC qrels)",
        read_trec,
        recognise_trec,
        write_trec,
        example="1 0 A 1\n1 0 B 0\n",
    ),
    Format(
        "beir",
        "judgments",
        BEIR_LAYOUT,
        "whole documents (BEIR, MTRAG)",
        read_beir,
        recognise_beir,
        forms=("columns", "table"),
        example="query-id\tcorpus-id\tscore\n1\tA\t1\n1\tB\t0\n",
    ),
):
    register_judgments(_format)
