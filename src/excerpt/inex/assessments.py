"""INEX assessments in XML, 2002 to 2007."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from excerpt.errors import MissingData, short, short_list
from excerpt.formats.judgments.qrels import document_sizes
from excerpt.formats.judgments.spans_jsonl import look_up
from excerpt.formats.reader import NameColumn, find_spans
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.inex import assessed_elements
from excerpt.inex.assessed_elements import ROOT, Assessments, Places
from excerpt.inex.xml_events import BLANKS
from excerpt.model.elements import COVERAGE, GradedElement, GradedElements, canonical
from excerpt.model.judgments import Judgments, Scale, collect_judgments
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
_UNKNOWN_LENGTH = "its length is unknown", "their lengths are unknown"
#: Grades of exhaustivity, how thoroughly an element treats the topic; `?` means too small to grade.
_EXHAUSTIVITY = {"?": -1, "0": 0, "1": 1, "2": 2}
_HIGHLIGHTED = 2  # the only exhaustivity of years that asked for highlighting alone


class _AssessedPassage(NamedTuple):
    """A passage or an entry point: file, pointers and line; and its offsets, if the file has them."""

    row: int
    pointer: str
    line: int
    start: int = UNKNOWN
    end: int = UNKNOWN


class _Highlighted(Assessments):
    """Parser of passages, elements and best entry points, each with the row of its file."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.passages: list[_AssessedPassage] = []
        self.elements: list[tuple[int, str, int, int, int]] = []
        self.entries: list[_AssessedPassage] = []
        #: The length of each file's document, if it is given.
        self.sizes: list[int] = []
        self.begin |= {"passage": self._passage, "element": self._element}
        self.begin |= {"best-entry-point": self._entry, "path": self._older}

    def _passage(self, attributes: dict[str, str]) -> None:
        ends = [self.pointer(attributes.get(key), f"passage {key}") for key in ("start", "end")]
        row = self.inside("a passage")
        start, end = UNKNOWN, UNKNOWN
        if "offset" in attributes:
            start = self.whole(attributes["offset"], "offset")
            end = start + self.whole(attributes.get("length"), "length")
        self.passages.append(_AssessedPassage(row, " ".join(ends), self.line, start, end))

    def _file(self, attributes: dict[str, str]) -> None:
        super()._file(attributes)
        self.sizes.append(self.whole(attributes["size"], "size") if "size" in attributes else UNKNOWN)

    def _entry(self, attributes: dict[str, str]) -> None:
        row = self.inside("a best entry point")
        if self.entries and self.entries[-1].row == row:
            self.faults.add(self.line, "found a second best entry point in a file, expected one")
        start = self.whole(attributes["offset"], "offset") if "offset" in attributes else UNKNOWN
        pointer = self.pointer(attributes.get("path"), "path")
        self.entries.append(_AssessedPassage(row, pointer, self.line, start))

    def _element(self, attributes: dict[str, str]) -> None:
        grade = attributes.get("exhaustivity", "").strip(BLANKS)
        if grade not in _EXHAUSTIVITY:
            self.faults.add(self.line, f"found exhaustivity {short(grade)!r}, expected 0, 1, 2 or ?")
        before = self.faults.count
        size, relevant = (self.whole(attributes.get(key), key) for key in ("size", "rsize"))
        if relevant > size and self.faults.count == before:
            self.faults.add(self.line, f"found rsize {relevant}, expected at most size {size}")
        path = canonical(self.pointer(attributes.get("path"), "path"))
        row = self.inside("an element")
        self.list_once(path)
        self.elements.append((row, path, _EXHAUSTIVITY.get(grade, 0), size, relevant))

    def _older(self, _attributes: dict[str, str]) -> None:
        message = "found <path>, as in assessments of 2002 to 2004, expected <passage> or <element>"
        self.faults.add(self.line, message, "read it as inex-graded")


def read(source: Source) -> Judgments:
    """Read assessments; passages without offsets need an index, without it only elements are kept."""
    parsed = _Highlighted(source)
    parsed.parse()
    source.faults.settle()
    topics, topic, documents, document = parsed.pairs()
    none = np.zeros(0, np.int64)
    if source.faults:  # the faults are kept, and the content may be wrong
        return collect_judgments(topics, (), none, none, none, none, source=source.name)
    rows, start, end = _spans(source, parsed, documents, document)
    every = np.arange(len(topic))
    at = np.concatenate((every, rows))
    judgments = collect_judgments(
        topics,
        documents,
        topic[at],
        document[at],
        np.concatenate((np.zeros_like(every), start)),
        np.concatenate((np.zeros_like(every), end)),
        size=_sizes(source, parsed, documents, document)[at],
        entry=_entries(source, parsed, documents, document)[at],
        unit=source.index.unit if source.index else "char",
        source=source.name,
    )
    return _add_elements(source, parsed, judgments, judgments.pairs(topic, document))


def _sizes(source: Source, parsed: _Highlighted, documents: tuple[str, ...], document: IntArray) -> IntArray:
    known = document_sizes(source, documents, _UNKNOWN_LENGTH)[document]
    return np.where(known == UNKNOWN, np.array(parsed.sizes, np.int64), known)


def _spans(
    source: Source, parsed: _Highlighted, documents: tuple[str, ...], document: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return file, start and end of each passage that exists; without an index those with offsets."""
    row, start, end = _columns(parsed.passages)
    if not parsed.passages:
        return row, start, end
    if source.index is None:
        if (start == UNKNOWN).any():
            _warn_unplaced(source, parsed)
    else:
        paths, path = NameColumn.of([passage.pointer for passage in parsed.passages])
        first, last = find_spans(source.index, documents, document[row], paths, path)
        start, end = np.where(first < 0, start, first), np.where(first < 0, end, last)
        source.notices.add_marked(
            "highlighted passage points to text that does not exist and is left out",
            "highlighted passages point to text that does not exist and are left out",
            start < 0,
            lambda number: f"{source.name}:{parsed.passages[number].line}",
        )
    placed = start >= 0
    return row[placed], start[placed], end[placed]


def _columns(passages: list[_AssessedPassage]) -> tuple[IntArray, IntArray, IntArray]:
    rows = [(passage.row, passage.start, passage.end) for passage in passages]
    row, start, end = np.array(rows, np.int64).reshape(-1, 3).T
    return row, start, end


def _warn_unplaced(source: Source, parsed: _Highlighted) -> None:
    """Warn of passages without offsets; raise if there are no elements, which some measures need alone."""
    if not parsed.elements:
        source.need_index("highlighted text")
    unplaced = [passage.line for passage in parsed.passages if passage.start == UNKNOWN]
    one = "highlighted passage is left out: locating it needs an index (listed elements are read)"
    many = "highlighted passages are left out: locating them needs an index (listed elements are read)"
    source.notices.add(one, many, len(unplaced), where=f"{source.name}:{unplaced[0]}")


def _entries(
    source: Source, parsed: _Highlighted, documents: tuple[str, ...], document: IntArray
) -> IntArray:
    entry = np.full(len(document), UNKNOWN, np.int64)
    if not parsed.entries:
        return entry
    row, given, _ = _columns(parsed.entries)
    entry[row] = given
    if source.index is None:
        return entry
    codes = source.index.document_codes(documents)[document[row]]
    placed = source.index.resolve_pointers(codes, [point.pointer for point in parsed.entries], end=False)
    entry[row] = np.where(placed < 0, given, placed)
    source.notices.add_marked(
        "best entry point points to text that does not exist and is left out",
        "best entry points point to text that does not exist and are left out",
        entry[row] < 0,
        lambda number: f"{source.name}:{parsed.entries[number].line}",
    )
    return entry


def _add_elements(source: Source, parsed: _Highlighted, judgments: Judgments, pair: IntArray) -> Judgments:
    if not parsed.elements:
        return judgments
    row, path, grade, size, relevant = zip(*parsed.elements, strict=True)
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
    # The scale, and so the gains, depend on the file alone, not on an index.
    graded = bool((elements.exhaustivity != _HIGHLIGHTED).any())
    return replace(judgments, elements=elements, scale="exhaustivity 0-2" if graded else "highlights")


def write(judgments: Judgments, _stream: io.BufferedIOBase) -> None:
    """Raise an error: pointers count text nodes, which judgments do not contain."""
    message = "format inex needs the elements of every document"
    raise MissingData(message, path=judgments.source or None, hint="give ⟨index⟩, or try ⟨format=fol⟩")


def write_placed(judgments: Judgments, stream: io.BufferedIOBase, places: Places) -> None:
    """Write assessments of all topics; `places` returns the elements of a document by its id."""
    stream.writelines(line.encode() for line in assessed_elements.highlighted_lines(judgments, places))


GRADED_LAYOUT = f"<{ROOT} topic=…><file file=…> <path path=… exhaustiveness= specificity=/>"
GRADED_EXAMPLE = """\
<assessments topic="1">
<file file="A"><path path="/article[1]/p[2]" exhaustiveness="3" specificity="2"/></file>
</assessments>
"""
_UNASSESSED = "U"
_COVERAGE = {letter: grade for grade, letter in enumerate(COVERAGE)}
_GRADES = {str(grade): grade for grade in range(4)}


class _Dimension(NamedTuple):
    scale: Scale
    column: int
    grades: dict[str, int]
    values: str


_FIRST, _SECOND = 0, 1
_BY_COVERAGE: Scale = "relevance and coverage"
_BY_SPECIFICITY: Scale = "exhaustivity and specificity"
_DIMENSIONS = {
    "relevance": _Dimension(_BY_COVERAGE, _FIRST, _GRADES, "0, 1, 2, 3 or U"),
    "coverage": _Dimension(_BY_COVERAGE, _SECOND, _COVERAGE, "N, S, L, E or U"),
    "exhaustiveness": _Dimension(_BY_SPECIFICITY, _FIRST, _GRADES, "0, 1, 2, 3 or U"),
    "exhaustivity": _Dimension(_BY_SPECIFICITY, _FIRST, _GRADES, "0, 1, 2, 3 or U"),
    "specificity": _Dimension(_BY_SPECIFICITY, _SECOND, _GRADES, "0, 1, 2, 3 or U"),
}
#: Attributes of paths; the last four say how an assessment was made.
_KNOWN = {"path", *_DIMENSIONS, "inpool", "inferred", "inconsistant", "inconsistent"}
_SPELLINGS = ("exhaustiveness", "exhaustivity")  # of one grade


class _Graded(Assessments):
    """Parser of assessed elements, each with the row of its file."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.elements: list[tuple[int, GradedElement]] = []
        #: The scale of the file, and the first line that shows it.
        self.scale: Scale | None = None
        self.scale_line = 0
        #: Unknown attributes of paths, with the first line of each.
        self.unknown: dict[str, int] = {}
        self.begin["path"] = self._path
        for name in ("passage", "element", "best-entry-point"):
            self.begin[name] = self._later

    def _path(self, attributes: dict[str, str]) -> None:
        path = canonical(self.pointer(attributes.get("path"), "path"))
        row = self.inside("a path")
        self.list_once(path)
        first, second = self._grades(attributes)
        if first is not None and second is not None and row >= 0:
            topic, document = self.files[row]
            self.elements.append((row, GradedElement(topic, document, path, first, second)))
        elif first is not None or second is not None:
            one = "element has only one of two grades and counts as not assessed"
            many = "elements have only one of two grades and count as not assessed"
            self.source.notices.add(one, many, where=f"{self.source.name}:{self.line}")

    def _grades(self, attributes: dict[str, str]) -> tuple[int | None, int | None]:
        grades: list[int | None] = [None, None]
        for name in attributes.keys() - _KNOWN:
            self.unknown.setdefault(name, self.line)
        if all(name in attributes for name in _SPELLINGS):
            self.faults.add(self.line, f"found {' and '.join(_SPELLINGS)}, expected one of the two")
            return None, None
        for name, dimension in _DIMENSIONS.items():
            if name in attributes:
                self._settle_scale(name, dimension.scale)
                grade = attributes[name].strip(BLANKS).upper()
                if grade in dimension.grades:
                    grades[dimension.column] = dimension.grades[grade]
                elif grade != _UNASSESSED:
                    shown = short(attributes[name].strip(BLANKS))
                    self.faults.add(self.line, f"found {name} {shown!r}, expected {dimension.values}")
        return grades[_FIRST], grades[_SECOND]

    def _settle_scale(self, name: str, scale: Scale) -> None:
        if self.scale is None:
            self.scale, self.scale_line = scale, self.line
        elif self.scale != scale:
            self.faults.add(self.line, f"found {name}, expected {self.scale} as in line {self.scale_line}")

    def _later(self, _attributes: dict[str, str]) -> None:
        message = "found assessments of 2005 or later, expected <path> as in those of 2002 to 2004"
        self.faults.add(self.line, message, "read it as inex")


def read_graded(source: Source) -> Judgments:
    """Read assessments; with an index the assessed elements get their spans."""
    assessments = _Graded(source)
    assessments.parse()
    if assessments.unknown:
        source.notices.add(
            f"unknown attributes of <path> are ignored: {short_list(sorted(assessments.unknown))}",
            where=f"{source.name}:{min(assessments.unknown.values())}",
        )
    source.faults.settle()
    if source.faults:  # the faults are kept, and the content may be wrong
        return Judgments.graded([], scale=assessments.scale or _BY_SPECIFICITY)
    topics, topic, documents, document = assessments.pairs()
    nothing = np.zeros(len(topic), np.int64)
    judgments = collect_judgments(
        topics,
        documents,
        topic,
        document,
        nothing,
        nothing,
        size=document_sizes(source, documents, _UNKNOWN_LENGTH)[document],
        scale=assessments.scale or "highlights",
        unit=source.index.unit if source.index else "char",
        source=source.name,
    )
    if not assessments.elements:  # other files of the folder decide the scale
        return judgments
    row = np.array([row for row, _ in assessments.elements], np.int64)
    pair = judgments.pairs(topic, document)[row]
    elements = GradedElements.of([element for _, element in assessments.elements], pair)
    return replace(judgments, elements=look_up(source, judgments, elements))


def write_graded(judgments: Judgments, stream: io.BufferedIOBase) -> None:
    """Write both grades of every assessed element."""
    stream.writelines(line.encode() for line in assessed_elements.graded_lines(judgments))


for _format in (
    Format(
        "inex",
        "judgments",
        LAYOUT,
        "XML assessments (INEX 2005 to 2007)",
        read,
        partial(assessed_elements.fit, graded=False),
        write,
        example=EXAMPLE,
        write_placed=write_placed,
    ),
    Format(
        "inex-graded",
        "judgments",
        GRADED_LAYOUT,
        "XML assessments with two grades (2002 to 2004)",
        read_graded,
        partial(assessed_elements.fit, graded=True),
        write_graded,
        example=GRADED_EXAMPLE,
    ),
):
    register_judgments(_format)
