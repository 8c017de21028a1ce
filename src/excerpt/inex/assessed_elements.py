"""INEX assessments in XML: the parts that all years share, and the writers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, MissingData, short
from excerpt.formats.source import HEAD_BYTES, UTF16_XML, Source
from excerpt.inex.xml_events import BLANKS, Events, escape, root_name, xml_name_error
from excerpt.model.dictionaries import spans_by_pair, two_grades, written_elements
from excerpt.model.judgments import Judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, IntArray

if TYPE_CHECKING:
    from excerpt.corpus import Element

ROOT = "assessments"
CERTAIN, LIKELY = 1000, 500
_TOPICS = {"inex_topic", "inex-topic"}  # the topic's own text is repeated in some files
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ASSESSED = re.compile(r"<(path|passage|element|best-entry-point)\s")
_OLDER_FILE = re.compile(r"<file\s+file\s*=")


class Assessments(Events):
    """Parser of assessments of one topic or, under another root, of several; subclasses read the content."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.topic = ""
        #: The line of each topic, and of each judged file of a topic.
        self.topics: dict[str, int] = {}
        self.seen: dict[tuple[str, str], int] = {}
        self.files: list[tuple[str, str]] = []
        self.in_file = self.in_topic = False
        #: The line of each element that the current file lists.
        self.listed: dict[str, int] = {}
        self.begin: dict[str, Callable[[dict[str, str]], None]] = {ROOT: self._open_topic, "file": self._file}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.pieces.clear()
        self.in_topic = self.in_topic or name in _TOPICS
        begin = self.begin.get(name)
        if begin and not self.in_topic:
            begin(attributes)

    def end(self, name: str) -> None:
        if name in _TOPICS:
            self.in_topic = False
        elif name == "file":
            self.in_file = False
        elif name == ROOT:
            self.topic = ""

    def parse(self) -> None:
        super().parse()
        if not self.topics:
            self.faults.add(None, f"<{ROOT}> is missing, expected assessments of a topic")

    def _open_topic(self, attributes: dict[str, str]) -> None:
        self.topic = attributes.get("topic", "").strip(BLANKS)
        if not self.topic:
            self.faults.add(self.line, f"the topic of assessments is missing, expected <{ROOT} topic=…>")
            self.topic = "?"
        elif self.topic in self.topics:
            self.faults.add(
                self.line,
                f"found topic {short(self.topic)} again (first in line {self.topics[self.topic]}), "
                "expected it once",
                "keep one of the two assessments",
            )
        self.topics.setdefault(self.topic, self.line)

    def _file(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name", attributes.get("file", "")).strip(BLANKS)
        pair = self.topic, name
        if not self.topic:
            self.faults.add(self.line, f"found a file outside <{ROOT}>, expected it inside")
        elif not name:
            self.faults.add(self.line, "the name of a file is missing, expected <file name=…>")
        elif pair in self.seen:
            self.faults.add(
                self.line,
                f"found document {short(name)} of topic {short(self.topic)} again "
                f"(first in line {self.seen[pair]}), expected one file per topic and document",
            )
        self.seen.setdefault(pair, self.line)
        self.in_file = True
        self.listed.clear()
        self.files.append(pair)

    def inside(self, part: str) -> int:
        """Return the row of the current file; report a fault and return -1 outside a file."""
        if not self.in_file:
            self.faults.add(self.line, f"found {part} outside a file, expected it in <file name=…>")
            return -1
        return len(self.files) - 1

    def pairs(self) -> tuple[tuple[str, ...], IntArray, tuple[str, ...], IntArray]:
        """Return topics, also those without files, and documents; each with its number for every file."""
        topics, topic = encode([*self.topics, *(topic for topic, _ in self.files)])
        documents, document = encode([name for _, name in self.files])
        return topics, topic[len(self.topics) :], documents, document

    def list_once(self, path: str) -> None:
        """Record that the file lists an element; report a fault if it did before."""
        if path in self.listed:
            first = self.listed[path]
            self.faults.add(
                self.line,
                f"found element {short(path)} again (first in line {first}), expected it once per file",
            )
        self.listed.setdefault(path, self.line)


def fit(source: Source, *, graded: bool) -> int:
    """Return how surely a file contains assessments, of 2002 to 2004 (`graded`) or later ones.

    The first assessment of the former is a `<path …>`; without assessments the `<file>` tag decides.
    """
    root = root_name(source)
    if not root:
        return 0
    head = _head(source)
    if root != ROOT and f"<{ROOT}" not in head:
        return 0
    assessed = _ASSESSED.search(head)
    is_graded = assessed[1] == "path" if assessed else bool(_OLDER_FILE.search(head))
    return (CERTAIN if root == ROOT else LIKELY) if is_graded == graded else 0


def _head(source: Source) -> str:
    encoding = "utf-16" if source.data.startswith(UTF16_XML) else "latin-1"
    return _COMMENT.sub("", source.data[:HEAD_BYTES].decode(encoding, "ignore"))


#: The elements of a document by its id, in the order of their start tags; None if it is unknown.
Places: TypeAlias = Callable[[str], "Iterable[Element] | None"]


class _Node(NamedTuple):
    """A text node: its offset, the number of its parent, and its position among the parent's text nodes."""

    start: int
    parent: int
    number: int


class Structure:
    """The elements of a document and its text nodes; a document without elements is one text node.

    >>> from excerpt.corpus import Element
    >>> structure = Structure([Element("a", 0, 0, 9), Element("b", 1, 2, 4), Element("b", 1, 4, 9)])
    >>> structure.paths
    ['/a[1]', '/a[1]/b[1]', '/a[1]/b[2]']
    >>> structure.pointer(1), structure.pointer(9, end=True), Structure(()).pointer(3)
    ('/a[1]/text()[1].1', '/a[1]/b[2]/text()[1].5', '/text()[1].3')
    """

    def __init__(self, elements: Iterable[Element]) -> None:
        self.elements = list(elements)
        self.paths = list(paths_of(self.elements))
        self._nodes = list(_nodes(self.elements))
        self._starts = [node.start for node in self._nodes]

    def pointer(self, offset: int, *, end: bool = False) -> str:
        """Return the XPointer of the character at an offset, or (`end`) of the end of the one before."""
        if not self._nodes:
            return f"/text()[1].{offset}"
        node = max(bisect_right(self._starts, offset - end) - 1, 0)
        start, parent, number = self._nodes[node]
        return f"{self.paths[parent]}/text()[{number}].{offset - start}"


def paths_of(elements: Iterable[Element]) -> Iterator[str]:
    """Yield the path of each element; positions count the siblings of the same name."""
    above: list[str] = []
    counts: list[Counter[str]] = [Counter()]
    for element in elements:
        del above[element.depth :], counts[element.depth + 1 :]
        counts[-1][element.tag] += 1
        above.append(f"{above[-1] if above else ''}/{element.tag}[{counts[-1][element.tag]}]")
        counts.append(Counter())
        yield above[-1]


def _nodes(elements: list[Element]) -> Iterator[_Node]:
    """Yield the text nodes (text between the children of an element), in the order of the text."""
    opened: list[int] = []
    reached = 0
    seen = [0] * len(elements)

    def text_until(offset: int) -> Iterator[_Node]:
        if opened and offset > reached:
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


#: Root element of the assessments of several topics in one file.
ALL = "inex-assessments"
#: Attributes with other names in assessments of 2003 and 2004.
_OLDER = {"exhaustivity": "exhaustiveness"}
_HIGHLIGHTED = 2  # the exhaustivity of elements in years that asked for highlighting alone


def highlighted_lines(judgments: Judgments, places: Places) -> Iterator[str]:
    """Yield passages, entry points and elements of every judged document."""
    if judgments.scale not in {"highlights", "exhaustivity 0-2"}:
        raise ExcerptError(
            f"found judgments by {judgments.scale}, expected highlighted text",
            path=judgments.source or None,
            hint="try ⟨format=inex-graded⟩" if two_grades(judgments) else "",
        )
    graded, spans = written_elements(judgments), spans_by_pair(judgments)

    def inside(pair: int) -> Iterator[str]:
        structure = Structure(places(_document(judgments, pair)) or ())
        entry = int(judgments.pair_entry[pair])
        if entry != UNKNOWN:
            yield _tag("best-entry-point", {"path": structure.pointer(entry), "offset": entry})
        for start, end in spans[pair]:
            pointers = {"start": structure.pointer(start), "end": structure.pointer(end, end=True)}
            size = end - start
            yield _tag("passage", {**pointers, "size": size, "offset": start, "length": size})
        for element in _highlighted(judgments, pair, structure) if graded is None else graded[pair]:
            yield _tag("element", element)

    def file(pair: int) -> dict[str, str | int]:
        size = int(judgments.pair_size[pair])
        return {"name": _document(judgments, pair)} | ({"size": size} if size != UNKNOWN else {})

    yield from _frame(judgments, {"version": 2, "whitespace-text-node": "keep"}, file, inside)


def _highlighted(judgments: Judgments, pair: int, structure: Structure) -> Iterator[dict[str, Any]]:
    start = np.array([element.start for element in structure.elements], np.int64)
    end = np.array([element.end for element in structure.elements], np.int64)
    relevant = judgments.spans.overlap(np.full(len(start), pair, np.int64), start, end)
    for row in np.flatnonzero(relevant).tolist():
        sizes = {"size": int(end[row] - start[row]), "rsize": int(relevant[row])}
        yield {"path": structure.paths[row], "exhaustivity": _HIGHLIGHTED, **sizes}


def graded_lines(judgments: Judgments, inferred: Collection[tuple[str, str, str]] = ()) -> Iterator[str]:
    """Yield both grades of each assessed element; `inferred` has (topic, document, path) of derived ones."""
    elements = judgments.elements
    if not two_grades(judgments) and (elements is not None or len(judgments.spans)):
        raise MissingData(
            f"format inex-graded needs two grades of every element; the judgments are by {judgments.scale}",
            path=judgments.source or None,
        )
    graded = written_elements(judgments) or [[]] * len(judgments)

    def inside(pair: int) -> Iterator[str]:
        names = judgments.topics[int(judgments.pair_topic[pair])], _document(judgments, pair)
        for element in graded[pair]:
            older = {_OLDER.get(key, key): value for key, value in element.items()}
            derived = {"inferred": "true"} if (*names, element["path"]) in inferred else {}
            yield _tag("path", older | derived)

    yield from _frame(judgments, {}, lambda pair: {"file": _document(judgments, pair)}, inside)


def _document(judgments: Judgments, pair: int) -> str:
    return judgments.documents[int(judgments.pair_document[pair])]


def _frame(
    judgments: Judgments,
    about: dict[str, str | int],
    file: Callable[[int], dict[str, str | int]],
    inside: Callable[[int], Iterator[str]],
) -> Iterator[str]:
    """Yield topics and files around the content of each pair; several topics get a root of our own."""
    for name in (*judgments.topics, *judgments.documents):
        if error := xml_name_error(name, judgments.source or "the judgments"):
            raise error
    several = len(judgments.topics) != 1
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<{ALL}>\n" if several else ""
    first = np.searchsorted(judgments.pair_topic, np.arange(len(judgments.topics) + 1)).tolist()
    for number, topic in enumerate(judgments.topics):
        yield _tag(ROOT, {"topic": topic, **about}, ">")
        for pair in range(first[number], first[number + 1]):
            yield _tag("file", file(pair), ">")
            yield from inside(pair)
            yield "</file>\n"
        yield f"</{ROOT}>\n"
    yield f"</{ALL}>\n" if several else ""


def _tag(name: str, attributes: Mapping[str, str | int], end: str = "/>") -> str:
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{written}{end}\n"
