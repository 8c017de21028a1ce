"""Sums of scores over resampled topics, the same resamples for all runs, exact whatever the order of adding.

Scores become whole numbers of a unit so small that every sum fits the 53 bits of a double: then a matrix
product gives the same bits on every machine, and its error is only that of rounding the scores once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Digits of a score that count; the rest is noise of the arithmetic that made it.
_BITS = 44
#: Exponent of the least unit, a double like others.
_LEAST = -1022
#: Doubles that one block of resamples may hold, about 32 MB.
BLOCK = 1 << 22


class Units(NamedTuple):
    """Scores as whole numbers (in doubles) of a unit that is a power of two.

    A sum over resampled topics of differences of scores is wrong by less than `tolerance`, two units per
    topic, so one that is 0 in truth is never taken for more: 0.1 + 0.2 - 0.3 is 0.

    >>> units = Units.of(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]]))
    >>> sums = units.values.sum(axis=1)
    >>> bool(abs(sums[0] - sums[1]) <= units.tolerance), units.tolerance
    (True, 6.0)
    """

    values: FloatArray
    unit: float
    tolerance: float

    @classmethod
    def of(cls, scores: FloatArray) -> Units:
        """Scores of runs (rows) on topics (columns) in a unit whose sums are exact."""
        largest = float(np.abs(scores).max(initial=0.0))
        topics = scores.shape[-1]
        bits = min(_BITS, 51 - int(np.ceil(np.log2(max(topics, 2)))))
        exponent = max(int(np.frexp(largest)[1]) - bits, _LEAST)
        return cls(np.rint(np.ldexp(scores, -exponent)), float(np.ldexp(1.0, exponent)), 2.0 * topics)


def resampled_sums(units: Units, samples: int, rng: np.random.Generator) -> FloatArray:
    """Sums in units of each run over as many topics, drawn with replacement; a column per sample."""
    runs, topics = units.values.shape
    sums = np.empty((runs, check_samples(samples)))
    for start, stop in _blocks(samples, topics):
        sums[:, start:stop] = units.values @ _drawn(topics, stop - start, rng).astype(np.float64)
    return sums


def resampled_counts(topics: int, samples: int, rng: np.random.Generator) -> IntArray:
    """How often each topic is drawn in the samples of `resampled_sums`; a column per sample.

    >>> resampled_counts(3, 4, np.random.default_rng(1)).sum(axis=0).tolist()
    [3, 3, 3, 3]
    """
    blocks = [_drawn(topics, stop - start, rng) for start, stop in _blocks(check_samples(samples), topics)]
    return np.concatenate(blocks, axis=1)


def _drawn(topics: int, samples: int, rng: np.random.Generator) -> IntArray:
    drawn = rng.integers(topics, size=(samples, topics))
    drawn += topics * np.arange(samples)[:, None]
    return np.bincount(drawn.ravel(), minlength=topics * samples).reshape(-1, topics).T


def flipped_sums(units: Units, samples: int, rng: np.random.Generator) -> FloatArray:
    """Sums in units with a random sign on each topic, the same for all runs; a column per sample."""
    runs, topics = units.values.shape
    sums = np.empty((runs, check_samples(samples)))
    for start, stop in _blocks(samples, topics):
        signs = 2.0 * rng.integers(2, size=(stop - start, topics)) - 1.0
        sums[:, start:stop] = units.values @ signs.T
    return sums


def all_flipped_sums(units: Units) -> FloatArray:
    """Sums in units with every choice of signs, 2 to the number of topics of them."""
    topics = units.values.shape[1]
    signs = 2.0 * ((np.arange(1 << topics)[:, None] >> np.arange(topics)) & 1) - 1.0
    return np.asarray(units.values @ signs.T)


def count_not_above(sums: FloatArray, limits: FloatArray, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """For every pair of runs (i, j): how often sums[i] - sums[j] is at most, and at least, limits[i, j].

    >>> at_most, at_least = count_not_above(np.array([[1.0, 5.0], [1.0, 2.0]]), np.zeros((2, 2)), 0.0)
    >>> at_most.tolist(), at_least.tolist()
    ([[2.0, 1.0], [2.0, 2.0]], [[2.0, 2.0], [1.0, 2.0]])
    """
    runs, samples = sums.shape
    at_most = np.full((runs, runs), float(samples))
    at_least = at_most.copy()
    for i in range(runs - 1):
        difference = sums[i] - sums[i + 1 :]
        limit = limits[i, i + 1 :, None]
        low, high = _share(difference <= limit + tolerance), _share(difference >= limit - tolerance)
        at_most[i, i + 1 :] = at_least[i + 1 :, i] = low
        at_least[i, i + 1 :] = at_most[i + 1 :, i] = high
    return at_most, at_least


def _share(found: BoolArray) -> FloatArray:
    return np.asarray(np.count_nonzero(found, axis=1), dtype=np.float64)


def check_samples(samples: int) -> int:
    """How many samples are drawn; an error of the user's where it is none."""
    if samples < 1:
        raise ExcerptError(f"found {samples} samples, expected at least 1")
    return samples


def _blocks(samples: int, topics: int) -> Iterator[tuple[int, int]]:
    size = max(1, BLOCK // max(topics, 1))
    for start in range(0, samples, size):
        yield start, min(samples, start + size)
