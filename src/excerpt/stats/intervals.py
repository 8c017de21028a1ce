"""How sure are we of a mean? Percentiles of the means of topics drawn again and again, or Student's t.

B. Efron, R. Tibshirani: "An Introduction to the Bootstrap", 1993, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.scores import exact_means
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.stats import require_scipy
from excerpt.stats.effects import quantiles
from excerpt.stats.resampling import Units, resampled_sums

METHODS = ("bootstrap", "t")
#: Rows that share one drawing of samples in memory.
_TOGETHER = 256
#: A limit closer than this share of the largest score to the mean, or to the least or largest, is that.
_NOISE = 1e-12


def mean_intervals(
    scores: FloatArray, level: float = 0.95, samples: int = 10_000, seed: int = 1
) -> FloatArray:
    """The low and the high limit of the mean of every row of scores, NaN where nothing is defined.

    Scores that are not defined (NaN) stay out. Rows that are defined on the same topics share their samples.

    >>> mean_intervals(np.array([[0.0, 1.0, 1.0, 0.0], [0.25, 0.25, 0.25, np.nan]])).tolist()
    [[0.0, 1.0], [0.25, 0.25]]
    """
    check_sampling(level, samples, seed)
    limits = np.full((len(scores), 2), np.nan)
    defined = ~np.isnan(scores)
    for rows in _alike(defined):
        known = defined[rows[0]]
        if known.any():
            limits[rows] = _limits(scores[rows][:, known], level, samples, np.random.default_rng(seed))
    return limits


def t_mean_intervals(scores: FloatArray, level: float = 0.95) -> FloatArray:
    """Student's limits of the mean of every row of scores, NaN where fewer than two are defined; needs scipy.

    >>> t_mean_intervals(np.array([[0.0, 1.0, 1.0, 0.0], [0.25, np.nan, np.nan, np.nan]])).round(4).tolist()
    [[-0.4187, 1.4187], [nan, nan]]
    """
    from scipy.special import stdtrit

    limits = np.full((len(scores), 2), np.nan)
    for place, row in enumerate(scores):
        known = row[~np.isnan(row)]
        if len(known) > 1:
            half = (
                float(stdtrit(len(known) - 1.0, (1 + level) / 2)) * known.std(ddof=1) / math.sqrt(len(known))
            )
            mean = float(exact_means(known[None])[0])
            limits[place] = mean - half, mean + half
    return limits


def check_method(method: str, samples: int, seed: int) -> None:
    """Before any work is done: is there such a method, and does it use what was asked?"""
    if method not in METHODS:
        raise UnknownName("method of intervals", str(method), METHODS)
    if method == "t":
        require_scipy("Student's t")
        if (samples, seed) != (10_000, 1):
            raise ExcerptError(
                "found samples or a seed with intervals by t, expected them with the bootstrap"
            )


def check_sampling(level: float, samples: int, seed: int) -> None:
    """Before any work is done: is the level a share, and are the others whole numbers?"""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ExcerptError(f"found {level!r} as confidence, expected a number between 0 and 1")
    for name, value, least in (("samples", samples, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ExcerptError(f"found {value!r} as {name}, expected a whole number of at least {least}")


def _alike(defined: BoolArray) -> Iterator[IntArray]:
    """Rows that are defined at the same places, a part at a time."""
    groups: dict[bytes, list[int]] = {}
    for place, row in enumerate(np.packbits(defined, axis=1)):
        groups.setdefault(row.tobytes(), []).append(place)
    for rows in groups.values():
        for start in range(0, len(rows), _TOGETHER):
            yield np.array(rows[start : start + _TOGETHER])


def _limits(scores: FloatArray, level: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """The limits of rows that are defined everywhere; each row has a unit of its own."""
    units = [Units.of(row[None]) for row in scores]
    whole = Units(np.concatenate([one.values for one in units]), 1.0, 0.0)
    found = quantiles(resampled_sums(whole, samples, rng), samples, (1 - level) / 2).T
    limits = found * np.array([[one.unit] for one in units]) / scores.shape[1]
    least, most = scores.min(axis=1)[:, None], scores.max(axis=1)[:, None]
    limits, noise = np.asarray(np.clip(limits, least, most)), _NOISE * np.maximum(np.abs(least), np.abs(most))
    for known in (least, most, exact_means(scores)[:, None]):
        limits = np.where(np.abs(limits - known) <= noise, known, limits)
    return limits
