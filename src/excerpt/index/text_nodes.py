"""Where text nodes are: text directly inside of an element, between its children."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from excerpt.index.lookup import FoundElements, Lookup
from excerpt.model.spans import IntArray


class Resolved(NamedTuple):
    """Where elements or text nodes are: half-open spans and element rows, -1 in all three where unknown."""

    start: IntArray
    end: IntArray
    element: IntArray


def find_text_nodes(lookup: Lookup, parents: FoundElements, numbers: IntArray) -> Resolved:
    """The k-th text node of each parent: text between its children, where there is any."""
    rows, first, inverse = np.unique(parents.row, return_index=True, return_inverse=True)
    owner, begin, end = _gaps(lookup, FoundElements(*(column[first] for column in parents)))
    before = np.searchsorted(owner, np.arange(len(rows) + 1))
    node = before[inverse] + numbers - 1
    there = node < before[inverse + 1]
    node = np.where(there, node, 0)
    missing = np.full(len(node), -1, np.int64)
    if not len(owner):
        return Resolved(missing, missing, missing)
    return Resolved(
        np.where(there, begin[node], -1), np.where(there, end[node], -1), np.where(there, parents.row, -1)
    )


def _gaps(lookup: Lookup, parents: FoundElements) -> tuple[IntArray, IntArray, IntArray]:
    """Text directly inside each parent: owner (ascending), begin and end, empty stretches left out."""
    owner, child = lookup.children(parents)
    every = np.arange(len(parents.row))
    owners = np.concatenate((every, owner))
    begins = np.concatenate((lookup.start[parents.row], lookup.end[child]))
    ends = np.concatenate((lookup.start[child], lookup.end[parents.row]))
    # A text begins where its parent or a child before it ends; it ends where a child or its parent does.
    order = np.argsort(owners, kind="stable")
    closing = np.argsort(np.concatenate((owner, every)), kind="stable")
    owners, begins, ends = owners[order], begins[order], ends[closing]
    real = ends > begins
    return owners[real], begins[real].astype(np.int64), ends[real].astype(np.int64)
