"""Parsing of XML documents into text and elements, with the same offsets as in an index."""

from __future__ import annotations

import pyexpat
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.parse.expat import Handlers, parse
from excerpt.parse.tree import ElementColumns, Tags, Tape, pair_tags

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit


class ParsedDocument(NamedTuple):
    """The text of a document, its elements, tags by their code, and kept attributes by element number."""

    text: str
    elements: ElementColumns
    names: list[str]
    attributes: dict[int, dict[str, str]]
    unread: int  # number of external entities


class TextHandlers(Handlers):
    """Handlers that also keep the text, and attributes with some names."""

    def __init__(self, tape: Tape, unit: OffsetUnit, keep: Iterable[str] = ()) -> None:
        super().__init__(tape, unit)
        self.pieces: list[str] = []
        self.attributes: dict[int, dict[str, str]] = {}
        self._keep = frozenset(keep)

    def set_content_handlers(self, parser: pyexpat.XMLParserType) -> None:
        super().set_content_handlers(parser)
        count: Any = parser.CharacterDataHandler
        add = self.pieces.append

        def text(piece: str) -> None:
            add(piece)
            count(piece)

        parser.CharacterDataHandler = text
        if self._keep:
            self._keep_attributes(parser)

    def _keep_attributes(self, parser: pyexpat.XMLParserType) -> None:
        begin: Any = parser.StartElementHandler
        number = -1

        def start(name: str, attributes: list[str]) -> None:
            nonlocal number
            number += 1
            if attributes:
                pairs = zip(attributes[::2], attributes[1::2], strict=True)
                if kept := {key: value for key, value in pairs if key in self._keep}:
                    self.attributes[number] = kept
            begin(name, attributes)

        parser.StartElementHandler = start


def scan_text(chunks: Iterable[bytes], tape: Tape, *, unit: OffsetUnit) -> tuple[int, str]:
    """Append the events of one document as `scan` does; return its unread entities and its text."""
    handlers = TextHandlers(tape, unit)
    unread = parse(chunks, handlers)
    return unread, "".join(handlers.pieces)


def read_document(chunks: Iterable[bytes], *, keep: Iterable[str] = ()) -> ParsedDocument:
    """Parse one document with its text; raises Malformed, or the error of `chunks`.

    >>> document = read_document([b"<a>x<b>&amp;</b></a>"])
    >>> document.text, document.elements.start.tolist(), document.elements.end.tolist()
    ('x&', [0, 1], [2, 2])
    """
    tape = Tape(Tags())
    handlers = TextHandlers(tape, "char", keep)
    unread = parse(chunks, handlers)
    elements = pair_tags(tape.events())
    return ParsedDocument("".join(handlers.pieces), elements, list(tape.tags), handlers.attributes, unread)
