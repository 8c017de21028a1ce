"""Documents to events with expat: for every tag its code, and how much text came before it.

Calls from the parser into Python cost more than parsing, so the handlers do next to nothing.
"""

from __future__ import annotations

import pyexpat
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.files.expat import stops_entity_bombs
from excerpt.index.parse.encodings import BOM, HEAD, Malformed, as_utf8, codec_for_expat
from excerpt.model.spans import IntArray

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit


MAX_DEPTH = 10_000
MAX_SIZE = (1 << 32) - 1
#: Attributes by declaration that any document may have; beyond it, so many for each of its bytes.
MOST_DEFAULTS = 1 << 22
_DEFAULTS_PER_BYTE = 10
END = -1


class TagEvents(NamedTuple):
    """Tags in document order: code of a start tag or END, and the length of the text before the tag."""

    codes: IntArray
    positions: IntArray


class Tags(dict[str, int]):
    """Tag names seen so far, each with its code."""

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        return code


class Tape:
    """Events of any number of documents, one after another; a broken document is wound back."""

    def __init__(self, tags: Tags) -> None:
        self.tags = tags
        self.codes: list[int] = []
        self.positions: list[int] = []
        self._drained: list[TagEvents] = []

    def mark(self) -> tuple[int, int]:
        """A place to wind back to."""
        return len(self.codes), len(self._drained)

    def wind_back(self, mark: tuple[int, int]) -> None:
        """Forget everything since `mark`."""
        waiting, drained = mark
        if len(self._drained) > drained:  # what was waiting is at the beginning of what was drained first
            codes, positions = self._drained[drained]
            self._drained[drained:] = [TagEvents(codes[:waiting], positions[:waiting])]
            waiting = 0
        del self.codes[waiting:], self.positions[waiting:]

    def drain(self) -> None:
        """Turn what is waiting into arrays, which take a fraction of the memory."""
        self._drained.append(TagEvents(np.array(self.codes, np.int64), np.array(self.positions, np.int64)))
        self.codes.clear()
        self.positions.clear()

    def events(self) -> TagEvents:
        """Everything on the tape, which is empty then."""
        self.drain()
        drained, self._drained = self._drained, []
        if len(drained) == 1:
            return drained[0]
        codes = np.concatenate([some.codes for some in drained])
        positions = [some.positions for some in drained]
        del drained  # so that large ones are not there twice
        return TagEvents(codes, np.concatenate(positions))


def require_safe_expat() -> None:
    """Refuse to work with an expat that expands entity bombs."""
    if not stops_entity_bombs():
        raise ExcerptError(
            f"the XML parser of this Python ({pyexpat.EXPAT_VERSION}) does not stop entity bombs",
            hint="use a Python built with expat 2.4.1 or later",
        )


def scan(chunks: Iterable[bytes], tape: Tape, *, unit: Unit) -> int:
    """Append the events of one document; returns how many entities were left unread.

    Raises Malformed, or what `chunks` raises, and leaves the tape as it was.
    """
    mark = tape.mark()
    try:
        return _scan(chunks, tape, unit)
    except BaseException:
        tape.wind_back(mark)
        raise


def _scan(chunks: Iterable[bytes], tape: Tape, unit: Unit) -> int:
    iterator = iter(chunks)
    head = b""
    while len(head) < HEAD and (piece := next(iterator, b"")):
        head += piece
    codec = codec_for_expat(head)
    pieces = chain([head], iterator)
    handlers = _Handlers(tape, unit)
    parser = handlers.parser("utf-8" if codec or head.startswith(BOM) else None)
    for number, piece in enumerate(as_utf8(pieces, codec) if codec else pieces):
        if number:
            tape.drain()
        feed(parser, piece, final=False)
        handlers.check_size(parser)
    feed(parser, b"", final=True)
    handlers.check_size(parser)
    return handlers.unread


def create_parser(encoding: str | None) -> pyexpat.XMLParserType:
    """A parser that expands what the document itself declares, and opens nothing else."""
    parser = pyexpat.ParserCreate(encoding)
    # Without this, declarations inside of internal parameter entities would not be seen.
    parser.SetParamEntityParsing(pyexpat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
    return parser


def feed(parser: pyexpat.XMLParserType, data: bytes, *, final: bool) -> None:
    """Parse a piece of a document; raises Malformed where it is not well-formed."""
    try:
        parser.Parse(data, final)
    except pyexpat.ExpatError as error:
        raise Malformed(error.lineno, pyexpat.ErrorString(error.code) or "not well-formed") from None
    except (LookupError, ValueError) as error:  # pyexpat, of encodings it does not know
        raise Malformed(parser.CurrentLineNumber, str(error)) from None


class _Handlers:
    """What the parser calls for one document; positions count from its beginning."""

    def __init__(self, tape: Tape, unit: Unit) -> None:
        self.unread = 0
        self.position: Callable[[], int] = int
        self._tape = tape
        self._unit = unit

    def parser(self, encoding: str | None) -> pyexpat.XMLParserType:
        """A parser that writes to the tape; external files are never opened."""
        parser = create_parser(encoding)
        parser.buffer_text = True
        parser.ordered_attributes = True  # a list costs less than a dictionary nobody reads
        parser.specified_attributes = True  # and need not be filled with those that a declaration gives
        self._set_content_handlers(parser)
        parser.AttlistDeclHandler = self._attribute_handler(parser)
        parser.SkippedEntityHandler, parser.ExternalEntityRefHandler = self._entity_handlers(parser)
        return parser

    def check_size(self, parser: pyexpat.XMLParserType) -> None:
        """Raises Malformed where the text is too long for the columns of an index."""
        if self.position() > MAX_SIZE:
            raise Malformed(parser.CurrentLineNumber, f"has more than {MAX_SIZE} characters of text")

    def _set_content_handlers(self, parser: pyexpat.XMLParserType) -> None:
        add_code, add_position = self._tape.codes.append, self._tape.positions.append
        tags, in_bytes = self._tape.tags, self._unit == "byte"
        depth = position = 0

        def text(piece: str) -> None:
            nonlocal position
            position += len(piece.encode()) if in_bytes else len(piece)

        def start(name: str, _attributes: list[str]) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                _too_deep(parser)
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
        """Counts attributes that elements have by declaration: a few bytes can give millions of them."""
        declared: Counter[str] = Counter()
        given = 0
        start: Any = parser.StartElementHandler

        def counting(name: str, attributes: list[str]) -> None:
            nonlocal given
            given += declared[name]
            if given > MOST_DEFAULTS and given > _DEFAULTS_PER_BYTE * parser.CurrentByteIndex:
                raise Malformed(parser.CurrentLineNumber, "has too many attributes by declaration")
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
            # The reference counts as one character, whatever it refers to.
            if name is not None and not is_parameter:
                self.unread += 1
                text("\N{REPLACEMENT CHARACTER}")

        def external(context: str | None, *_names: str | None) -> int:
            skipped(context)  # None: a document type or a parameter entity, which are no text
            return 1  # as if all were well; nothing is ever opened

        return skipped, external


def _too_deep(parser: pyexpat.XMLParserType) -> NoReturn:
    raise Malformed(parser.CurrentLineNumber, f"elements are nested deeper than {MAX_DEPTH} levels")
