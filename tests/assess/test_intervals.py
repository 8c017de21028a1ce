"""Numbers of resamples, said again with fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.assess.counting import kappa
from excerpt.assess.intervals import Resamples, kappas, limits
from excerpt.assess.merging import Grade

SHARES = st.fractions(0, 1, max_denominator=10**6)
SAMPLES = 20


def drawn(clusters: int) -> list[list[int]]:
    """Which clusters are in each resample, as the class draws them."""
    resamples = Resamples(clusters, SAMPLES, seed=3)
    each = [resamples.sums([int(own == other) for own in range(clusters)]) for other in range(clusters)]
    return [[n for n in range(clusters) for _ in range(each[n][at])] for at in range(SAMPLES)]


@given(st.lists(st.tuples(SHARES, st.integers(0, 3)), min_size=2, max_size=8))
def test_means_are_rounded_once(clusters: list[tuple[Fraction, int]]) -> None:
    """Each is the float nearest to the true mean, whatever the denominators."""
    totals, counts = [total if count else Fraction(0) for total, count in clusters], [c for _, c in clusters]
    found = Resamples(len(clusters), SAMPLES, seed=3).means(totals, counts)
    for value, chosen in zip(found.tolist(), drawn(len(clusters)), strict=True):
        units = sum(counts[n] for n in chosen)
        wanted = sum((totals[n] for n in chosen), Fraction(0))
        assert np.isnan(value) if not units else value == float(wanted / units)


CROSSED = st.dictionaries(
    st.tuples(st.sampled_from([0, 1, "?"]), st.sampled_from([0, 1, "?"])), st.integers(0, 10**9)
)


@given(st.lists(CROSSED, min_size=2, max_size=5))
def test_kappas_are_rounded_once(clusters: list[dict[tuple[Grade, Grade], int]]) -> None:
    """Each is the float nearest to kappa of what was drawn."""
    resamples = Resamples(len(clusters), SAMPLES, seed=3)
    pairs = {pair for cluster in clusters for pair in cluster} | {(0, 0)}
    found = kappas({pair: resamples.sums([one.get(pair, 0) for one in clusters]) for pair in pairs})
    for value, chosen in zip(found.tolist(), drawn(len(clusters)), strict=True):
        together: Counter[tuple[Grade, Grade]] = Counter()
        for n in chosen:
            together.update(clusters[n])
        wanted = kappa(together)
        assert np.isnan(value) if wanted is None else value == float(wanted)


def test_limits_leave_out_a_twentieth() -> None:
    """Between resamples they are interpolated; a number outside of them widens them."""
    assert limits(Fraction(20), np.arange(41.0)) == (1.0, 39.0)
    assert limits(Fraction(40), np.arange(41.0)) == (1.0, 40.0)
    assert limits(None, np.arange(41.0)) == (None, None)
    assert limits(Fraction(1), np.array([np.nan])) == (None, None)
