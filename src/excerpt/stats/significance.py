"""Significance tests, families of tests and corrections."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.stats import check_test
from excerpt.stats.correlation import average_ranks
from excerpt.stats.intervals import clean_differences
from excerpt.stats.resampling import (
    BLOCK,
    Units,
    all_flipped_sums,
    check_samples,
    count_not_above,
    flipped_sums,
    resampled_sums,
)
from excerpt.stats.variance import Variance

Test: TypeAlias = Callable[[FloatArray, int, np.random.Generator], FloatArray]

#: Up to so many topics a permutation test takes every choice of signs.
EXACT_FLIPS = 12
#: Up to so many differences without ties Wilcoxon's distribution is exact (as scipy has it), else normal.
EXACT_RANKS = 50
_NOISE = 1e-12


def p_values(
    scores: FloatArray,
    test: str = "bootstrap",
    *,
    samples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """One-sided p-values by one of `TESTS`: p[i, j] is small where run i is better than run j.

    `samples` and `rng` (default: seeded with 1) matter to tests that draw at random.

    >>> scores = np.array([[0.5, 0.6, 0.7, 0.4], [0.1, 0.5, 0.2, 0.3]])
    >>> p_values(scores, "sign").tolist()
    [[1.0, 0.0625], [1.0, 1.0]]
    """
    check_test(test)
    check_scores(scores)
    found = TESTS[test](scores, samples, rng or np.random.default_rng(1))
    np.fill_diagonal(found, 1.0)
    return found


def check_scores(scores: FloatArray) -> None:
    """Nothing can be compared without two runs, two topics, and a score of every run on every topic."""
    runs, topics = scores.shape
    if runs < 2:
        raise ExcerptError(f"found {plural(runs, 'run')}, expected at least 2 to compare")
    if topics < 2:
        raise ExcerptError(f"found {plural(topics, 'topic')} with scores of all runs, expected at least 2")
    if not np.isfinite(scores).all():
        raise ExcerptError("found scores that are not numbers, expected topics with scores of all runs")


def bootstrap(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """The share of resamples of topics, with replacement, whose mean difference is not above 0 (eq. 13)."""
    units = Units.of(scores)
    return p_of_sums(units, resampled_sums(units, samples, rng))


def p_of_sums(units: Units, sums: FloatArray, *, plus_one: bool = False) -> FloatArray:
    """The bootstrap's p-values from resampled sums, which confidence intervals can share.

    `plus_one` gives (count + 1) / (samples + 1), which is never 0.
    """
    runs, samples = sums.shape
    at_most, _ = count_not_above(sums, np.zeros((runs, runs)), units.tolerance)
    return np.asarray((at_most + 1) / (samples + 1) if plus_one else at_most / samples)


def permutation(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """The share of choices of signs of the differences that give a sum no smaller than the one found.

    Up to 12 topics all choices are taken; else (count + 1) / (samples + 1) of random ones.
    """
    units = Units.of(scores)
    totals = units.values.sum(axis=1)
    exact = scores.shape[1] <= EXACT_FLIPS
    sums = all_flipped_sums(units) if exact else flipped_sums(units, samples, rng)
    # Both sums, the one found and the flipped one, are wrong by up to the tolerance.
    _, at_least = count_not_above(sums, totals[:, None] - totals, 2 * units.tolerance)
    more = 0 if exact else 1
    return np.asarray((at_least + more) / (sums.shape[1] + more))


def student(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Student's t of paired differences, by scipy; a constant difference is certain."""
    from scipy.special import stdtr

    runs, topics = scores.shape
    found = np.empty((runs, runs))
    noise = _NOISE * float(np.abs(scores).max(initial=0.0))
    for i in range(runs):
        difference = scores[i] - scores
        mean, spread = difference.mean(axis=1), difference.std(axis=1, ddof=1)
        constant = spread <= noise
        t = mean / np.where(constant, 1.0, spread) * math.sqrt(topics)
        found[i] = np.where(constant, np.where(mean > noise, 0.0, 1.0), stdtr(topics - 1.0, -t))
    return found


def sign(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """The sign test: equal scores are left out, the others are heads or tails."""
    runs = len(scores)
    found = np.empty((runs, runs))
    for i in range(runs):
        difference = clean_differences(scores, i)
        above, below = (difference > 0).sum(axis=1), (difference < 0).sum(axis=1)
        found[i] = [_heads(int(n))[int(k)] for k, n in zip(above, above + below, strict=True)]
    return found


def wilcoxon(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Wilcoxon's signed ranks: equal scores are left out; exact for up to 50 differences, tied or not.

    With more differences it is the normal approximation, corrected for ties but not for continuity.
    """
    runs = len(scores)
    found = np.ones((runs, runs))
    for i in range(runs - 1):
        difference = clean_differences(scores, i)[i + 1 :]
        size = np.where(difference == 0, np.inf, np.abs(difference))
        ranks = average_ranks(size)
        counted = difference != 0
        n = counted.sum(axis=1)
        tied = np.where(counted, ranks.ties.astype(np.float64) ** 2 - 1, 0.0).sum(axis=1)
        above = np.where(difference > 0, ranks.rank, 0.0).sum(axis=1)
        below = np.where(difference < 0, ranks.rank, 0.0).sum(axis=1)
        for row in range(len(difference)):
            shape = int(n[row]), float(tied[row])
            tail: Callable[[float, int, float], float] = _rank_tail
            if tied[row] and n[row] <= EXACT_RANKS:
                tail = _tied_tail(np.sort(ranks.rank[row][counted[row]]))
            found[i, i + 1 + row] = tail(float(above[row]), *shape)
            found[i + 1 + row, i] = tail(float(below[row]), *shape)
    return found


def _rank_tail(total: float, n: int, tied: float) -> float:
    """The chance that n signed ranks sum to `total` or more; `tied` sums t³ - t over groups of ties."""
    if n == 0:
        return 1.0
    if n <= EXACT_RANKS and tied == 0:
        return float(_rank_sums(n)[round(total)])
    variance = n * (n + 1) * (2 * n + 1) / 24 - tied / 48
    return 0.5 * math.erfc((total - n * (n + 1) / 4) / math.sqrt(2 * variance))


def _tied_tail(ranks: FloatArray) -> Callable[[float, int, float], float]:
    """The chance that a random half of tied ranks sums to a total or more; doubled, they are whole."""
    chance = _half_sums(np.rint(2 * ranks).astype(np.int64).tolist())
    return lambda total, _n, _tied: float(chance[round(2 * total)])


@lru_cache(maxsize=EXACT_RANKS + 1)
def _rank_sums(n: int) -> FloatArray:
    """The chance that a random half of the ranks 1…n sums to w or more, for every w."""
    return _half_sums(range(1, n + 1))


def _half_sums(ranks: Sequence[int]) -> FloatArray:
    """The chance that a random half of whole numbers sums to w or more, for every w; counts fit 53 bits."""
    ways = np.ones(1)
    for rank in ranks:
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    return np.asarray(np.cumsum(ways[::-1])[::-1] / 2.0 ** len(ranks))


@lru_cache(maxsize=1024)
def _heads(n: int) -> tuple[float, ...]:
    """The chance of k or more heads in n throws, for k = 0…n, correctly rounded."""
    ways, tail = 1, 0
    chances = []
    for k in range(n, -1, -1):
        tail += ways
        chances.append(tail / (1 << n))
        ways = ways * k // (n - k + 1)
    return tuple(reversed(chances))


#: Every test by its name on the command line.
TESTS: dict[str, Test] = {
    "bootstrap": bootstrap,
    "t": student,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "permutation": permutation,
}


#: Up to so many arrangements all are taken.
EXACT_ARRANGEMENTS = 1 << 12


class Family(NamedTuple):
    """Of all pairs: the two-sided chance that any pair of like runs differs so much; and what is significant.

    `least` is the difference that a pair must exceed at the alpha that was asked for.
    """

    p: FloatArray
    least: float


FamilyTest: TypeAlias = Callable[[FloatArray, float, int, np.random.Generator], Family]


def tukey(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> Family:
    """Scores of each topic are dealt out to the runs anew; the largest difference of means is what counts.

    With up to 4096 ways to deal them all are taken, else (count + 1) / (samples + 1) of random ones.

    >>> scores = np.array([[0.5, 0.6, 0.7], [0.1, 0.5, 0.2], [0.3, 0.3, 0.3]])
    >>> (36 * tukey(scores, 0.05, 100, np.random.default_rng(1)).p).round(9).tolist()
    [[36.0, 7.0, 10.0], [7.0, 36.0, 36.0], [10.0, 36.0, 36.0]]
    """
    check_scores(scores)
    runs, topics = scores.shape
    units = Units.of(scores)
    check_samples(samples)
    # Two runs have the fewest arrangements; of more topics than these could have, there is no need to ask.
    exact = 2 ** (topics - 1) <= EXACT_ARRANGEMENTS >= math.factorial(runs) ** (topics - 1)
    dealt = _every_deal(units.values) if exact else _random_deals(units.values, samples, rng)
    ranges = np.sort(np.concatenate([np.ptp(sums, axis=1) for sums in dealt]))
    totals = units.values.sum(axis=1)
    # Both, the difference found and the range, are wrong by up to the tolerance.
    found = np.abs(totals[:, None] - totals) - 2 * units.tolerance
    reached = len(ranges) - np.searchsorted(ranges, found, side="left")
    more = 0 if exact else 1
    allowed = math.floor(alpha * (1 + 1e-12) * (len(ranges) + more)) - more
    # Where no difference can be significant with so few samples, none exceeds what is least.
    least = ranges[-1 - allowed] if allowed >= 0 else max(float(ranges[-1]), float(found.max()))
    return Family((reached + more) / (len(ranges) + more), float(least) * units.unit / topics)


def _every_deal(values: FloatArray) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for every deal; runs may change places, so the first topic stays."""
    orders = np.array(list(itertools.permutations(range(len(values)))))
    sums = values[:, 0][None]
    for scores in values.T[1:]:
        sums = (sums[:, None] + scores[orders]).reshape(-1, len(values))
    yield sums


def _random_deals(values: FloatArray, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for deals at random (rows)."""
    step = max(1, BLOCK // values.size)
    for start in range(0, samples, step):
        dealt = np.repeat(values.T[None], min(step, samples - start), axis=0)
        yield rng.permuted(dealt, axis=2, out=dealt).sum(axis=1)


def anova(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> Family:  # noqa: ARG001
    """Tukey's HSD: differences of means beside the variance that runs and topics leave unexplained."""
    check_scores(scores)
    return Family(*Variance.of(scores).honest(scores, alpha))


#: Every test of a family by its name on the command line.
FAMILIES: dict[str, FamilyTest] = {"tukey": tukey, "anova": anova}


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


def correct_pairs(
    p: FloatArray, correction: str = "by", alpha: float = 0.05, *, of: int | None = None
) -> Corrected:
    """Decide on a matrix of ordered pairs of N runs: N(N - 1) hypotheses, for the diagonal is none.

    With `of`, the place of a run, only the pairs that it is in are decided on.

    >>> p = np.array([[1.0, 0.01], [0.99, 1.0]])
    >>> correct_pairs(p, "bonferroni").adjusted.tolist()
    [[1.0, 0.02], [1.0, 1.0]]
    """
    pairs = ~np.eye(len(p), dtype=np.bool_)
    if of is not None:
        pairs &= (np.arange(len(p)) == of) | (np.arange(len(p)) == of)[:, None]
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
