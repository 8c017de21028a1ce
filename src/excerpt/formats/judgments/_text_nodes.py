"""From offsets of a document's text to the pointers of INEX: text nodes of elements, `/a[1]/text()[2].6`."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeAlias


class ElementLike(Protocol):
    """An element as a corpus gives it: the root has depth 0."""

    @property
    def tag(self) -> str:
        """Its name."""

    @property
    def depth(self) -> int:
        """How many elements are around it."""

    @property
    def start(self) -> int:
        """Where its text begins."""

    @property
    def end(self) -> int:
        """Where its text ends."""


#: The elements of a document by its id, in the order of their start tags; None where it has none.
Places: TypeAlias = Callable[[str], "Iterable[ElementLike] | None"]


class Part(NamedTuple):
    """An element by its path."""

    path: str
    start: int
    end: int


class _Node(NamedTuple):
    """A text node: the number of its parent, and which of its text nodes it is, from 1."""

    start: int
    parent: int
    number: int


class Structure:
    """The elements of a document, by path, and its text nodes.

    A document without elements is one text node.

    >>> from excerpt.corpus import Element
    >>> structure = Structure([Element("a", 0, 0, 9), Element("b", 1, 2, 4), Element("b", 1, 4, 9)])
    >>> [part.path for part in structure.parts]
    ['/a[1]', '/a[1]/b[1]', '/a[1]/b[2]']
    >>> structure.pointer(1), structure.pointer(9, end=True), Structure(()).pointer(3)
    ('/a[1]/text()[1].1', '/a[1]/b[2]/text()[1].5', '/text()[1].3')
    """

    def __init__(self, elements: Iterable[ElementLike]) -> None:
        given = list(elements)
        self.parts = [
            Part(path, element.start, element.end)
            for path, element in zip(paths_of(given), given, strict=True)
        ]
        self._nodes = list(_nodes(given))
        self._starts = [node.start for node in self._nodes]

    def pointer(self, offset: int, *, end: bool = False) -> str:
        """The text node of the character at an offset, or (`end`) of the one before, and the place in it."""
        if not self._nodes:
            return f"/text()[1].{offset}"
        place = max(bisect_right(self._starts, offset - end) - 1, 0)
        start, parent, number = self._nodes[place]
        return f"{self.parts[parent].path}/text()[{number}].{offset - start}"


def paths_of(elements: Iterable[ElementLike]) -> Iterator[str]:
    """The path of each element; positions count the siblings of its name."""
    above: list[str] = []
    counts: list[Counter[str]] = [Counter()]
    for element in elements:
        del above[element.depth :], counts[element.depth + 1 :]
        counts[-1][element.tag] += 1
        above.append(f"{above[-1] if above else ''}/{element.tag}[{counts[-1][element.tag]}]")
        counts.append(Counter())
        yield above[-1]


def _nodes(elements: list[ElementLike]) -> Iterator[_Node]:
    """The text between children of each element, where there is any, in the order of the text."""
    opened: list[int] = []
    reached = 0
    seen = [0] * len(elements)

    def text_until(place: int) -> Iterator[_Node]:
        if opened and place > reached:
            seen[opened[-1]] += 1
            yield _Node(reached, opened[-1], seen[opened[-1]])

    for number, element in enumerate(elements):
        while len(opened) > element.depth:
            yield from text_until(elements[opened[-1]].end)
            reached = max(reached, elements[opened.pop()].end)
        yield from text_until(element.start)
        reached = max(reached, element.start)
        opened.append(number)
    while opened:
        yield from text_until(elements[opened[-1]].end)
        reached = max(reached, elements[opened.pop()].end)
