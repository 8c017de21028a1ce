"""Significance tests of pairs of runs, tests of all pairs together, and corrections for many tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.stats import check_test, resampling
from excerpt.stats.correlation import average_ranks
from excerpt.stats.intervals import clean_differences
from excerpt.stats.variance import Variance

Test: TypeAlias = Callable[[FloatArray, int, np.random.Generator], FloatArray]

EXACT_FLIPS = 12  # largest number of topics for which a permutation test takes every choice of signs
#: Largest number of differences, tied or not, with an exact Wilcoxon distribution; beyond it is normal.
EXACT_RANKS = 50
_NOISE = 1e-12
_BLOCK = 1 << 20  # largest number of differences in one block of pairs


def p_values(
    scores: FloatArray,
    test: str = "bootstrap",
    *,
    samples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """One-sided p-values by one of `TESTS`: p[i, j] is small where run i is better than run j.

    `samples` and `rng` (default: seeded with 1) are used by tests that draw at random.

    >>> scores = np.array([[0.5, 0.6, 0.7, 0.4], [0.1, 0.5, 0.2, 0.3]])
    >>> p_values(scores, "sign").tolist()
    [[1.0, 0.0625], [1.0, 1.0]]
    """
    check_test(test)
    check_scores(scores)
    p = TESTS[test](scores, samples, rng or np.random.default_rng(1))
    np.fill_diagonal(p, 1.0)
    return p


def two_sided(p: FloatArray) -> FloatArray:
    """Two-sided p-values of pairs from one-sided ones: twice the smaller of both directions, at most 1.

    The permutation test counts both directions instead (see `two_sided_permutation`).
    """
    return np.asarray(np.minimum(2 * np.minimum(p, p.T), 1.0))


def check_scores(scores: FloatArray) -> None:
    """Raise an error unless there are two runs and two topics, and every run has a score on every topic."""
    runs, topics = scores.shape
    if runs < 2:
        raise ExcerptError(f"found {plural(runs, 'run')}, expected at least 2 to compare")
    if topics < 2:
        raise ExcerptError(f"found {plural(topics, 'topic')} with scores of all runs, expected at least 2")
    if not np.isfinite(scores).all():
        raise ExcerptError("found scores that are not finite, expected a score of every run on every topic")


def bootstrap(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Bootstrap test: proportion of resamples of topics with a mean difference not above 0 (eq. 13)."""
    units = resampling.ScoreUnits.of(scores)
    return p_of_sums(units, resampling.resampled_sums(units, samples, rng))


def p_of_sums(units: resampling.ScoreUnits, sums: FloatArray, *, plus_one: bool = False) -> FloatArray:
    """Bootstrap p-values from resampled sums; `plus_one`: (count + 1) / (samples + 1), which is never 0."""
    at_most, samples = resampling.count_not_above(sums, units.tolerance), sums.shape[1]
    return np.asarray((at_most + 1) / (samples + 1) if plus_one else at_most / samples)


def permutation(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Permutation test: proportion of choices of signs whose sum of differences is at least the observed one.

    With up to 12 topics all choices are taken; else (count + 1) / (samples + 1) of random ones.
    """
    above, _, choices = _flipped(scores, samples, rng)
    return above / choices


def two_sided_permutation(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Two-sided p-values: proportion of choices of signs whose sum is as far from 0 as the observed one.

    >>> scores = np.array([[0.5, 0.6, 0.7], [0.1, 0.5, 0.2]])
    >>> float(two_sided_permutation(scores, 100, np.random.default_rng(1))[0, 1])
    0.25
    """
    above, below, choices = _flipped(scores, samples, rng, opposite=True)
    both = np.minimum((above + below) / choices, 1.0)
    better = scores.sum(axis=1)[:, None] > scores.sum(axis=1)
    return np.where(better, both, both.T)  # 1 in both directions of a tie


def _flipped(
    scores: FloatArray, samples: int, rng: np.random.Generator, *, opposite: bool = False
) -> tuple[FloatArray, FloatArray, int]:
    """Numbers of choices of signs as good for a run as the observed one, and as bad as it is good; of all.

    The second is only counted if `opposite`. The observed choice is one more if not all are taken.
    """
    units = resampling.ScoreUnits.of(scores)
    totals = units.values.sum(axis=1)[:, None]
    exact = scores.shape[1] <= EXACT_FLIPS
    sums = resampling.all_flipped_sums(units) if exact else resampling.flipped_sums(units, samples, rng)
    # The observed and the flipped sum may each be wrong by up to the tolerance.
    above = resampling.count_not_above(sums - totals, 2 * units.tolerance).T
    below = np.zeros_like(above)
    if opposite:
        below = resampling.count_not_above(-sums - totals, 2 * units.tolerance).T
    more = 0 if exact else 1
    return above + more, below, sums.shape[1] + more


def student(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Student's paired t test, by scipy; p is 0 or 1 for a constant difference."""
    from scipy.special import stdtr

    runs, topics = scores.shape
    p = np.ones((runs, runs))
    noise = _NOISE * float(np.abs(scores).max(initial=0.0))
    for i, j in _pairs(runs, topics):
        difference = scores[i] - scores[j]
        mean, deviation = difference.mean(axis=1), difference.std(axis=1, ddof=1)
        constant = deviation <= noise
        t = mean / np.where(constant, 1.0, deviation) * math.sqrt(topics)
        p[i, j] = np.where(constant, np.where(mean > noise, 0.0, 1.0), stdtr(topics - 1.0, -t))
        p[j, i] = np.where(constant, np.where(mean < -noise, 0.0, 1.0), stdtr(topics - 1.0, t))
    return p


def sign(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Sign test: equal scores are left out, the signs of the others are binomial."""
    runs, topics = scores.shape
    p = np.ones((runs, runs))
    for i, j in _pairs(runs, topics):
        difference = clean_differences(scores, i, j)
        above, below = (difference > 0).sum(axis=1), (difference < 0).sum(axis=1)
        untied = above + below
        for n in np.unique(untied).tolist():
            tails, rows = np.array(_binomial_tails(n)), untied == n
            p[i[rows], j[rows]], p[j[rows], i[rows]] = tails[above[rows]], tails[below[rows]]
    return p


def wilcoxon(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Wilcoxon's signed-rank test: equal scores are left out; exact for up to 50 differences, tied or not.

    With more differences it is the normal approximation, corrected for ties but not for continuity.
    """
    p = np.ones((len(scores), len(scores)))
    for i, j in _pairs(len(scores), scores.shape[1]):
        difference = clean_differences(scores, i, j)
        size = np.where(difference == 0, np.inf, np.abs(difference))
        ranks = average_ranks(size)
        counted = difference != 0
        tied = np.where(counted, ranks.ties.astype(np.float64) ** 2 - 1, 0.0).sum(axis=1)
        own = np.where(counted, ranks.rank, 0.0)
        above, below = (np.where(side, own, 0.0).sum(axis=1) for side in (difference > 0, difference < 0))
        p[i, j], p[j, i] = _rank_tails(own, (above, below), tied)
    return p


def _pairs(runs: int, topics: int) -> Iterator[tuple[IntArray, IntArray]]:
    """All pairs of runs, in blocks."""
    first, second = np.triu_indices(runs, 1)
    step = max(1, _BLOCK // topics)
    for start in range(0, len(first), step):
        yield first[start : start + step], second[start : start + step]


def _rank_tails(own: FloatArray, totals: tuple[FloatArray, ...], tied: FloatArray) -> list[FloatArray]:
    """Probabilities that signed ranks (0: not counted) sum to a total or more, for rows of ranks.

    `tied` sums t³ - t over groups of ties. Rows without ties share the distribution of their length.
    """
    sizes = np.count_nonzero(own, axis=1)
    tails = [np.empty(len(own)) for _ in totals]
    exact, untied = sizes <= EXACT_RANKS, tied == 0
    same = [np.flatnonzero(untied & (sizes == n)) for n in np.unique(sizes[exact & untied]).tolist()]
    for rows in (*same, *_of_same_ranks(own, np.flatnonzero(exact & ~untied))):
        doubled = np.rint(2 * own[rows[0]]).astype(np.int64)  # the mean of tied ranks may be a half
        ways = _subset_sums(tuple(np.sort(doubled[doubled > 0]).tolist()))
        chances = np.cumsum(ways[::-1])[::-1] / 2.0 ** sizes[rows[0]]
        for tail, total in zip(tails, totals, strict=True):
            tail[rows] = chances[np.rint(2 * total[rows]).astype(np.int64)]
    for row in np.flatnonzero(~exact).tolist():
        n = int(sizes[row])
        spread = math.sqrt(2 * (n * (n + 1) * (2 * n + 1) / 24 - float(tied[row]) / 48))
        for tail, total in zip(tails, totals, strict=True):
            tail[row] = 0.5 * math.erfc((float(total[row]) - n * (n + 1) / 4) / spread)
    return tails


def _of_same_ranks(own: FloatArray, rows: IntArray) -> list[IntArray]:
    """These rows, those with the same ranks together; groups with alike ranks follow each other."""
    if not rows.size:
        return []
    ranks = np.sort(np.rint(2 * own[rows]).astype(np.uint8), axis=1)
    _, which, counts = np.unique(ranks.view(f"V{ranks.shape[1]}"), return_inverse=True, return_counts=True)
    return np.split(rows[np.argsort(which.ravel(), kind="stable")], np.cumsum(counts)[:-1])


@lru_cache(maxsize=8 * EXACT_RANKS)
def _subset_sums(ranks: tuple[int, ...]) -> FloatArray:
    """Number of subsets of whole numbers that sum to w, for every w; those of all but the last are kept."""
    if not ranks:
        return np.ones(1)
    before = _subset_sums(ranks[:-1])
    ways = np.zeros(len(before) + ranks[-1])
    ways[: len(before)] = before
    ways[ranks[-1] :] += before
    return ways


@lru_cache(maxsize=1024)
def _binomial_tails(n: int) -> tuple[float, ...]:
    """Probability of k or more heads in n throws, for k = 0…n, correctly rounded."""
    ways, tail = 1, 0
    chances = []
    for k in range(n, -1, -1):
        tail += ways
        chances.append(tail / (1 << n))
        ways = ways * k // (n - k + 1)
    return tuple(reversed(chances))


#: Tests by their names on the command line.
TESTS: dict[str, Test] = {
    "bootstrap": bootstrap,
    "t": student,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "permutation": permutation,
}


EXACT_ARRANGEMENTS = 1 << 12  # largest number of permutations of which all are taken


class PairFamily(NamedTuple):
    """Two-sided p-values of all pairs tested together; a difference above `least` is significant."""

    p: FloatArray
    least: float


FamilyTest: TypeAlias = Callable[[FloatArray, float, int, np.random.Generator], PairFamily]


def tukey(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> PairFamily:
    """Randomised Tukey HSD: the scores of each topic are permuted over the runs; p is of the range of means.

    With up to 4096 permutations all are taken, else (count + 1) / (samples + 1) of random ones.

    >>> scores = np.array([[0.5, 0.6, 0.7], [0.1, 0.5, 0.2], [0.3, 0.3, 0.3]])
    >>> (36 * tukey(scores, 0.05, 100, np.random.default_rng(1)).p).round(9).tolist()
    [[36.0, 7.0, 10.0], [7.0, 36.0, 36.0], [10.0, 36.0, 36.0]]
    """
    check_scores(scores)
    runs, topics = scores.shape
    units = resampling.ScoreUnits.of(scores)
    resampling.check_samples(samples)
    # Two runs have the fewest permutations; that comparison comes first since the factorial may be huge.
    exact = 2 ** (topics - 1) <= EXACT_ARRANGEMENTS >= math.factorial(runs) ** (topics - 1)
    permuted = _all_permuted(units.values) if exact else _randomly_permuted(units.values, samples, rng)
    ranges = np.sort(np.concatenate([np.ptp(sums, axis=1) for sums in permuted]))
    totals = units.values.sum(axis=1)
    # The observed difference and the range may each be wrong by up to the tolerance.
    observed = np.abs(totals[:, None] - totals) - 2 * units.tolerance
    reached = len(ranges) - np.searchsorted(ranges, observed, side="left")
    more = 0 if exact else 1
    allowed = math.floor(alpha * (1 + 1e-12) * (len(ranges) + more)) - more
    # With too few samples no difference can be significant, and none may exceed `least`.
    least = ranges[-1 - allowed] if allowed >= 0 else max(float(ranges[-1]), float(observed.max()))
    return PairFamily((reached + more) / (len(ranges) + more), float(least) * units.unit / topics)


def _all_permuted(values: FloatArray) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for all permutations; the first topic is fixed, as runs are exchangeable."""
    orders = np.array(list(itertools.permutations(range(len(values)))))
    sums = values[:, 0][None]
    for scores in values.T[1:]:
        sums = (sums[:, None] + scores[orders]).reshape(-1, len(values))
    yield sums


def _randomly_permuted(values: FloatArray, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for random permutations (rows)."""
    step = max(1, resampling.BLOCK // values.size)
    for start in range(0, samples, step):
        permuted = np.repeat(values.T[None], min(step, samples - start), axis=0)
        yield rng.permuted(permuted, axis=2, out=permuted).sum(axis=1)


def anova(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> PairFamily:  # noqa: ARG001
    """Tukey's HSD of a two-way analysis of variance: differences of means against the residual variance."""
    check_scores(scores)
    return PairFamily(*Variance.of(scores).tukey_hsd(scores, alpha))


#: Tests of all pairs together by their names on the command line.
FAMILIES: dict[str, FamilyTest] = {"tukey": tukey, "anova": anova}


Correction: TypeAlias = Callable[[FloatArray], FloatArray]

_ROUNDING = 1e-12  # relative tolerance of an adjusted p-value that is equal to alpha: 3 · 0.05/3 is 0.05


class Corrected(NamedTuple):
    """Rejected hypotheses, and the smallest alpha at which each is rejected."""

    rejected: BoolArray
    adjusted: FloatArray


def correct(p: FloatArray, correction: str = "by", alpha: float = 0.05) -> Corrected:
    """Correct all p-values together by one of `CORRECTIONS`; the shape is kept.

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
    """Raise an error if a correction is unknown or alpha is not between 0 and 1."""
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    if not 0 < alpha < 1:
        raise ExcerptError(f"found {alpha} as alpha, expected a number between 0 and 1")


def correct_pairs(
    p: FloatArray,
    correction: str = "by",
    alpha: float = 0.05,
    *,
    of: Sequence[int] = (),
    better: BoolArray | None = None,
) -> Corrected:
    """Correct a matrix of ordered pairs of N runs: N(N - 1) hypotheses, all but the diagonal.

    With `of`, indexes of runs, only the pairs with one of them are corrected. If p is two-sided, `better` has
    the run of each pair that the test prefers: each pair is one hypothesis, rejected in that direction.

    >>> p = np.array([[1.0, 0.01], [0.99, 1.0]])
    >>> correct_pairs(p, "bonferroni").adjusted.tolist()
    [[1.0, 0.02], [1.0, 1.0]]
    """
    pairs = ~np.eye(len(p), dtype=np.bool_)
    if len(of):
        chosen = np.isin(np.arange(len(p)), of)
        pairs &= chosen | chosen[:, None]
    pairs = pairs if better is None else np.triu(pairs)
    corrected = correct(p[pairs], correction, alpha)
    rejected, adjusted = np.zeros(p.shape, dtype=np.bool_), np.ones(p.shape)
    rejected[pairs], adjusted[pairs] = corrected
    if better is None:
        return Corrected(rejected, adjusted)
    return Corrected((rejected | rejected.T) & better, np.minimum(adjusted, adjusted.T))


def _benjamini_hochberg(ascending: FloatArray) -> FloatArray:
    m = len(ascending)
    steps = ascending * m / np.arange(1, m + 1)
    return np.asarray(np.minimum.accumulate(steps[::-1])[::-1])


@lru_cache(maxsize=16)
def _harmonic(count: int) -> float:
    return math.fsum(1 / i for i in range(1, count + 1))


#: Corrections of ascending p-values by their names on the command line.
CORRECTIONS: dict[str, Correction] = {
    # Eq. 12: c_m for tests that depend on each other, as all comparisons of one run do.
    "by": lambda p: _benjamini_hochberg(p) * _harmonic(len(p)),
    "bh": _benjamini_hochberg,
    "holm": lambda p: np.asarray(np.maximum.accumulate(p * np.arange(len(p), 0, -1))),
    "bonferroni": lambda p: p * len(p),
    "none": lambda p: p,
}
