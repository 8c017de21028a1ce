"""Resampled sums of scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray, IntArray

_BITS = 44  # significant bits of a score; the others are rounding noise
_LEAST = -1022  # exponent of the smallest unit, so that it is a normal double
BLOCK = 1 << 16  # number of doubles in one block of resamples, which stays in the cache
_COMPARED = 1 << 22  # number of places in samples that are compared at once, up to 8 MB


class ScoreUnits(NamedTuple):
    """Scores as whole numbers (in doubles) of a unit that is a power of two.

    A sum over resampled topics of differences of scores is wrong by less than `tolerance`, two units per
    topic, so a true sum of 0 is never taken for a difference: 0.1 + 0.2 - 0.3 is 0.

    >>> units = ScoreUnits.of(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]]))
    >>> sums = units.values.sum(axis=1)
    >>> bool(abs(sums[0] - sums[1]) <= units.tolerance), units.tolerance
    (True, 6.0)
    """

    values: FloatArray
    unit: float
    tolerance: float

    @classmethod
    def of(cls, scores: FloatArray) -> ScoreUnits:
        """Convert scores of runs (rows) on topics (columns) to a unit whose sums are exact."""
        largest = float(np.abs(scores).max(initial=0.0))
        topics = scores.shape[-1]
        bits = min(_BITS, 51 - int(np.ceil(np.log2(max(topics, 2)))))
        exponent = max(int(np.frexp(largest)[1]) - bits, _LEAST)
        return cls(np.rint(np.ldexp(scores, -exponent)), float(np.ldexp(1.0, exponent)), 2.0 * topics)


def resampled_sums(units: ScoreUnits, samples: int, rng: np.random.Generator) -> FloatArray:
    """Sums in units of each run over as many topics, drawn with replacement; a column per sample."""
    runs, topics = units.values.shape
    sums = np.empty((check_samples(samples), runs))
    for start, stop in _blocks(samples, topics):
        sums[start:stop] = _drawn(topics, stop - start, rng).T.astype(np.float64) @ units.values.T
    return sums.T


def resampled_counts(topics: int, samples: int, rng: np.random.Generator) -> IntArray:
    """Number of times each topic is drawn in the samples of `resampled_sums`; a column per sample.

    >>> resampled_counts(3, 4, np.random.default_rng(1)).sum(axis=0).tolist()
    [3, 3, 3, 3]
    """
    blocks = [_drawn(topics, stop - start, rng) for start, stop in _blocks(check_samples(samples), topics)]
    return np.concatenate(blocks, axis=1)


def _drawn(topics: int, samples: int, rng: np.random.Generator) -> IntArray:
    drawn = rng.integers(topics, size=(samples, topics))
    drawn += topics * np.arange(samples)[:, None]
    return np.bincount(drawn.ravel(), minlength=topics * samples).reshape(-1, topics).T


def flipped_sums(units: ScoreUnits, samples: int, rng: np.random.Generator) -> FloatArray:
    """Sums in units with a random sign on each topic, the same for all runs; a column per sample."""
    runs, topics = units.values.shape
    sums = np.empty((check_samples(samples), runs))
    for start, stop in _blocks(samples, topics):
        signs = 2.0 * rng.integers(2, size=(stop - start, topics)) - 1.0
        sums[start:stop] = signs @ units.values.T
    return sums.T


def all_flipped_sums(units: ScoreUnits) -> FloatArray:
    """Sums in units with every choice of signs, of which there are 2 to the number of topics."""
    topics = units.values.shape[1]
    signs = 2.0 * ((np.arange(1 << topics)[:, None] >> np.arange(topics)) & 1) - 1.0
    return np.asarray(units.values @ signs.T)


def count_not_above(values: FloatArray, tolerance: float) -> FloatArray:
    """Number of samples (columns), for every pair of runs (i, j), with values[i] - values[j] <= tolerance.

    Values are whole numbers, so that places in the order of a sample decide as the differences do.

    >>> count_not_above(np.array([[1.0, 5.0], [1.0, 2.0]]), 0.0).tolist()
    [[2.0, 1.0], [2.0, 2.0]]
    """
    runs, samples = values.shape
    counts = np.diag(np.full(runs, float(samples)))
    for start, stop in _blocks(samples, runs, _COMPARED):
        place, tied = _places(np.ascontiguousarray(values[:, start:stop].T), tolerance)
        counts += tied
        for run in range(runs - 1):
            before = np.array([np.count_nonzero(row) for row in place[run] < place[run + 1 :]])
            counts[run, run + 1 :] += before
            counts[run + 1 :, run] += stop - start - before
    return counts


def _places(values: FloatArray, tolerance: float) -> tuple[IntArray, IntArray]:
    """Place of each run in the order of each sample (rows), in the narrowest type, by run and sample.

    Also how often each run comes after each other one but within the tolerance of it.
    """
    samples, runs = values.shape
    place = np.empty((runs, samples), np.min_scalar_type(runs))
    position = np.arange(runs, dtype=place.dtype)
    tied = np.zeros(runs * runs, np.int64)
    for start, stop in _blocks(samples, runs):
        block = values[start:stop]
        order = np.argsort(block, axis=1)
        flat = order + runs * np.arange(len(block))[:, None]
        own = np.empty(block.size, place.dtype)
        own[flat] = position
        place[:, start:stop] = own.reshape(block.shape).T
        # A column that is near to nothing ends each sample.
        ascending = np.pad(block.ravel().take(flat), ((0, 0), (0, 1)), constant_values=np.nan).ravel()
        run = np.pad(order, ((0, 0), (0, 1))).ravel()
        apart = 1
        near = np.flatnonzero(ascending[1:] - ascending[:-1] <= tolerance)
        while near.size:
            np.add.at(tied, run.take(near + apart) * runs + run.take(near), 1)
            apart += 1
            near = near[ascending.take(near + apart) - ascending.take(near) <= tolerance]
    return place, tied.reshape(runs, runs)


def check_samples(samples: int) -> int:
    """Return the number of samples; raise an error if it is below 1."""
    if samples < 1:
        raise ExcerptError(f"found {samples} samples, expected at least 1")
    return samples


def _blocks(samples: int, width: int, most: int = 0) -> Iterator[tuple[int, int]]:
    size = max(1, (most or BLOCK) // max(width, 1))
    for start in range(0, samples, size):
        yield start, min(samples, start + size)
