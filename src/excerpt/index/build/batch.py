"""One batch of documents, indexed: what a worker does."""

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

# Measured: MiB for a small batch, and how many times its size a large document takes.
_NEEDED, _TIMES = 60, 3


@dataclass(frozen=True)
class BrokenDocument:
    """A document that is not in the index, and why; `line` is None where its bytes could not be read."""

    document: str
    path: str
    line: int | None
    message: str


class IndexedBatch(NamedTuple):
    """The documents of one batch, indexed; `columns` is None where all of them are broken."""

    columns: BatchColumns | None
    tags: list[str]
    ids: list[str]
    digests: list[tuple[str, bytes]]  # of all documents, broken ones too
    broken: list[BrokenDocument]
    unread: list[tuple[str, int]]  # documents with entities that were not read, and how many
    texts: PackedTexts | None = None  # where they are kept


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

    The allocator of glibc hands back free blocks that are larger than the largest one it ever handed back;
    this one is never touched, so it takes no memory.
    """
    np.empty(1 << 24, np.uint8)


def _too_large(entries: Sequence[Entry]) -> ExcerptError:
    needed = _NEEDED + _TIMES * (sum(entry.size for entry in entries) >> 20)
    return ExcerptError(
        f"does not fit into memory: needs about {needed} MiB",
        path=max(entries, key=lambda entry: entry.size).name,
        hint="set ⟨workers=1⟩, or cut large documents",
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
        self._waiting: list[tuple[int, bytes]] = []
        self._proven: list[Proven] = []
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
        document = read_whole(entry)
        if document is None:
            pieces = chunks(entry.content)
            begun: list[bytes] = []
            while sum(map(len, begun)) <= LARGE and (piece := next(pieces, b"")):
                begun.append(piece)
            document = b"".join(begun)
            if len(document) > LARGE:
                self._read_large(entry, chain(begun, pieces))
                return
        self._digests.append((entry.id, hashlib.sha256(document).digest()))
        self._waiting.append((len(self._entries) - 1, document))

    def _read_large(self, entry: Entry, pieces: Iterator[bytes]) -> None:
        self._settle()  # the tape keeps the order of the documents
        digest = hashlib.sha256()

        def digesting() -> Iterator[bytes]:
            for piece in pieces:
                digest.update(piece)
                yield piece

        digested = digesting()
        self._scan(len(self._entries) - 1, digested)
        for _ in digested:  # what comes after the place where a broken document broke
            pass
        self._digests.append((entry.id, digest.digest()))

    def _settle(self) -> None:
        """Prove what can be proven of the waiting documents, and let the parser look at the others."""
        waiting, self._waiting = self._waiting, []
        # What is proven needs no parser, but only the parser tells the text.
        proven = prove([document for _, document in waiting], self._unit) if self._texts is None else None
        if proven is not None:
            numbers = [waiting[row][0] for row in proven.documents]
            self._proven.append(proven._replace(documents=numbers))
            doubted = sorted({*range(len(waiting))} - {*proven.documents})
            waiting = [waiting[row] for row in doubted]
        for number, document in waiting:
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
        """Everything together; the numbers of tags do not tell which way a document went."""
        self._settle()
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
        for _, _, name in sorted(chain.from_iterable(some.appearances() for some in self._proven)):
            self._tags[name.decode()]  # gives it the next code
        found, numbers = [], []
        for some in self._proven:
            codes = np.array([self._tags[name.decode()] for name in some.names])
            found.append(some.elements._replace(tag=codes[some.elements.tag]))
            numbers += some.documents
        if self._taped:
            found.append(pair_tags(self._tape.events()))
        return concatenate(found), np.searchsorted(good, numbers + self._taped)
