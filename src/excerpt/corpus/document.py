"""Document and Element as a corpus returns them, and the interface of the sources of a corpus."""

from __future__ import annotations

import codecs
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from types import MappingProxyType
from typing import Any, NamedTuple, overload

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.model.document_names import duplicate_id
from excerpt.model.spans import UNKNOWN, IntArray

_NONE: Mapping[str, str] = MappingProxyType({})
#: Attributes for the layout of tables; all others are dropped.
LAYOUT = ("colspan", "rowspan")
#: Elements with the title of a document, in known collections; the first that occurs is used.
_TITLES = ("article-title", "title", "atl", "name", "TITLE", "HEADLINE", "TTL", "HEAD", "HL", "TI")
#: Of these, elements that sections and references have, too: they count in the root and in these parents.
_AMBIGUOUS = _TITLES[:5]
_FRONT = {"title-group", "article-meta", "front", "fm", "tig", "hdr", "head", "header", "info", "articleinfo"}
_MOST_TITLES = 8
_LONGEST_TITLE = 300
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: First bytes of files whose text is not simply their bytes.
BYTE_ORDER_MARKS = (codecs.BOM_UTF8, *_UTF16)


class Element(NamedTuple):
    """An element of a document: text[start:end]; the root has depth 0."""

    tag: str
    depth: int
    start: int
    end: int
    attributes: Mapping[str, str] = _NONE


class Document(NamedTuple):
    """A document; `elements` are in the order of their start tags, None if it is not XML.

    `pages` are the start and end of each page, none if the document has no pages.
    """

    id: str
    text: str
    title: str = ""
    kind: str = ""
    elements: Sequence[Element] | None = None
    pages: Sequence[tuple[int, int]] = ()


class Elements(Sequence[Element]):
    """The elements of a document in columns; each `Element` is made on access."""

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
    def __getitem__(self, index: int) -> Element: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Element]: ...
    def __getitem__(self, index: int | slice) -> Element | Sequence[Element]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        tag, depth, start, end = (int(column[number]) for column in self._columns)
        return Element(self.names[tag], depth, start, end, self._attributes.get(number, _NONE))

    def named(self, name: str, most: int) -> Iterator[tuple[Element, int]]:
        """The first elements with a name, each with the number of its parent (-1: it is the root)."""
        if name not in self.names:
            return
        tag, depth = self._columns[:2]
        for row in (tag == self.names.index(name)).nonzero()[0][:most].tolist():
            above = (depth[:row] == depth[row] - 1).nonzero()[0]
            yield self[row], int(above[-1]) if len(above) else -1


def with_elements(identifier: str, text: str, elements: Elements) -> Document:
    """Make a document from its text and elements, which determine its kind and title."""
    return Document(identifier, text, _title(text, elements), elements[0].tag, elements)


def _title(text: str, elements: Elements) -> str:
    """Title of a document, empty without one; the heading of a section or a number is no title."""
    for name in _TITLES:
        for element, parent in elements.named(name, _MOST_TITLES):
            title = tidy(text[element.start : element.end])
            in_front = parent <= 0 or elements[parent].tag.lower() in _FRONT
            if (in_front or name not in _AMBIGUOUS) and any(map(str.isalpha, title)):
                return title
    return ""


def tidy(title: Any) -> str:
    """Put a title on one line and shorten it; empty if it is not text.

    >>> tidy(" A \\n title "), tidy(None)
    ('A title', '')
    """
    if not isinstance(title, str):
        return ""
    return " ".join(title.encode("utf-8", "replace").decode().split())[:_LONGEST_TITLE]


class DocumentSource(ABC):
    """A source of documents, which are numbered from 0."""

    #: Whether lengths are known without reading the texts.
    knows_lengths = False

    @abstractmethod
    def __len__(self) -> int:
        """Number of documents."""

    @abstractmethod
    def ids(self) -> Iterator[str]:
        """The id of each document."""

    @abstractmethod
    def id(self, number: int) -> str:
        """The id of a document."""

    @abstractmethod
    def find(self, identifier: str) -> int:
        """Return the number of the document with an id, -1 without one."""

    def find_all(self, identifiers: Iterable[str]) -> Iterator[int]:
        """Return the numbers of documents by their ids, as `find` does."""
        return map(self.find, identifiers)

    def path(self, _number: int) -> str:
        """Path of a document, which is an alternative to its id; empty without one."""
        return ""

    @abstractmethod
    def location(self, number: int) -> str:
        """Location of a document, for messages."""

    def file(self, number: int) -> int:
        """Return the number of the file of a document, which may contain several."""
        return number

    def check(self, _number: int) -> None:
        """Raise an error if the file of a document has changed since it was opened."""
        return

    @abstractmethod
    def document(self, number: int) -> Document:
        """Return a document."""

    def text(self, number: int) -> str:
        """Return the text of a document."""
        return self.document(number).text

    def with_text(self, _number: int, _text: str) -> Document | None:
        """Return the document of a text that was read; None if more than that must be read for it."""
        return None

    def texts(self, numbers: Sequence[int]) -> Iterator[str | ExcerptError]:
        """Return the texts of documents, ascending, or the errors of those that cannot be read."""
        return (self._text_or_error(number) for number in numbers)

    def _text_or_error(self, number: int) -> str | ExcerptError:
        try:
            self.check(number)
            return self.text(number)
        except ExcerptError as error:
            return error

    def plain(self, _number: int) -> bytes | None:
        """Return the text of a document in UTF-8 if it is stored so; None for all others."""
        return None

    def length(self, number: int) -> int:
        """Length of a document in code points."""
        return len(self.text(number))

    def lengths(self, numbers: IntArray) -> IntArray | list[int]:
        """Lengths of documents as far as they are found at once; -1 for those that `length` must read."""
        return [UNKNOWN] * len(numbers)

    def stored(self, number: int) -> bytes:
        """Return the bytes of a document, if it is in a file without decoding them."""
        return self.text(number).encode()

    def digest(self) -> bytes:
        """SHA-256 of the ids and bytes of all documents."""
        digest = hashlib.sha256()
        for number, identifier in enumerate(self.ids()):
            data = self.stored(number)
            digest.update(f"{identifier}\0{len(data)}\n".encode(errors="surrogatepass"))
            digest.update(data)
        return digest.digest()


class Opened(NamedTuple):
    """The sources of a corpus, the files that are no documents, their paths, and how to open them."""

    sources: Sequence[DocumentSource]
    #: Files of other kinds by ending, and those that cannot be read by reason.
    others: Mapping[str, int]
    unread: Mapping[str, int]
    #: What there is to say of them, and whether it is a warning.
    said: tuple[tuple[str, bool], ...]
    #: Names of the parsers that make the texts instead of the own reader.
    parsers: tuple[str, ...]
    paths: tuple[str | os.PathLike[str], ...]
    how: tuple[Any, ...]


class Numbered(DocumentSource):
    """A source that keeps the ids of its documents in memory."""

    def __init__(self, ids: Iterable[str]) -> None:
        """Number the documents with these ids; a duplicate id is an error."""
        self._numbers: dict[str, int] = {}
        for number, identifier in enumerate(ids):
            first = self._numbers.setdefault(identifier, number)
            if first != number:
                raise self.duplicate(identifier, first, number)

    def duplicate(self, identifier: str, first: int, second: int) -> ExcerptError:
        """Error for an id that two documents have."""
        return duplicate_id(identifier, self.location(first), self.location(second))

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

    def find_all(self, identifiers: Iterable[str]) -> Iterator[int]:
        return map(self._numbers.get, identifiers, repeat(-1))


def decode(data: bytes, location: str, encoding: str | None = None) -> str:
    r"""Decode UTF-8, or UTF-16 with a byte order mark, which is dropped; nothing else is changed.

    What is not UTF-8 is of the `encoding`, if there is one.

    >>> decode(b"\xef\xbb\xbfa\r\n", "a.txt"), decode(b"\xe9t\xe9", "a.txt", "cp1252")
    ('a\r\n', 'été')
    """
    if data.startswith(_UTF16):
        return _decode_as("utf-16", data, location)
    if encoding is None:
        return _decode_utf8(data, location)
    try:
        return _decode_utf8(data, location)
    except FormatError:
        return _decode_as(encoding, data, location)


def text_of(data: bytes, location: str, encoding: str | None = None) -> str:
    """Decode the text of a file; the error of one that is not UTF-8 says how to name its encoding."""
    try:
        return decode(data, location, encoding)
    except FormatError as error:
        if encoding is None and "UTF-8" in error.hint:
            error.hint += ", or name its ⟨encoding=cp1252⟩"
        raise


def _decode_as(encoding: str, data: bytes, location: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        message = f"found bytes at {at} that are neither UTF-8 nor {encoding}, expected text"
        if encoding == "utf-16":
            message = f"found broken UTF-16 at byte {at}, expected text"
        raise FormatError(message, path=location, hint="name its encoding, or leave the file out") from None
    if "\0" in text:
        message = f"found a binary file (a NUL at character {text.index(chr(0))}), expected text"
        raise FormatError(message, path=location, hint="leave the file out")
    return text


def require_encoding(name: str | None) -> str | None:
    """Return the name of an encoding of text; raise an error for an unknown one."""
    if name is None:
        return None
    try:
        "".encode(name)
        codec = codecs.lookup(name)
    except (LookupError, ValueError, TypeError):
        codec = None
    if codec is None or not isinstance(name, str):
        hint = "known are utf-8, latin-1, cp1252 (Windows), utf-16 and the others of Python"
        raise ExcerptError(f"unknown encoding {short(str(name))!r}", hint=hint)
    return name


def _decode_utf8(data: bytes, location: str) -> str:
    plain = data.removeprefix(codecs.BOM_UTF8)
    skipped = len(data) - len(plain)
    if (zero := plain.find(b"\0")) >= 0:
        message = f"found a binary file (a NUL at byte {zero + skipped}), expected UTF-8 text"
        raise FormatError(message, path=location, hint="leave the file out")
    try:
        return plain.decode()
    except UnicodeDecodeError as error:
        found = f"found 0x{plain[error.start]:02x} at byte {error.start + skipped}"
        raise _not_text(f"{found}, expected UTF-8 text", location) from None


def _not_text(message: str, location: str) -> FormatError:
    return FormatError(message, path=location, hint="convert the file to UTF-8, or leave it out")


def require_text(value: object, location: str, line: int | None = None) -> str:
    """Return a text that can be encoded, thus without unpaired surrogates; all else is an error."""
    if not isinstance(value, str):
        kind = "None" if value is None else f"a value of type {type(value).__name__}"
        raise FormatError(f"found {kind} as text of a document, expected text", path=location, line=line)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            found = f"found half a surrogate pair at character {error.start}"
            raise FormatError(f"{found}, expected text", path=location, line=line) from None
    return value
