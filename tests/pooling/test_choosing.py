"""The rules by themselves, where `excerpt.pool` does not show everything."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from excerpt import Notices, Result, Run
from excerpt.evaluation.reading import Reading
from excerpt.pooling.choosing import WHOLE, choose_depth, choose_fused, choose_round_robin, draw_sample
from excerpt.pooling.groups import Wanted
from excerpt.pooling.returned import Returned, gather


def some() -> Returned:
    """Two runs; for topic 2 only the second has results."""
    a = Run.of("a", [Result("1", name, 0, 9) for name in "ABCA"])
    b = Run.of("b", [*(Result("1", name, 0, 9) for name in "BD"), Result("2", "X", 0, 9)])
    return gather([a, b], Reading(), unit="document", top=None, wanted=Wanted(), notices=Notices())


def test_depths_are_told_by_topic() -> None:
    """A round robin stops in each topic by itself; fusion looks at everything."""
    returned = some()
    assert choose_depth(returned, 7).depth.tolist() == [7, 7]
    assert choose_round_robin(returned, 3).depth.tolist() == [2, 1]
    assert choose_round_robin(returned, 99).depth.tolist() == [4, 1]
    assert choose_fused(returned, 2, 1, Notices()).depth.tolist() == [WHOLE, WHOLE]


def test_numbers_of_a_sample() -> None:
    """How many were drawn of how many, by topic."""
    chosen = np.zeros(5, np.bool_)
    chosen[0] = True
    sample = draw_sample(some(), chosen, Fraction(1, 2), 1)
    assert (sample.drawn.tolist(), sample.left.tolist()) == ([2, 1], [3, 1])
    assert len(set(sample.item.tolist()) & {1, 2, 3, 4}) == 3
