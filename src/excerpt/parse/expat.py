"""Parsing of XML with expat into events: the code of every tag and the length of the text before it.

Calls from the parser into Python cost more than parsing, so the handlers do very little. Encodings that
expat cannot read are converted to UTF-8 first (XML 1.0, appendix F).
"""

from __future__ import annotations

import codecs
import pyexpat
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from excerpt.errors import ExcerptError
from excerpt.files import stops_entity_bombs
from excerpt.parse.tree import END, Tape

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit


MAX_DEPTH = 10_000
MAX_SIZE = (1 << 32) - 1
#: Most default attributes of a document, or as many per byte of it if that is more.
MOST_DEFAULTS = 1 << 22
_DEFAULTS_PER_BYTE = 10

_DECLARED = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._\-]*)["']""")
BOM = b"\xef\xbb\xbf"
_EBCDIC = b"\x4c\x6f\xa7\x94"
UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_UTF32 = {
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\x00<": "utf-32-be",
    b"<\x00\x00\x00": "utf-32-le",
}
_EXPAT_NAMES = frozenset({"utf-8", "us-ascii", "utf-16", "utf-16le", "utf-16be"})
HEAD = 1024  # bytes; a declaration is at the very beginning


class Malformed(Exception):
    """A document that cannot be parsed, with the line of the fault."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message

    def __reduce__(self) -> tuple[object, ...]:
        return (Malformed, (self.line, self.message))  # for errors of worker processes


def require_safe_expat() -> None:
    """Raise an error if this version of expat expands entity bombs."""
    if not stops_entity_bombs():
        message = f"the XML parser of this Python ({pyexpat.EXPAT_VERSION}) does not stop entity bombs"
        raise ExcerptError(message, hint="use a Python built with expat 2.4.1 or later")


def scan(chunks: Iterable[bytes], tape: Tape, *, unit: OffsetUnit) -> int:
    """Append the events of one document and count unread entities; an error leaves the tape unchanged."""
    return parse(chunks, Handlers(tape, unit))


def parse(chunks: Iterable[bytes], handlers: Handlers) -> int:
    """Parse one document with handlers, as `scan` does."""
    tape = handlers.tape
    mark = tape.mark()
    try:
        iterator = iter(chunks)
        head = b""
        while len(head) < HEAD and (piece := next(iterator, b"")):
            head += piece
        codec = codec_for_expat(head)
        pieces = chain([head], iterator)
        parser = handlers.parser("utf-8" if codec or head.startswith(BOM) else None)
        for number, piece in enumerate(as_utf8(pieces, codec) if codec else pieces):
            if number:
                tape.drain()
            feed(parser, piece, final=False)
            handlers.check_size(parser)
        feed(parser, b"", final=True)
        handlers.check_size(parser)
    except BaseException:
        tape.wind_back(mark)
        raise
    return handlers.unread


def create_parser(encoding: str | None) -> pyexpat.XMLParserType:
    """Create a parser that expands entities declared in the document and opens no other files."""
    parser = pyexpat.ParserCreate(encoding)
    # Without this, declarations in internal parameter entities would be ignored.
    parser.SetParamEntityParsing(pyexpat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
    return parser


def feed(parser: pyexpat.XMLParserType, data: bytes, *, final: bool) -> None:
    """Parse a piece of a document; raises Malformed if it is not well-formed."""
    try:
        parser.Parse(data, final)
    except pyexpat.ExpatError as error:
        raise Malformed(error.lineno, pyexpat.ErrorString(error.code) or "not well-formed") from None
    except (LookupError, ValueError) as error:  # from pyexpat, for unknown encodings
        raise Malformed(parser.CurrentLineNumber, str(error)) from None


class Handlers:
    """Handlers of the parser for one document; positions count from its beginning."""

    def __init__(self, tape: Tape, unit: OffsetUnit) -> None:
        self.unread = 0
        self.position: Callable[[], int] = int
        self.tape = tape
        self._unit = unit

    def parser(self, encoding: str | None) -> pyexpat.XMLParserType:
        """Create a parser that writes to the tape; external files are never opened."""
        parser = create_parser(encoding)
        parser.buffer_text = True
        parser.ordered_attributes = True  # a list costs less than a dictionary
        parser.specified_attributes = True  # default attributes are not needed
        self.set_content_handlers(parser)
        parser.AttlistDeclHandler = self._attribute_handler(parser)
        parser.SkippedEntityHandler, parser.ExternalEntityRefHandler = self._entity_handlers(parser)
        return parser

    def check_size(self, parser: pyexpat.XMLParserType) -> None:
        """Raise Malformed if the text is too long for the columns of an index."""
        if self.position() > MAX_SIZE:
            raise Malformed(parser.CurrentLineNumber, f"has more than {MAX_SIZE} characters of text")

    def set_content_handlers(self, parser: pyexpat.XMLParserType) -> None:
        """Set the handlers for text and tags."""
        add_code, add_position = self.tape.codes.append, self.tape.positions.append
        tags, in_bytes = self.tape.tags, self._unit == "byte"
        depth = position = 0

        def text(piece: str) -> None:
            nonlocal position
            position += len(piece.encode()) if in_bytes else len(piece)

        def start(name: str, _attributes: list[str]) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                message = f"elements are nested deeper than {MAX_DEPTH} levels"
                raise Malformed(parser.CurrentLineNumber, message)
            add_code(tags[name])
            add_position(position)

        def end(_name: str) -> None:
            nonlocal depth
            depth -= 1
            add_code(END)
            add_position(position)

        parser.CharacterDataHandler = text
        parser.StartElementHandler, parser.EndElementHandler = start, end
        self.position = lambda: position

    def _attribute_handler(self, parser: pyexpat.XMLParserType) -> Callable[..., None]:
        """Handler that limits default attributes: a few bytes can declare millions of them."""
        declared: Counter[str] = Counter()
        defaults = 0
        start: Any = parser.StartElementHandler

        def counting(name: str, attributes: list[str]) -> None:
            nonlocal defaults
            defaults += declared[name]
            if defaults > MOST_DEFAULTS and defaults > _DEFAULTS_PER_BYTE * parser.CurrentByteIndex:
                raise Malformed(parser.CurrentLineNumber, "declares too many default attributes")
            start(name, attributes)

        def declare(element: str, _name: str, _type: str, default: str | None, _required: bool) -> None:
            if default is not None:
                declared[element] += 1
                parser.StartElementHandler = counting

        return declare

    def _entity_handlers(
        self, parser: pyexpat.XMLParserType
    ) -> tuple[Callable[[str, bool], None], Callable[..., int]]:
        text: Any = parser.CharacterDataHandler

        def skipped(name: str | None, is_parameter: bool = False) -> None:
            # A reference counts as one character, whatever it refers to.
            if name is not None and not is_parameter:
                self.unread += 1
                text("\N{REPLACEMENT CHARACTER}")

        def external(context: str | None, *_names: str | None) -> int:
            skipped(context)  # None for a document type or a parameter entity, which are not text
            return 1  # success, although nothing is opened

        return skipped, external


# Encodings.


def declares_utf8(head: bytes) -> bool:
    """Check if the bytes before the root declare UTF-8 or no encoding."""
    if b"encoding" not in head:
        return True
    declared = _DECLARED.match(head, 0, HEAD)
    return declared is not None and declared[1].lower() == b"utf-8"


def codec_for_expat(head: bytes) -> str | None:
    """The codec by which a document must be decoded before expat, or None if expat can decode it.

    >>> codec_for_expat(b'<?xml version="1.0" encoding="Shift_JIS"?><a/>')
    'Shift_JIS'
    >>> codec_for_expat(b'<?xml version="1.0" encoding="US-ASCII"?><a/>')
    """
    if head.startswith(BOM):
        return None  # the byte order mark is certain; a declaration may be stale
    if head[:4] in _UTF32:
        return _UTF32[head[:4]]
    if head.startswith(UTF16):
        return None
    if head.startswith(_EBCDIC):
        head = head[:HEAD].decode("cp037").encode("utf-8", "replace")
    declared = _DECLARED.match(head, 0, HEAD)
    if declared is None or declared[1].decode().lower() in _EXPAT_NAMES:
        return None
    return declared[1].decode()


def as_utf8(chunks: Iterable[bytes], codec: str) -> Iterator[bytes]:
    """Convert a text to UTF-8; raises Malformed with the line."""
    try:
        "x".encode(codec)  # rejects codecs that are not for text, such as base64
        decoder = codecs.getincrementaldecoder(codec)()
    except (LookupError, ValueError):
        raise Malformed(1, f"unknown encoding {codec!r}") from None
    lines = 1
    for chunk in chunks:
        text = _decode(decoder, codec, chunk, lines)
        lines += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")
    yield _decode(decoder, codec, None, lines).encode("utf-8", "surrogatepass")


def _decode(decoder: codecs.IncrementalDecoder, codec: str, chunk: bytes | None, lines: int) -> str:
    try:
        return decoder.decode(b"", final=True) if chunk is None else decoder.decode(chunk)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(codec, "ignore")
        raise Malformed(lines + before.count("\n"), f"not valid {codec}: {error.reason}") from None
    except UnicodeError as error:
        raise Malformed(lines, f"not valid {codec}: {error}") from None
