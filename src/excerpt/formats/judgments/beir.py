"""Qrels of BEIR and its relatives: `query-id corpus-id score` with tabs, and a first line that says so."""

from __future__ import annotations

import numpy as np

from excerpt.formats.judgments.fol import refuse_repeats
from excerpt.formats.judgments.trec import judge_documents
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.judgments import Judgments

LAYOUT = "query-id corpus-id score"
EXAMPLE = "query-id\tcorpus-id\tscore\n1\tA\t1\n1\tB\t0\n"
_NAMES = ["query-id", "corpus-id", "score"]


def read(source: Source) -> Judgments:
    """Read relevance grades of documents; the first line names the columns."""
    columns = Columns.of(source)
    columns = columns.take(np.arange(1, len(columns))).expect_width(range(3, 4), LAYOUT)
    grade = columns.grades(2, "score")
    refuse_repeats(source, columns, document=1)
    source.faults.settle()
    return judge_documents(source, columns.names(0), columns.names(1), grade)


def recognise(source: Source) -> int:
    """As many as there are lines, if the first line names the columns."""
    return len(source.head) + 1 if source.head[:1] == [_NAMES] else 0


register_judgments(
    Format(
        "beir",
        "judgments",
        LAYOUT,
        "whole documents (BEIR, MTRAG)",
        read,
        recognise,
        example=EXAMPLE,
    )
)
