"""The recall base of a topic, and what a run gains from it."""

from __future__ import annotations

from fractions import Fraction

from excerpt import Judgments, Policy, Result, Run
from excerpt.measures._elements import RecallBase, by_topic, recall_levels
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
