"""Many comparisons at once: how small must a p-value be?

Benjamini & Yekutieli, Annals of Statistics 29(4), 2001, as in Ogilvie & Lalmas, CIKM 2006, eq. 11 and 12;
Benjamini & Hochberg, JRSS B 57(1), 1995; Holm, Scandinavian Journal of Statistics 6(2), 1979.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.spans import BoolArray, FloatArray

Correction: TypeAlias = Callable[[FloatArray], FloatArray]

#: An adjusted p-value may exceed alpha by this share and still be equal to it: 3 · 0.05/3 is 0.05.
_ROUNDING = 1e-12


class Corrected(NamedTuple):
    """Which hypotheses are rejected, and the smallest alpha at which each would be."""

    rejected: BoolArray
    adjusted: FloatArray


def correct(p: FloatArray, correction: str = "by", alpha: float = 0.05) -> Corrected:
    """Decide on all p-values together, by one of `CORRECTIONS`; the shape is kept.

    >>> corrected = correct(np.array([0.001, 0.04, 0.03]), "bh")
    >>> corrected.rejected.tolist(), corrected.adjusted.round(4).tolist()
    ([True, True, True], [0.003, 0.04, 0.04])
    """
    check_correction(correction, alpha)
    values = np.asarray(p, dtype=np.float64).ravel()
    order = np.argsort(values, kind="stable")
    column = np.empty(len(values))
    if len(values):
        column[order] = np.minimum(CORRECTIONS[correction](values[order]), 1.0)
    adjusted: FloatArray = column.reshape(np.shape(p))
    return Corrected(adjusted <= alpha * (1 + _ROUNDING), adjusted)


def check_correction(correction: str, alpha: float) -> None:
    """Before any work is done: is there such a correction, and is alpha a probability?"""
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    if not 0 < alpha < 1:
        raise ExcerptError(f"found {alpha} as alpha, expected a number between 0 and 1")


def correct_pairs(p: FloatArray, correction: str = "by", alpha: float = 0.05) -> Corrected:
    """Decide on a matrix of ordered pairs of N runs: N(N - 1) hypotheses, for the diagonal is none.

    >>> p = np.array([[1.0, 0.01], [0.99, 1.0]])
    >>> correct_pairs(p, "bonferroni").adjusted.tolist()
    [[1.0, 0.02], [1.0, 1.0]]
    """
    pairs = ~np.eye(len(p), dtype=np.bool_)
    decided = correct(p[pairs], correction, alpha)
    rejected, adjusted = np.zeros(p.shape, dtype=np.bool_), np.ones(p.shape)
    rejected[pairs], adjusted[pairs] = decided
    return Corrected(rejected, adjusted)


def _benjamini_hochberg(ascending: FloatArray) -> FloatArray:
    m = len(ascending)
    steps = ascending * m / np.arange(1, m + 1)
    return np.asarray(np.minimum.accumulate(steps[::-1])[::-1])


def _benjamini_yekutieli(ascending: FloatArray) -> FloatArray:
    # Eq. 12: c_m for tests that depend on each other, as all comparisons of one run do.
    return _benjamini_hochberg(ascending) * math.fsum(1 / i for i in range(1, len(ascending) + 1))


def _holm(ascending: FloatArray) -> FloatArray:
    return np.asarray(np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1)))


def _bonferroni(ascending: FloatArray) -> FloatArray:
    return ascending * len(ascending)


def _none(ascending: FloatArray) -> FloatArray:
    return ascending


#: Every correction by its name on the command line.
CORRECTIONS: dict[str, Correction] = {
    "by": _benjamini_yekutieli,
    "bh": _benjamini_hochberg,
    "holm": _holm,
    "bonferroni": _bonferroni,
    "none": _none,
}
