"""Figures that weigh grades, against their definitions."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranked_documents import GRADES, ranking

from excerpt.official.trec import gains


@given(GRADES, GRADES, st.sampled_from([(), (("1", 3.0), ("2", 0.0)), (("3", 9.0), ("p", 0.5), ("-1", 2.0))]))
@settings(max_examples=60)
def test_definitions(grades: list[int], unseen: list[int], given_: gains.Gains) -> None:
    """Sums of gains, each by its logarithm; the best order has the highest gains first."""
    ranked = ranking(grades, unseen)
    other = {int(name): gain for name, gain in given_ if name != "p"}
    gain = [other.get(grade, max(grade, 0)) for grade in grades]
    judged = sorted((other.get(grade, grade) for grade in [*grades, *unseen] if grade >= 0), reverse=True)
    ideal = [value for value in judged if value > 0]
    got = sum(value / log2(place + 2) for place, value in enumerate(gain))
    best = sum(value / log2(place + 2) for place, value in enumerate(ideal))
    found = gains.Gained(ranked, given_)
    assert found.discounted[0] == pytest.approx(got)
    assert found.best_discounted[0] == pytest.approx(best)
    assert found.normalised()[0] == pytest.approx(got / best if best else 0)
    steps = [place for place in range(1, len(ideal)) if ideal[place] != ideal[place - 1]] + [len(ideal)]
    parts = [
        sum(value / log2(place + 2) for place, value in enumerate(gain[:step]))
        / sum(value / log2(place + 2) for place, value in enumerate(ideal[:step]))
        for step in (steps if ideal else [])
    ]
    if len(ideal) + 1 < len(gain) and ideal:
        parts.append(got / best)
    expected = sum(parts) / len(parts) if parts else np.nan
    assert found.at_levels()[0] == pytest.approx(expected if ranked.total[0] else 0, nan_ok=True)


def test_ndcg_cut_by_hand() -> None:
    """Grades 1, 0, 3 were returned; 2 is missing."""
    ranked = ranking([1, 0, 3], [2])
    best = 3 + 2 / log2(3) + 1 / 2
    assert ranked.normalised_gain(5)[0] == pytest.approx((1 + 3 / 2) / best)
    assert ranked.normalised_gain(1)[0] == pytest.approx(1 / 3)


def test_gains_of_less_than_one_difference_are_the_same_to_the_tool() -> None:
    """Its ideal order then is that in which they are given, so that 0 may come out on top."""
    ranked = ranking([1, 2], [0])
    assert gains.Gained(ranked, (("1", 0.5), ("2", 0.9))).best_discounted[0] == 0
    assert gains.Gained(ranked, (("1", 2.0), ("2", 4.0))).normalised()[0] == pytest.approx(
        (2 + 4 / log2(3)) / (4 + 2 / log2(3))
    )


def test_grades_beyond_all_grades() -> None:
    """They cost no more than others."""
    ranked = ranking([1_000_000, 1], [])
    assert gains.Gained(ranked, ()).normalised()[0] == 1
    assert gains.Gained(ranked, (("1", 2.0),)).normalised()[0] == 1


def test_rank_biased_precision() -> None:
    """Gains above 1 are scaled; the residual is what unjudged documents could add."""
    ranked = ranking([2, -1, 1], [])
    assert gains.Gained(ranked, ()).biased(0.5)[0] == pytest.approx(0.5 * (1 + 0.25 * 0.5))
    assert gains.biased_residual(ranked, 0.5)[0] == pytest.approx(0.125 + 0.5 * 0.5)
    assert gains.biased_residual(ranking([1], []), 0.5)[0] == 0
