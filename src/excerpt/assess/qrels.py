"""Opinions as the judgments that runs are evaluated with, by the scale of the procedure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from excerpt.assess.merging import Grade, Opinion, Span, covered, order_of
from excerpt.assess.procedures import Procedure
from excerpt.assess.rules import Node
from excerpt.model.elements import GradedElement, GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN


def judgments_of(
    opinions: Sequence[Opinion],
    lengths: Mapping[str, int],
    procedure: Procedure,
    parts: Callable[[str], Iterable[Node]],
) -> Judgments:
    """The judgments of one opinion per pair; `parts` are the elements of a document."""
    topics, topic = encode([opinion.pair.topic for opinion in opinions])
    documents, document = encode([opinion.pair.document for opinion in opinions])
    spans = [
        (row, *span) for row, opinion in enumerate(opinions) for span in (opinion.highlights or [(0, 0)])
    ]
    row, start, end = np.array(spans, np.int64).reshape(-1, 3).T
    size = np.array([lengths[opinion.pair.document] for opinion in opinions], np.int64)
    entry = np.array([UNKNOWN if opinion.bep is None else opinion.bep for opinion in opinions], np.int64)
    rows = (topics, documents, topic[row], document[row], start, end)
    judgments = Judgments.collect(*rows, size=size[row], entry=entry[row], scale=procedure.exports)
    if not procedure.scale:
        return judgments
    listed = [element for opinion in opinions for element in _elements(opinion, parts, marks=procedure.marks)]
    if not listed:
        return replace(judgments, scale="highlights") if procedure.marks else judgments
    pair = judgments.pairs(
        np.array([judgments.topic_codes[element.topic] for element in listed], np.int64),
        np.array([judgments.document_codes[element.document] for element in listed], np.int64),
    )
    return replace(judgments, elements=GradedElements.of(listed, pair))


def _elements(
    opinion: Opinion, parts: Callable[[str], Iterable[Node]], *, marks: bool
) -> Iterable[GradedElement]:
    """The graded elements of a document, in its order; where text is marked, those that have some."""
    grades = {**opinion.inferred, **opinion.grades}
    if not grades:
        return
    for part in parts(opinion.pair.document):
        if part.path not in grades:
            continue
        first, second = _pair(grades[part.path])
        size = relevant = 0
        if marks:
            size, relevant = part.end - part.start, _inside(opinion.highlights, part)
            if not relevant:
                continue
        yield GradedElement(*opinion.pair, part.path, first, second, size, relevant)


def _pair(grade: Grade) -> tuple[int, int]:
    first, second = grade if isinstance(grade, tuple) else (grade, UNKNOWN)
    return order_of(first), order_of(second)


def _inside(highlights: Sequence[Span], part: Node) -> int:
    both = covered((highlights, [(part.start, part.end)]), 2)
    return sum(end - start for start, end in both)
