"""Runs of texts that a retriever returned, in the rows of RAGAS and DeepEval; a corpus locates them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.formats.reader import ResultRow, ResultTable
from excerpt.formats.registry import RECORDS, Format, register_run
from excerpt.formats.source import Source
from excerpt.gold.quote_rows import RETRIEVED, first_keys, question_of, rows
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN

LAYOUT = '{"user_input": …, "retrieved_contexts": [text, …]}'
EXAMPLE = """\
{"user_input": "When is the rent due?", "retrieved_contexts": ["The rent is due in May.", "No pets."]}
"""
_FIT = 100


def read(source: Source) -> Run:
    """Read the texts of each question, best first, as quotes of documents that are not named."""
    results: dict[str, list[tuple[ResultRow, str]]] = {}
    asked: dict[str, None] = {}
    for row in rows(source.gold_file):
        topic, key = question_of(row), next(filter(row.has, RETRIEVED), RETRIEVED[0])
        asked[topic] = None
        for rank, text in enumerate(row.texts(key, needed=True), 1):
            if topic and text.strip():
                place = (topic, "", "", UNKNOWN, UNKNOWN, True, rank, math.nan, row.line)
                results.setdefault(topic, []).append((place, text))
    source.faults.settle()
    if source.corpus is None:
        message = "retrieved texts need the documents: ⟨corpus⟩"
        raise ExcerptError(message, path=source.name, hint="⟨command=place⟩ locates chunks once for all runs")
    listed = [one for some in results.values() for one in some]
    run = ResultTable.of([place for place, _ in listed]).to_run(source, source.name, "spans")
    empty = tuple(topic for topic in asked if topic and topic not in results)
    quotes = np.array([text for _, text in listed], np.object_)
    return replace(run.with_text(quotes=quotes), empty=empty)


def recognise(source: Source) -> int:
    """Detect the format by the keys of the first row."""
    return 0 if source.form == "xml" or first_keys(source.gold_file).isdisjoint(RETRIEVED) else _FIT


register_run(
    Format(
        "contexts",
        "run",
        LAYOUT,
        "texts that a retriever returned (RAGAS, DeepEval)",
        read,
        recognise,
        example=EXAMPLE,
        forms=RECORDS,
        keys=RETRIEVED,
    )
)
