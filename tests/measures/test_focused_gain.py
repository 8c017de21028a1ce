"""The ideal recall base, and gains capped by it."""

from __future__ import annotations

import numpy as np

from excerpt import Judgments
from excerpt.measures._focused_gain import focused_gains, ideal_elements
from excerpt.model.elements import GradedElement

#: Paragraph 1 is fully relevant, but its section wins the path of paragraph 2 and takes it over.
_PATHS = {"/a[1]": (20, 100), "/a[1]/s[1]": (16, 20), "/a[1]/s[1]/p[1]": (10, 10), "/a[1]/s[1]/p[2]": (6, 10)}
_JUDGMENTS = Judgments.graded(
    [GradedElement("1", "d", path, 2, size=size, relevant=good) for path, (good, size) in _PATHS.items()],
    scale="highlights",
)


def test_the_ideal_element_of_a_path_takes_those_below_it_over() -> None:
    """The section is the only ideal element; the article lies above it, the paragraphs in it."""
    ideal = ideal_elements(_JUDGMENTS, None)
    assert ideal.chosen.tolist() == [1]
    assert [ideal.overlapping(element) for element in range(4)] == [[1]] * 4
    assert ideal.gains_of(0).tolist() == [0.8]


def test_no_more_is_gained_than_the_ideal_element_has() -> None:
    """The first paragraph takes all that the section is worth, the second finds nothing left."""
    assert focused_gains(_JUDGMENTS, None, np.array([2, -1, 3])).tolist() == [0.8, 0.0, 0.0]
    assert focused_gains(_JUDGMENTS, None, np.array([0, 3])).tolist() == [0.2, 0.6]
