"""Assessed elements of judgments: their rows in an index, and their attributes when they are written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from excerpt.errors import short
from excerpt.formats.source import Source
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElements
from excerpt.model.judgments import Judgments, Scale
from excerpt.model.spans import UNKNOWN


def look_up(source: Source, judgments: Judgments, elements: GradedElements) -> GradedElements:
    """Return the assessed elements with their rows in the index, if there is one, and sizes until 2004."""
    if source.index is None:
        return elements
    from excerpt.index.element_spans import element_rows

    documents = judgments.pair_document[elements.pair]
    rows = element_rows(source.index, judgments.documents, documents, elements.paths, elements.path)

    def place(row: int) -> str:
        path, document = elements.paths[elements.path[row]], judgments.documents[documents[row]]
        return f"{short(path)} of document {short(document)} of {source.name}"

    one = "assessed element is not in the index; no result can match it"
    many = "assessed elements are not in the index; no result can match them"
    source.notices.add_marked(one, many, rows < 0, place)
    start, end = source.index.spans(rows)
    unsized = (elements.specificity != UNKNOWN) & (rows >= 0)
    size = np.where(unsized, end - start, elements.size)
    # Parents are derived from paths, which also works for elements that the index does not have.
    return replace(elements, row=rows, parent=elements.parents, size=size)


def two_grades(judgments: Judgments) -> bool:
    """Return whether elements have two grades and no text is highlighted, as until 2004."""
    return judgments.scale in {"relevance and coverage", "exhaustivity and specificity"}


def written_elements(judgments: Judgments) -> list[list[dict[str, Any]]] | None:
    """Return the attributes of each pair's assessed elements; None without any, or if one lacks a path."""
    elements = judgments.elements
    if elements is None or bool((elements.path < 0).any()):
        return None
    by_pair: list[list[dict[str, Any]]] = [[] for _ in range(len(judgments))]
    columns = (elements.pair, elements.path, elements.exhaustivity, elements.specificity)
    sizes = (elements.size, elements.relevant)
    for pair, path, *values in np.stack([*columns, *sizes], axis=1).tolist():
        by_pair[pair].append({"path": elements.paths[path], **_written(judgments.scale, *values)})
    return by_pair


def _written(scale: Scale, first: int, second: int, size: int, relevant: int) -> dict[str, Any]:
    if scale == "relevance and coverage":
        return {"relevance": first, "coverage": COVERAGE[second]}
    if scale == "exhaustivity and specificity":
        return {"exhaustivity": first, "specificity": second}
    return {"exhaustivity": "?" if first == TOO_SMALL else first, "size": size, "rsize": relevant}
