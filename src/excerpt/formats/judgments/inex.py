"""INEX assessments in XML: highlighted passages and graded elements of each judged file (2005 to 2007).

Pointers use raw offsets, so passages become spans through the index; the sizes in the file count each run
of white space once and are kept for the measures of elements only. What excerpt wrote has the offsets in
characters too (`offset` and `length`, and `size` of a file): they count where there is no index.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from excerpt.errors import MissingData, short
from excerpt.formats.judgments._inex_files import (
    ROOT,
    Assessments,
    document_sizes,
    fit,
    look_up,
)
from excerpt.formats.judgments._inex_writing import highlighted_lines
from excerpt.formats.judgments._text_nodes import Places
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.results import Names, find_spans
from excerpt.formats.source import Source
from excerpt.formats.text.xml_events import BLANKS
from excerpt.model.elements import GradedElements, canonical
from excerpt.model.judgments import Judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, IntArray

LAYOUT = f"<{ROOT} topic=…><file name=…> <best-entry-point path=…/> <passage start= end=/> <element path=…/>"
EXAMPLE = """\
<assessments topic="1">
<file name="A">
<best-entry-point path="/article[1]/p[2]"/>
<passage start="/article[1]/p[2]/text()[1].0" end="/article[1]/p[2]/text()[1].40"/>
<element path="/article[1]/p[2]" exhaustivity="2" size="80" rsize="40"/>
</file>
</assessments>
"""
#: How thoroughly an element treats the topic; `?` is too small to say.
_EXHAUSTIVITY = {"?": -1, "0": 0, "1": 1, "2": 2}
_HIGHLIGHTED = 2  # the only exhaustivity of years that asked for highlighting alone


class _Passage(NamedTuple):
    """A passage or an entry point: file, pointers and line; and its place in characters, where given."""

    row: int
    pointer: str
    line: int
    start: int = UNKNOWN
    end: int = UNKNOWN


@dataclass
class _Gathered:
    """What the files of the assessments say; passages, elements and entry points name a file by its row."""

    passages: list[_Passage] = field(default_factory=list)
    elements: list[tuple[int, str, int, int, int]] = field(default_factory=list)
    entries: list[_Passage] = field(default_factory=list)
    #: The length of each file's document, as far as it is given.
    sizes: list[int] = field(default_factory=list)


class _Highlighted(Assessments):
    """Gathers passages, elements and best entry points."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.found = _Gathered()
        self.begin |= {"passage": self._passage, "element": self._element}
        self.begin |= {"best-entry-point": self._entry, "path": self._older}

    def _passage(self, attributes: dict[str, str]) -> None:
        ends = [self.pointer(attributes.get(key), f"passage {key}") for key in ("start", "end")]
        row = self.inside("a passage")
        start, end = UNKNOWN, UNKNOWN
        if "offset" in attributes:
            start = self.whole(attributes["offset"], "offset")
            end = start + self.whole(attributes.get("length"), "length")
        self.found.passages.append(_Passage(row, " ".join(ends), self.line, start, end))

    def _file(self, attributes: dict[str, str]) -> None:
        super()._file(attributes)
        self.found.sizes.append(self.whole(attributes["size"], "size") if "size" in attributes else UNKNOWN)

    def _entry(self, attributes: dict[str, str]) -> None:
        row = self.inside("a best entry point")
        if self.found.entries and self.found.entries[-1].row == row:
            self.faults.add(self.line, "found a second best entry point in a file, expected one")
        start = self.whole(attributes["offset"], "offset") if "offset" in attributes else UNKNOWN
        pointer = self.pointer(attributes.get("path"), "path")
        self.found.entries.append(_Passage(row, pointer, self.line, start))

    def _element(self, attributes: dict[str, str]) -> None:
        given = attributes.get("exhaustivity", "").strip(BLANKS)
        if given not in _EXHAUSTIVITY:
            self.faults.add(self.line, f"found exhaustivity {short(given)!r}, expected 0, 1, 2 or ?")
        before = self.faults.count
        size, relevant = (self.whole(attributes.get(key), key) for key in ("size", "rsize"))
        if relevant > size and self.faults.count == before:
            self.faults.add(self.line, f"found rsize {relevant}, expected at most size {size}")
        path = canonical(self.pointer(attributes.get("path"), "path"))
        row = self.inside("an element")
        self.list_once(path)
        self.found.elements.append((row, path, _EXHAUSTIVITY.get(given, 0), size, relevant))

    def _older(self, _attributes: dict[str, str]) -> None:
        self.faults.add(
            self.line,
            "found <path>, as in assessments of 2002 to 2004, expected <passage> or <element>",
            "read it as inex-graded",
        )


def read(source: Source) -> Judgments:
    """Read assessments; without an index only the elements they list are kept."""
    assessments = _Highlighted(source)
    assessments.parse()
    found, files = assessments.found, assessments.files
    source.faults.settle()
    # Topics without files are judged, too: they have no relevant text.
    topics, codes = encode([*assessments.topics, *(topic for topic, _ in files)])
    topic = codes[len(assessments.topics) :]
    documents, document = encode([name for _, name in files])
    if source.faults:  # kept: what follows would work with what is wrong
        return _empty(source, topics)
    rows, start, end = _spans(source, found, documents, document)
    every = np.arange(len(topic))
    at = np.concatenate((every, rows))
    judgments = Judgments.collect(
        topics,
        documents,
        topic[at],
        document[at],
        np.concatenate((np.zeros_like(every), start)),
        np.concatenate((np.zeros_like(every), end)),
        size=_sizes(source, found, documents, document)[at],
        entry=_entries(source, found, documents, document)[at],
        unit=source.index.unit if source.index else "char",
        source=source.name,
    )
    return _add_elements(source, found, judgments, judgments.pairs(topic, document))


def _empty(source: Source, topics: tuple[str, ...]) -> Judgments:
    none = np.zeros(0, np.int64)
    return Judgments.collect(topics, (), none, none, none, none, size=none, entry=none, source=source.name)


def _sizes(source: Source, found: _Gathered, documents: tuple[str, ...], document: IntArray) -> IntArray:
    """The length of each file's document: that of the index, else the one that is given."""
    known = document_sizes(source, documents)[document]
    return np.where(known == UNKNOWN, np.array(found.sizes, np.int64), known)


def _spans(
    source: Source, found: _Gathered, documents: tuple[str, ...], document: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """File, start and end of each passage that exists; without an index those given in characters."""
    none = np.zeros(0, np.int64)
    if not found.passages:
        return none, none, none
    row, start, end = _columns(found.passages)
    if source.index is None:
        if (start == UNKNOWN).any():
            _notice_unplaced(source, found)
    else:
        paths, path = Names.of([passage.pointer for passage in found.passages])
        first, last = find_spans(source.index, documents, document[row], paths, path)
        start, end = np.where(first < 0, start, first), np.where(first < 0, end, last)
        source.notices.add_marked(
            "highlight names text that does not exist and was left out",
            start < 0,
            lambda number: f"{source.name}:{found.passages[number].line}",
        )
    there = start >= 0
    return row[there], start[there], end[there]


def _columns(passages: list[_Passage]) -> tuple[IntArray, IntArray, IntArray]:
    """File, start and end of each."""
    rows = np.array([(passage.row, passage.start, passage.end) for passage in passages], np.int64)
    return rows[:, 0], rows[:, 1], rows[:, 2]


def _notice_unplaced(source: Source, found: _Gathered) -> None:
    """Passages without an index: fine for measures of elements, if there are elements."""
    if not found.elements:
        source.need_index("highlighted text")
    unplaced = [passage.line for passage in found.passages if passage.start == UNKNOWN]
    source.notices.add(
        "highlighted text was left out, since placing it needs an index (the listed elements were read)",
        len(unplaced),
        where=f"{source.name}:{unplaced[0]}",
    )


def _entries(source: Source, found: _Gathered, documents: tuple[str, ...], document: IntArray) -> IntArray:
    """The best entry point of each file, as far as it is given and the index finds it."""
    entry = np.full(len(document), UNKNOWN, np.int64)
    if not found.entries:
        return entry
    row, given, _ = _columns(found.entries)
    entry[row] = given
    if source.index is None:
        return entry
    codes = source.index.document_codes(documents)[document[row]]
    placed = source.index.resolve_pointers(codes, [point.pointer for point in found.entries], end=False)
    entry[row] = np.where(placed < 0, given, placed)
    source.notices.add_marked(
        "best entry point names text that does not exist and was left out",
        entry[row] < 0,
        lambda number: f"{source.name}:{found.entries[number].line}",
    )
    return entry


def _add_elements(source: Source, found: _Gathered, judgments: Judgments, pair: IntArray) -> Judgments:
    """The judgments with the elements that the files list."""
    if not found.elements:
        return judgments
    row, path, grade, size, relevant = zip(*found.elements, strict=True)
    paths, code = encode(path)
    elements = GradedElements(
        pair=pair[np.array(row, np.int64)],
        path=code,
        paths=paths,
        exhaustivity=np.array(grade, np.int64),
        specificity=np.full(len(code), UNKNOWN, np.int64),
        size=np.array(size, np.int64),
        relevant=np.array(relevant, np.int64),
    )
    elements = look_up(source, judgments, elements)
    # By what the file says alone: the scale, and so the gains, must not depend on an index.
    graded = bool((elements.exhaustivity != _HIGHLIGHTED).any())
    return replace(judgments, elements=elements, scale="exhaustivity 0-2" if graded else "highlights")


def recognise(source: Source) -> int:
    """Whether the root element is that of assessments, or assessments stand under another root."""
    return fit(source, graded=False)


def write(judgments: Judgments, _stream: io.BufferedIOBase) -> None:
    """An error: pointers count the text nodes of elements, of which judgments know nothing."""
    raise MissingData(
        "format inex needs the elements of every document",
        path=judgments.source or None,
        hint="give ⟨index⟩, or try ⟨format=fol⟩",
    )


def write_placed(judgments: Judgments, stream: io.BufferedIOBase, places: Places) -> None:
    """Write assessments of all topics; `places` are the elements of a document by its id."""
    stream.writelines(line.encode() for line in highlighted_lines(judgments, places))


register_judgments(
    Format(
        "inex",
        "judgments",
        LAYOUT,
        "XML assessments (INEX 2005 to 2007)",
        read,
        recognise,
        write,
        example=EXAMPLE,
        write_placed=write_placed,
    )
)
