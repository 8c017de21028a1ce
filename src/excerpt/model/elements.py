"""Assessed elements as columns, and lookup by path or index row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray

#: Exhaustivity of an element that was "too small" to be assessed (`?`).
TOO_SMALL = -1
#: Grades of coverage of INEX 2002, in the order of their codes: none, too small, too large, exact.
COVERAGE = "NSLE"
_STEP = re.compile(r"/([^/\[\]]+)(\[\d+\])?")


class GradedElement(NamedTuple):
    """One assessed element, for humans and tests.

    `exhaustivity` is 0 to 3 (relevance in 2002), -1 for `?`. `specificity` is a grade of 0 to 3 (coverage N,
    S, L, E in 2002) if the scale has one, else the proportion `relevant / size` of highlighted text counts.
    """

    topic: str
    document: str
    path: str
    exhaustivity: int
    specificity: int = UNKNOWN
    size: int = 0
    relevant: int = 0


class _ElementLookup(NamedTuple):
    """Sorted keys (pair, name), and the element of each."""

    keys: IntArray
    element: IntArray
    base: int

    @classmethod
    def of(cls, pair: IntArray, name: IntArray) -> _ElementLookup:
        named = np.flatnonzero(name >= 0)
        base = int(name.max(initial=0)) + 1
        key = pair[named] * base + name[named]
        order = np.argsort(key, kind="stable")
        return cls(key[order], named[order], base)

    def find(self, pair: IntArray, name: IntArray) -> IntArray:
        if not len(self.keys):
            return np.full(len(pair), -1, np.int64)
        valid = (pair >= 0) & (name >= 0) & (name < self.base)
        key = np.where(valid, pair * self.base + name, -1)
        place = np.searchsorted(self.keys, key).clip(max=len(self.keys) - 1)
        return np.where(valid & (self.keys[place] == key), self.element[place], -1)


@dataclass(frozen=True, eq=False)
class GradedElements:
    """Assessed elements; the scale of the judgments decides which columns are used."""

    #: The judged (topic, document) pair of each element.
    pair: IntArray
    #: Code of the path of each element in `paths`; -1 if only its row in the index is known.
    path: IntArray
    paths: tuple[str, ...]
    exhaustivity: IntArray
    specificity: IntArray
    size: IntArray
    relevant: IntArray
    #: Row of each element in the offset index (-1: not in the index); None without an index.
    row: IntArray | None = None
    #: Nearest assessed ancestor of each element by the index (-1: none); None without an index.
    parent: IntArray | None = None
    #: Offset of each element in its document, if its relevant text was counted from the passages.
    start: IntArray | None = None

    @cached_property
    def parents(self) -> IntArray:
        """Nearest assessed ancestor of each element in its document, -1 if it has none."""
        return _parents_by_path(self) if self.parent is None else self.parent

    @classmethod
    def of(cls, elements: Sequence[GradedElement], pair: IntArray) -> GradedElements:
        """Make columns from records; `pair` is the judged pair of each."""
        paths, path = encode([canonical(element.path) for element in elements])
        _check(elements, pair, path)
        columns = {
            name: np.array([getattr(element, name) for element in elements], np.int64)
            for name in ("exhaustivity", "specificity", "size", "relevant")
        }
        return cls(pair=pair, path=path, paths=paths, **columns)

    def __len__(self) -> int:
        return len(self.pair)

    @classmethod
    def together(cls, parts: Sequence[GradedElements | None], shift: IntArray) -> GradedElements | None:
        """Combine the elements of several files; `shift` is added to the pairs of each part."""
        present = [(part, by) for part, by in zip(parts, shift.tolist(), strict=False) if part is not None]
        if not present:
            return None
        paths = tuple(dict.fromkeys(path for part, _ in present for path in part.paths))
        codes = {path: code for code, path in enumerate(paths)}
        numbers = [np.array([*map(codes.get, part.paths), -1], np.int64) for part, _ in present]
        moved = [number[part.path] for number, (part, _) in zip(numbers, present, strict=True)]
        columns = {
            name: np.concatenate([getattr(part, name) for part, _ in present])
            for name in ("exhaustivity", "specificity", "size", "relevant")
        }
        rows, starts = (
            [column for part, _ in present if (column := getattr(part, name)) is not None]
            for name in ("row", "start")
        )
        return cls(
            pair=np.concatenate([part.pair + by for part, by in present]),
            path=np.concatenate(moved),
            paths=paths,
            **columns,
            row=np.concatenate(rows) if len(rows) == len(present) else None,
            parent=_joined_parents([part for part, _ in present]),
            start=np.concatenate(starts) if len(starts) == len(present) else None,
        )

    def of_pairs(self, kept: BoolArray) -> GradedElements:
        """Return the elements of the kept pairs, with the new numbers of the pairs."""
        elements = self.only(kept[self.pair])
        return replace(elements, pair=(np.cumsum(kept) - 1)[elements.pair])

    def only(self, wanted: BoolArray) -> GradedElements:
        """Return the wanted elements; parents are the nearest wanted ancestors."""
        kept = np.flatnonzero(wanted)
        columns = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "paths"}
        taken = {name: column[kept] for name, column in columns.items() if column is not None}
        if self.parent is not None:
            above = self.parent
            while len(dropped := np.flatnonzero((above >= 0) & ~wanted[above])):
                above = above.copy()
                above[dropped] = self.parent[above[dropped]]
            taken["parent"] = np.where(above >= 0, np.cumsum(wanted)[above] - 1, -1)[kept]
        return replace(self, **taken)

    @cached_property
    def find(self) -> Callable[[IntArray, IntArray], IntArray]:
        """Function that finds the assessed element of each (pair, path code), -1 if there is none."""
        return _ElementLookup.of(self.pair, self.path).find

    @cached_property
    def find_rows(self) -> Callable[[IntArray, IntArray], IntArray]:
        """Function that finds the assessed element of each (pair, row of the index), -1 if there is none."""
        assert self.row is not None
        return _ElementLookup.of(self.pair, self.row).find

    def path_codes(self, paths: Iterable[str]) -> IntArray:
        """Code of each path among the assessed paths, -1 if it is not assessed."""
        codes = {path: code for code, path in enumerate(self.paths)}
        return np.array([codes.get(canonical(path), -1) for path in paths], np.int64)


def _check(elements: Sequence[GradedElement], pair: IntArray, path: IntArray) -> None:
    seen: set[tuple[int, int]] = set()
    for element, key in zip(elements, zip(pair.tolist(), path.tolist(), strict=True), strict=True):
        name = f"{element.path} of document {element.document} for topic {element.topic}"
        if key in seen:
            raise ExcerptError(f"found {name} again, expected each element to be assessed once")
        seen.add(key)
        grades = element.exhaustivity, element.specificity
        if not all(-1 <= grade <= 3 for grade in grades) or not 0 <= element.relevant <= element.size:
            raise ExcerptError(
                f"found grades {grades} and {element.relevant} of {element.size} characters for {name}, "
                "expected grades of -1 to 3 and at most as many relevant characters as characters"
            )


def _joined_parents(parts: Sequence[GradedElements]) -> IntArray | None:
    """Combine the parents of several parts, each numbered from the beginning of its part."""
    if any(part.parent is None for part in parts):
        return None
    before = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    parents = [part.parents for part in parts]
    return np.concatenate([np.where(up >= 0, up + by, -1) for up, by in zip(parents, before, strict=False)])


def _parents_by_path(elements: GradedElements) -> IntArray:
    """Find parents by paths: ascend from each path until the same document has an assessed element."""
    code = {path: number for number, path in enumerate(elements.paths)}
    above = np.array([_nearest(path, code) for path in elements.paths], np.int64)
    parents = np.full(len(elements), -1, np.int64)
    waiting = np.arange(len(elements))
    name = elements.path
    while len(waiting):
        name = above[name]
        waiting, name = waiting[name >= 0], name[name >= 0]
        found = elements.find(elements.pair[waiting], name)
        parents[waiting] = found
        waiting, name = waiting[found < 0], name[found < 0]
    return parents


def _nearest(path: str, code: dict[str, int]) -> int:
    while path := path.rpartition("/")[0]:
        if path in code:
            return code[path]
    return -1


def canonical(path: str) -> str:
    """Add the position [1] to every step of a path that has none.

    >>> canonical("/article/bdy[1]/sec[2]")
    '/article[1]/bdy[1]/sec[2]'
    """
    if path.count("[") == path.count("/"):
        return path
    return _STEP.sub(lambda step: f"/{step[1]}{step[2] or '[1]'}", path)


def is_element(path: str) -> bool:
    """Return whether a path names one element, not a range of text or a text node."""
    return " " not in path and "text()" not in path
