"""The recall base of a topic, and what a run gains from it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from excerpt import Judgments, Policy, Result, Run
from excerpt.measures._elements import (
    RecallBase,
    by_topic,
    focused_gains,
    ideal_elements,
    recall_levels,
    remaining_gains,
    remaining_value,
)
from excerpt.model.elements import GradedElement
from excerpt.model.join import join
from excerpt.notices import Notices

_JUDGMENTS = Judgments.graded(
    [
        GradedElement("1", "d", "/a[1]", 2, size=9, relevant=3),
        GradedElement("1", "d", "/a[1]/p[1]", 2, size=3, relevant=3),
        GradedElement("1", "d", "/a[1]/p[2]", 2, size=3, relevant=0),
        GradedElement("2", "d", "/a[1]/p[2]", 2, size=3, relevant=0),
    ],
    scale="highlights",
)


def test_the_recall_base_is_sorted_by_falling_gain() -> None:
    """Elements without gain are left out, and a topic may have none."""
    base = RecallBase.of(_JUDGMENTS, None)
    gains = [Fraction(int(base.numerator[row]), int(base.denominator[row])) for row in base.ideal]
    assert gains == [Fraction(1), Fraction(1, 3)]
    assert base.first.tolist() == [0, 2, 2]
    assert base.values.tolist() == [1 / 3, 1.0, 0.0, 0.0]


def test_topics_with_nothing_to_gain_are_left_out() -> None:
    """Only topic 1 is compared; the result that was not assessed gains nothing."""
    paths = ("/a[1]/p[7]", "/a[1]", "/a[1]/p[1]")
    results = [Result(topic, "d", -1, -1, path=path) for topic in "12" for path in paths]
    joined = join(Run.of("r", results, kind="elements"), _JUDGMENTS, Policy(), Notices())
    (gains,) = by_topic(joined, None)
    assert gains.topic == 0
    assert gains.run.values.tolist() == [0.0, 0.0, 1 / 3, 4 / 3]
    assert gains.ideal.values.tolist() == [0.0, 1.0, 4 / 3]


def test_recall_levels() -> None:
    """One level as an exact fraction, or all hundred."""
    assert [
        value.tolist() if hasattr(value, "tolist") else value for value in recall_levels(Fraction(1, 3))
    ] == [[1], 3]
    share, whole = recall_levels(None)
    assert (share.tolist(), whole) == (list(range(1, 101)), 100)


#: Paragraph 1 is fully relevant, but its section wins the path of paragraph 2 and takes it over.
_PATHS = {"/a[1]": (20, 100), "/a[1]/s[1]": (16, 20), "/a[1]/s[1]/p[1]": (10, 10), "/a[1]/s[1]/p[2]": (6, 10)}
_SEEN_GAIN_JUDGMENTS = Judgments.graded(
    [GradedElement("1", "d", path, 2, size=size, relevant=good) for path, (good, size) in _PATHS.items()],
    scale="highlights",
)


def test_the_ideal_element_of_a_path_takes_those_below_it_over() -> None:
    """The section is the only ideal element; the article lies above it, the paragraphs in it."""
    ideal = ideal_elements(_SEEN_GAIN_JUDGMENTS, None)
    assert ideal.chosen.tolist() == [1]
    assert [ideal.overlapping(element) for element in range(4)] == [[1]] * 4
    assert ideal.gains_of(0).tolist() == [0.8]


def test_no_more_is_gained_than_the_ideal_element_has() -> None:
    """The first paragraph takes all that the section is worth, the second finds nothing left."""
    ideal, gains = ideal_elements(_SEEN_GAIN_JUDGMENTS, None), [0.2, 0.8, 1.0, 0.6]
    assert focused_gains(ideal, np.array([2, -1, 3]), gains) == [0.8, 0.0, 0.0]
    assert focused_gains(ideal, np.array([0, 3]), gains) == [0.2, 0.6]


def test_the_printed_equation_subtracts_whole_gains() -> None:
    """After the article (1/5) paragraph 2 keeps 3/5 - 1/5, after paragraph 1 (1, not 4/5) nothing is left."""
    ideal = ideal_elements(_SEEN_GAIN_JUDGMENTS, None)
    gains = [Fraction(1, 5), Fraction(4, 5), Fraction(1), Fraction(3, 5)]
    for order, limited, printed in (
        ((0, 3), ("1/5", "3/5"), ("1/5", "2/5")),
        ((0, 2), ("1/5", "3/5"), ("1/5", "3/5")),
        ((3, 2), ("3/5", "1/5"), ("3/5", "1/5")),
        ((2, 3), ("4/5", "0"), ("4/5", "0")),
    ):
        rows = np.array(order)
        assert focused_gains(ideal, rows, gains) == list(map(Fraction, limited))
        assert focused_gains(ideal, rows, gains, as_printed=True) == list(map(Fraction, printed))


@pytest.mark.parametrize(("alpha", "value"), [(0, 1 / 2), (0.5, 17 / 40), (1, 3 / 20)])
def test_a_section_after_its_first_paragraph(alpha: float, value: float) -> None:
    """Example E10: 100 characters worth 1/2, of which 40 were seen."""
    children = [(1 - alpha, 40), (0.25, 60)]
    assert remaining_value(0.5, 100, children, alpha, seen="part") == pytest.approx(value, rel=1e-15)


def test_what_was_seen_is_worth_less_and_what_lies_in_it_too() -> None:
    """With alpha 1 an element is worth nothing below one that was returned."""
    rows = [("/s[1]", 50, 100), ("/s[1]/p[1]", 40, 40), ("/s[1]/p[2]", 15, 60)]
    judgments = Judgments.graded(
        [GradedElement("1", "d", path, 2, size=size, relevant=good) for path, good, size in rows],
        scale="highlights",
    )
    gains = [0.5, 1.0, 0.25]
    assert judgments.elements is not None
    for order, expected in (((1, 0, 2), [1.0, 0.15, 0.0]), ((0, 1, -1), [0.5, 0.0, 0.0])):
        assert remaining_gains(judgments.elements, gains, np.array(order), 1.0, {}) == expected
