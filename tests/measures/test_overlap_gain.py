"""What an element is still worth when some of its text was seen."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt import Judgments
from excerpt.measures._overlap_gain import remaining_gains, remaining_value
from excerpt.model.elements import GradedElement


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
    gains = np.array([0.5, 1.0, 0.25])
    assert remaining_gains(judgments, gains, np.array([1, 0, 2]), 1.0).tolist() == [1.0, 0.15, 0.0]
    assert remaining_gains(judgments, gains, np.array([0, 1, -1]), 1.0).tolist() == [0.5, 0.0, 0.0]
