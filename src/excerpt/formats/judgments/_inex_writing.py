"""Writing INEX assessments in XML: highlighted passages with elements (2005 to 2007), or graded elements.

Beside the pointers, passages have `offset` and `length`, entry points an `offset` and files a `size`: the
same in characters of the text, so that nobody has to count text nodes to read them. Sizes are characters of
the text as it is, white space included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData
from excerpt.formats.judgments._inex_files import ROOT, two_grades
from excerpt.formats.judgments._text_nodes import Places, Structure
from excerpt.formats.text.xml_events import escape, outside_xml
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN

#: What holds the assessments of several topics in one file.
ALL = "inex-assessments"
_HIGHLIGHTED = 2  # the exhaustivity of elements in years that asked for highlighting alone


def highlighted_lines(judgments: Judgments, places: Places) -> Iterator[str]:
    """Passages, entry points and elements of every judged document."""
    if judgments.scale not in {"highlights", "exhaustivity 0-2"}:
        raise ExcerptError(
            f"found judgments by {judgments.scale}, expected highlighted text",
            path=judgments.source or None,
            hint="try ⟨format=inex-graded⟩" if two_grades(judgments) else "",
        )
    listed = _Listed(judgments)

    def inside(pair: int) -> Iterator[str]:
        structure = Structure(places(_document(judgments, pair)) or ())
        entry = int(judgments.pair_entry[pair])
        if entry != UNKNOWN:
            yield _tag("best-entry-point", {"path": structure.pointer(entry), "offset": entry})
        for start, end in listed.spans(pair):
            pointers = {"start": structure.pointer(start), "end": structure.pointer(end, end=True)}
            size = end - start
            yield _tag("passage", {**pointers, "size": size, "offset": start, "length": size})
        for element in listed.elements(pair, structure):
            grade = "?" if element.grade == TOO_SMALL else element.grade
            sizes = {"size": element.size, "rsize": element.relevant}
            yield _tag("element", {"path": element.path, "exhaustivity": grade, **sizes})

    def file(pair: int) -> dict[str, str | int]:
        size = int(judgments.pair_size[pair])
        return {"name": _document(judgments, pair)} | ({"size": size} if size != UNKNOWN else {})

    yield from _frame(judgments, {"version": 2, "whitespace-text-node": "keep"}, file, inside)


def graded_lines(judgments: Judgments, inferred: Collection[tuple[str, str, str]] = ()) -> Iterator[str]:
    """Both grades of every assessed element; `inferred` are the topic, document and path of derived ones."""
    elements = judgments.elements
    if not two_grades(judgments) and (elements is not None or len(judgments.spans)):
        raise MissingData(
            f"format inex-graded needs two grades of every element, the judgments are by {judgments.scale}",
            path=judgments.source or None,
        )
    rows: list[list[int]] = [[] for _ in range(len(judgments))]
    for row, pair in enumerate([] if elements is None else elements.pair.tolist()):
        rows[pair].append(row)

    def inside(pair: int) -> Iterator[str]:
        names = judgments.topics[int(judgments.pair_topic[pair])], _document(judgments, pair)
        for row in rows[pair]:
            assert elements is not None
            path = elements.paths[int(elements.path[row])]
            grades = _grades(judgments, int(elements.exhaustivity[row]), int(elements.specificity[row]))
            derived = {"inferred": "true"} if (*names, path) in inferred else {}
            yield _tag("path", {"path": path, **grades, **derived})

    yield from _frame(judgments, {}, lambda pair: {"file": _document(judgments, pair)}, inside)


def _grades(judgments: Judgments, first: int, second: int) -> dict[str, str | int]:
    if judgments.scale == "relevance and coverage":
        return {"relevance": first, "coverage": COVERAGE[second]}
    return {"exhaustiveness": first, "specificity": second}


def _document(judgments: Judgments, pair: int) -> str:
    return judgments.documents[int(judgments.pair_document[pair])]


def _frame(
    judgments: Judgments,
    about: dict[str, str | int],
    file: Callable[[int], dict[str, str | int]],
    inside: Callable[[int], Iterator[str]],
) -> Iterator[str]:
    """Topics and files around what is `inside` of each pair; several topics stand under a root of ours."""
    for name in (*judgments.topics, *judgments.documents):
        if error := outside_xml(name, judgments.source or "the judgments"):
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


class _Element(NamedTuple):
    """An element of a file."""

    path: str
    grade: int
    size: int
    relevant: int


class _Listed:
    """Spans and elements of judgments by pair."""

    def __init__(self, judgments: Judgments) -> None:
        self._spans = judgments.spans
        self._first = np.searchsorted(judgments.spans.group, np.arange(len(judgments) + 1)).tolist()
        self._graded = _by_pair(judgments.elements, len(judgments))

    def spans(self, pair: int) -> list[tuple[int, int]]:
        """Start and end of each highlight."""
        rows = slice(self._first[pair], self._first[pair + 1])
        return list(zip(self._spans.start[rows].tolist(), self._spans.end[rows].tolist(), strict=True))

    def elements(self, pair: int, structure: Structure) -> list[_Element]:
        """The graded elements, else all with highlighted text."""
        if self._graded is not None:
            return self._graded[pair]
        start = np.array([part.start for part in structure.parts], np.int64)
        end = np.array([part.end for part in structure.parts], np.int64)
        relevant = self._spans.overlap(np.full(len(start), pair, np.int64), start, end)
        return [
            _Element(structure.parts[row].path, _HIGHLIGHTED, int(end[row] - start[row]), int(relevant[row]))
            for row in np.flatnonzero(relevant).tolist()
        ]


def _by_pair(elements: GradedElements | None, pairs: int) -> list[list[_Element]] | None:
    """The listed elements of each pair; None where none are, or not all have paths."""
    if elements is None or bool((elements.path < 0).any()):
        return None
    found: list[list[_Element]] = [[] for _ in range(pairs)]
    columns = (elements.path, elements.exhaustivity, elements.size, elements.relevant)
    values = zip(elements.pair.tolist(), *(column.tolist() for column in columns), strict=True)
    for pair, path, grade, size, relevant in values:
        found[pair].append(_Element(elements.paths[path], grade, size, relevant))
    return found
