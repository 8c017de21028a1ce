"""INEX assessments in XML: elements of each judged file with two grades (2002 to 2004).

2002 graded relevance (0 to 3) and coverage (N none, S too small, L too large, E exact); 2003 and 2004
exhaustiveness and specificity (0 to 3). `U`, or no grade, is not assessed.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from excerpt.errors import short, short_list
from excerpt.formats.judgments._inex_files import ROOT, Assessments, document_sizes, fit, look_up
from excerpt.formats.judgments._inex_writing import graded_lines
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import Source
from excerpt.formats.text.xml_events import BLANKS
from excerpt.model.elements import COVERAGE, GradedElement, GradedElements, canonical
from excerpt.model.judgments import Judgments, Scale
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN, IntArray

LAYOUT = f"<{ROOT} topic=…><file file=…> <path path=… exhaustiveness= specificity=/>"
EXAMPLE = """\
<assessments topic="1">
<file file="A"><path path="/article[1]/p[2]" exhaustiveness="3" specificity="2"/></file>
</assessments>
"""
_UNASSESSED = "U"
_COVERAGE = {letter: grade for grade, letter in enumerate(COVERAGE)}
_GRADES = {str(grade): grade for grade in range(4)}


class _Dimension(NamedTuple):
    """What assessors graded: the attribute, where it goes, and its values."""

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
#: What paths may have beside grades; the last four say how an assessment came about.
_KNOWN = {"path", *_DIMENSIONS, "inpool", "inferred", "inconsistant", "inconsistent"}
_SPELLINGS = ("exhaustiveness", "exhaustivity")  # of one grade


class _Graded(Assessments):
    """Gathers assessed elements; each names its file by its row."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.elements: list[tuple[int, GradedElement]] = []
        #: The scale of the file, and the first line that says so.
        self.scale: Scale | None = None
        self.scale_line = 0
        #: Attributes of paths that mean nothing to us, with the line of each one's first appearance.
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
            self.source.notices.add(
                "element has only one of two grades and was left out as not assessed",
                where=f"{self.source.name}:{self.line}",
            )

    def _grades(self, attributes: dict[str, str]) -> tuple[int | None, int | None]:
        """Both grades, None where not assessed."""
        grades: list[int | None] = [None, None]
        for name in attributes.keys() - _KNOWN:
            self.unknown.setdefault(name, self.line)
        if all(name in attributes for name in _SPELLINGS):
            self.faults.add(self.line, f"found {' and '.join(_SPELLINGS)}, expected one of the two")
            return None, None
        for name, dimension in _DIMENSIONS.items():
            if name in attributes:
                self._settle_scale(name, dimension.scale)
                given = attributes[name].strip(BLANKS).upper()
                if given in dimension.grades:
                    grades[dimension.column] = dimension.grades[given]
                elif given != _UNASSESSED:
                    found = short(attributes[name].strip(BLANKS))
                    self.faults.add(self.line, f"found {name} {found!r}, expected {dimension.values}")
        return grades[_FIRST], grades[_SECOND]

    def _settle_scale(self, name: str, scale: Scale) -> None:
        if self.scale is None:
            self.scale, self.scale_line = scale, self.line
        elif self.scale != scale:
            self.faults.add(self.line, f"found {name}, expected {self.scale} as in line {self.scale_line}")

    def _later(self, _attributes: dict[str, str]) -> None:
        self.faults.add(
            self.line,
            "found assessments of 2005 or later, expected <path> as in those of 2002 to 2004",
            "read it as inex",
        )


def read(source: Source) -> Judgments:
    """Read assessments; with an index the assessed elements are looked up there."""
    assessments = _Graded(source)
    assessments.parse()
    if assessments.unknown:
        source.notices.add(
            "path has unknown attributes, which were ignored: " + short_list(sorted(assessments.unknown)),
            where=f"{source.name}:{min(assessments.unknown.values())}",
        )
    source.faults.settle()
    if source.faults:  # kept: what follows would work with what is wrong
        return Judgments.graded([], scale=assessments.scale or _BY_SPECIFICITY)
    # Topics and files without assessed elements are judged, too.
    topics, codes = encode([*assessments.topics, *(topic for topic, _ in assessments.files)])
    topic = codes[len(assessments.topics) :]
    documents, document = encode([name for _, name in assessments.files])
    nothing = np.zeros(len(topic), np.int64)
    judgments = Judgments.collect(
        topics,
        documents,
        topic,
        document,
        nothing,
        nothing,
        size=document_sizes(source, documents)[document],
        entry=nothing + UNKNOWN,
        scale=assessments.scale or "highlights",
        unit=source.index.unit if source.index else "char",
        source=source.name,
    )
    return _with_elements(source, assessments, judgments, judgments.pairs(topic, document))


def _with_elements(source: Source, assessments: _Graded, judgments: Judgments, pair: IntArray) -> Judgments:
    """The judgments with the elements that have grades; where none has, the scale is that of other files."""
    if not assessments.elements:
        return judgments
    row = np.array([row for row, _ in assessments.elements], np.int64)
    elements = GradedElements.of([element for _, element in assessments.elements], pair[row])
    return replace(judgments, elements=look_up(source, judgments, elements))


def recognise(source: Source) -> int:
    """Whether there are assessments whose first element is a `<path …>`."""
    return fit(source, graded=True)


def write(judgments: Judgments, stream: io.BufferedIOBase) -> None:
    """Write both grades of every assessed element."""
    stream.writelines(line.encode() for line in graded_lines(judgments))


register_judgments(
    Format(
        "inex-graded",
        "judgments",
        LAYOUT,
        "XML assessments with two grades (2002 to 2004)",
        read,
        recognise,
        write,
        example=EXAMPLE,
    )
)
