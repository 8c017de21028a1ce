"""Indexing of one batch of documents, the unit of work of a worker."""

from __future__ import annotations

import functools
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from excerpt.documents.entry import LARGE, Entry, chunks, read_whole
from excerpt.errors import ExcerptError
from excerpt.files import describe
from excerpt.index.disk import PackedTexts, pack
from excerpt.model.spans import IntArray
from excerpt.parse.expat import Malformed, scan
from excerpt.parse.text import scan_text
from excerpt.parse.tree import BatchColumns, Elements, Tags, Tape, concatenate, lay_out, pair_tags
from excerpt.parse.wellformed import Proven, prove

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit

# Measured: MiB for a small batch, and memory for a large document as a multiple of its size.
_BATCH_MEMORY, _TIMES = 60, 3


@dataclass(frozen=True)
class BrokenDocument:
    """A document that could not be indexed; `line` is None if its bytes could not be read."""

    document: str
    path: str
    line: int | None
    message: str


class IndexedBatch(NamedTuple):
    """An indexed batch of documents; `columns` is None if all of them are broken."""

    columns: BatchColumns | None
    tags: list[str]
    ids: list[str]
    digests: list[tuple[str, bytes]]  # of all documents, also of broken ones
    broken: list[BrokenDocument]
    unread: list[tuple[str, int]]  # documents with entities that were not read, and their number
    texts: PackedTexts | None = None  # only if the index contains text


def index_batch(entries: Sequence[Entry], unit: Unit, *, keep_text: bool = False) -> IndexedBatch:
    """Parse the documents and lay out their elements."""
    _keep_freed_memory()
    batch = _Batch(unit, keep_text=keep_text)
    try:
        for entry in entries:
            batch.add(entry)
        return batch.finish()
    except MemoryError:
        raise _too_large(entries) from None


@functools.cache
def _keep_freed_memory() -> None:
    """Let the allocator reuse memory from batch to batch: a tenth less CPU time on 160 MB of JATS.

    The allocator of glibc returns free blocks to the system only if they are larger than the largest block
    it returned before. This block is never touched, so it takes no memory.
    """
    np.empty(1 << 24, np.uint8)


def _too_large(entries: Sequence[Entry]) -> ExcerptError:
    needed = _BATCH_MEMORY + _TIMES * (sum(entry.size for entry in entries) >> 20)
    return ExcerptError(
        f"does not fit into memory: needs about {needed} MiB",
        path=max(entries, key=lambda entry: entry.size).name,
        hint="set ⟨workers=1⟩, or split large documents",
    )


class _Batch:
    def __init__(self, unit: Unit, *, keep_text: bool) -> None:
        self._unit = unit
        self._texts: list[str] | None = [] if keep_text else None
        self._tags = Tags()
        self._entries: list[Entry] = []
        self._digests: list[tuple[str, bytes]] = []
        self._broken: dict[int, BrokenDocument] = {}
        self._unread: list[tuple[str, int]] = []
        self._unparsed: list[tuple[int, bytes]] = []
        self._proven: list[Proven] = []
        self._tape = Tape(self._tags)
        self._taped: list[int] = []

    def add(self, entry: Entry) -> None:
        """Read a document; small ones are collected, to be parsed together."""
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
        document = read_whole(entry)
        if document is None:
            pieces = chunks(entry.content)
            head: list[bytes] = []
            while sum(map(len, head)) <= LARGE and (piece := next(pieces, b"")):
                head.append(piece)
            document = b"".join(head)
            if len(document) > LARGE:
                self._read_large(entry, chain(head, pieces))
                return
        self._digests.append((entry.id, hashlib.sha256(document).digest()))
        self._unparsed.append((len(self._entries) - 1, document))

    def _read_large(self, entry: Entry, pieces: Iterator[bytes]) -> None:
        self._parse_collected()  # the tape must be in the order of the documents
        digest = hashlib.sha256()

        def digesting() -> Iterator[bytes]:
            for piece in pieces:
                digest.update(piece)
                yield piece

        digested = digesting()
        self._scan(len(self._entries) - 1, digested)
        for _ in digested:  # the rest of a broken document
            pass
        self._digests.append((entry.id, digest.digest()))

    def _parse_collected(self) -> None:
        """Prove collected documents well-formed where possible, and parse the others."""
        unparsed, self._unparsed = self._unparsed, []
        # A proven document needs no parser, but only the parser returns its text.
        proven = prove([document for _, document in unparsed], self._unit) if self._texts is None else None
        if proven is not None:
            numbers = [unparsed[row][0] for row in proven.documents]
            self._proven.append(proven._replace(documents=numbers))
            others = sorted({*range(len(unparsed))} - {*proven.documents})
            unparsed = [unparsed[row] for row in others]
        for number, document in unparsed:
            self._scan(number, (document,))

    def _scan(self, number: int, pieces: Iterable[bytes]) -> None:
        try:
            if self._texts is None:
                unread = scan(pieces, self._tape, unit=self._unit)
            else:
                unread, text = scan_text(pieces, self._tape, unit=self._unit)
                self._texts.append(text)
        except Malformed as error:
            self._break(number, error.line, error.message)
            return
        self._taped.append(number)
        if unread:
            self._unread.append((self._entries[number].name, unread))

    def finish(self) -> IndexedBatch:
        """Return the indexed batch; the codes of tags do not depend on how documents were parsed."""
        self._parse_collected()
        good = [number for number in range(len(self._entries)) if number not in self._broken]
        return IndexedBatch(
            lay_out(*self._elements(good)) if good else None,
            list(self._tags),
            [self._entries[number].id for number in good],
            self._digests,
            [self._broken[number] for number in sorted(self._broken)],
            self._unread,
            None if self._texts is None else pack(self._texts),
        )

    def _elements(self, good: list[int]) -> tuple[Elements, IntArray]:
        """All elements with the codes of `tags`, and the numbers of their documents without broken ones."""
        for _, _, name in sorted(chain.from_iterable(proven.appearances() for proven in self._proven)):
            self._tags[name.decode()]  # the lookup assigns the next code
        elements, numbers = [], []
        for proven in self._proven:
            codes = np.array([self._tags[name.decode()] for name in proven.names])
            elements.append(proven.elements._replace(tag=codes[proven.elements.tag]))
            numbers += proven.documents
        if self._taped:
            elements.append(pair_tags(self._tape.events()))
        return concatenate(elements), np.searchsorted(good, numbers + self._taped)
