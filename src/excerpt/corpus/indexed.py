"""Corpus source for an offset index that was built with its text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from excerpt.corpus.document import Document, DocumentSource, Elements, with_elements
from excerpt.files import read_bytes
from excerpt.index import OffsetIndex
from excerpt.index.disk import DESCRIPTION
from excerpt.model.spans import IntArray

_BATCH = 1 << 12  # ids read at once
_MOST_NUMBERS = 1 << 18  # of documents, kept by id


class Indexed(DocumentSource):
    """The documents of an index; their elements have no attributes."""

    knows_lengths = True

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._index = OffsetIndex.open(folder)
        self._texts = self._index.texts
        self._numbers: dict[str, int] = {}  # many runs ask for the same documents

    def __len__(self) -> int:
        return len(self._index)

    def ids(self) -> Iterator[str]:
        for first in range(0, len(self), _BATCH):
            yield from self._index.document_ids(range(first, min(first + _BATCH, len(self))))

    def id(self, number: int) -> str:
        return self._index.document_ids([number])[0]

    def find(self, identifier: str) -> int:
        if (number := self._numbers.get(identifier)) is None:
            if len(self._numbers) > _MOST_NUMBERS:
                self._numbers.clear()
            number = self._numbers[identifier] = int(self._index.document_codes([identifier])[0])
        return number

    def path(self, number: int) -> str:
        """Path of a document as far as the index contains it: the id and an extension."""
        return f"{self.id(number)}.xml"

    def location(self, number: int) -> str:
        return f"{self._folder}!{self.id(number)}"

    def digest(self) -> bytes:
        """SHA-256 of the index's description, which contains the checksums of all other files."""
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
            # Every byte that is not a continuation byte begins a character.
            characters = np.concatenate(([0], np.cumsum(raw & 0xC0 != 0x80)))
            start, end = characters[start], characters[end]
        return with_elements("", self.text(number), Elements(self._index.tag_names, tag, depth, start, end))


def indexed_elements(index: OffsetIndex, identifier: str) -> Elements | None:
    """Elements of a document in the unit of the index, also without text; None for an unknown document."""
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
    """Sort elements by their start tags; the parent of the root is negative."""
    levels = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]
    size = np.ones(len(parent), np.int64)  # of the subtree, in elements
    for rows in reversed(levels[1:]):
        np.add.at(size, parent[rows], size[rows])
    # Siblings follow one another in the text; an empty one precedes a sibling with the same start.
    siblings = np.lexsort((end, start, parent))
    before = np.cumsum(size[siblings]) - size[siblings]
    begins = np.flatnonzero(np.diff(parent[siblings], prepend=parent[siblings[0]] - 1))
    before -= np.repeat(before[begins], np.diff(begins, append=len(siblings)))
    position = np.empty_like(size)
    position[siblings] = before
    for rows in levels[1:]:
        position[rows] += position[parent[rows]] + 1
    order = np.empty_like(position)
    order[position] = np.arange(len(position))
    return order
