"""Tolerance to irrelevance: how much relevant text a reader meets before losing patience.

The user model of de Vries, Kazai & Lalmas ("Tolerance to Irrelevance", RIAO 2004) in the form in which the
INEX 2010 ad hoc track scored documents: T2I(300).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from excerpt.model.spans import BoolArray, FloatArray, IntArray, keys


class Layer(NamedTuple):
    """Spans of many documents: the document's number, start and end of each."""

    document: IntArray
    start: IntArray
    end: IntArray


def tolerance_to_irrelevance(
    sizes: IntArray, retrieved: Layer, relevant: Layer, irrelevant: int
) -> FloatArray:
    """Relevant share of what is read of each document until `irrelevant` irrelevant characters were read.

    The reader takes the retrieved passages in document order, then the rest of the document (up to its
    size) in document order, and stops as soon as the limit is reached. Documents are numbered from 0.
    """
    count = len(sizes)
    whole = Layer(np.arange(count), np.zeros(count, np.int64), np.maximum(sizes, 0))
    document, length, good = _pieces_in_reading_order(whole, retrieved, relevant)
    if not len(document):
        return np.zeros(count)
    wasted = np.where(good, 0, length)
    before = np.cumsum(wasted) - wasted
    first = np.searchsorted(document, np.arange(count)).clip(max=len(document) - 1)
    before -= before[first][document]
    read = np.bincount(document, np.where(good & (before < irrelevant), length, 0), count)
    lost = np.minimum(np.bincount(document, wasted, count), irrelevant)
    scores: FloatArray = read / np.maximum(read + lost, 1)
    return scores


def _pieces_in_reading_order(
    whole: Layer, retrieved: Layer, relevant: Layer
) -> tuple[IntArray, IntArray, BoolArray]:
    """Document, length and relevance of every stretch of the documents, as it is read."""
    layers = (whole, retrieved, relevant)
    document = np.concatenate([np.tile(layer.document, 2) for layer in layers])
    position = np.concatenate([np.concatenate((layer.start, layer.end)) for layer in layers])
    order = np.argsort(keys(document, position), kind="stable")
    document, position = document[order], position[order]
    inside, shown, good = (depth > 0 for depth in _open_spans(layers, order))
    length = np.append(np.diff(position), 0)
    same = np.append(document[1:] == document[:-1], False)
    kept = np.flatnonzero((length > 0) & (inside | shown) & same)
    reading = kept[np.lexsort((position[kept], ~shown[kept], document[kept]))]
    return document[reading], length[reading], good[reading]


def _open_spans(layers: tuple[Layer, ...], order: IntArray) -> list[IntArray]:
    """How many spans of each layer are open after each boundary."""
    depths, place = [], 0
    for layer in layers:
        step, count = np.zeros(len(order), np.int64), len(layer.document)
        step[place : place + count] = 1
        step[place + count : place + 2 * count] = -1
        depths.append(np.cumsum(step[order]))
        place += 2 * count
    return depths
