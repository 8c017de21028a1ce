"""One batch of documents to one shard of the index: what a worker does."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np

from excerpt.files import describe
from excerpt.index.entries import Entry, chunks
from excerpt.index.plain import has_close_in_attribute, scan_plain, simplified
from excerpt.index.scan import Events, Malformed, Tags, Tape, Unit, digesting, joined, scan
from excerpt.index.tree import Columns, columns


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
    batch = _Batch(unit)
    for entry in entries:
        batch.add(entry)
    return batch.shard()


@dataclass
class _Batch:
    unit: Unit
    tags: Tags = field(default_factory=Tags)
    ids: list[str] = field(default_factory=list)
    digests: list[tuple[str, bytes]] = field(default_factory=list)
    broken: list[BrokenDocument] = field(default_factory=list)
    unread: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tape = Tape(self.tags)
        self._taped: list[int] = []
        self._plain: list[bytes] = []
        self._plain_numbers: list[int] = []
        self._originals: list[bytes] = []  # of the plain ones

    def add(self, entry: Entry) -> None:
        try:
            self._read(entry)
            self.ids.append(entry.id)
        except Malformed as error:
            self.broken.append(BrokenDocument(entry.id, entry.name, error.line, error.message))
        except OSError as error:
            self.broken.append(
                BrokenDocument(entry.id, entry.name, None, f"cannot be read: {describe(error)}")
            )
        except (EOFError, zlib.error) as error:
            self.broken.append(
                BrokenDocument(entry.id, entry.name, None, f"found damaged gzip data ({error})")
            )

    def _read(self, entry: Entry) -> None:
        parts = chunks(entry.content)
        first, second = next(parts, b""), next(parts, b"")
        if second:
            self._large(entry, chain((first, second), parts))
            return
        self.digests.append((entry.id, hashlib.sha256(first).digest()))
        plain = simplified(first, self.unit)
        if plain is None:
            self._tape_document(entry, (first,))
            return
        self._plain.append(plain.text)
        self._plain_numbers.append(len(self.ids))
        self._originals.append(first)
        self._note(entry, plain.unread)

    def _large(self, entry: Entry, parts: Iterator[bytes]) -> None:
        digest = hashlib.sha256()
        parts = digesting(parts, digest.update)
        self._tape.drain()
        try:
            self._tape_document(entry, parts)
        finally:
            for _ in parts:  # what comes after the place where a broken document broke
                pass
            self.digests.append((entry.id, digest.digest()))

    def _tape_document(self, entry: Entry, parts: Iterable[bytes]) -> None:
        self._note(entry, scan(parts, self._tape, unit=self.unit))
        self._taped.append(len(self.ids))

    def _note(self, entry: Entry, unread: int) -> None:
        if unread:
            self.unread.append((entry.name, unread))

    def _plain_events(self) -> Events | None:
        events = scan_plain(self._plain, self.tags, unit=self.unit) if self._plain else None
        if events is not None or not self._plain:
            return events
        rows = zip(self._plain_numbers, self._plain, self._originals, strict=True)
        self._plain_numbers, self._plain = [], []
        for number, document, original in rows:
            if has_close_in_attribute(document):
                # Without its document type the simplified text may not even be well-formed.
                scan((original,), self._tape, unit=self.unit)
                self._taped.append(number)
            else:
                self._plain.append(document)
                self._plain_numbers.append(number)
        return scan_plain(self._plain, self.tags, unit=self.unit) if self._plain else None

    def shard(self) -> Shard:
        plain = self._plain_events()
        parts = [plain] if plain is not None else []
        if self._taped:
            parts.append(self._tape.events())
        rows = None
        if parts:
            rows = columns(joined(parts), np.array(self._plain_numbers + self._taped))
        return Shard(rows, list(self.tags), self.ids, self.digests, self.broken, self.unread)
