"""Tolerance to irrelevance: how much relevant text a reader meets before losing patience.

The user model of de Vries, Kazai & Lalmas ("Tolerance to Irrelevance", RIAO 2004) in the form in which the
INEX 2010 ad hoc track scored documents: T2I(300).
"""

from __future__ import annotations

import numpy as np

from excerpt.model.joined import Articles
from excerpt.model.spans import FloatArray, IntArray, keys


def tolerance_to_irrelevance(articles: Articles, irrelevant: int) -> FloatArray:
    """Relevant share of what is read of each document until `irrelevant` irrelevant characters were read.

    The reader takes the retrieved passages in document order, then the rest of the document in document
    order, and stops as soon as the limit is reached. 0 for a document without relevant text.
    """
    scores = np.zeros(len(articles))
    chosen = np.flatnonzero(articles.relevant_total > 0)
    if not len(chosen):
        return scores
    document, length, relevant = _pieces_in_reading_order(articles, chosen)
    wasted = np.where(relevant, 0, length)
    first = np.searchsorted(document, np.arange(len(chosen)))
    before = np.cumsum(wasted) - wasted
    before -= before[first][document]
    read = np.bincount(document, np.where(relevant & (before < irrelevant), length, 0), len(chosen))
    lost = np.minimum(np.bincount(document, wasted, len(chosen)), irrelevant)
    scores[chosen] = read / np.maximum(read + lost, 1)
    return scores


def _pieces_in_reading_order(
    articles: Articles, chosen: IntArray
) -> tuple[IntArray, IntArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Document, length and relevance of every stretch of the chosen documents, as it is read."""
    joined, judgments = articles.joined, articles.joined.judgments
    number = np.full(len(articles), -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    mine = np.flatnonzero((number[articles.of_result] >= 0) & (joined.end > joined.start))
    by_pair = np.full(len(judgments) + 1, -1, np.int64)
    by_pair[articles.pair[chosen]] = np.arange(len(chosen))
    marked = np.flatnonzero(by_pair[judgments.spans.group] >= 0)
    # Layers: 0 the whole document, 1 retrieved, 2 relevant.
    layers = (
        (np.arange(len(chosen)), np.zeros(len(chosen), np.int64), judgments.pair_size[articles.pair[chosen]]),
        (number[articles.of_result[mine]], joined.start[mine], joined.end[mine]),
        (by_pair[judgments.spans.group[marked]], judgments.spans.start[marked], judgments.spans.end[marked]),
    )
    document, position, depth = _cut(layers)
    length = np.append(np.diff(position), 0)
    kept = np.flatnonzero((length > 0) & ((depth[0] > 0) | (depth[1] > 0)) & _same_as_next(document))
    order = kept[np.lexsort((position[kept], depth[1][kept] == 0, document[kept]))]
    return document[order], length[order], depth[2][order] > 0


def _cut(
    layers: tuple[tuple[IntArray, IntArray, IntArray], ...],
) -> tuple[IntArray, IntArray, list[IntArray]]:
    """All boundaries in order, and how many spans of each layer are open after each boundary."""
    document = np.concatenate([np.concatenate((group, group)) for group, _, _ in layers])
    position = np.concatenate([np.concatenate((start, end)) for _, start, end in layers])
    steps = [np.zeros(len(document), np.int64) for _ in layers]
    place = 0
    for step, (group, _, _) in zip(steps, layers, strict=True):
        step[place : place + len(group)] = 1
        step[place + len(group) : place + 2 * len(group)] = -1
        place += 2 * len(group)
    order = np.argsort(keys(document, position), kind="stable")
    return document[order], position[order], [np.cumsum(step[order]) for step in steps]


def _same_as_next(document: IntArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.append(document[1:] == document[:-1], False)
