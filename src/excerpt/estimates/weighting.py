"""Weights of sampled documents: of the whole sample, and of the sample without one drawn document each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from excerpt.model.spans import AnyArray, BoolArray, FloatArray, IntArray

#: Products with larger numbers are computed in integers of any size.
_MOST = 1 << 62


@dataclass(frozen=True)
class Strata:
    """Strata of a topic: the probability of inclusion in each, and how many documents were drawn of it."""

    probability: tuple[Fraction, ...]
    drawn: tuple[int, ...]

    @property
    def alone(self) -> bool:
        """Return whether a stratum has one drawn document, so that its scatter is unknown."""
        return any(p < 1 and n == 1 for p, n in zip(self.probability, self.drawn, strict=True))

    @property
    def repeated(self) -> BoolArray:
        """Mask of the sampled strata of which two or more documents were drawn."""
        pairs = zip(self.probability, self.drawn, strict=True)
        return np.array([p < 1 and n > 1 for p, n in pairs], np.bool_)

    @property
    def factor(self) -> FloatArray:
        """Factor of the squared deviations of each stratum in the variance: (1 - f) · (n - 1) / n."""
        pairs = zip(self.probability, self.drawn, strict=True)
        return np.array([float((1 - p) * max(n - 1, 0) / max(n, 1)) for p, n in pairs])

    def partner(self, lost: int = 0) -> FloatArray:
        """Weight of a document, given that another one of its stratum was drawn, when `lost` are left out."""
        pairs = zip(self.probability, self.drawn, strict=True)
        return np.array([float((n / p - 1) / (n - lost - 1)) if n > lost + 1 else 0.0 for p, n in pairs])


@dataclass(frozen=True, eq=False)
class Weighting:
    """Weights of a topic's documents, a row for each sample and for each document that is left out of one.

    Horvitz-Thompson weights are the inverse of the probability of inclusion. The first rows are the samples;
    in each further row one drawn document is left out (or one of `times` that have no relevant text, which
    are all alike) and the others of its stratum count for it. The scatter of these rows estimates the
    variance over samples; of a sum it is the usual unbiased estimate.
    """

    samples: int
    strata: Strata
    #: Stratum of each document; rows of integers, of which `scale` is a weight of 1.
    stratum: IntArray
    weights: AnyArray
    scale: int
    #: Weights of other documents of a stratum, given that one was drawn, by row and stratum.
    partner: FloatArray
    #: Of the rows with a document left out: sample, stratum, and how many documents they stand for.
    sample: IntArray
    left_out: IntArray
    times: IntArray

    @classmethod
    def of(cls, strata: Strata, stratum: IntArray, drawn: BoolArray, largest: int = 1) -> Weighting:
        """Make the weights of documents (columns) that were drawn in samples (rows).

        `largest` bounds the products with a weight: of relevant characters and 100.
        """
        again = strata.repeated
        terms = zip(strata.probability, strata.drawn, again.tolist(), strict=True)
        scale = math.lcm(*(p.numerator * (n - 1 if more else 1) for p, n, more in terms))
        base = [int(scale / p) for p in strata.probability]
        raised = [b * n // (n - 1) if r else b for b, n, r in zip(base, strata.drawn, again, strict=True)]
        kind = np.int64 if max(raised, default=1) * largest < _MOST else np.object_
        plain, more = np.array(base, kind), np.array(raised, kind)
        row, column = np.nonzero(drawn & again[stratum] if len(stratum) else drawn)
        strata_of = np.eye(len(base), dtype=np.int64)[stratum]
        counts = drawn.astype(np.int64) @ strata_of.reshape(-1, len(base))
        rest = np.where(again, np.array(strata.drawn, np.int64) - counts, 0)
        others, other = np.nonzero(rest)
        sample = np.concatenate((row, others))
        left_out = np.concatenate((stratum[column], other))
        full = np.where(drawn, plain[stratum], 0)
        left = np.where(left_out[:, None] == stratum, np.where(drawn[sample], more[stratum], 0), full[sample])
        left[np.arange(len(row)), column] = 0
        first, second = strata.partner(), strata.partner(1)
        of_left = np.where(left_out[:, None] == np.arange(len(base)), second, first)
        return cls(
            samples=len(drawn),
            strata=strata,
            stratum=stratum,
            weights=np.concatenate((full, left)),
            scale=scale,
            partner=np.concatenate((np.tile(first, (len(drawn), 1)), of_left)),
            sample=sample.astype(np.int64),
            left_out=left_out.astype(np.int64),
            times=np.concatenate((np.ones(len(row), np.int64), rest[others, other])),
        )

    def variances(self, scores: FloatArray) -> FloatArray:
        """Variance over samples, estimated from each sample, of scores by row; NaN if it is unknown."""
        return self.variances_of_left(scores[self.samples :])

    def variances_of_left(self, left: FloatArray) -> FloatArray:
        """The same from the scores with documents left out alone."""
        if self.strata.alone:
            return np.full(self.samples, np.nan)
        group = self.sample * len(self.strata.drawn) + self.left_out
        groups = self.samples * len(self.strata.drawn)
        count = np.tile(np.maximum(np.array(self.strata.drawn, np.int64), 1), self.samples)
        mean = np.bincount(group, self.times * left, minlength=groups) / count
        squares = np.bincount(group, self.times * (left - mean[group]) ** 2, minlength=groups)
        return np.asarray(squares.reshape(self.samples, -1) @ self.strata.factor)
