"""Error rates of samples with their standard errors, and of two measures on the same samples."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, ScoreTable
from excerpt.experiments.sample_errors import SampleErrors, jackknife_error
from excerpt.experiments.stability import compare_means, errors
from excerpt.experiments.study import draw_halves, draw_topics

RUNS, TOPICS = tuple("abcde"), tuple(map(str, range(17)))
VALUES = np.round(np.random.default_rng(5).random((5, 17, 3)), 1)
TABLE = ScoreTable(RUNS, RUNS, TOPICS, ("MAiP", "iP[0.01]", "charF"), VALUES)

orders = st.integers(1, 4).flatmap(
    lambda pairs: st.lists(st.lists(st.sampled_from((-1, 0, 1)), min_size=pairs, max_size=pairs), min_size=2)
)


def shared_rate(samples: list[list[int]]) -> Fraction:
    """The definition: of each pair of runs the minority of the samples errs."""
    wrong = sum(min(pair.count(1), pair.count(-1)) for pair in map(list, zip(*samples, strict=True)))
    return Fraction(wrong, sum(map(len, samples)))


def disjoint_rate(samples: list[tuple[list[int], list[int]]]) -> Fraction:
    """The definition: two samples contradict each other."""
    pairs = [(a, b) for one, two in samples for a, b in zip(one, two, strict=True)]
    return Fraction(sum(a * b < 0 for a, b in pairs), len(pairs))


def jackknife(rates: list[Fraction]) -> float:
    """Quenouille and Tukey's standard error from the estimates without each sample."""
    mean = sum(rates, Fraction(0)) / len(rates)
    variance = Fraction(len(rates) - 1, len(rates)) * sum(((rate - mean) ** 2 for rate in rates), Fraction(0))
    return math.sqrt(variance)


@given(orders)
def test_rates_without_each_sample(samples: list[list[int]]) -> None:
    """As counted anew without the sample, for samples that may share topics."""
    found = SampleErrors.of_shared(np.array(samples))
    assert found.rate == float(shared_rate(samples))
    rates = [shared_rate(samples[:place] + samples[place + 1 :]) for place in range(len(samples))]
    assert found.rates_without.tolist() == list(map(float, rates))
    assert jackknife_error(found.rates_without) == pytest.approx(jackknife(rates), abs=1e-12)


@given(orders, st.data())
def test_rates_without_each_pair_of_samples(samples: list[list[int]], data: st.DataObject) -> None:
    """The same for samples that share no topics."""
    others = data.draw(st.permutations(samples))
    found = SampleErrors.of_disjoint(np.array(samples), np.array(others))
    pairs = list(zip(samples, others, strict=True))
    assert found.rate == float(disjoint_rate(pairs))
    rates = [disjoint_rate(pairs[:place] + pairs[place + 1 :]) for place in range(len(pairs))]
    assert found.rates_without.tolist() == list(map(float, rates))
    assert found.row()["standard_error"] == pytest.approx(jackknife(rates), abs=1e-12)


@pytest.mark.parametrize("how", [{}, {"disjoint": True}, {"replacement": True}])
def test_two_measures_on_the_same_samples(how: Any) -> None:
    """Differences of the rates without each sample, from the definition on the drawn topics."""
    rows = errors(TABLE, versus="iP[0.01]", levels=(40, 20), samples=12, seed=4, **how).rows
    assert [row["versus"] for row in rows] == ["iP[0.01]"] * 2 + [None] * 2 + ["iP[0.01]"] * 2
    for row in rows:
        plain = errors(TABLE, levels=(40, 20), samples=12, seed=4, **how).rows
        same = next(one for one in plain if (one["measure"], one["level"]) == (row["measure"], row["level"]))
        assert {name: row[name] for name in same} == same
    if "disjoint" in how:
        drawn: Any = draw_halves(17, 40, 12, 4)
    else:
        drawn = [(one,) for one in draw_topics(17, 40, 12, 4, **how)]

    def rates(measure: int) -> list[Fraction]:
        means = [[VALUES[:, side, measure].mean(axis=1)[None] for side in sides] for sides in drawn]
        found = [[compare_means(one, 0.05, absolute=False)[0].tolist() for one in sides] for sides in means]
        left = [found[:place] + found[place + 1 :] for place in range(len(found))]
        if "disjoint" in how:
            return [disjoint_rate([(one, two) for one, two in part]) for part in [found, *left]]
        return [shared_rate([one for (one,) in part]) for part in [found, *left]]

    one, base = rates(0), rates(1)
    differences = [a - b for a, b in zip(one, base, strict=True)]
    assert rows[0]["difference"] == pytest.approx(float(differences[0]), abs=1e-12)
    assert rows[0]["difference_standard_error"] == pytest.approx(jackknife(differences[1:]), abs=1e-12)
    assert (rows[2]["difference"], rows[2]["difference_standard_error"]) == (None, None)


def test_what_versus_names() -> None:
    """A measure is added to those that are named; without others, or unknown, it is an error."""
    rows = errors(TABLE, "MAiP", versus="charF", levels=(40,)).rows
    assert [(row["measure"], row["versus"]) for row in rows] == [("MAiP", "charF"), ("charF", None)]
    assert errors(TABLE, measures=["MAiP"], versus="charF", levels=(40,)).rows == rows
    with pytest.raises(ExcerptError, match="found only MAiP, expected another measure to compare it with"):
        errors(TABLE, measures="MAiP", versus="MAiP")
    with pytest.raises(ExcerptError, match="charP"):
        errors(TABLE, versus="charP")
    assert "versus" not in errors(TABLE, levels=(40,)).columns


def test_rates_that_are_undefined() -> None:
    """Too few topics for disjoint samples, or one sample only."""
    rows = errors(TABLE, versus="MAiP", levels=(80,), samples=1, disjoint=True).rows
    assert [(row["error_rate"], row["standard_error"], row["difference"]) for row in rows] == [
        (None,) * 3
    ] * 3
    (row, *_) = errors(TABLE, versus="charF", levels=(40,), samples=1, disjoint=True).rows
    assert row["difference"] is not None
    assert (row["standard_error"], row["difference_standard_error"]) == (None, None)


def test_groups_are_compared_with_themselves() -> None:
    """The difference in a group is that of the group alone."""
    by_topic = {topic: "odd" if int(topic) % 2 else "even" for topic in TOPICS}
    rows = errors(TABLE, versus="MAiP", within=by_topic, levels=(50,), samples=6).rows
    odd = [row for row in rows if row["group"] == "odd"]
    alone = errors(TABLE.of_topics(range(1, 17, 2)), versus="MAiP", levels=(50,), samples=6).rows
    assert [{name: row[name] for name in row if name != "group"} for row in odd] == list(alone)
