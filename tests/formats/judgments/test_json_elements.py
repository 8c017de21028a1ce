"""Graded elements in lines of JSON: written and read back, and every way to get them wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from judgments_said import elements_said

from excerpt.formats.judgments import jsonl
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Judgments, Span
from excerpt.model.elements import GradedElement, GradedElements
from excerpt.model.judgments import Scale

Open = Callable[..., Source]


def written(judgments: Judgments) -> str:
    """The lines of judgments."""
    stream = io.BytesIO()
    jsonl.write(judgments, stream)
    return stream.getvalue().decode()


@pytest.mark.parametrize("scale", ["relevance and coverage", "exhaustivity and specificity"])
def test_two_grades(opened: Open, scale: Scale) -> None:
    """Lines have no spans: nothing was highlighted, which is not the same as irrelevant."""
    elements = [GradedElement("1", "A", "/a[1]", 3, 2), GradedElement("1", "B", "/a[1]/b[2]", 0, 0)]
    judgments = Judgments.graded(elements, scale=scale)
    text = written(judgments)
    assert "spans" not in text
    source = opened(text)
    found = jsonl.read(source)
    assert (elements_said(found), found.scale, list(source.notices)) == (elements_said(judgments), scale, [])


def test_one_grade_beside_highlights(opened: Open, index: OffsetIndex) -> None:
    """Spans and elements are both kept; with an index elements have their rows."""
    elements = [
        GradedElement("1", "A", "/article[1]", 1, size=22, relevant=5),
        GradedElement("1", "A", "/article[1]/name[1]", -1, size=5, relevant=5),
    ]
    highlights = Judgments.of([("1", Span("A", 0, 5))], irrelevant=[("1", "B")], sizes={"A": 22, "B": 4})
    judgments = replace(
        highlights, elements=GradedElements.of(elements, np.array([0, 0])), scale="exhaustivity 0-2"
    )
    found = jsonl.read(opened(written(judgments), index=index))
    assert (elements_said(found), found.scale) == (elements_said(judgments), "exhaustivity 0-2")
    assert found.highlights("1") == [Span("A", 0, 5)]
    assert found.elements is not None
    assert found.elements.row is not None
    assert index.path(found.elements.row) == ["/article[1]", "/article[1]/name[1]"]


def test_the_highest_grade_alone_is_no_scale(opened: Open) -> None:
    """As in XML: years that asked for highlighting alone gave every element a 2."""
    element = {"path": "/a[1]", "exhaustivity": 2, "size": 9, "rsize": 4}
    text = json.dumps({"topic": "1", "document": "A", "spans": [[0, 4]], "elements": [element]})
    assert jsonl.read(opened(text)).scale == "highlights"


TWO = {"path": "/a[1]", "exhaustivity": 1, "specificity": 2}
ONE = {"path": "/a[1]", "exhaustivity": 1, "size": 9, "rsize": 4}


@pytest.mark.parametrize(
    ("elements", "found", "expected"),
    [
        (3, "elements 3", "a list of objects"),
        ([3], "elements [3]", "a list of objects"),
        ([{}], "element {}", "a path and two grades, or exhaustivity and sizes"),
        ([TWO | {"path": "a"}], "element {'path': 'a'", "a path and two grades"),
        ([TWO | {"specificity": 4}], "'specificity': 4}", "grades of exhaustivity and specificity"),
        ([TWO | {"exhaustivity": True}], "'exhaustivity': True", "grades of exhaustivity and specificity"),
        ([{"path": "/a[1]", "relevance": 1, "coverage": "X"}], "'X'}", "grades of relevance and coverage"),
        ([ONE | {"rsize": 10}], "'rsize': 10}", "grades of exhaustivity 0-2"),
        ([ONE | {"exhaustivity": 3}], "'exhaustivity': 3", "grades of exhaustivity 0-2"),
        ([ONE | {"size": "9"}], 'size "9"', "a whole number"),
        ([ONE, TWO | {"path": "/b[1]"}], "grades of exhaustivity and specificity", "exhaustivity 0-2 as in"),
        ([TWO, TWO | {"path": "/a"}], "element /a[1] again (first in line 1)", "it once"),
    ],
)
def test_faults(opened: Open, elements: Any, found: str, expected: str) -> None:
    """Each is told with its line."""
    text = json.dumps({"topic": "1", "document": "A", "elements": elements})
    source = opened(text, keep=True)
    jsonl.read(source)
    (fault,) = [fault for fault in source.faults.found if expected in fault.message]
    assert found in fault.message
    assert fault.line == 1


def test_what_campaigns_say_besides_is_no_doubt(opened: Open) -> None:
    """Who judged, labels and notes decide no score; anything else unknown is told."""
    line = {
        "topic": "1",
        "document": "A",
        "spans": [[0, 4]],
        "assessors": ["chen"],
        "labels": [],
        "human": [],
    }
    source = opened(json.dumps(line | {"notes": [], "confirmed": [], "machine": [], "colour": 1}))
    jsonl.read(source)
    assert list(source.notices) == ["unknown keys were ignored: colour (f)"]
