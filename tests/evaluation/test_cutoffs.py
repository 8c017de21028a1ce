"""Cut-offs of curves: which values a measure takes, and the default ones."""

from __future__ import annotations

import itertools
from fractions import Fraction

from excerpt.evaluation.cutoffs import Family
from excerpt.measures import parameters, registry

BY_LEVEL = {"iP", "ep", "EPRUM", "inex_eval", "inex_eval_ng"}


def test_every_measure_with_a_cutoff_has_default_points() -> None:
    """Ranks run from 1 to 50, shares to 1.00 from 0.00 or, where 0 is refused, from 0.01."""
    families = [
        measure for measure in registry().values() if any(kind.cutoff for _, kind in parameters(measure))
    ]
    assert families
    for measure in families:
        family = Family.of(measure.name)
        assert family.by_rank == (measure.name not in BY_LEVEL)
        points = family.cutoffs(None)
        if family.by_rank:
            assert points == list(range(1, 51))
        else:
            assert points[0] in {0, Fraction(1, 100)}
            assert points[-1] == 1
            assert {b - a for a, b in itertools.pairwise(points)} == {Fraction(1, 100)}


def test_parameters_decide_what_a_cutoff_is() -> None:
    """EPRUM has recall levels, but ranks where a parameter says so."""
    assert not Family.of("EPRUM(A=1, L=100)").by_rank
    assert Family.of("EPRUM(at=rank, A=1, L=100)").cutoffs(None) == list(range(1, 51))
