"""Which element is exactly this stretch of text? Runs of offsets and lengths name elements so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from excerpt.index.lookup import Lookup
from excerpt.model.spans import IntArray, keys

#: Documents are taken together until they have about so many elements: memory stays small.
_AT_ONCE = 1 << 20


def elements_at(lookup: Lookup, documents: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """The row of the outermost element with each span, -1 where none has it.

    Two elements with the same text lie inside each other, and rows of ancestors are lower. Only elements
    without text can be siblings in the same place; of those the lowest row is taken, which is outermost too.
    """
    rows = np.full(len(documents), -1, np.int64)
    asked = np.flatnonzero((documents >= 0) & (documents < len(lookup.size)) & (start >= 0) & (end >= start))
    asked = asked[np.argsort(documents[asked], kind="stable")]
    for part in _parts(lookup, documents, asked):
        rows[part] = _rows_at(lookup, documents[part], start[part], end[part])
    return rows


def check_lengths(documents: IntArray, start: IntArray, end: IntArray) -> None:
    """An error of the caller's where the columns of a question do not fit together."""
    if not len(documents) == len(start) == len(end):
        raise ValueError(f"{len(documents)} documents, {len(start)} starts and {len(end)} ends")


def _parts(lookup: Lookup, documents: IntArray, asked: IntArray) -> Iterator[IntArray]:
    """The queries, sorted by document, cut between documents."""
    distinct, first = np.unique(documents[asked], return_index=True)
    total = np.cumsum(lookup.counts(distinct))
    cuts = first[1:][np.diff(total // _AT_ONCE) > 0]
    yield from np.split(asked, cuts)


def _rows_at(lookup: Lookup, documents: IntArray, start: IntArray, end: IntArray) -> IntArray:
    distinct, document = np.unique(documents, return_inverse=True)
    owner, row = lookup.elements_of(distinct)
    starts, begin = np.unique(keys(document, start), return_inverse=True)
    known = _places(starts, keys(owner, lookup.start[row]))
    row, known = row[known >= 0], known[known >= 0]
    spans, span = np.unique(keys(begin, end), return_inverse=True)
    place = _places(spans, keys(known, lookup.end[row]))
    nobody = np.iinfo(np.int64).max
    lowest = np.full(len(spans), nobody, np.int64)
    np.minimum.at(lowest, place[place >= 0], row[place >= 0])
    found = lowest[span]
    return np.where(found == nobody, -1, found)


def _places(known: IntArray, keys: IntArray) -> IntArray:
    """Where each key stands among the known ones, which ascend; -1 where it is not among them."""
    if not len(known):
        return np.full(len(keys), -1, np.int64)
    place = np.searchsorted(known, keys).clip(max=len(known) - 1)
    return np.where(known[place] == keys, place, -1)
