"""Files of many documents, cut into them: TREC's SGML, or XML with an element per document.

A file whose first tag is that of a document is SGML, one document after the other without anything around
them. All else must be well-formed XML, in which the outermost elements of the tag are the documents.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from excerpt.documents.entry import Cut, Entry, FilePart, is_xml, unreadable
from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import compression_of, decompress
from excerpt.parse.expat import BOM, UTF16, Malformed, codec_for_expat, create_parser, feed
from excerpt.parse.sgml import decode, well_formed

#: What a file is cut from: its bytes, in memory or mapped.
Bytes: TypeAlias = "bytes | Any"
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_PLACE = re.compile(
    rf"(?P<path>{_NAME.pattern}(?:/{_NAME.pattern})*)?(?:(?(path)/)@(?P<attribute>{_NAME.pattern}))?"
)
_FIRST = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^<>]*>|<!--.*?-->|<!DOCTYPE[^<>\[]*>)*+<([A-Za-z][^\s<>/]*)", re.DOTALL
)
_TAG = re.compile(rb"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>")
#: How files of TREC's collections are called: without an extension, with a number, or as what they are.
_CALLED = re.compile(r"[^.]+|.+\.(sgml?|trec|dat|\d+)", re.IGNORECASE)
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$", re.IGNORECASE)
_HEAD = 1 << 16
#: The bytes of a file that tell whether it is TREC's.
HEAD = 1 << 14
_STEP = 1 << 20
#: What TREC calls a document and its id.
_TREC, _DOCNO = "DOC", "DOCNO"


class Place(NamedTuple):
    """Where the id of a document stands: tags below it, and perhaps an attribute."""

    path: tuple[str, ...] = ()
    attribute: str = ""

    def __str__(self) -> str:
        return "/".join((*self.path, *([f"@{self.attribute}"] if self.attribute else ())))


class Cutting(NamedTuple):
    """How a file is cut: the tag of a document, and where its id may stand, the surest first."""

    tag: str = _TREC
    places: tuple[Place, ...] = (Place((_DOCNO,)),)

    @classmethod
    def of(cls, tag: str | None, id_from: str | None, ids: str = "stem") -> Cutting | None:
        """As a user says it; None where nothing is to be cut. Ids of files are then not to be chosen.

        >>> Cutting.of("page", "header/@n").places
        (Place(path=('header',), attribute='n'),)
        """
        if tag is None:
            if id_from is not None:
                raise ExcerptError(
                    f"found {short(id_from)!r} as place of ids without the tag of documents, expected both",
                    hint="give ⟨document_tag⟩",
                )
            return None
        if ids != "stem":
            raise ExcerptError(
                f"found ids by {ids} with the tag of documents, expected ids of documents, not of files",
                hint="leave ⟨ids⟩ or ⟨document_tag⟩ out",
            )
        if not isinstance(tag, str) or not _NAME.fullmatch(tag):
            raise ExcerptError(f"found {short(repr(tag))} as tag of documents, expected one such as DOC")
        if id_from is None:
            return cls(tag, (Place((_DOCNO,)), Place(attribute="id")))
        found = _PLACE.fullmatch(id_from) if isinstance(id_from, str) and id_from else None
        if found is None:
            raise ExcerptError(
                f"found {short(repr(id_from))} as place of ids, expected one such as DOCNO, header/id or @id"
            )
        path = tuple((found["path"] or "").split("/")) if found["path"] else ()
        return cls(tag, (Place(path, found["attribute"] or ""),))


class Piece(NamedTuple):
    """A document of a file: its id, where it is, and what to do with its bytes."""

    id: str
    start: int
    end: int
    form: Form


class Form(NamedTuple):
    """How a document that was cut out becomes XML: what its file declares before it, or that it is SGML."""

    prolog: bytes = b""
    sgml: bool = False

    def whole(self, data: bytes) -> bytes:
        """The bytes of a document as those of a file of its own."""
        return well_formed(data) if self.sgml else self.prolog + data


def may_be_trec(name: str) -> bool:
    """Whether a file may be of a collection of TREC's, by its name.

    >>> [may_be_trec(name) for name in ("ft911_1", "fr940104.0.gz", "wt01.sgml", "read.me", "a.json")]
    [True, True, True, False, False]
    """
    return _CALLED.fullmatch(_PACKED.sub("", name)) is not None


def trec_cutting(path: str) -> Cutting | None:
    """How a file is cut that is TREC's by its content; a file named `.xml` must have several documents."""
    try:
        with Path(path).open("rb") as raw:
            head = raw.read(HEAD)
            if (compression := compression_of(head)) is not None:
                raw.seek(0)
                head = compression.reader(raw).read(HEAD)
    except Exception as error:
        from excerpt.documents.archives import is_damage  # most files need nothing that unpacks

        if not is_damage(error):
            raise
        return None  # whoever reads it says so
    if not is_trec(head):
        return None
    if is_xml(path):
        with _content(path) as (data, _):
            return Cutting() if has_several(data) else None
    return Cutting()


@contextlib.contextmanager
def _content(path: str) -> Iterator[tuple[Bytes, bool]]:
    """The bytes of a file, and whether they are in memory since it is compressed."""
    with Path(path).open("rb") as raw:
        head = raw.read(8)
        if compression_of(head) is not None:
            yield decompress(head + raw.read(), path), True
        else:
            with mapped(raw) as data:
                yield data, False


@contextlib.contextmanager
def mapped(file: IO[bytes]) -> Iterator[Bytes]:
    """The bytes of an open file, which take no memory."""
    if not os.fstat(file.fileno()).st_size:
        yield b""
        return
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def cut_entries(path: str, cutting: Cutting, done: int, without: list[str]) -> Iterator[Entry]:
    """The documents of a file, which are read where they are parsed; a file that has none joins `without`."""
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
    """Whether a file begins as those of TREC's collections do."""
    first = _FIRST.match(head)
    return first is not None and first[1].upper() == b"DOC" and b"<docno>" in head.lower()


def has_several(data: Bytes) -> bool:
    """Whether there is more than one document of TREC in a file."""
    return len([None for _, _ in zip(_starts(_TREC).finditer(data), range(2), strict=False)]) > 1


def cut(data: Bytes, cutting: Cutting, name: str) -> Iterator[Piece]:
    """The documents of a file; none where no tag of a document is in it, whatever it is.

    An error where it is not well-formed, or a document has no id.
    """
    tag = re.compile(rb"<%b[\s/>]" % re.escape(cutting.tag.encode()), re.IGNORECASE)
    wide = data[:2] in UTF16  # two bytes a character, and refused
    if not wide and not tag.search(data):
        return iter(())
    first = _FIRST.match(data[:_HEAD])
    if first is not None and first[1].decode("latin-1").lower() == cutting.tag.lower():
        return _cut_sgml(data, cutting, name)
    return _cut_xml(data, cutting, name)


def _starts(tag: str) -> re.Pattern[bytes]:
    return re.compile(rb"<%b(?:\s[^<>]*)?>" % re.escape(tag.encode()), re.IGNORECASE)


def _cut_sgml(data: Bytes, cutting: Cutting, name: str) -> Iterator[Piece]:
    """Documents from start tag to end tag, or to the next start tag."""
    ends = re.compile(rb"</%b\s*>" % re.escape(cutting.tag.encode()), re.IGNORECASE)
    starts = [match.start() for match in _starts(cutting.tag).finditer(data)]
    done = 0
    for number, start in enumerate(starts):
        if start < done:  # inside of the one before
            continue
        following = starts[number + 1] if number + 1 < len(starts) else len(data)
        found = ends.search(data, start, following)
        done = found.end() if found else following
        yield Piece(_id_in_sgml(data[start:done], cutting, name, data, start), start, done, Form(sgml=True))


def _id_in_sgml(document: bytes, cutting: Cutting, name: str, data: Bytes, start: int) -> str:
    for place in cutting.places:
        if len(place.path) == 1 and not place.attribute:  # nearly always, and much faster
            tag = re.escape(place.path[0].encode())
            found = re.search(rb"<%b(?:\s[^<>]*)?>([^<]*)<" % tag, document, re.IGNORECASE)
            text = decode(found[1]).strip() if found else ""
        else:
            text = _id_in_tree(well_formed(document), place)
        if text:
            return " ".join(text.split())
    raise _without_id(cutting, name, data, start)


def _id_in_tree(document: bytes, place: Place) -> str:
    from xml.etree.ElementTree import TreeBuilder

    # Names with colons are names: SGML has no namespaces, as the reader of whole trees would have it.
    builder, parser = TreeBuilder(), create_parser(None)
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    feed(parser, document, final=True)
    found: Any = builder.close()
    for tag in place.path:
        found = next((child for child in found if child.tag.lower() == tag.lower()), None)
        if found is None:
            return ""
    if not place.attribute:
        return "".join(found.itertext())
    return next((text for name, text in found.items() if name.lower() == place.attribute.lower()), "")


def _without_id(cutting: Cutting, name: str, data: Bytes, start: int) -> FormatError:
    wanted = " or ".join(map(str, cutting.places))
    return FormatError(
        f"found a document <{cutting.tag}> without an id, expected it at {wanted}",
        path=name,
        line=data[:start].count(b"\n") + 1,
        hint="give ⟨id_from⟩",
    )


def _cut_xml(data: Bytes, cutting: Cutting, name: str) -> Iterator[Piece]:
    head = bytes(data[:_HEAD])
    codec = codec_for_expat(head)
    if codec is not None or head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head[:4]:
        raise FormatError(
            "found another encoding than UTF-8, expected a file of many documents in UTF-8", path=name
        )
    cutter = _XmlCutter(data, cutting, name)
    try:
        for begin in range(0, len(data), _STEP):
            feed(cutter.parser, bytes(data[begin : begin + _STEP]), final=False)
            yield from cutter.taken()
        feed(cutter.parser, b"", final=True)
    except Malformed as error:
        raise FormatError(
            f"found XML that is not well-formed ({error.message}), expected documents <{cutting.tag}> in it",
            path=name,
            line=error.line,
            hint="repair the file, or cut it into one file for each document",
        ) from None
    yield from cutter.taken()


class _XmlCutter:
    """Follows a parser through a file and notes where the documents are."""

    def __init__(self, data: Bytes, cutting: Cutting, name: str) -> None:
        self._data, self._cutting, self._name = data, cutting, name
        self._shift = len(BOM) if data[: len(BOM)] == BOM else 0
        self._pieces: list[Piece] = []
        self._form: Form | None = None
        self._begin = -1
        #: The tags below the document that is open, and the ids found in it, by their places.
        self._below: list[str] = []
        self._ids: dict[Place, str] = {}
        self._text: list[str] | None = None
        self._of: Place | None = None
        self.parser = create_parser("utf-8" if self._shift else None)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def taken(self) -> list[Piece]:
        """The documents that ended since the last time."""
        pieces, self._pieces = self._pieces, []
        return pieces

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        here = self.parser.CurrentByteIndex
        if self._form is None:
            # Entities that the file declares are those of each document.
            self._form = Form(bytes(self._data[:here]))
        if self._begin >= 0:
            self._below.append(name)
        elif name == self._cutting.tag:
            self._begin = here
            self._below, self._ids = [], {}
        else:
            return
        for place in self._cutting.places:  # keep what stands here of the ids that are looked for
            if place in self._ids or list(place.path) != self._below:
                continue
            if place.attribute:
                self._ids[place] = attributes.get(place.attribute, "")
            else:
                self._text, self._of = [], place
                self.parser.CharacterDataHandler = self._text.append

    def _end(self, _name: str) -> None:
        if self._begin < 0:
            return
        if self._of is not None and list(self._of.path) == self._below:
            self._ids[self._of] = "".join(self._text or ())
            self._of, self.parser.CharacterDataHandler = None, None
        if self._below:
            self._below.pop()
            return
        assert self._form is not None
        texts = (" ".join(self._ids.get(place, "").split()) for place in self._cutting.places)
        identifier = next(filter(None, texts), "")
        if not identifier:
            raise _without_id(self._cutting, self._name, self._data, self._begin)
        self._pieces.append(Piece(identifier, self._begin, self._end_of_tag(), self._form))
        self._begin = -1

    def _end_of_tag(self) -> int:
        """Where the end tag ends; an empty element is its start tag."""
        place = self.parser.CurrentByteIndex
        tag = _TAG.match(self._data, self._begin)
        if tag is not None and tag.end() == place and self._data[place - 2 : place] == b"/>":
            return place  # of an empty element the parser tells the end of its tag
        return int(self._data.find(b">", place)) + 1
