"""Elements of documents in columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.disk import narrow, stable_order
from excerpt.model.spans import IntArray

_Integers = npt.NDArray[np.integer[Any]]


END = -1


class TagEvents(NamedTuple):
    """Tags in document order: code of a start tag or END, and the length of the text before the tag."""

    codes: IntArray
    positions: IntArray


class Tags(dict[str, int]):
    """Tag names seen so far, each with its code."""

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        return code


class Tape:
    """Events of several documents in sequence; those of a broken document are removed."""

    def __init__(self, tags: Tags) -> None:
        self.tags = tags
        self.codes: list[int] = []
        self.positions: list[int] = []
        self._drained: list[TagEvents] = []

    def mark(self) -> tuple[int, int]:
        """Return the current position, for `wind_back`."""
        return len(self.codes), len(self._drained)

    def wind_back(self, mark: tuple[int, int]) -> None:
        """Remove all events since `mark`."""
        in_lists, drained = mark
        if len(self._drained) > drained:  # the first drained arrays begin with the events before the mark
            codes, positions = self._drained[drained]
            self._drained[drained:] = [TagEvents(codes[:in_lists], positions[:in_lists])]
            in_lists = 0
        del self.codes[in_lists:], self.positions[in_lists:]

    def drain(self) -> None:
        """Convert the lists to arrays, which take a fraction of the memory."""
        self._drained.append(TagEvents(np.array(self.codes, np.int64), np.array(self.positions, np.int64)))
        self.codes.clear()
        self.positions.clear()

    def events(self) -> TagEvents:
        """Return all events and empty the tape."""
        self.drain()
        drained, self._drained = self._drained, []
        if len(drained) == 1:
            return drained[0]
        codes = np.concatenate([events.codes for events in drained])
        positions = [events.positions for events in drained]
        del drained  # frees memory before the next copy
        return TagEvents(codes, np.concatenate(positions))


class ElementColumns(NamedTuple):
    """Elements in the order of their start tags, those of level 0 the roots; `by_level` are rows by level."""

    tag: IntArray
    start: IntArray
    end: IntArray
    level: _Integers
    by_level: IntArray


class BatchColumns(NamedTuple):
    """A batch of documents in four tables (documents, groups, elements, paths), each in document order.

    `group_first` and `group_parent` count from the first element and group of their document, `parent`
    from the first element of the parent's group. Tag paths are numbered within the batch, parents before
    children; `path_parent` is -1 for roots.
    """

    document_size: IntArray
    document_elements: IntArray
    document_groups: IntArray
    group_path: IntArray
    group_first: IntArray
    group_count: IntArray
    group_parent: IntArray
    parent: IntArray
    start: IntArray
    end: IntArray
    path_parent: IntArray
    path_tag: IntArray


class _Tree(NamedTuple):
    """Elements in the order of their start tags; `parent` of a root is the root itself."""

    tag: IntArray
    start: IntArray
    end: IntArray
    parent: IntArray
    document: IntArray
    levels: list[IntArray]  # the elements of each depth


class _Paths(NamedTuple):
    of_element: IntArray
    parent: IntArray
    tag: IntArray


def pair_tags(events: TagEvents) -> ElementColumns:
    """Match start tags with end tags."""
    opening = events.codes >= 0
    depth = np.cumsum(np.where(opening, np.int32(1), np.int32(-1)), dtype=np.int32)
    level = narrow(depth[opening] - 1)
    start = events.positions[opening]
    by_level = stable_order(level)
    # The n-th start tag of a level is closed by the n-th end tag of that level.
    end = np.empty_like(start)
    end[by_level] = events.positions[~opening][stable_order(depth[~opening])]
    return ElementColumns(events.codes[opening], start, end, level, by_level)


def concatenate(parts: list[ElementColumns]) -> ElementColumns:
    """Concatenate the elements of all parts."""
    if len(parts) == 1:
        return parts[0]
    tag, start, end, level = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("tag", "start", "end", "level")
    )
    return ElementColumns(tag, start, end, level, stable_order(level))


def lay_out(elements: ElementColumns, documents: IntArray) -> BatchColumns:
    """Compute the columns of a batch; `documents` are document numbers in the order of the elements."""
    tree = _tree(elements, documents)
    del elements  # for a large document they take as much memory as the tree
    paths = _paths(tree)
    order = stable_order(tree.document * len(paths.tag) + paths.of_element)
    return _group(tree, paths, order, len(documents))


def _tree(elements: ElementColumns, documents: IntArray) -> _Tree:
    level = elements.level
    roots = np.flatnonzero(level == 0)
    counts = np.diff(roots, append=len(level))
    begin = np.repeat(elements.start[roots], counts)
    return _Tree(
        elements.tag,
        elements.start - begin,
        elements.end - begin,
        _parents(level, elements.by_level, roots),
        np.repeat(documents, counts),
        np.split(elements.by_level, np.cumsum(np.bincount(level))[:-1]),
    )


def _parents(level: _Integers, by_level: IntArray, roots: IntArray) -> IntArray:
    """Parent of each element: the element before a first child; other children have the same parent."""
    is_first_child = np.concatenate(([False], level[1:] > level[:-1]))
    first_child = np.flatnonzero(is_first_child[by_level])
    parent = np.empty_like(by_level)
    parent[roots] = roots  # the roots are the first elements by level
    counts = np.diff(first_child, append=len(level))
    parent[by_level[len(roots) :]] = np.repeat(by_level[first_child] - 1, counts)
    return parent


def _paths(tree: _Tree) -> _Paths:
    """Number the tag paths level by level: a path is its parent's path and a tag."""
    tags = int(tree.tag.max()) + 1
    of_element = np.empty_like(tree.tag)
    parents: list[IntArray] = []
    names: list[IntArray] = []
    above, count = 0, 0
    for number, rows in enumerate(tree.levels):
        base = of_element[tree.parent[rows]] - above if number else np.zeros(len(rows), np.int64)
        distinct, inverse = _distinct(base * tags + tree.tag[rows], max(count - above, 1) * tags)
        of_element[rows] = count + inverse
        parents.append(distinct // tags + above if number else np.full(len(distinct), -1))
        names.append(distinct % tags)
        above, count = count, count + len(distinct)
    return _Paths(of_element, np.concatenate(parents), np.concatenate(names))


def _distinct(keys: IntArray, limit: int) -> tuple[IntArray, IntArray]:
    """`np.unique` with the inverse, without sorting if the keys are small."""
    if limit > max(4 * len(keys), 4096):
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse
    present = np.zeros(limit, np.bool_)
    present[keys] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[keys]


def _group(tree: _Tree, paths: _Paths, order: IntArray, documents: int) -> BatchColumns:
    path, document = paths.of_element[order], tree.document[order]
    begins = np.flatnonzero(np.diff(path, prepend=-1) | np.diff(document, prepend=-1))
    counts = np.diff(begins, append=len(order))
    group = np.repeat(np.arange(len(begins)), counts)
    rank = np.empty_like(order)  # of an element in its group
    rank[order] = np.arange(len(order)) - begins[group]
    group_of = np.empty_like(order)
    group_of[order] = group
    parent = tree.parent[order]
    elements = np.bincount(document, minlength=documents)
    groups = np.bincount(document[begins], minlength=documents)
    first_element, first_group = np.cumsum(elements) - elements, np.cumsum(groups) - groups
    owner = document[begins]
    size = np.empty(documents, np.int64)
    size[tree.document[tree.levels[0]]] = tree.end[tree.levels[0]]
    return BatchColumns(
        size,
        elements,
        groups,
        path[begins],
        begins - first_element[owner],
        counts,
        group_of[parent[begins]] - first_group[owner],
        rank[parent],
        tree.start[order],
        tree.end[order],
        paths.parent,
        paths.tag,
    )
