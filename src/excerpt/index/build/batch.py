"""One batch of documents to one shard of the index: what a worker does."""

from __future__ import annotations

import functools
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from excerpt.files import describe
from excerpt.index.corpus.entries import Entry, chunks, whole
from excerpt.index.parse.plain import has_close_in_attribute, scan_plain, simplified
from excerpt.index.parse.prove import prove
from excerpt.index.parse.expat import Events, IntArray, Malformed, Tags, Tape, Unit, digesting, scan
from excerpt.index.build.tree import Columns, Elements, columns, elements, joined


@dataclass(frozen=True)
class BrokenDocument:
    """A document that is not in the index, and why; `line` is None where its bytes could not be read."""

    document: str
    path: str
    line: int | None
    message: str


class Shard(NamedTuple):
    """The documents of one batch, indexed; `columns` is None where all of them are broken."""

    columns: Columns | None
    tags: list[str]
    ids: list[str]
    digests: list[tuple[str, bytes]]  # of all documents, broken ones too
    broken: list[BrokenDocument]
    unread: list[tuple[str, int]]  # documents with entities that were not read, and how many


def index_batch(entries: Sequence[Entry], unit: Unit) -> Shard:
    """Parse the documents and lay out their elements."""
    _keep_freed_memory()
    batch = _Batch(unit)
    for entry in entries:
        batch.add(entry)
    return batch.shard()


@functools.cache
def _keep_freed_memory() -> None:
    """Let the allocator reuse memory from batch to batch; asking the system anew takes a quarter of the time.

    The allocator of glibc hands back free blocks that are larger than the largest one it ever handed back;
    this one is never touched, so it takes no memory.
    """
    np.empty(1 << 24, np.uint8)


class _Part(NamedTuple):
    """Elements of some documents, by their numbers in the batch, and the names of their tags by code."""

    documents: list[int]
    elements: Elements
    names: list[bytes]

    def appearances(self) -> Iterator[tuple[int, int, bytes]]:
        """For each name the first document that has it, and where in this part."""
        first = np.empty(len(self.names), np.int64)
        tag = self.elements.tag
        first[tag[::-1]] = np.arange(len(tag) - 1, -1, -1)  # of several values the last one stays
        roots = np.flatnonzero(self.elements.level == 0)
        documents = np.array(self.documents)[np.searchsorted(roots, first, "right") - 1]
        return zip(documents.tolist(), first.tolist(), self.names, strict=True)


class _Plain(NamedTuple):
    """A document that went through `simplified`."""

    number: int
    text: bytes
    original: bytes


class _Batch:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._tags = Tags()
        self._entries: list[Entry] = []
        self._digests: list[tuple[str, bytes]] = []
        self._broken: dict[int, BrokenDocument] = {}
        self._unread: list[tuple[str, int]] = []
        self._waiting: list[tuple[int, bytes]] = []
        self._parts: list[_Part] = []
        self._plain: list[_Plain] = []
        self._tape = Tape(self._tags)
        self._taped: list[int] = []

    def add(self, entry: Entry) -> None:
        """Read a document; small ones wait until many can be looked at together."""
        self._entries.append(entry)
        try:
            self._read(entry)
        except OSError as error:
            self._break(len(self._entries) - 1, None, f"cannot be read: {describe(error)}")
        except (EOFError, zlib.error) as error:
            self._break(len(self._entries) - 1, None, f"found damaged gzip data ({error})")

    def _break(self, number: int, line: int | None, message: str) -> None:
        entry = self._entries[number]
        self._broken[number] = BrokenDocument(entry.id, entry.name, line, message)

    def _read(self, entry: Entry) -> None:
        document = whole(entry)
        if document is None:
            parts = chunks(entry.content)
            document, second = next(parts, b""), next(parts, b"")
            if second:
                self._large(entry, chain((document, second), parts))
                return
        self._digests.append((entry.id, hashlib.sha256(document).digest()))
        self._waiting.append((len(self._entries) - 1, document))

    def _large(self, entry: Entry, parts: Iterator[bytes]) -> None:
        self._settle()  # the tape keeps the order of the documents
        digest = hashlib.sha256()
        parts = digesting(parts, digest.update)
        self._tape.drain()
        self._scan(len(self._entries) - 1, parts)
        for _ in parts:  # what comes after the place where a broken document broke
            pass
        self._digests.append((entry.id, digest.digest()))

    def _settle(self) -> None:
        """Prove what can be proven of the waiting documents, and let the parser look at the others."""
        waiting, self._waiting = self._waiting, []
        proven = prove([document for _, document in waiting], self._unit)
        if proven is not None:
            numbers = [waiting[row][0] for row in proven.documents]
            self._parts.append(_Part(numbers, proven.elements, proven.names))
            doubted = sorted({*range(len(waiting))} - {*proven.documents})
            waiting = [waiting[row] for row in doubted]
        for number, document in waiting:
            self._parse(number, document)

    def _parse(self, number: int, document: bytes) -> None:
        try:
            plain = simplified(document, self._unit)
        except Malformed as error:
            self._break(number, error.line, error.message)
            return
        if plain is None:
            self._scan(number, (document,))
        else:
            self._plain.append(_Plain(number, plain.text, document))
            self._note(number, plain.unread)

    def _scan(self, number: int, parts: Iterable[bytes]) -> None:
        try:
            self._note(number, scan(parts, self._tape, unit=self._unit))
            self._taped.append(number)
        except Malformed as error:
            self._break(number, error.line, error.message)

    def _note(self, number: int, unread: int) -> None:
        if unread:
            self._unread.append((self._entries[number].name, unread))

    def _scan_plain(self) -> None:
        tags = Tags()
        events = self._plain_events(tags)
        if events is None:
            rows, self._plain = self._plain, []
            for plain in rows:
                if has_close_in_attribute(plain.text):
                    # Without its document type the simplified text may not even be well-formed.
                    scan((plain.original,), self._tape, unit=self._unit)
                    self._taped.append(plain.number)
                else:
                    self._plain.append(plain)
            events = self._plain_events(tags)
        if events is not None:
            numbers = [plain.number for plain in self._plain]
            self._parts.append(_Part(numbers, elements(events), [tag.encode() for tag in tags]))

    def _plain_events(self, tags: Tags) -> Events | None:
        texts = [plain.text for plain in self._plain]
        return scan_plain(texts, tags, unit=self._unit) if texts else None

    def shard(self) -> Shard:
        """Everything together; the numbers of tags do not tell which way a document went."""
        self._settle()
        self._scan_plain()
        good = [number for number in range(len(self._entries)) if number not in self._broken]
        rows = columns(*self._joined(good)) if good else None
        return Shard(
            rows,
            list(self._tags),
            [self._entries[number].id for number in good],
            self._digests,
            [self._broken[number] for number in sorted(self._broken)],
            self._unread,
        )

    def _joined(self, good: list[int]) -> tuple[Elements, IntArray]:
        """All elements with the codes of `tags`, and the numbers of their documents without broken ones."""
        for _, _, name in sorted(chain.from_iterable(part.appearances() for part in self._parts)):
            self._tags.code(name)
        found, numbers = [], []
        for part in self._parts:
            codes = np.array([self._tags.code(name) for name in part.names])
            found.append(part.elements._replace(tag=codes[part.elements.tag]))
            numbers += part.documents
        if self._taped:
            found.append(elements(self._tape.events()))
        return joined(found), np.searchsorted(good, numbers + self._taped)
