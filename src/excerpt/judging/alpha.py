"""Krippendorff's alpha of any number of judges, some of whose judgments are missing.

K. Krippendorff: Content Analysis, 2nd edition, 2004, chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import FloatArray, IntArray, sums
from excerpt.stats.resampling import check_samples, resampled_counts

#: Two values differ or not (nominal), or by the values that lie between them (ordinal).
AlphaScale: TypeAlias = Literal["nominal", "ordinal"]
SCALES: tuple[AlphaScale, ...] = ("nominal", "ordinal")
#: A lower and an upper limit, None if undefined.
AlphaInterval: TypeAlias = "list[float] | None"
_TAIL = 0.025
_BLOCK = 1 << 21  # numbers in one block of resamples
_BITS = 31


def whole_sum(values: IntArray) -> int:
    """Sum of whole numbers from 0 to 2**63-1, which may itself be larger.

    >>> whole_sum(np.array([2**62, 2**62, 1])) == 2**63 + 1
    True
    """
    return (int((values >> _BITS).sum()) << _BITS) + int((values & ((1 << _BITS) - 1)).sum())


class Ratings:
    """Values of judged units: of each judgment the number of its unit, and its value.

    >>> ratings = Ratings(np.array([0, 0, 1, 1, 2]), np.array([1, 1, 0, 1, 5]))
    >>> ratings.alpha("nominal")
    Fraction(0, 1)
    """

    def __init__(self, unit: IntArray, value: IntArray) -> None:
        count = np.bincount(unit) if len(unit) else np.zeros(0, np.int64)
        paired = count[unit] > 1 if len(unit) else np.zeros(0, np.bool_)
        units, self._unit = np.unique(unit[paired], return_inverse=True)
        self._values, self._value = np.unique(value[paired], return_inverse=True)
        #: Number of judgments of each unit that two or more judged.
        self._judged = count[units].astype(np.int64)

    @property
    def units(self) -> int:
        """Number of units that two or more judged."""
        return len(self._judged)

    def alpha(self, scale: AlphaScale) -> Fraction | None:
        """Observed over expected disagreement, subtracted from 1; None if no disagreement is expected."""
        total = len(self._value)
        if scale == "nominal":
            same = np.unique(self._unit * max(len(self._values), 1) + self._value, return_counts=True)
            unit = same[0] // max(len(self._values), 1)
            apart = self._judged**2 - sums(unit, same[1].astype(np.int64) ** 2, self.units)
            counts = np.bincount(self._value, minlength=len(self._values))
            expected = total * total - whole_sum(counts.astype(np.int64) ** 2)
        else:
            rank = self._ranks[self._value]
            apart = 2 * self._judged * sums(self._unit, rank * rank, self.units)
            apart -= 2 * sums(self._unit, rank, self.units) ** 2
            expected = 2 * (total * whole_sum(rank * rank) - int(rank.sum()) ** 2)
        if not expected:
            return None
        observed = sum(
            (Fraction(whole_sum(apart[self._judged == m]), m - 1) for m in np.unique(self._judged).tolist()),
            Fraction(0),
        )
        return 1 - (total - 1) * observed / expected

    @cached_property
    def _ranks(self) -> IntArray:
        """Twice the number of judgments with a lower value, and once those with the same, by value."""
        counts = np.bincount(self._value, minlength=len(self._values)).astype(np.int64)
        return 2 * np.cumsum(counts) - counts

    def interval(self, scale: AlphaScale, *, samples: int, seed: int) -> AlphaInterval:
        """Interval that contains alpha and 95 % of its defined values when units are drawn anew."""
        value = self.alpha(scale)
        if value is None or self.units < 2:
            return None
        resampled = self._resampled(scale, check_samples(samples), np.random.default_rng(seed))
        return limits(value, resampled)

    @cached_property
    def _patterns(self) -> _Patterns:
        """Units with the same values are drawn as one: rows of counts by value, and how often each occurs."""
        size = max(len(self._values), 1)
        order = np.lexsort((self._value, self._unit))
        value, start = self._value[order], np.cumsum(self._judged) - self._judged
        counts, times = [], []
        for judged in np.unique(self._judged).tolist():
            first = start[self._judged == judged]
            rows, number = np.unique(value[first[:, None] + np.arange(judged)], axis=0, return_counts=True)
            cell = np.arange(len(rows))[:, None] * size + rows
            counts.append(np.bincount(cell.ravel(), minlength=len(rows) * size).reshape(-1, size))
            times.append(number)
        return _Patterns(np.concatenate(counts).astype(np.float64), np.concatenate(times))

    def _resampled(self, scale: AlphaScale, samples: int, rng: np.random.Generator) -> FloatArray:
        patterns = self._patterns
        counts, times = patterns
        block = max(_BLOCK // max(len(times), counts.shape[1]), 1)
        return np.concatenate(
            [
                patterns.alphas(scale, _drawn(times, min(block, samples - done), rng))
                for done in range(0, samples, block)
            ]
        )


def _drawn(times: IntArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """How often units of each pattern are drawn, as many as there are, in each sample."""
    units = int(times.sum())
    if len(times) == units:
        return resampled_counts(units, samples, rng).T.astype(np.float64)
    return rng.multinomial(units, times / units, size=samples).astype(np.float64)


class _Patterns(NamedTuple):
    """Different combinations of values: the count of each value, and how many units have them."""

    counts: FloatArray
    times: IntArray

    def alphas(self, scale: AlphaScale, drawn: FloatArray) -> FloatArray:
        """Alpha in each sample, from how often units of each pattern were drawn; NaN if undefined."""
        judged = self.counts.sum(axis=1)
        values = drawn @ self.counts
        total = values.sum(axis=1)
        if scale == "nominal":
            apart = (judged**2 - (self.counts**2).sum(axis=1)) / (judged - 1)
            observed, expected = drawn @ apart, total**2 - (values**2).sum(axis=1)
        else:
            rank = 2 * np.cumsum(values, axis=1) - values
            squares, together = rank**2 @ self.counts.T, rank @ self.counts.T
            observed = (drawn * 2 * (judged * squares - together**2) / (judged - 1)).sum(axis=1)
            expected = 2 * (total * (values * rank**2).sum(axis=1) - (values * rank).sum(axis=1) ** 2)
            expected[(values > 0).sum(axis=1) < 2] = 0  # not only nearly
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - (total - 1) * observed / expected, np.nan)


class WeightedRatings:
    """Values of units that are counted by their combinations, such as characters of documents.

    >>> WeightedRatings([{(0, 0): 3, (0, 1): 1}, {(1, 1): 1}]).alpha("nominal")
    Fraction(4, 7)
    """

    def __init__(self, documents: Sequence[Mapping[tuple[int, ...], int]]) -> None:
        cells: dict[tuple[int, ...], int] = {}
        rows = []
        for at, document in enumerate(documents):
            for values, weight in document.items():
                if weight and len(values) > 1:
                    rows.append((at, cells.setdefault(tuple(sorted(values)), len(cells)), weight))
        self._documents, self._cells = len(documents), list(cells)
        self._values = sorted({value for values in cells for value in values})
        row, cell, weights = np.array(rows, np.int64).reshape(-1, 3).T
        self._weights = np.zeros((len(documents), len(cells)), np.int64)
        np.add.at(self._weights, (row, cell), weights)

    def alpha(self, scale: AlphaScale) -> Fraction | None:
        """Observed over expected disagreement, subtracted from 1; None if no disagreement is expected."""
        weights = self._weights.sum(axis=0).tolist()
        counts = dict.fromkeys(self._values, 0)
        for values, weight in zip(self._cells, weights, strict=True):
            for value in values:
                counts[value] += weight
        ranks, below = {}, 0
        for value, count in counts.items():
            ranks[value], below = 2 * below + count, below + count

        def apart(one: int, two: int) -> int:
            return int(one != two) if scale == "nominal" else (ranks[one] - ranks[two]) ** 2

        expected = sum(
            2 * counts[one] * counts[two] * apart(one, two) for one, two in combinations(self._values, 2)
        )
        observed = sum(
            (
                Fraction(2 * weight * sum(apart(*two) for two in combinations(values, 2)), len(values) - 1)
                for values, weight in zip(self._cells, weights, strict=True)
            ),
            Fraction(0),
        )
        return 1 - (below - 1) * observed / expected if expected else None

    def interval(self, scale: AlphaScale, *, samples: int, seed: int) -> AlphaInterval:
        """Interval that contains alpha and 95 % of its defined values when documents are drawn anew."""
        value = self.alpha(scale)
        if value is None or self._documents < 2:
            return None
        drawn = resampled_counts(self._documents, samples, np.random.default_rng(seed)).T @ self._weights
        counts = np.array([[values.count(value) for value in self._values] for values in self._cells])
        patterns = _Patterns(counts.astype(np.float64), np.zeros(0, np.int64))
        return limits(value, patterns.alphas(scale, drawn.astype(np.float64)))


def limits(value: Fraction, resampled: FloatArray) -> AlphaInterval:
    """Return the limits that contain a value and 95 % of its defined resampled values."""
    defined = resampled[~np.isnan(resampled)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [_TAIL, 1 - _TAIL]).tolist()
    return [min(low, float(value)), max(high, float(value))]


def as_float(value: Fraction | None) -> float | None:
    """Return a fraction as the nearest number; None stays."""
    return None if value is None else float(value)
