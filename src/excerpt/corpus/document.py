"""A document as a corpus gives it: its text, its title and, where it was XML, its elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, overload

from excerpt.index.parse.text import ParsedDocument
from excerpt.model.spans import IntArray

_NONE: Mapping[str, str] = MappingProxyType({})
#: Attributes that say how a table is laid out; no others are kept.
LAYOUT = ("colspan", "rowspan")
#: Elements that hold the title of a document, in collections that we know: the first that is there counts.
_TITLES = ("article-title", "title", "atl", "name", "TITLE", "HEADLINE", "TTL", "HEAD", "HL", "TI")
_LONGEST_TITLE = 300


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
        parsed.names,
        columns.tag,
        columns.level.astype("i8"),
        columns.start,
        columns.end,
        parsed.attributes,
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
