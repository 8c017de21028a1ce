"""Assessed elements: found by path, with their nearest assessed ancestors, each assessed once."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import ExcerptError, Judgments
from excerpt.model import GradedElement
from excerpt.model.elements import GradedElements, canonical

ROWS = [
    GradedElement("1", "a", "/article/bdy[1]/sec[2]", 2, 3),
    GradedElement("1", "a", "/article[1]", 1, 1),
    GradedElement("1", "a", "/article[1]/bdy[1]/sec[2]/p[1]", 3, 3),
    GradedElement("1", "b", "/article[1]/bdy[1]", 3, 2),
]


def graded(*rows: GradedElement) -> GradedElements:
    """The columns of some elements."""
    elements = Judgments.graded(rows, scale="exhaustivity and specificity").elements
    assert elements is not None
    return elements


def test_paths_are_found_however_they_are_spelt() -> None:
    """A step without a position is the first of its name; an element of another document is not found."""
    elements = graded(*ROWS)
    codes = elements.path_codes(["/article[1]/bdy/sec[2]", "/article", "/article[1]/sec[9]"])
    pairs = np.zeros(3, np.int64)
    assert elements.find(pairs, codes).tolist() == [0, 1, -1]
    assert elements.find(pairs + 1, codes).tolist() == [-1, -1, -1]


def test_the_nearest_assessed_element_above() -> None:
    """Unassessed elements in between are passed over; documents do not mix."""
    assert graded(*ROWS).parents.tolist() == [1, -1, 0, -1]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROWS[1], "found /article.1. of document a for topic 1 again"),
        (GradedElement("1", "c", "/article[1]", 4, 0), "expected grades of -1 to 3"),
        (
            GradedElement("1", "c", "/article[1]", 1, 1, 5, 6),
            "at most as many relevant characters as characters",
        ),
    ],
)
def test_assessments_that_cannot_be(row: GradedElement, message: str) -> None:
    """An element assessed twice, a grade outside of the scale and too much relevant text are refused."""
    with pytest.raises(ExcerptError, match=message):
        graded(*ROWS, row)


def test_a_canonical_path_stays() -> None:
    """A path with all positions is given back as it is."""
    assert canonical("/article[1]/bdy[1]") == "/article[1]/bdy[1]"
    assert canonical("/article/bdy") == "/article[1]/bdy[1]"
