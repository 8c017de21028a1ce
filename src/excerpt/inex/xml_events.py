"""Safe XML parser: events with line numbers; nothing outside the file is ever opened.

Expat itself rejects entity bombs since 2.4.1; with older versions all declarations of entities are rejected.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from xml.parsers import expat

from excerpt.errors import FormatError, short
from excerpt.files import stops_entity_bombs
from excerpt.formats.source import HEAD_BYTES, UTF16_XML, Source
from excerpt.formats.text.columns import decimal
from excerpt.model.spans import MAX_OFFSET
from excerpt.notices import Faults

#: Whitespace of XML; other blanks may be part of names.
BLANKS = " \t\r\n"
#: Characters that XML does not allow.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MOST_DEFAULTS = 32  # default attributes of one element, which expat adds to every such element
_SHORT_DEFAULT = 64  # characters; longer ones count more than once
_SURE_DIGITS = len(str(MAX_OFFSET))
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"} | {c: f"&#{ord(c)};" for c in "\t\r\n"}
)


class _Stop(Exception):
    """Signal to stop parsing early."""


class Events(ABC):
    """One pass over an XML file; subclasses handle the start and the end of elements.

    `pieces` collects the text, to be cleared by the subclass; `line` is the line of the current tag.
    """

    #: The expected root elements; if empty, every root is allowed.
    roots: tuple[str, ...] = ()

    def __init__(self, source: Source) -> None:
        self.source = source
        self.faults: Faults = source.faults
        self.pieces: list[str] = []
        self._parser = _parser(self.pieces)
        self._parser.ExternalEntityRefHandler = self._reject_external
        self._parser.SkippedEntityHandler = self._skip
        self._parser.AttlistDeclHandler = self._count_default
        self._defaults: dict[str, int] = {}

    @property
    def line(self) -> int:
        """The line of the current tag."""
        return self._parser.CurrentLineNumber

    @abstractmethod
    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    @abstractmethod
    def end(self, name: str) -> None:
        """Handle the end of an element."""

    def parse(self) -> None:
        """Read the file; report XML that is not well-formed."""
        self._parser.StartElementHandler = self._root
        try:
            self._parser.Parse(self.source.data, True)
        except expat.ExpatError as error:
            broken = f"XML that is broken here ({expat.ErrorString(error.code)})"
            self.faults.add(error.lineno, f"found {broken}, expected well-formed XML")
        except (ValueError, LookupError) as error:  # encodings that expat does not support
            self.faults.add(1, f"found an unsupported encoding ({error}), expected UTF-8")
        except _Stop:
            pass

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        if self.roots and name not in self.roots:
            expected = " or ".join(f"<{root}>" for root in self.roots)
            self.faults.add(self.line, f"found root element <{short(name)}>, expected {expected}")
            raise _Stop
        self._parser.StartElementHandler = self.start
        self._parser.EndElementHandler = self.end
        self.start(name, attributes)

    def _reject_external(self, _context: str, _base: object, system: str | None, _public: object) -> int:
        found = f"found a reference to another file ({short(str(system), 200)})"
        self.faults.add(self.line, f"{found}, expected all text in this file")
        return 1

    def _count_default(self, element: str, _name: str, _type: str, default: str | None, _: bool) -> None:
        """Count the default attributes of an element: expat limits entities, but not these."""
        long = len(default or "") // _SHORT_DEFAULT
        self._defaults[element] = self._defaults.get(element, 0) + (default is not None) + long
        if self._defaults[element] > _MOST_DEFAULTS:
            found = f"found too many default attributes of <{short(element)}>"
            self.faults.add(self.line, f"{found}, expected up to {_MOST_DEFAULTS}")
            raise _Stop

    def _skip(self, name: str, _parameter: bool) -> None:
        self.faults.add(self.line, f"found entity &{short(name)};, expected an entity that the file declares")

    def whole(self, text: str | None, name: str) -> int:
        """Return a whole number from 0 to 2**31-1; report everything else and return 0."""
        stripped = (text or "").strip(BLANKS)
        if stripped.isdigit() and stripped.isascii() and len(stripped) < _SURE_DIGITS:
            return int(stripped)
        digits = stripped.removeprefix("+")
        if digits.isascii() and digits.isdigit():
            # Lengths are compared first, since int() is slow on texts of a million digits.
            if len(digits) <= 20 and int(digits) <= MAX_OFFSET:
                return int(digits)
            self._report(text, name, f"a number up to {MAX_OFFSET}")
        elif stripped.startswith("-") and stripped.isascii() and stripped[1:].isdecimal():
            self._report(text, name, "a number that is not negative")
        else:
            self._report(text, name, "a whole number")
        return 0

    def pointer(self, text: str | None, name: str) -> str:
        """Return a path; report a text that does not start with a slash."""
        path = "".join((text or "").split())  # blanks in paths are ignored
        if not path.startswith("/"):
            self._report(text, name, "a path such as /article[1]/p[2]")
        return path

    def decimal(self, text: str, name: str) -> float:
        """Return a number; report everything else, and NaN, and return NaN."""
        value = decimal(text)
        if math.isnan(value):
            self._report(text, name, "a number")
        return value

    def _report(self, text: str | None, name: str, expected: str) -> None:
        shown = f"{name} is missing" if text is None else f"found {name} {short(text.strip(BLANKS))!r}"
        self.faults.add(self.line, f"{shown}, expected {expected}")


def _parser(pieces: list[str]) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = pieces.append
    if not stops_entity_bombs():
        parser.EntityDeclHandler = _reject_entity
    return parser


def _reject_entity(*_: object) -> None:
    raise ValueError(f"entities are not read with expat {expat.EXPAT_VERSION}")


def is_xml(source: Source) -> bool:
    """Return whether the content starts like XML, in any encoding."""
    return source.starts_with(b"<") or source.data.startswith(UTF16_XML)


def root_name(source: Source) -> str:
    """Return the name of the root element; empty if there is none near the beginning."""
    if not is_xml(source):
        return ""
    names: list[str] = []

    def stop(name: str, _attributes: dict[str, str]) -> None:
        names.append(name)
        raise _Stop

    _until(source.data[:HEAD_BYTES], stop)
    return names[0] if names else ""


def is_entity_bomb(source: Source) -> bool:
    """Return whether entities near the beginning of an XML file expand so much that expat rejects them."""
    return is_xml(source) and "amplification" in _until(source.data[:HEAD_BYTES], lambda *_: None)


def _until(data: bytes, start: Callable[[str, dict[str, str]], None]) -> str:
    """Parse the beginning of a file until `start` stops it; return expat's error message, if any."""
    parser = _parser([])
    parser.StartElementHandler = start
    try:
        parser.Parse(data, False)
    except expat.ExpatError as error:
        return str(error)
    except (_Stop, ValueError, LookupError):
        pass
    return ""


def escape(text: str) -> str:
    """Return a text escaped for XML, for elements and for attributes in double quotes.

    >>> escape('<a> & "b"')
    '&lt;a&gt; &amp; &quot;b&quot;'
    """
    return text.translate(_ESCAPES)


def xml_name_error(name: str, source: str) -> FormatError | None:
    """Return an error if a name cannot be written in XML so that it reads back the same; else None."""
    if name == name.strip(BLANKS) and not _FORBIDDEN.search(name):
        return None
    return FormatError(f"found the name {short(name)!r}, expected one that XML can contain", path=source)
