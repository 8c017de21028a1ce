"""Where a corpus has its documents from: what every kind of source can be asked, and the text it may give."""

from __future__ import annotations

import codecs
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from excerpt.corpus.document import Document
from excerpt.documents.cuts import Cutting
from excerpt.documents.entry import Ids
from excerpt.errors import ExcerptError, FormatError
from excerpt.gold.file import Context

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Documents(Protocol):
    """Documents by number, from 0 on."""

    def __len__(self) -> int:
        """How many documents there are."""
        ...

    def ids(self) -> Iterator[str]:
        """The id of each document."""
        ...

    def id(self, number: int) -> str:
        """The id of a document."""
        ...

    def find(self, identifier: str) -> int:
        """The number of the document with an id, -1 without one."""
        ...

    def path(self, number: int) -> str:
        """The path of a document, by which it may be called, too; empty where it has none."""
        ...

    def place(self, number: int) -> str:
        """Where a document is, for messages."""
        ...

    def check(self, number: int) -> None:
        """An error where the file of a document has changed since it was opened."""
        ...

    def digest(self) -> bytes:
        """The SHA-256 of all documents: of their ids, and of what they are made of."""
        ...

    def text(self, number: int) -> str:
        """The text of a document."""
        ...

    def document(self, number: int) -> Document:
        """A document."""
        ...

    def length(self, number: int) -> int:
        """How many code points a document has."""
        ...


class Numbered(ABC):
    """A source that has the ids of its documents in memory, and no paths."""

    def __init__(self, ids: Iterable[str]) -> None:
        """The documents with these ids; an error where one is twice."""
        self._numbers: dict[str, int] = {}
        for number, identifier in enumerate(ids):
            first = self._numbers.setdefault(identifier, number)
            if first != number:
                raise self.twice(identifier, first, number)

    def twice(self, identifier: str, first: int, second: int) -> ExcerptError:
        """The error for an id that two documents have."""
        return twice(identifier, self.place(first), self.place(second))

    def __len__(self) -> int:
        return len(self._numbers)

    def ids(self) -> Iterator[str]:
        """The id of each document."""
        return iter(self._numbers)

    @cached_property
    def _ids(self) -> list[str]:
        return list(self._numbers)

    def id(self, number: int) -> str:
        """The id of a document."""
        return self._ids[number]

    def find(self, identifier: str) -> int:
        """The number of the document with an id, -1 without one."""
        return self._numbers.get(identifier, -1)

    def path(self, _number: int) -> str:
        """The path of a document, by which it may be called, too; empty where it has none."""
        return ""

    @abstractmethod
    def place(self, number: int) -> str:
        """Where a document is, for messages."""

    def check(self, _number: int) -> None:
        """An error where the file of a document has changed; what is in memory does not."""
        return

    @abstractmethod
    def document(self, number: int) -> Document:
        """A document."""

    def stored(self, number: int) -> bytes:
        """What a document is made of, without reading it as text where it is in a file."""
        return self.text(number).encode()

    def digest(self) -> bytes:
        """The SHA-256 of all documents: of their ids, and of what they are made of."""
        whole = hashlib.sha256()
        for number, identifier in enumerate(self.ids()):
            data = self.stored(number)
            whole.update(f"{identifier}\0{len(data)}\n".encode(errors="surrogatepass"))
            whole.update(data)
        return whole.digest()

    def text(self, number: int) -> str:
        """The text of a document."""
        return self.document(number).text

    def length(self, number: int) -> int:
        """How many code points a document has."""
        return len(self.text(number))


def twice(identifier: str, first: str, second: str, hint: str = "keep one of them") -> ExcerptError:
    """The error for an id that two documents have."""
    return ExcerptError(f"two documents have the id {identifier!r}: {first} and {second}", hint=hint)


class Opened(NamedTuple):
    """What paths lead to, how many files were left out, since they are no documents, and how it was asked."""

    sources: Sequence[Documents]
    left_out: int
    paths: tuple[str | os.PathLike[str], ...]
    ids: Ids
    context: Context
    cutting: Cutting | None = None


def decode(data: bytes, place: str) -> str:
    r"""Plain text: UTF-8 without byte order mark, and nothing else changed.

    >>> decode(b"\xef\xbb\xbfa\r\n", "a.txt")
    'a\r\n'
    """
    plain = data.removeprefix(codecs.BOM_UTF8)
    skipped = len(data) - len(plain)
    if data.startswith(_UTF16):
        raise _not_text("found UTF-16, expected UTF-8 text", place)
    if (zero := plain.find(b"\0")) >= 0:
        message = f"found a binary file (a NUL at byte {zero + skipped}), expected UTF-8 text"
        raise FormatError(message, path=place, hint="leave it out")
    try:
        return plain.decode()
    except UnicodeDecodeError as error:
        found = f"found 0x{plain[error.start]:02x} at byte {error.start + skipped}"
        raise _not_text(f"{found}, expected UTF-8 text", place) from None


def _not_text(message: str, place: str) -> FormatError:
    return FormatError(message, path=place, hint="convert it to UTF-8, or leave it out")


def require_text(value: object, place: str, line: int | None = None) -> str:
    """Text without halves of surrogate pairs, which no file could hold; an error for all else."""
    if not isinstance(value, str):
        kind = "nothing" if value is None else f"a value of type {type(value).__name__}"
        raise FormatError(f"found {kind} as text of a document, expected text", path=place, line=line)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            found = f"found half a surrogate pair at character {error.start}"
            raise FormatError(f"{found}, expected text", path=place, line=line) from None
    return value
