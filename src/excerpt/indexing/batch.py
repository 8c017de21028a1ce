"""Indexing of one batch of documents, the unit of work of a worker."""

from __future__ import annotations

import functools
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from excerpt.documents.entry import LARGE, Entry, chunks, read_whole
from excerpt.errors import ExcerptError
from excerpt.files import describe
from excerpt.index.disk import BrokenDocument, PackedTexts, pack
from excerpt.indexing.wellformed import Proven, prove
from excerpt.model.spans import IntArray
from excerpt.parse.expat import Malformed, scan
from excerpt.parse.text import scan_text
from excerpt.parse.tree import BatchColumns, ElementColumns, Tags, Tape, concatenate, lay_out, pair_tags

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit

# Measured: MiB for a small batch, and memory for a large document as a multiple of its size.
_BATCH_MEMORY, _TIMES = 60, 3


class IndexedBatch(NamedTuple):
    """An indexed batch of documents; `columns` is None if all of them are broken."""

    columns: BatchColumns | None
    tags: list[str]
    ids: list[str]
    digests: list[tuple[str, bytes]]  # of all documents, also of broken ones
    broken: list[BrokenDocument]
    unread: list[tuple[str, int]]  # documents with entities that were not read, and their number
    texts: PackedTexts | None = None  # only if the index contains text


def index_batch(entries: Sequence[Entry], unit: OffsetUnit, *, keep_text: bool = False) -> IndexedBatch:
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
    """Let glibc keep memory from batch to batch (a tenth less CPU time): it returns only larger blocks."""
    np.empty(1 << 24, np.uint8)  # never touched, so it takes no memory


def _too_large(entries: Sequence[Entry]) -> ExcerptError:
    needed = _BATCH_MEMORY + _TIMES * (sum(entry.size for entry in entries) >> 20)
    return ExcerptError(
        f"does not fit into memory: needs about {needed} MiB",
        path=max(entries, key=lambda entry: entry.size).name,
        hint="set ⟨workers=1⟩, or split large documents",
    )


class _Batch:
    def __init__(self, unit: OffsetUnit, *, keep_text: bool) -> None:
        self._unit = unit
        self._keep_text = keep_text
        self._texts: dict[int, bytes] = {}  # in UTF-8, by document
        self._tags = Tags()
        self._entries: list[Entry] = []
        self._digests: list[tuple[str, bytes]] = []
        self._broken: dict[int, BrokenDocument] = {}
        self._unread: list[tuple[str, int]] = []
        self._unparsed: list[tuple[int, bytes]] = []
        self._proven: list[Proven] = []
        self._tape = Tape(self._tags)
        self._taped: list[int] = []
        self._appeared: list[tuple[int, int, bytes]] = []  # tags as in `Proven.appearances`

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
        proven = prove([document for _, document in unparsed], self._unit, keep_text=self._keep_text)
        if proven is not None:
            numbers = [unparsed[row][0] for row in proven.documents]
            self._texts |= zip(numbers, proven.texts, strict=False)
            self._proven.append(proven._replace(documents=numbers, texts=[]))
            others = sorted({*range(len(unparsed))} - {*proven.documents})
            unparsed = [unparsed[row] for row in others]
        for number, document in unparsed:
            self._scan(number, (document,))

    def _scan(self, number: int, pieces: Iterable[bytes]) -> None:
        known = len(self._tags)
        try:
            if self._keep_text:
                unread, text = scan_text(pieces, self._tape, unit=self._unit)
                self._texts[number] = text.encode()
            else:
                unread = scan(pieces, self._tape, unit=self._unit)
        except Malformed as error:
            self._break(number, error.line, error.message)
            return
        finally:
            # Tags of parsed documents come first in an index without text.
            new = enumerate(islice(self._tags, known, None), known)
            place = number if self._keep_text else -1
            self._appeared += [(place, code, name.encode()) for code, name in new]
        self._taped.append(number)
        if unread:
            self._unread.append((self._entries[number].name, unread))

    def finish(self) -> IndexedBatch:
        """Return the indexed batch; the codes of tags do not depend on how documents were parsed."""
        self._parse_collected()
        good = [number for number in range(len(self._entries)) if number not in self._broken]
        tags = Tags()
        for _, _, name in sorted(chain(self._appeared, *(proven.appearances() for proven in self._proven))):
            tags[name.decode()]  # the lookup assigns the next code
        return IndexedBatch(
            lay_out(*self._elements(good, tags)) if good else None,
            list(tags),
            [self._entries[number].id for number in good],
            self._digests,
            [self._broken[number] for number in sorted(self._broken)],
            self._unread,
            pack([self._texts[number] for number in good]) if self._keep_text else None,
        )

    def _elements(self, good: list[int], tags: Tags) -> tuple[ElementColumns, IntArray]:
        """All elements with the codes of `tags`, and the numbers of their documents without broken ones."""
        elements, numbers = [], []
        for proven in self._proven:
            codes = np.array([tags[name.decode()] for name in proven.names])
            elements.append(proven.elements._replace(tag=codes[proven.elements.tag]))
            numbers += proven.documents
        if self._taped:
            codes, parsed = np.array([tags[name] for name in self._tags]), pair_tags(self._tape.events())
            elements.append(parsed._replace(tag=codes[parsed.tag]))
        return concatenate(elements), np.searchsorted(good, numbers + self._taped)
