"""Error rates of samples of topics about which of two runs is better, with their standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from excerpt.model.spans import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SampleErrors:
    """Errors and ties in comparisons of pairs of runs, over all samples and without each of them."""

    wrong: int
    tied: int
    comparisons: int
    #: Errors that are left without each sample, in the comparisons that are left.
    wrong_without: IntArray
    comparisons_without: int

    @classmethod
    def of_shared(cls, orders: IntArray) -> SampleErrors:
        """Errors of samples (rows) that may share topics: for each pair of runs the minority of them errs.

        >>> SampleErrors.of_shared(np.array([[1, 0], [1, 1], [-1, 1], [1, 1]])).row()["error_rate"]
        0.125
        """
        more, less = (orders > 0).sum(axis=0), (orders < 0).sum(axis=0)
        # Without a sample of the minority, or of two parts of the same size, there is an error less.
        fewer = ((orders > 0) & (more <= less)) | ((orders < 0) & (less <= more))
        wrong, (samples, pairs) = int(np.minimum(more, less).sum()), orders.shape
        return cls(
            wrong, int((orders == 0).sum()), orders.size, wrong - fewer.sum(axis=1), (samples - 1) * pairs
        )

    @classmethod
    def of_disjoint(cls, one: IntArray, other: IntArray) -> SampleErrors:
        """Errors of pairs of samples that share no topics: a pair of runs errs if they contradict."""
        errs, tied = one * other < 0, int((one * other == 0).sum())
        wrong, (samples, pairs) = int(errs.sum()), one.shape
        return cls(wrong, tied, one.size, wrong - errs.sum(axis=1), max(samples - 1, 0) * pairs)

    @property
    def rate(self) -> float | None:
        """Errors per comparison; None without comparisons."""
        return self.wrong / self.comparisons if self.comparisons else None

    @property
    def rates_without(self) -> FloatArray:
        """The rate without each sample; empty if there are fewer than two."""
        if not self.comparisons_without:
            return np.empty(0)
        return np.asarray(self.wrong_without / self.comparisons_without)

    def row(self) -> dict[str, Any]:
        """Columns of a row: error rate with its standard error, ties, comparisons."""
        return {
            "error_rate": self.rate,
            "standard_error": jackknife_error(self.rates_without),
            "ties": self.tied / self.comparisons if self.comparisons else None,
            "comparisons": self.comparisons,
        }

    def versus(self, other: SampleErrors | None) -> dict[str, float | None]:
        """Columns of the difference from the errors of another measure (or none) on the same samples."""
        if other is None or self.rate is None or other.rate is None:
            return {"difference": None, "difference_standard_error": None}
        return {
            "difference": self.rate - other.rate,
            "difference_standard_error": jackknife_error(self.rates_without - other.rates_without),
        }


def jackknife_error(without: FloatArray) -> float | None:
    """Standard error of an estimate from those without each sample; None of fewer than two.

    It is sqrt((n - 1) / n * sum of squared deviations from their mean), with n samples (Quenouille, Tukey).

    >>> jackknife_error(np.array([0.25, 0.5, 0.5, 0.75]))
    0.30618621784789724
    """
    count = len(without)
    if count < 2:
        return None
    mean = math.fsum(without.tolist()) / count
    return math.sqrt((count - 1) / count * math.fsum(((without - mean) ** 2).tolist()))
