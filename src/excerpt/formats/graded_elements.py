"""Assessed elements of judgments: their rows in an index, and their attributes when they are written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from excerpt.errors import short
from excerpt.formats.source import Source
from excerpt.model.elements import GradedElements
from excerpt.model.judgments import Judgments
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
