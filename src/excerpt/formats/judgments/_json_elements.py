"""Assessed elements in lines of JSON: `elements` of a judged document, graded as in the XML assessments.

`{"path": …, "exhaustivity": 2, "size": 80, "rsize": 40}` (2005; exhaustivity 0, 1, 2 or "?"),
`{"path": …, "exhaustivity": 3, "specificity": 2}` (2003, 2004) or `{"path": …, "relevance": 2,
"coverage": "L"}` (2002).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import short
from excerpt.formats.judgments._inex_files import look_up
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import Record
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElement, GradedElements, canonical
from excerpt.model.judgments import Judgments, Scale
from excerpt.model.spans import UNKNOWN, IntArray

_HIGHLIGHTED = 2
#: The grades that tell a scale from the others.
_SECOND: dict[str, Scale] = {
    "specificity": "exhaustivity and specificity",
    "coverage": "relevance and coverage",
    "rsize": "exhaustivity 0-2",
}


class Listed(NamedTuple):
    """An element of a line, by the scale that it was graded on."""

    line: int
    scale: Scale
    element: GradedElement


def elements_of(record: Record, topic: str, document: str) -> list[Listed]:
    """The elements of a line; what is not as it should be is a fault."""
    given = record.fields.get("elements")
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        record.fault(f"elements {short(repr(given))}", "a list of objects")
        return []
    found = []
    for item in given:
        scale = next((scale for name, scale in _SECOND.items() if name in item), None)
        path = item.get("path")
        if scale is None or not isinstance(path, str) or not path.startswith("/"):
            record.fault(f"element {short(repr(item))}", "a path and two grades, or exhaustivity and sizes")
            continue
        grades = _grades(record, item, scale)
        if grades is not None:
            found.append(Listed(record.line, scale, GradedElement(topic, document, canonical(path), *grades)))
    return found


def _grades(record: Record, item: dict[str, Any], scale: Scale) -> tuple[int, int, int, int] | None:
    """Both grades, size and highlighted text; None and a fault where something is wrong."""
    first: Any
    second: Any
    if scale == "exhaustivity 0-2":
        size, relevant = (record.check(item.get(key), key) for key in ("size", "rsize"))
        first, second = item.get("exhaustivity"), UNKNOWN
        first = TOO_SMALL if first == "?" else first
        good = _is_grade(first, TOO_SMALL, _HIGHLIGHTED) and relevant <= size
    else:
        size = relevant = 0
        first = item.get("exhaustivity" if scale == "exhaustivity and specificity" else "relevance")
        second = item.get("specificity" if scale == "exhaustivity and specificity" else "coverage")
        if scale == "relevance and coverage" and isinstance(second, str) and len(second) == 1:
            second = COVERAGE.find(second)
        good = _is_grade(first, 0, 3) and _is_grade(second, 0, 3)
    if not good:
        record.fault(f"element {short(repr(item))}", f"grades of {scale}")
    return (first, second, size, relevant) if good else None


def _is_grade(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def with_elements(source: Source, judgments: Judgments, listed: list[Listed], pair: IntArray) -> Judgments:
    """The judgments with the elements that lines list; `pair` is the judged pair of each."""
    if not listed:
        return judgments
    scale = listed[0].scale
    seen: dict[tuple[int, str], int] = {}
    for item, place in zip(listed, pair.tolist(), strict=True):
        key = place, item.element.path
        if item.scale != scale:
            where = f"as in line {listed[0].line}"
            source.faults.add(item.line, f"found grades of {item.scale}, expected {scale} {where}")
        elif key in seen:
            path = short(item.element.path)
            source.faults.add(
                item.line, f"found element {path} again (first in line {seen[key]}), expected it once"
            )
        seen.setdefault(key, item.line)
    source.faults.settle()
    if source.faults:  # kept: what follows would work with what is wrong
        return judgments
    elements = GradedElements.of([item.element for item in listed], pair)
    if scale == "exhaustivity 0-2" and not bool((elements.exhaustivity != _HIGHLIGHTED).any()):
        scale = "highlights"  # as in XML: the only grade of years that asked for highlighting alone
    return replace(judgments, scale=scale, elements=look_up(source, judgments, elements))


def to_json(judgments: Judgments) -> list[list[dict[str, Any]]]:
    """The elements of each pair as they are written; none where they have no paths."""
    found: list[list[dict[str, Any]]] = [[] for _ in range(len(judgments))]
    elements = judgments.elements
    if elements is None or bool((elements.path < 0).any()):
        return found
    columns = (elements.pair, elements.path, elements.exhaustivity, elements.specificity)
    sizes = (elements.size, elements.relevant)
    for pair, path, *values in np.stack([*columns, *sizes], axis=1).tolist():
        found[pair].append({"path": elements.paths[path], **_written(judgments.scale, *values)})
    return found


def _written(scale: Scale, first: int, second: int, size: int, relevant: int) -> dict[str, Any]:
    if scale == "relevance and coverage":
        return {"relevance": first, "coverage": COVERAGE[second]}
    if scale == "exhaustivity and specificity":
        return {"exhaustivity": first, "specificity": second}
    return {"exhaustivity": "?" if first == TOO_SMALL else first, "size": size, "rsize": relevant}
