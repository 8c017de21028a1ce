"""Judgments as plain data, for tests that compare two of them."""

from __future__ import annotations

import numpy as np

from excerpt.model import Judgments


def said(judgments: Judgments) -> dict[tuple[str, str], tuple[int, int, list[tuple[int, int]]]]:
    """Length, entry point and highlights of every judged pair."""
    content = {}
    for pair in range(len(judgments)):
        rows = np.flatnonzero(judgments.spans.group == pair)
        content[
            judgments.topics[judgments.pair_topic[pair]], judgments.documents[judgments.pair_document[pair]]
        ] = (
            int(judgments.pair_size[pair]),
            int(judgments.pair_entry[pair]),
            [(int(judgments.spans.start[row]), int(judgments.spans.end[row])) for row in rows],
        )
    return content


def elements_said(judgments: Judgments) -> list[tuple[str, str, str, list[int]]]:
    """Topic, document, path, and both grades and both sizes of every listed element."""
    elements = judgments.elements
    if elements is None:
        return []
    columns = (elements.exhaustivity, elements.specificity, elements.size, elements.relevant)
    numbers = np.stack(columns, axis=1).tolist()
    topic, document = judgments.pair_topic[elements.pair], judgments.pair_document[elements.pair]
    return [
        (judgments.topics[topic[row]], judgments.documents[document[row]], elements.paths[path], numbers[row])
        for row, path in enumerate(elements.path.tolist())
    ]
