"""Weights of sampled documents: of the whole sample, and of the sample without one drawn document each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from excerpt.model.spans import AnyArray, BoolArray, FloatArray, IntArray

#: Products with larger numbers are computed in integers of any size.
_MOST = 1 << 62
#: Number of random splits into halves, and their seed.
_SPLITS = 12
_SEED = 2008


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

    @property
    def whole(self) -> FloatArray:
        """Number of documents of each stratum."""
        pairs = zip(self.probability, self.drawn, strict=True)
        return np.array([float(n / p) if p else 0.0 for p, n in pairs])

    def partner(self, drawn: IntArray | None = None) -> FloatArray:
        """Weight of a document, given that another one of its stratum is one of those `drawn`."""
        count = np.array(self.drawn, np.int64) if drawn is None else drawn
        return np.where(count > 1, (self.whole - 1) / np.maximum(count - 1, 1), 0.0)

    @property
    def fraction(self) -> float:
        """Proportion of the documents of the sampled strata that were drawn."""
        some = self.repeated
        return float(np.array(self.drawn)[some].sum() / self.whole[some].sum()) if some.any() else 1.0


@dataclass(frozen=True, eq=False)
class Weighting:
    """Weights of a topic's documents, a row for each sample, for each document left out, for each half.

    Horvitz-Thompson weights are the inverse of the probability of inclusion. The first rows are the samples.
    Then in each row one drawn document is left out (or one of `times` that have no relevant text, which are
    all alike) and the others of its stratum count for it. The scatter of these rows estimates the variance
    over samples; of a sum it is the usual unbiased estimate. Maxima jump when a document is left out, and a
    maximum of estimates is too high: for them each sample is also split at random into `halves`, whose
    weights come last. What the halves are higher than the whole shows its bias, and their differences its
    variance.
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
    #: Number of halves of each sample.
    halves: int = 0

    @classmethod
    def of(
        cls, strata: Strata, stratum: IntArray, drawn: BoolArray, largest: int = 1, *, halved: bool = False
    ) -> Weighting:
        """Make the weights of documents (columns) that were drawn in samples (rows).

        `largest` bounds the products with a weight: of relevant characters and 100.
        """
        again, counts = strata.repeated, np.array(strata.drawn, np.int64)
        halved = halved and bool(again.any())
        small = counts // 2
        scale = math.lcm(
            *(
                (p.numerator or 1)
                * ((n - 1) * (math.lcm(n // 2, n - n // 2) if halved else 1) if more else 1)
                for p, n, more in zip(strata.probability, strata.drawn, again.tolist(), strict=True)
            )
        )
        base = [int(scale / p) if p else 0 for p in strata.probability]

        def raised(of: IntArray) -> list[int]:
            terms = zip(base, strata.drawn, of.tolist(), again.tolist(), strict=True)
            return [one * n // m if more else one for one, n, m, more in terms]

        ends = (raised(counts - 1), raised(small), raised(counts - small))
        most = max((one for end in ends for one in end), default=1)
        kind = np.int64 if most * largest < _MOST else np.object_
        plain, left_one, left_half, left_rest = (np.array(one, kind) for one in (base, *ends))
        row, column = np.nonzero(drawn & again[stratum] if len(stratum) else drawn)
        of_stratum = np.eye(len(base), dtype=np.int64)[stratum]
        rest = np.where(again, counts - drawn.astype(np.int64) @ of_stratum, 0)
        others, other = np.nonzero(rest)
        sample, left_out = np.concatenate((row, others)), np.concatenate((stratum[column], other))
        full = np.where(drawn, plain[stratum], 0)
        mine = left_out[:, None] == stratum
        left = np.where(mine, np.where(drawn[sample], left_one[stratum], 0), full[sample])
        left[np.arange(len(row)), column] = 0
        first = strata.partner()
        of_left = np.where(
            left_out[:, None] == np.arange(len(base)),
            strata.partner(np.where(again, counts - 1, counts)),
            first,
        )
        weights, partner = [full, left], [np.tile(first, (len(drawn), 1)), of_left]
        if halved:
            side = _sides(strata, stratum, drawn)
            inside = np.stack((side, ~side), axis=2) | ~again[stratum]
            split = np.where(inside, drawn[:, None, None, :], 0)
            high = np.where(again[stratum], np.stack((left_half, left_rest))[:, stratum], plain[stratum])
            weights.append((split * high).reshape(len(drawn) * 2 * _SPLITS, len(stratum)))
            sizes = np.stack((np.where(again, small, counts), np.where(again, counts - small, counts)))
            both = np.stack([strata.partner(one) for one in sizes])
            partner.append(np.tile(both, (len(drawn) * _SPLITS, 1)))
        return cls(
            samples=len(drawn),
            strata=strata,
            stratum=stratum,
            weights=np.concatenate(weights),
            scale=scale,
            partner=np.concatenate(partner),
            sample=sample.astype(np.int64),
            left_out=left_out.astype(np.int64),
            times=np.concatenate((np.ones(len(row), np.int64), rest[others, other])),
            halves=2 * _SPLITS if halved else 0,
        )

    def _halves(self, others: FloatArray) -> FloatArray:
        """Scores of the halves, by sample, of scores of all rows but the first."""
        return others[len(self.sample) :].reshape(self.samples, self.halves)

    def estimates(self, scores: FloatArray) -> FloatArray:
        """Scores by sample of scores by row, without the bias that the halves show."""
        own = scores[: self.samples]
        if not self.halves:
            return own
        halves = np.nan_to_num(self._halves(scores[self.samples :]))
        bias = (1 - self.strata.fraction) * (halves.mean(axis=1) - own)
        return np.where(np.isnan(own), np.nan, np.clip(own - bias, 0.0, 1.0))

    def variances(self, others: FloatArray) -> FloatArray:
        """Variance over samples, estimated from each sample, of scores of all rows but the first.

        It is NaN if it is unknown. Of a maximum that by single documents is too large, that by halves too
        small: their mean is taken.
        """
        if self.strata.alone:
            return np.full(self.samples, np.nan)
        left = others[: len(self.sample)]
        group = self.sample * len(self.strata.drawn) + self.left_out
        groups = self.samples * len(self.strata.drawn)
        count = np.tile(np.maximum(np.array(self.strata.drawn, np.int64), 1), self.samples)
        mean = np.bincount(group, self.times * left, minlength=groups) / count
        squares = np.bincount(group, self.times * (left - mean[group]) ** 2, minlength=groups)
        by_one = np.asarray(squares.reshape(self.samples, -1) @ self.strata.factor)
        if not self.halves:
            return by_one
        halves = self._halves(others)
        by_half = ((halves[:, 0::2] - halves[:, 1::2]) ** 2).mean(axis=1) / 4
        return np.asarray((by_one + (1 - self.strata.fraction) * by_half) / 2)


def _sides(strata: Strata, stratum: IntArray, drawn: BoolArray) -> BoolArray:
    """Which documents are in the first half, by sample and split; the same for the same sizes."""
    side = np.zeros((len(drawn), _SPLITS, len(stratum)), np.bool_)
    random = np.random.default_rng(_SEED)
    for number, (again, size) in enumerate(zip(strata.repeated.tolist(), strata.drawn, strict=True)):
        columns = np.flatnonzero(stratum == number)
        if not again or not len(columns):
            continue
        splits = random.permuted(np.tile(np.arange(size) < size // 2, (_SPLITS, 1)), axis=1)
        place = np.cumsum(drawn[:, columns], axis=1) - 1
        side[:, :, columns] = np.moveaxis(splits[:, np.maximum(place, 0)], 0, 1)
    return side
