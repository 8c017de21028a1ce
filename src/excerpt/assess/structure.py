"""The elements of a document as assessors grade them: paths, and who contains whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from excerpt.formats.judgments._text_nodes import ElementLike, paths_of


class Part(NamedTuple):
    """An element: its path, its text, the rows of its parent (-1: none) and of the first element after it."""

    path: str
    start: int
    end: int
    tag: str
    parent: int
    after: int


class Structure:
    """The elements of a document in preorder, parents before children; none for plain text."""

    def __init__(self, elements: Sequence[ElementLike] | None) -> None:
        self.parts: list[Part] = list(_parts(list(elements or ())))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each path."""
        return {part.path: row for row, part in enumerate(self.parts)}

    @cached_property
    def children(self) -> list[list[int]]:
        """The rows of the children of each element."""
        found: list[list[int]] = [[] for _ in self.parts]
        for row, part in enumerate(self.parts):
            if part.parent >= 0:
                found[part.parent].append(row)
        return found

    def ancestors(self, row: int) -> Iterator[int]:
        """The rows of all that contain an element, the nearest first."""
        while (row := self.parts[row].parent) >= 0:
            yield row

    def inside(self, row: int) -> range:
        """The rows of an element and of all that it contains."""
        return range(row, self.parts[row].after)


def _parts(elements: Sequence[ElementLike]) -> Iterator[Part]:
    after = _ends(elements)
    around: list[int] = []
    for row, (element, path) in enumerate(zip(elements, paths_of(elements), strict=True)):
        del around[element.depth :]
        parent = around[-1] if around else -1
        around.append(row)
        yield Part(path, element.start, element.end, element.tag, parent, after[row])


def _ends(elements: Sequence[ElementLike]) -> list[int]:
    """For each element the row of the first one after it that it does not contain."""
    after = [len(elements)] * len(elements)
    open_: list[tuple[int, int]] = []
    for row, element in enumerate(elements):
        while open_ and open_[-1][1] >= element.depth:
            after[open_.pop()[0]] = row
        open_.append((row, element.depth))
    return after
