"""Documents of an index that was built with the text kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from excerpt.corpus.document import Document, Elements, Source, with_elements
from excerpt.files import read_bytes
from excerpt.index import OffsetIndex
from excerpt.index.disk import DESCRIPTION
from excerpt.model.spans import IntArray

_SOME = 1 << 12
_MOST = 1 << 18


class Indexed(Source):
    """The documents of an index, which does not change; of elements there are no attributes."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._index = OffsetIndex.open(folder)
        self._texts = self._index.texts
        self._found: dict[str, int] = {}  # many runs ask for the same documents

    def __len__(self) -> int:
        return len(self._index)

    def ids(self) -> Iterator[str]:
        for first in range(0, len(self), _SOME):
            yield from self._index.document_ids(range(first, min(first + _SOME, len(self))))

    def id(self, number: int) -> str:
        return self._index.document_ids([number])[0]

    def find(self, identifier: str) -> int:
        if (number := self._found.get(identifier)) is None:
            if len(self._found) > _MOST:
                self._found.clear()
            number = self._found[identifier] = int(self._index.document_codes([identifier])[0])
        return number

    def path(self, number: int) -> str:
        """The path of a document, as far as the index knows it."""
        return f"{self.id(number)}.xml"

    def place(self, number: int) -> str:
        return f"{self._folder}!{self.id(number)}"

    def digest(self) -> bytes:
        """The SHA-256 of the file that has the check sums of all others."""
        return hashlib.sha256(read_bytes(Path(self._folder) / DESCRIPTION)).digest()

    def text(self, number: int) -> str:
        return self._texts.text(number)

    def length(self, number: int) -> int:
        if self._index.unit == "char":
            return int(self._index.document_sizes([number])[0])
        return len(self.text(number))

    def document(self, number: int) -> Document:
        tag, depth, start, end = _columns(self._index, number)
        if self._index.unit == "byte":
            raw = np.frombuffer(self._texts.encoded(number), np.uint8)
            # Every byte but those that go on begins a character.
            characters = np.concatenate(([0], np.cumsum(raw & 0xC0 != 0x80)))
            start, end = characters[start], characters[end]
        return with_elements("", self.text(number), Elements(self._index.tag_names, tag, depth, start, end))


def indexed_elements(index: OffsetIndex, identifier: str) -> Elements | None:
    """The elements of a document in the unit of the index, which needs no text; None without the document."""
    number = int(index.document_codes([identifier])[0])
    return None if number < 0 else Elements(index.tag_names, *_columns(index, number))


def _columns(index: OffsetIndex, number: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Tag, depth, start and end of the elements of a document, in the order of their start tags."""
    _, rows = index.elements_of([number])
    depth = index.depths(rows) - 1
    start, end = index.spans(rows)
    order = _preorder(index.parents(rows) - rows[0], depth, start, end)
    return index.tags(rows)[order], depth[order], start[order], end[order]


def _preorder(parent: IntArray, depth: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Elements in the order of their start tags; of the root the parent is negative."""
    levels = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]
    size = np.ones(len(parent), np.int64)  # elements from here on down
    for rows in reversed(levels[1:]):
        np.add.at(size, parent[rows], size[rows])
    # Siblings come one after another in the text, empty ones before what begins in the same place.
    siblings = np.lexsort((end, start, parent))
    before = np.cumsum(size[siblings]) - size[siblings]
    begins = np.flatnonzero(np.diff(parent[siblings], prepend=parent[siblings[0]] - 1))
    before -= np.repeat(before[begins], np.diff(begins, append=len(siblings)))
    place = np.empty_like(size)
    place[siblings] = before
    for rows in levels[1:]:
        place[rows] += place[parent[rows]] + 1
    order = np.empty_like(place)
    order[place] = np.arange(len(place))
    return order
