"""Lookup of elements and text nodes in the columns of an index, by element paths."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.disk import stable_order
from excerpt.model.run import encode
from excerpt.model.spans import AnyArray, IntArray

_STEP = re.compile(r"([^\[\]/\s]+)(?:\[([0-9]{1,15})\])?")
_TEXT = re.compile(r"text\(\)(?:\[([0-9]{1,15})\])?(?:\.([0-9]{1,15}))?")
_ROOT = -1
_UNKNOWN = -2


class Pointer(NamedTuple):
    """A parsed path; `text` is the number of a text node or 0, `offset` what follows the dot or -1."""

    path: int
    positions: tuple[int, ...]
    text: int = 0
    offset: int = -1


_UNKNOWN_POINTER = Pointer(_UNKNOWN, ())
_START = Pointer(_ROOT, ())


class Pointers(NamedTuple):
    """Many parsed paths: `which` is the row of each in the other columns, which contain distinct paths."""

    which: IntArray
    path: IntArray
    depth: IntArray
    text: IntArray
    offset: IntArray
    positions: list[tuple[int, ...]]


class PathParser:
    """Parser of element paths for the tag paths of an index; a path that is not in the index is unknown.

    >>> parser = PathParser(["article", "sec"], np.array([-1, 0]), np.array([0, 1]))
    >>> parser.parse("/article[1]/sec[2]")
    Pointer(path=1, positions=(1, 2), text=0, offset=-1)
    >>> parser.parse("/article/sec[2]/text()[3].14")
    Pointer(path=1, positions=(1, 2), text=3, offset=14)
    >>> parser.parse("article").path
    -2
    """

    def __init__(self, tags: Sequence[str], parents: npt.ArrayLike, names: npt.ArrayLike) -> None:
        rows = zip(np.asarray(parents).tolist(), np.asarray(names).tolist(), strict=True)
        self._paths = {(parent, tags[name]): number for number, (parent, name) in enumerate(rows)}
        self._forget()

    def _forget(self) -> None:
        self._steps: dict[str, tuple[str, int]] = {}
        self._heads: dict[str, Pointer] = {"": _START}  # siblings share all but their last step

    def parse_all(self, paths: Sequence[str]) -> Pointers:
        """Parse many paths, each distinct path once."""
        distinct, which = encode(paths)
        parsed = [self.parse(path) for path in distinct]
        self._forget()
        columns = np.array([(p.path, len(p.positions), p.text, p.offset) for p in parsed], np.int64)
        path, depth, text, offset = columns.reshape(-1, 4).T
        return Pointers(which, path, depth, text, offset, [p.positions for p in parsed])

    def parse(self, path: str) -> Pointer:
        head, slash, step = path.rpartition("/")
        if not slash:
            return _UNKNOWN_POINTER
        parent = self._heads.get(head)
        if parent is None:
            parent = self._heads[head] = self._walk(head)
        if step.startswith("text()"):
            match = _TEXT.fullmatch(step)
            if match is None or parent.path < 0 or (match[1] and not int(match[1])):
                return _UNKNOWN_POINTER
            return parent._replace(text=int(match[1] or 1), offset=int(match[2] or -1))
        return self._child(parent, step)

    def _walk(self, head: str) -> Pointer:
        # Only complete heads are cached: all prefixes of a very deep path would fill the memory.
        first, *steps = head.split("/")
        pointer = _START if not first else _UNKNOWN_POINTER
        positions: list[int] = []
        for step in steps:
            pointer = self._child(pointer, step)
            positions += pointer.positions[-1:]
            pointer = Pointer(pointer.path, ())
        return Pointer(pointer.path, tuple(positions)) if pointer.path >= 0 else _UNKNOWN_POINTER

    def _child(self, parent: Pointer, step: str) -> Pointer:
        parsed = self._steps.get(step)
        if parsed is None:
            match = _STEP.fullmatch(step)
            parsed = self._steps[step] = (match[1], int(match[2] or 1)) if match else ("", 0)
        tag, position = parsed
        path = self._paths.get((parent.path, tag), _UNKNOWN)
        return Pointer(path, (*parent.positions, position)) if path >= 0 and position else _UNKNOWN_POINTER


class FoundElements(NamedTuple):
    """Elements by row, group and document of the columns; -1 in all three for missing elements."""

    row: IntArray
    group: IntArray
    document: IntArray


class Lookup:
    """Queries on the columns of an index."""

    def __init__(self, columns: Mapping[str, AnyArray]) -> None:
        self.size = columns["document_size"]
        self.start = columns["element_start"]
        self.end = columns["element_end"]
        self._parent = columns["element_parent"]
        self._elements = columns["document_elements"]
        self._groups = columns["document_groups"]
        self.group_path = columns["group_path"]
        self._group_first = columns["group_first"]
        self._group_count = columns["group_count"]
        self._group_parent = columns["group_parent"]

    def find(self, documents: IntArray, pointers: Pointers) -> FoundElements:
        """Find the element of each pointer, or the parent of its text node."""
        elements = FoundElements(*(np.full(len(documents), -1, np.int64) for _ in range(3)))
        known = (documents >= 0) & (documents < len(self.size)) & (pointers.path[pointers.which] >= 0)
        queries = np.flatnonzero(known)
        # In the order of the documents, neighbouring queries read neighbouring pages.
        queries = queries[stable_order(documents[queries])]
        depth = pointers.depth[pointers.which[queries]]
        column_of = np.empty(len(pointers.depth), np.int64)
        for level in np.unique(pointers.depth[pointers.path >= 0]).tolist():
            rows = queries[depth == level]
            which = pointers.which[rows]
            distinct = np.flatnonzero(pointers.depth == level)
            column_of[distinct] = np.arange(len(distinct))
            positions = np.array([pointers.positions[row] for row in distinct.tolist()], np.int64)
            found = self._find(documents[rows], pointers.path[which], positions.T[:, column_of[which]])
            for column, values in zip(elements, found, strict=True):
                column[rows] = values
        return elements

    def _find(self, documents: IntArray, path: IntArray, positions: IntArray) -> FoundElements:
        """Find elements of one depth; `positions` has a row per level."""
        begin, finish = self._groups_of(documents)
        group = lower_bound(self.group_path, begin, finish, path)
        found = group < finish
        found[found] = self.group_path[group[found]] == path[found]
        found &= positions[0] == 1  # a document has one root
        kept = np.flatnonzero(found)
        rows = np.full(len(documents), -1, np.int64)
        group = np.where(found, group, -1)
        rows[kept] = self._descend(documents[kept], group[kept], positions[:, kept])
        missing = rows < 0
        return FoundElements(rows, np.where(missing, -1, group), np.where(missing, -1, documents))

    def _descend(self, documents: IntArray, group: IntArray, positions: IntArray) -> IntArray:
        base = self._elements[documents].astype(np.int64)
        ancestors = [group]
        for _ in positions[1:]:
            ancestors.append(self._above(documents, ancestors[-1]))
        rank = np.zeros(len(documents), np.int64)
        row = base + self._group_first[ancestors.pop()]
        exists = np.ones(len(documents), np.bool_)
        for position in positions[1:]:
            begin, finish = self._members(base, ancestors.pop())
            # Children of the first parent come first, so that they need no search.
            row = lower_bound(self._parent, begin, np.where(rank > 0, finish, begin), rank) + position - 1
            exists &= row < finish
            row = np.where(exists, row, begin)
            exists &= self._parent[row] == rank
            rank = row - begin
        return np.where(exists, row, -1)

    def climb(self, elements: FoundElements) -> tuple[IntArray, FoundElements]:
        """Position of each element among siblings of the same name, and its parent; a root is its own."""
        row, group, document = elements
        base = self._elements[document].astype(np.int64)
        begin, finish = self._members(base, group)
        rank = self._parent[row].astype(np.int64)
        above = self._above(document, group)
        position = row - lower_bound(self._parent, begin, finish, rank) + 1
        return position, FoundElements(base + self._group_first[above] + rank, above, document)

    def locate(self, rows: IntArray) -> FoundElements:
        """Find the groups and documents of element rows."""
        document = np.searchsorted(self._elements, rows, side="right") - 1
        distinct = np.unique(document)
        query, group = expand(*self._groups_of(distinct))
        first = self._elements[distinct[query]].astype(np.int64) + self._group_first[group]
        # Groups are sorted by path, not by row; an element is in the last group that begins before it.
        order = np.argsort(first)
        return FoundElements(
            rows, group[order[np.searchsorted(first[order], rows, side="right") - 1]], document
        )

    def parents(self, rows: IntArray) -> IntArray:
        """Row of each element's parent, -1 for roots."""
        elements = self.locate(rows)
        base = self._elements[elements.document].astype(np.int64)
        above = self._above(elements.document, elements.group)
        parent = base + self._group_first[above] + self._parent[rows]
        return np.where(above == elements.group, -1, parent)

    def counts(self, documents: IntArray) -> IntArray:
        begin, finish = self._rows_of(documents)
        return finish - begin

    def elements_of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """All elements of documents: query (ascending) and row of each; unknown documents have none."""
        known = np.flatnonzero((documents >= 0) & (documents < len(self.size)))
        query, row = expand(*self._rows_of(documents[known]))
        return known[query], row

    def children(self, parents: FoundElements) -> tuple[IntArray, IntArray]:
        """All child elements: number of the parent (ascending) and row (in document order) of each."""
        begin, finish = self._groups_of(parents.document)
        query, group = expand(begin, finish)
        below = (self._above(parents.document[query], group) == parents.group[query]) & (
            group != parents.group[query]
        )
        query, group = query[below], group[below]
        base = self._elements[parents.document].astype(np.int64)
        rank = parents.row - self._members(base, parents.group)[0]
        first, last = self._members(base[query], group)
        low = lower_bound(self._parent, first, last, rank[query])
        high = lower_bound(self._parent, low, last, rank[query] + 1)
        family, row = expand(low, high)
        owner = query[family]
        order = np.lexsort((self.end[row], self.start[row], owner))
        return owner[order], row[order]

    def _groups_of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        return _slices(self._groups, documents, len(self.group_path))

    def _rows_of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        return _slices(self._elements, documents, len(self.start))

    def _members(self, base: IntArray, group: IntArray) -> tuple[IntArray, IntArray]:
        begin = base + self._group_first[group]
        return begin, begin + self._group_count[group]

    def _above(self, documents: IntArray, group: IntArray) -> IntArray:
        return self._groups[documents].astype(np.int64) + self._group_parent[group]


def _slices(offsets: AnyArray, documents: IntArray, rows: int) -> tuple[IntArray, IntArray]:
    """Begin and end of the rows of each document in a table of `rows` rows."""
    begin, end = offsets[documents].astype(np.int64), offsets[documents + 1].astype(np.int64)
    if ((begin > end) | (end > rows)).any():
        raise IndexError  # damage, detected before the rows in between are listed
    return begin, end


def lower_bound(column: AnyArray, low: IntArray, high: IntArray, value: IntArray) -> IntArray:
    """For each query the first row of the ascending `column[low:high]` that is not below its value.

    >>> column = np.array([1, 3, 3, 7, 0, 9])
    >>> lower_bound(column, np.array([0, 0, 4]), np.array([4, 4, 6]), np.array([3, 8, 5]))
    array([1, 4, 5])
    """
    bound = low.copy()
    rows = np.flatnonzero(low < high)
    low, size, value = low[rows], (high - low)[rows], value[rows]
    while len(rows):
        half = size >> 1
        middle = low + half
        below = column[middle] < value
        low = np.where(below, middle + 1, low)
        size = np.where(below, size - half - 1, half)
        if not size.all():
            done = size == 0
            bound[rows[done]] = low[done]
            rows, low, size, value = (each[~done] for each in (rows, low, size, value))
    return bound


def expand(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """All numbers of the ranges, each with the number of its range.

    >>> expand(np.array([5, 9]), np.array([7, 10]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    counts = high - low
    query = np.repeat(np.arange(len(low)), counts)
    begins = np.cumsum(counts) - counts
    return query, np.arange(len(query)) - begins[query] + low[query]


class Resolved(NamedTuple):
    """Half-open spans and element rows of elements or text nodes, -1 in all three if unknown."""

    start: IntArray
    end: IntArray
    element: IntArray


def find_text_nodes(lookup: Lookup, parents: FoundElements, numbers: IntArray) -> Resolved:
    """Find the k-th text node of each parent: text between its children, unless empty."""
    rows, first, inverse = np.unique(parents.row, return_index=True, return_inverse=True)
    owner, begin, end = _gaps(lookup, FoundElements(*(column[first] for column in parents)))
    before = np.searchsorted(owner, np.arange(len(rows) + 1))
    node = before[inverse] + numbers - 1
    exists = node < before[inverse + 1]
    node = np.where(exists, node, 0)
    missing = np.full(len(node), -1, np.int64)
    if not len(owner):
        return Resolved(missing, missing, missing)
    return Resolved(
        np.where(exists, begin[node], -1), np.where(exists, end[node], -1), np.where(exists, parents.row, -1)
    )


def _gaps(lookup: Lookup, parents: FoundElements) -> tuple[IntArray, IntArray, IntArray]:
    """Text nodes of each parent: its number (ascending), begin and end, without empty ones."""
    owner, child = lookup.children(parents)
    every = np.arange(len(parents.row))
    owners = np.concatenate((every, owner))
    begins = np.concatenate((lookup.start[parents.row], lookup.end[child]))
    ends = np.concatenate((lookup.start[child], lookup.end[parents.row]))
    # A text node begins at the start of its parent or the end of a child, and ends at the start of a child or
    # the end of its parent.
    order = np.argsort(owners, kind="stable")
    closing = np.argsort(np.concatenate((owner, every)), kind="stable")
    owners, begins, ends = owners[order], begins[order], ends[closing]
    filled = ends > begins
    return owners[filled], begins[filled].astype(np.int64), ends[filled].astype(np.int64)
