"""A document as a corpus gives it, text, title and elements, and the interface of where it comes from."""

from __future__ import annotations

import codecs
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from excerpt.documents.entry import Ids, twice
from excerpt.errors import ExcerptError, FormatError
from excerpt.model.spans import IntArray
from excerpt.parse.text import ParsedDocument

if TYPE_CHECKING:
    from excerpt.documents.cuts import Cutting
    from excerpt.gold.file import Context

_NONE: Mapping[str, str] = MappingProxyType({})
#: Attributes that say how a table is laid out; no others are kept.
LAYOUT = ("colspan", "rowspan")
#: Elements that hold the title of a document, in collections that we know: the first that is there counts.
_TITLES = ("article-title", "title", "atl", "name", "TITLE", "HEADLINE", "TTL", "HEAD", "HL", "TI")
_LONGEST_TITLE = 300
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Element(NamedTuple):
    """An element of a document: text[start:end]; the root has depth 0."""

    tag: str
    depth: int
    start: int
    end: int
    attributes: Mapping[str, str] = _NONE


class Document(NamedTuple):
    """A document: `elements` are in the order of their start tags, None where it is no XML."""

    id: str
    text: str
    title: str = ""
    kind: str = ""
    elements: Sequence[Element] | None = None


class Elements(Sequence[Element]):
    """The elements of a document in columns, each made when it is asked for."""

    def __init__(
        self,
        names: Sequence[str],
        tag: IntArray,
        depth: IntArray,
        start: IntArray,
        end: IntArray,
        attributes: Mapping[int, Mapping[str, str]] = MappingProxyType({}),
    ) -> None:
        self.names = names
        self._columns = (tag, depth, start, end)
        self._attributes = attributes

    def __len__(self) -> int:
        return len(self._columns[0])

    def __iter__(self) -> Iterator[Element]:
        rows = zip(*(column.tolist() for column in self._columns), strict=True)
        for number, (tag, depth, start, end) in enumerate(rows):
            yield Element(self.names[tag], depth, start, end, self._attributes.get(number, _NONE))

    @overload
    def __getitem__(self, place: int) -> Element: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Element]: ...
    def __getitem__(self, place: int | slice) -> Element | Sequence[Element]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        tag, depth, start, end = (int(column[number]) for column in self._columns)
        return Element(self.names[tag], depth, start, end, self._attributes.get(number, _NONE))

    def first(self, name: str) -> tuple[int, int] | None:
        """Where the first element of a name is in the text; None without one."""
        if name not in self.names:
            return None
        tag, _, start, end = self._columns
        found = (tag == self.names.index(name)).nonzero()[0]
        return (int(start[found[0]]), int(end[found[0]])) if len(found) else None


def from_xml(identifier: str, parsed: ParsedDocument) -> Document:
    """An XML document that was parsed with its text."""
    columns = parsed.elements
    elements = Elements(
        parsed.names, columns.tag, columns.level.astype("i8"), columns.start, columns.end, parsed.attributes
    )
    return with_elements(identifier, parsed.text, elements)


def with_elements(identifier: str, text: str, elements: Elements) -> Document:
    """A document of a text with these elements: kind and title are told by them."""
    return Document(identifier, text, _title(text, elements), elements[0].tag, elements)


def _title(text: str, elements: Elements) -> str:
    for name in _TITLES:
        if span := elements.first(name):
            return tidy(text[span[0] : span[1]])
    return ""


def tidy(title: Any) -> str:
    """A title on one line, not too long; empty for what is no text.

    >>> tidy(" A \\n title "), tidy(None)
    ('A title', '')
    """
    if not isinstance(title, str):
        return ""
    return " ".join(title.encode("utf-8", "replace").decode().split())[:_LONGEST_TITLE]


class Source(ABC):
    """Documents by number, from 0 on."""

    @abstractmethod
    def __len__(self) -> int:
        """How many documents there are."""

    @abstractmethod
    def ids(self) -> Iterator[str]:
        """The id of each document."""

    @abstractmethod
    def id(self, number: int) -> str:
        """The id of a document."""

    @abstractmethod
    def find(self, identifier: str) -> int:
        """The number of the document with an id, -1 without one."""

    def path(self, _number: int) -> str:
        """The path of a document, by which it may be called, too; empty where it has none."""
        return ""

    @abstractmethod
    def place(self, number: int) -> str:
        """Where a document is, for messages."""

    def check(self, _number: int) -> None:
        """An error where the file of a document has changed since it was opened; memory does not."""
        return

    @abstractmethod
    def document(self, number: int) -> Document:
        """A document."""

    def text(self, number: int) -> str:
        """The text of a document."""
        return self.document(number).text

    def length(self, number: int) -> int:
        """How many code points a document has."""
        return len(self.text(number))

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


class Opened(NamedTuple):
    """What paths lead to, how many files were left out, since they are no documents, and how it was asked."""

    sources: Sequence[Source]
    left_out: int
    paths: tuple[str | os.PathLike[str], ...]
    ids: Ids
    context: Context
    cutting: Cutting | None = None


class Numbered(Source):
    """A source that has the ids of its documents in memory."""

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
        return iter(self._numbers)

    @cached_property
    def _ids(self) -> list[str]:
        return list(self._numbers)

    def id(self, number: int) -> str:
        return self._ids[number]

    def find(self, identifier: str) -> int:
        return self._numbers.get(identifier, -1)


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
