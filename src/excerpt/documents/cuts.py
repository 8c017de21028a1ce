"""Splitting of files into documents: TREC's SGML, or XML with an element per document.

A file whose first tag is the tag of a document is SGML, a sequence of documents without a root. All other
files must be well-formed XML, in which the outermost elements with the tag are the documents.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from excerpt.documents.entry import Cut, Entry, FilePart, unreadable
from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import compression_of, decompress
from excerpt.model.document_names import is_xml
from excerpt.parse.expat import BOM, UTF16, Malformed, codec_for_expat, create_parser, feed
from excerpt.parse.sgml import decode, well_formed

#: The bytes of a file, in memory or mapped.
Bytes: TypeAlias = "bytes | Any"
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_ID_PATH = re.compile(
    rf"(?P<path>{_NAME.pattern}(?:/{_NAME.pattern})*)?(?:(?(path)/)@(?P<attribute>{_NAME.pattern}))?"
)
_FIRST = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^<>]*>|<!--.*?-->|<!DOCTYPE[^<>\[]*>)*+<([A-Za-z][^\s<>/]*)", re.DOTALL
)
_TAG = re.compile(rb"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>")
#: File names of TREC collections: without an extension, with a number, or with the extension of their kind.
_TREC_NAME = re.compile(r"[^.]+|.+\.(sgml?|trec|dat|\d+)", re.IGNORECASE)
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$", re.IGNORECASE)
_HEAD = 1 << 16
#: Bytes at the beginning of a file that are examined to detect its kind.
HEAD = 1 << 14
_STEP = 1 << 20
#: Tags of a document and of its id in TREC files.
_TREC, _DOCNO = "DOC", "DOCNO"


class IdPath(NamedTuple):
    """Path from a document to its id: tags below the document, and an optional attribute."""

    path: tuple[str, ...] = ()
    attribute: str = ""

    def __str__(self) -> str:
        return "/".join((*self.path, *([f"@{self.attribute}"] if self.attribute else ())))


class Cutting(NamedTuple):
    """Rules to split a file: the tag of a document, and paths to its id, the most reliable first."""

    tag: str = _TREC
    id_paths: tuple[IdPath, ...] = (IdPath((_DOCNO,)),)

    @classmethod
    def of(cls, tag: str | None, id_from: str | None, ids: str = "stem") -> Cutting | None:
        """Make it from a user's options; None without a tag. A tag excludes ids from paths of files.

        >>> Cutting.of("page", "header/@n").id_paths
        (IdPath(path=('header',), attribute='n'),)
        """
        if tag is None:
            if id_from is not None:
                raise ExcerptError(f"⟨id_from={short(id_from)}⟩ needs ⟨document_tag⟩")
            return None
        if ids != "stem":
            raise ExcerptError(f"⟨ids={ids}⟩ and ⟨document_tag⟩ cannot be combined")
        if not isinstance(tag, str) or not _NAME.fullmatch(tag):
            raise ExcerptError(f"found {short(repr(tag))} as tag of documents, expected one such as DOC")
        if id_from is None:
            return cls(tag, (IdPath((_DOCNO,)), IdPath(attribute="id")))
        match = _ID_PATH.fullmatch(id_from) if isinstance(id_from, str) and id_from else None
        if match is None:
            found = f"found {short(repr(id_from))} as path of ids"
            raise ExcerptError(f"{found}, expected one such as DOCNO, header/id or @id")
        path = tuple(match["path"].split("/")) if match["path"] else ()
        return cls(tag, (IdPath(path, match["attribute"] or ""),))


class Piece(NamedTuple):
    """A document of a file: its id, its span of bytes, and their form."""

    id: str
    start: int
    end: int
    form: Form


class Form(NamedTuple):
    """Form of documents in a file: SGML, or XML after the prolog of the file."""

    prolog: bytes = b""
    sgml: bool = False

    def as_file(self, data: bytes) -> bytes:
        """Turn the bytes of a document into an XML file of its own."""
        return well_formed(data) if self.sgml else self.prolog + data


def may_be_trec(name: str) -> bool:
    """Check by its name if a file may belong to a TREC collection.

    >>> [may_be_trec(name) for name in ("ft911_1", "fr940104.0.gz", "wt01.sgml", "read.me", "a.json")]
    [True, True, True, False, False]
    """
    return _TREC_NAME.fullmatch(_PACKED.sub("", name)) is not None


def trec_cutting(path: str) -> Cutting | None:
    """Detect a TREC file by its content; a file named `.xml` must contain several documents."""
    try:
        with Path(path).open("rb") as raw:
            head = raw.read(HEAD)
            if (compression := compression_of(head)) is not None:
                raw.seek(0)
                head = compression.reader(raw).read(HEAD)
    except Exception as error:
        from excerpt.documents.archives import is_damage  # slow to import, and most files do not need it

        if not is_damage(error):
            raise
        return None  # the error follows when the file is read
    if not is_trec(head):
        return None
    if is_xml(path):
        with _content(path) as (data, _):
            return Cutting() if has_several(data) else None
    return Cutting()


@contextlib.contextmanager
def _content(path: str) -> Iterator[tuple[Bytes, bool]]:
    """The bytes of a file, and True if they are in memory because it is compressed."""
    with Path(path).open("rb") as raw:
        head = raw.read(8)
        if compression_of(head) is not None:
            yield decompress(head + raw.read(), path), True
        else:
            with mapped(raw) as data:
                yield data, False


@contextlib.contextmanager
def mapped(file: IO[bytes]) -> Iterator[Bytes]:
    """The bytes of an open file, mapped into memory."""
    if not os.fstat(file.fileno()).st_size:
        yield b""
        return
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def cut_entries(path: str, cutting: Cutting, done: int, without: list[str]) -> Iterator[Entry]:
    """The documents of a file, which are read when they are parsed; `without` gets a file that has none."""
    count = 0
    try:
        with _content(path) as (data, packed):
            for piece in cut(data, cutting, path):
                count += 1
                size = piece.end - piece.start
                part = data[piece.start : piece.end] if packed else FilePart(path, piece.start, size)
                yield Entry(piece.id, f"{path}!{piece.id}", size, Cut(part, piece.form), done + piece.end)
    except OSError as error:
        raise unreadable(path, error) from None
    if not count:
        without.append(path)


def is_trec(head: bytes) -> bool:
    """Check by its first bytes if a file belongs to a TREC collection."""
    first = _FIRST.match(head)
    return first is not None and first[1].upper() == b"DOC" and b"<docno>" in head.lower()


def has_several(data: Bytes) -> bool:
    """Check if a file contains more than one TREC document."""
    return len(list(islice(_starts(_TREC).finditer(data), 2))) > 1


def cut(data: Bytes, cutting: Cutting, name: str) -> Iterator[Piece]:
    """Split a file into documents; a file that is not well-formed and a document without an id are errors."""
    tag = re.compile(rb"<%b[\s/>]" % re.escape(cutting.tag.encode()), re.IGNORECASE)
    is_utf16 = data[:2] in UTF16  # rejected below
    if not is_utf16 and not tag.search(data):
        return iter(())
    first = _FIRST.match(data[:_HEAD])
    if first is not None and first[1].decode("latin-1").lower() == cutting.tag.lower():
        return _cut_sgml(data, cutting, name)
    return _cut_xml(data, cutting, name)


def _starts(tag: str) -> re.Pattern[bytes]:
    return re.compile(rb"<%b(?:\s[^<>]*)?>" % re.escape(tag.encode()), re.IGNORECASE)


def _cut_sgml(data: Bytes, cutting: Cutting, name: str) -> Iterator[Piece]:
    """Documents reach from start tag to end tag, or to the next start tag."""
    ends = re.compile(rb"</%b\s*>" % re.escape(cutting.tag.encode()), re.IGNORECASE)
    starts = [match.start() for match in _starts(cutting.tag).finditer(data)]
    done = 0
    for number, start in enumerate(starts):
        if start < done:  # nested in the document before
            continue
        following = starts[number + 1] if number + 1 < len(starts) else len(data)
        end = ends.search(data, start, following)
        done = end.end() if end else following
        yield Piece(_id_in_sgml(data[start:done], cutting, name, data, start), start, done, Form(sgml=True))


def _id_in_sgml(document: bytes, cutting: Cutting, name: str, data: Bytes, start: int) -> str:
    for id_path in cutting.id_paths:
        if len(id_path.path) == 1 and not id_path.attribute:  # the usual case, much faster
            tag = re.escape(id_path.path[0].encode())
            match = re.search(rb"<%b(?:\s[^<>]*)?>([^<]*)<" % tag, document, re.IGNORECASE)
            text = decode(match[1]).strip() if match else ""
        else:
            text = _id_in_tree(well_formed(document), id_path)
        if text:
            return " ".join(text.split())
    raise _without_id(cutting, name, data, start)


def _id_in_tree(document: bytes, id_path: IdPath) -> str:
    from xml.etree.ElementTree import TreeBuilder

    # SGML has no namespaces, so a colon is part of a name; ElementTree's own parser would split it.
    builder, parser = TreeBuilder(), create_parser(None)
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    feed(parser, document, final=True)
    element: Any = builder.close()
    for tag in id_path.path:
        element = next((child for child in element if child.tag.lower() == tag.lower()), None)
        if element is None:
            return ""
    if not id_path.attribute:
        return "".join(element.itertext())
    return next((text for name, text in element.items() if name.lower() == id_path.attribute.lower()), "")


def _without_id(cutting: Cutting, name: str, data: Bytes, start: int) -> FormatError:
    paths = " or ".join(map(str, cutting.id_paths))
    message = f"found a document <{cutting.tag}> without an id, expected its id at {paths}"
    return FormatError(message, path=name, line=data[:start].count(b"\n") + 1, hint="give ⟨id_from⟩")


def _cut_xml(data: Bytes, cutting: Cutting, name: str) -> Iterator[Piece]:
    head = bytes(data[:_HEAD])
    codec = codec_for_expat(head)
    if codec is not None or head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head[:4]:
        message = "found an encoding other than UTF-8, expected a file of many documents in UTF-8"
        raise FormatError(message, path=name)
    cutter = _XmlCutter(data, cutting, name)
    try:
        for begin in range(0, len(data), _STEP):
            feed(cutter.parser, bytes(data[begin : begin + _STEP]), final=False)
            yield from cutter.take()
        feed(cutter.parser, b"", final=True)
    except Malformed as error:
        raise FormatError(
            f"found XML that is not well-formed ({error.message}), expected documents <{cutting.tag}> in it",
            path=name,
            line=error.line,
            hint="repair the file, or split it into one file for each document",
        ) from None
    yield from cutter.take()


class _XmlCutter:
    """Handlers of a parser that note the spans and ids of documents."""

    def __init__(self, data: Bytes, cutting: Cutting, name: str) -> None:
        self._data, self._cutting, self._name = data, cutting, name
        self._shift = len(BOM) if data[: len(BOM)] == BOM else 0
        self._pieces: list[Piece] = []
        self._form: Form | None = None
        self._begin = -1
        #: The open tags below the current document, and the ids found in it, by their paths.
        self._below: list[str] = []
        self._ids: dict[IdPath, str] = {}
        self._text: list[str] | None = None
        self._text_path: IdPath | None = None
        self.parser = create_parser("utf-8" if self._shift else None)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def take(self) -> list[Piece]:
        """Return the documents that ended since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        here = self.parser.CurrentByteIndex
        if self._form is None:
            # The entities that the file declares are declared for each of its documents.
            self._form = Form(bytes(self._data[:here]))
        if self._begin >= 0:
            self._below.append(name)
        elif name == self._cutting.tag:
            self._begin = here
            self._below, self._ids = [], {}
        else:
            return
        for id_path in self._cutting.id_paths:
            if id_path in self._ids or list(id_path.path) != self._below:
                continue
            if id_path.attribute:
                self._ids[id_path] = attributes.get(id_path.attribute, "")
            else:
                self._text, self._text_path = [], id_path
                self.parser.CharacterDataHandler = self._text.append

    def _end(self, _name: str) -> None:
        if self._begin < 0:
            return
        if self._text_path is not None and list(self._text_path.path) == self._below:
            self._ids[self._text_path] = "".join(self._text or ())
            self._text_path, self.parser.CharacterDataHandler = None, None
        if self._below:
            self._below.pop()
            return
        assert self._form is not None
        texts = (" ".join(self._ids.get(id_path, "").split()) for id_path in self._cutting.id_paths)
        identifier = next(filter(None, texts), "")
        if not identifier:
            raise _without_id(self._cutting, self._name, self._data, self._begin)
        self._pieces.append(Piece(identifier, self._begin, self._end_of_tag(), self._form))
        self._begin = -1

    def _end_of_tag(self) -> int:
        """Offset at which the current end tag, or the tag of an empty element, ends."""
        offset = self.parser.CurrentByteIndex
        tag = _TAG.match(self._data, self._begin)
        if tag is not None and tag.end() == offset and self._data[offset - 2 : offset] == b"/>":
            return offset  # for an empty element the parser reports the end of its tag
        return int(self._data.find(b">", offset)) + 1
