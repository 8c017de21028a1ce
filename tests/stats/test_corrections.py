"""Corrections beside their definitions, statsmodels and the published example."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.errors import ExcerptError
from excerpt.stats.corrections import CORRECTIONS, correct, correct_pairs

#: Benjamini & Hochberg 1995, section 3.
PUBLISHED = np.array([1, 4, 19, 95, 201, 278, 298, 344, 459, 3240, 4262, 5719, 6528, 7590, 10_000]) / 10_000
STATSMODELS = {"by": "fdr_by", "bh": "fdr_bh", "holm": "holm", "bonferroni": "bonferroni"}


@pytest.mark.parametrize(
    ("correction", "rejections"), [("bh", 4), ("by", 3), ("bonferroni", 3), ("holm", 3), ("none", 9)]
)
def test_published_example(correction: str, rejections: int) -> None:
    """The example rejects 4 hypotheses by Benjamini & Hochberg, 3 by Bonferroni; with c_m = 3.31823, 3."""
    decided = correct(PUBLISHED, correction)
    assert decided.rejected.tolist() == [True] * rejections + [False] * (15 - rejections)


FOUR_HUNDREDTHS = st.lists(st.integers(0, 400), min_size=1, max_size=40)


def adjusted_by_definition(values: list[int], correction: str) -> list[Fraction]:
    """Adjusted p-values of four hundredths in fractions, each from its definition."""
    m = len(values)
    harmonic = sum((Fraction(1, i) for i in range(1, m + 1)), Fraction(0))
    order = sorted(range(m), key=values.__getitem__)
    p = [Fraction(values[i], 400) for i in order]
    if correction == "bonferroni":
        adjusted = [min(Fraction(1), m * each) for each in p]
    elif correction == "holm":  # none is smaller than one before it
        adjusted = [max(min(Fraction(1), (m - j) * p[j]) for j in range(i + 1)) for i in range(m)]
    else:  # none is larger than one after it
        c = harmonic if correction == "by" else Fraction(1)
        adjusted = [min(min(Fraction(1), c * m / (j + 1) * p[j]) for j in range(i, m)) for i in range(m)]
    return [value for _, value in sorted(zip(order, adjusted, strict=True))]


@given(FOUR_HUNDREDTHS, st.sampled_from(sorted(STATSMODELS)))
@settings(max_examples=50, deadline=None)
def test_same_as_the_definition(values: list[int], correction: str) -> None:
    """Adjusted p-values and rejections, ties and order included."""
    decided = correct(np.array(values) / 400, correction, 0.07)
    wanted = adjusted_by_definition(values, correction)
    assert decided.adjusted == pytest.approx(np.array(wanted, float), abs=1e-12)
    assert decided.rejected.tolist() == [each <= Fraction(7, 100) for each in wanted]


@given(FOUR_HUNDREDTHS, st.sampled_from(sorted(STATSMODELS)))
@settings(max_examples=50, deadline=None)
def test_same_as_statsmodels(values: list[int], correction: str) -> None:
    """Adjusted p-values and rejections, where statsmodels is installed."""
    tests = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels comes with --thorough")
    p = np.array(values) / 400
    rejected, adjusted, *_ = tests.multipletests(p, alpha=0.07, method=STATSMODELS[correction])
    decided = correct(p, correction, 0.07)
    assert decided.adjusted == pytest.approx(adjusted, abs=1e-12)
    near = np.abs(decided.adjusted - 0.07) < 1e-9  # statsmodels has no tolerance where they are equal
    assert (decided.rejected == rejected)[~near].all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from(sorted(CORRECTIONS)))
def test_order_and_strength(values: list[float], correction: str) -> None:
    """Smaller p-values stay smaller, none shrinks, and equation 11 gives the same decisions."""
    p = np.array(values)
    decided = correct(p, correction)
    order = np.argsort(p, kind="stable")
    assert (np.diff(decided.adjusted[order]) >= 0).all()
    assert (decided.adjusted >= p * (1 - 1e-12)).all()
    assert (decided.adjusted <= 1).all()
    c = {"by": sum(1 / i for i in range(1, len(p) + 1)), "bh": 1.0}.get(correction)
    if c is not None:
        steps = [i for i in range(1, len(p) + 1) if p[order][i - 1] <= i * 0.05 / (c * len(p)) * (1 + 1e-12)]
        assert int(decided.rejected.sum()) == max(steps, default=0)


def test_nothing_to_reject_and_nothing_to_test() -> None:
    """No p-value below its step rejects nothing; no p-value is no error."""
    assert not correct(np.array([0.2, 0.9])).rejected.any()
    assert correct(np.array([])).adjusted.tolist() == []


def test_pairs_leave_out_the_diagonal() -> None:
    """m is N(N - 1): six hypotheses for three runs."""
    p = np.array([[1.0, 0.001, 0.002], [0.999, 1.0, 0.5], [0.998, 0.5, 1.0]])
    decided = correct_pairs(p, "bonferroni")
    assert decided.adjusted[0].tolist() == [1.0, 0.006, 0.012]
    assert decided.rejected.tolist() == [[False, True, True], [False] * 3, [False] * 3]


def test_mistakes() -> None:
    """Unknown names and impossible levels."""
    with pytest.raises(ExcerptError, match=r"unknown correction 'fdr'; .*known: bh, bonferroni, by, holm"):
        correct(PUBLISHED, "fdr")
    with pytest.raises(ExcerptError, match="found 5 as alpha, expected a number between 0 and 1"):
        correct(PUBLISHED, "by", 5)
