"""Documents to events with expat: for every tag its code, and how much text came before it.

Calls from the parser into Python cost more than parsing. So the handlers do next to nothing: text goes to
`list.append` itself, tags are appended as ranges whose *lengths* carry their code, and one `map(len, ...)`
later turns the whole list into numbers (see `Tape.drain`).
"""

from __future__ import annotations

import pyexpat
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from excerpt.errors import ExcerptError
from excerpt.index.parse.encodings import BOM, HEAD, Undecodable, as_utf8, codec_for_expat

IntArray = npt.NDArray[np.int64]
Unit = Literal["char", "byte"]

MAX_DEPTH = 10_000
MAX_SIZE = (1 << 32) - 1
END = -1

_TAG = 1 << 62  # no text is as long as this, so a length says what it is the length of
_END_MARK = range(_TAG - 1)
_UNREAD = "\N{REPLACEMENT CHARACTER}"
_FIRST_SAFE_EXPAT = (2, 4, 1)


class Malformed(Exception):
    """A document that cannot be indexed, with the line where that became clear."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message

    def __reduce__(self) -> tuple[object, ...]:
        return (Malformed, (self.line, self.message))  # errors travel between worker processes


class Events(NamedTuple):
    """Tags in document order: code of a start tag or END, and the length of the text before the tag."""

    codes: IntArray
    positions: IntArray


def joined(parts: list[Events]) -> Events:
    """The events of all parts, in order; the list is emptied, so that large ones are not there twice."""
    if len(parts) == 1:
        return parts.pop()
    codes = np.concatenate([part.codes for part in parts])
    positions = [part.positions for part in parts]
    parts.clear()
    return Events(codes, np.concatenate(positions))


class Tags(dict[str, range]):
    """Tag names seen so far, each with the mark that stands for its start tag on a tape."""

    def __missing__(self, name: str) -> range:
        mark = self[name] = range(_TAG + len(self))
        return mark

    def code(self, name: bytes) -> int:
        """The code of a tag in UTF-8."""
        return len(self[name.decode()]) - _TAG


class Tape:
    """Events of any number of documents, one after another; a broken document is wound back."""

    def __init__(self, tags: Tags) -> None:
        self.tags = tags
        self.items: list[Any] = []
        self._drained: list[Events] = []
        self._position = 0

    def mark(self) -> tuple[int, int, int]:
        """A place to wind back to."""
        return len(self.items), len(self._drained), self._position

    def wind_back(self, mark: tuple[int, int, int]) -> None:
        """Forget everything since `mark`."""
        items, drained, self._position = mark
        del self._drained[drained:]
        # Only large documents are drained on the way, and nothing was waiting when they began.
        del self.items[items:]

    def drain(self) -> int:
        """Turn the waiting items into numbers; returns the length of all text so far."""
        lengths = np.fromiter(map(len, self.items), np.int64, len(self.items))
        self.items.clear()
        is_tag = lengths >= _TAG - 1
        codes = lengths[is_tag] - _TAG
        lengths[is_tag] = 0
        np.cumsum(lengths, out=lengths)
        self._drained.append(Events(codes, lengths[is_tag] + self._position))
        self._position += int(lengths[-1]) if len(lengths) else 0
        return self._position

    def events(self) -> Events:
        """Everything on the tape, which is empty then."""
        self.drain()
        drained, self._drained = self._drained, []
        return joined(drained)


def require_safe_expat() -> None:
    """Refuse to work with an expat that expands entity bombs."""
    if pyexpat.version_info < _FIRST_SAFE_EXPAT:
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
    except BaseException as error:
        tape.wind_back(mark)
        if isinstance(error, Undecodable):
            raise Malformed(error.line, error.message) from None
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
    begin = tape.mark()[2]
    for number, piece in enumerate(as_utf8(pieces, codec) if codec else pieces):
        if number and tape.drain() - begin > MAX_SIZE:
            raise Malformed(parser.CurrentLineNumber, f"has more than {MAX_SIZE} characters of text")
        feed(parser, piece, final=False)
    feed(parser, b"", final=True)
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
    """What the parser calls for one document."""

    def __init__(self, tape: Tape, unit: Unit) -> None:
        self.unread = 0
        self._tape = tape
        self._unit = unit

    def parser(self, encoding: str | None) -> pyexpat.XMLParserType:
        """A parser that writes to the tape; external files are never opened."""
        parser = create_parser(encoding)
        parser.buffer_text = True
        parser.ordered_attributes = True  # a list costs less than a dictionary nobody reads
        text = self._text()
        parser.CharacterDataHandler = text
        parser.StartElementHandler, parser.EndElementHandler = self._tag_handlers(parser)
        parser.SkippedEntityHandler, parser.ExternalEntityRefHandler = self._entity_handlers(text)
        return parser

    def _text(self) -> Callable[[str], None]:
        append = self._tape.items.append
        if self._unit == "char":
            return append
        return lambda text: append(text.encode())

    def _tag_handlers(
        self, parser: pyexpat.XMLParserType
    ) -> tuple[Callable[[str, list[str]], None], Callable[[str], None]]:
        append, tags, depth = self._tape.items.append, self._tape.tags, 0

        def start(name: str, _attributes: list[str]) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                _too_deep(parser)
            append(tags[name])

        def end(_name: str) -> None:
            nonlocal depth
            depth -= 1
            append(_END_MARK)

        return start, end

    def _entity_handlers(
        self, text: Callable[[str], None]
    ) -> tuple[Callable[[str, bool], None], Callable[..., int]]:
        def skipped(name: str | None, is_parameter: bool = False) -> None:
            # The reference counts as one character, whatever it refers to.
            if name is not None and not is_parameter:
                self.unread += 1
                text(_UNREAD)

        def external(context: str | None, *_names: str | None) -> int:
            skipped(context)  # None: a document type or a parameter entity, which are no text
            return 1  # as if all were well; nothing is ever opened

        return skipped, external


def _too_deep(parser: pyexpat.XMLParserType) -> NoReturn:
    raise Malformed(parser.CurrentLineNumber, f"elements are nested deeper than {MAX_DEPTH} levels")


def digesting(chunks: Iterable[bytes], update: Callable[[bytes], object]) -> Iterator[bytes]:
    """The same pieces, each shown to `update` on its way."""
    for chunk in chunks:
        update(chunk)
        yield chunk
