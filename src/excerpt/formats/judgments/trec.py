"""TREC qrels: `topic 0 document relevance`; above 0 the whole document is relevant."""

from __future__ import annotations

import io
import re
from typing import TypeAlias

import numpy as np

from excerpt.errors import short
from excerpt.formats.judgments.fol import refuse_repeats
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray, IntArray

LAYOUT = "topic 0 document relevance"
EXAMPLE = "1 0 A 1\n1 0 B 0\n"
#: Names, and the number of that of each row.
Names: TypeAlias = tuple[tuple[str, ...], IntArray]
_GRADE = r"[+-]?[0-9]{1,2}"
_DOCUMENT = r"(?i)(?!Q0$)(?=.*\d).*[A-Za-z].*"


def read(source: Source) -> Judgments:
    """Read relevance grades; a document has its length from the index, else 1 character."""
    columns = Columns.of(source).without_comments().expect_width(range(4, 5), LAYOUT)
    grade = columns.grades(3, "relevance")
    refuse_repeats(source, columns)
    source.faults.settle()
    return judge_documents(source, columns.names(0), columns.names(2), grade)


def judge_documents(
    source: Source, topic_names: Names, document_names: Names, grade: FloatArray
) -> Judgments:
    """Judgments of whole documents from a grade for each topic and document."""
    (topics, topic), (documents, document) = topic_names, document_names
    sizes = _sizes(source, documents)[document]
    return Judgments.collect(
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


def _sizes(source: Source, documents: tuple[str, ...]) -> IntArray:
    if source.index is None:
        return np.ones(len(documents), np.int64)
    codes = source.index.document_codes(documents)
    source.notices.add_marked(
        "judged document is not in the index; its length counts as 1 character",
        codes < 0,
        lambda row: f"document {short(documents[row])} of {source.name}",
    )
    return np.where(codes >= 0, source.index.document_sizes(codes), 1)


def recognise(source: Source) -> int:
    """Lines of four columns that end in a small whole number; comments begin with a `#`."""
    if any(map(is_passage, source.head)):
        return 0
    judged = [len(row) == 4 and re.fullmatch(_GRADE, row[3]) is not None for row in source.head]
    comments = [row[0].startswith("#") for row in source.head]
    return sum(map(max, judged, comments)) if any(judged) else 0


def is_passage(row: list[str]) -> bool:
    """Whether a line has document, offset and length of a passage, as judgments of TREC HARD have."""
    numbers = len(row) == 4 and row[2].isdecimal() and row[3].isdecimal()
    return numbers and len(row[3]) > 2 and re.fullmatch(_DOCUMENT, row[1]) is not None


def write(judgments: Judgments, stream: io.BufferedIOBase) -> None:
    """Write the grades of documents, else 1 for those with relevant text, 0 for the other judged ones."""
    from excerpt.formats.write import need_words

    need_words((*judgments.topics, *judgments.documents), judgments.source)
    relevant = (judgments.relevant_by_pair > 0).astype(np.int64)
    for pair, grade in enumerate((relevant if judgments.grades is None else judgments.grades).tolist()):
        topic = judgments.topics[int(judgments.pair_topic[pair])]
        document = judgments.documents[int(judgments.pair_document[pair])]
        stream.write(f"{topic} 0 {document} {grade}\n".encode())


register_judgments(
    Format(
        "trec", "judgments", LAYOUT, "whole documents (TREC qrels)", read, recognise, write, example=EXAMPLE
    )
)
