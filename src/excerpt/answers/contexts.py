"""Runs of texts that a retriever returned, in the rows of RAGAS and DeepEval; a corpus locates them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

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
    found: dict[str, list[TracedText]] = {}
    for row in rows(source.gold_file):
        topic, key = question_of(row), next(filter(row.has, RETRIEVED), RETRIEVED[0])
        texts = found.setdefault(topic, [])
        texts += (TracedText(row.line, text, math.nan) for text in row.texts(key, needed=True))
    source.faults.settle()
    return run_of_texts(source, found)


class TracedText(NamedTuple):
    """A text that a retriever returned, and its score."""

    line: int
    text: str
    score: float


def run_of_texts(source: Source, found: Mapping[str, Sequence[TracedText]]) -> Run:
    """Make a run of texts by question, best first: quotes of documents that are not named."""
    results: dict[str, list[tuple[ResultRow, str]]] = {}
    for topic, texts in found.items():
        for rank, one in enumerate(texts, 1):
            if topic and one.text.strip():
                place = (topic, "", "", UNKNOWN, UNKNOWN, True, rank, one.score, one.line)
                results.setdefault(topic, []).append((place, one.text))
    if source.corpus is None:
        message = "retrieved texts need the documents: ⟨corpus⟩"
        raise ExcerptError(message, path=source.name, hint="⟨command=place⟩ locates chunks once for all runs")
    listed = [one for some in results.values() for one in some]
    run = ResultTable.of([place for place, _ in listed]).to_run(source, source.name, "spans")
    empty = tuple(topic for topic in found if topic and topic not in results)
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
